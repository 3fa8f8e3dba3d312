"""Polynomials with known coefficients, such as the first terms of a series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from effects.arrays.array import Array


def polynomial(t: Array, coefficients: Sequence[float]) -> Array:
    """Σ c[n - k] tᵏ, by Horner's rule."""
    total = t * coefficients[0] + coefficients[1]
    for c in coefficients[2:]:
        total = total * t + c
    return total

"""Polynomials with known coefficients, such as the first terms of a series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from effects.arrays.array import Array


def polynomial(t: Array, coefficients: Sequence[float]) -> Array:
    """Σ c[n - k] tᵏ by Estrin's scheme, which has short dependency chains.

    The constant, mostly the largest term, is added last, so that earlier roundings are small.
    """
    least = coefficients[-2::-1]
    if len(least) == 1:
        return t * least[0] + coefficients[-1]
    terms = [low + high * t for low, high in zip(least[::2], least[1::2], strict=False)]
    if len(least) % 2:
        terms[-1] = terms[-1] + least[-1] * (t * t)
    power = t
    while len(terms) > 1:
        power = power * power
        joined = [low + high * power for low, high in zip(terms[::2], terms[1::2], strict=False)]
        terms = [*joined, *terms[2 * len(joined) :]]
    return t * terms[0] + coefficients[-1]

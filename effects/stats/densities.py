"""Logarithms of densities, by deviances where parameters are large: no large logarithms cancel.

After Loader, Fast and accurate computation of binomial probabilities (2000).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from effects import special
from effects.functions import elementwise
from effects.functions.logic import where
from effects.functions.transcendental import log
from effects.special.information import divergence_of_near

if TYPE_CHECKING:
    from effects.arrays.array import Array

_LARGE: Final = 16.0
_HALF_LOG_2_PI: Final = 0.9189385332046728
_STIRLING: Final = (1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)


def _stirling(x: Array) -> Array:
    """log Γ(x) - (x - ½) log(x) + x - ½ log(2π), for x ≥ 16 (DLMF 5.11.1)."""
    inverse = 1.0 / x
    square = inverse * inverse
    total: Array = 0.0 * x
    for c in _STIRLING:
        total = total * square + c
    return total * inverse


def _deviance(x: Array, y: Array) -> Array:
    """x log(x / y) - x + y of x ≥ 16 and y > 0."""
    near, tiny = elementwise.abs(y - x) < 0.4 * x, y < 1e-290
    shift = where(tiny, 60.0 * math.log(2.0), 0.0)
    apart = x * (shift - log(where(near, 1.0, where(tiny, y * 2.0**60, y) / x))) + (y - x)
    return where(near, divergence_of_near(x, where(near, y, x)), apart)


def gamma(x: Array, a: Array) -> Array:
    """log(xᵃ⁻¹ e⁻ˣ / Γ(a))"""
    large, positive = a >= _LARGE, x > 0.0
    b, y = where(large, a, _LARGE), where(large & positive, x, _LARGE)
    beyond = 0.5 * log(b) - _HALF_LOG_2_PI - _stirling(b) - _deviance(b, y) - log(y)
    c = where(large, 1.0, a)
    near = special.xlogy(c - 1.0, x) - x - special.gammaln(c)
    return where(large, where(positive, beyond, -math.inf), near)


def beta(near: Array, a: Array, b: Array, x: Array, y: Array, per: Array) -> Array:
    """log(xᵃ yᵇ / B(a, b) / per) of y = 1 - x, which is `near` unless a and b are large."""
    large, inside = (a >= _LARGE) & (b >= _LARGE), (x > 0.0) & (y > 0.0)
    both = large & inside
    p, q = where(both, a, _LARGE), where(both, b, _LARGE)
    n = p + q
    corrections = _stirling(n) - _stirling(p) - _stirling(q)
    deviances = _deviance(p, n * where(both, x, 0.5)) + _deviance(q, n * where(both, y, 0.5))
    beyond = 0.5 * log(p / n * q) - _HALF_LOG_2_PI + corrections - deviances - log(where(both, per, 1.0))
    return where(large, where(inside, beyond, -math.inf), near)

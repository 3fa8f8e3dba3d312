"""Complete elliptic integrals by Bulirsch's iteration (1965), whose terms are all positive, so that none cancel."""

from __future__ import annotations

import math
from typing import Final

from effects.arrays.array import Array
from effects.functions.elementwise.arithmetic import maximum
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import log, sqrt

_STEPS: Final = 13
"""Number of steps for the least p: each halves the exponent of the ratio, and later doubles the right digits."""
_LEAST: Final = 1e-300
"""Least p: there K(1 - p) is log(4 / √p) and E(1 - p) is 1. Inverses of the greatest numbers would count as 0."""


def _complete(p: Array, b: Array) -> Array:
    """∫ (cos²t + b sin²t) / √(cos²t + p sin²t) dt over a quarter turn, of p in (0, 1]."""
    root = sqrt(p)
    product, mean = root, 1.0 + root
    first, second, scale = 1.0 + b, 2.0 * (b + root), 1.0 + root
    for _ in range(_STEPS):
        root = 2.0 * sqrt(product)
        product = root * mean
        per = product / scale
        first, second, scale = first + second / scale, 2.0 * (second + first * per), scale + per
        mean = mean + root
    return (math.pi / 2) * (first * mean + second) / (mean * (mean + scale))


def ellipkm1(p: Array) -> Array:
    """K(1 - p), for p > 1 as K(1 - 1/p) / √p (DLMF 19.7.2)."""
    beyond, inside = p > 1.0, p > 0.0
    q = where(inside, p, 1.0)
    value = _complete(where(beyond, maximum(1.0 / q, _LEAST), q), where(inside, 1.0, q))
    value = where(q > 1.0 / _LEAST, math.log(4.0) + 0.5 * log(q), value)
    value = where(beyond, value / sqrt(q), value)
    pole = p == 0.0
    outside = where(pole, -log(where(pole, p, 1.0)), math.nan)  # infinite, and so are its derivatives
    return where(inside, where(p == math.inf, 0.0, value), outside)


def ellipe(m: Array) -> Array:
    """E(m), for m < 0 as √(1 - m) E(m / (m - 1)) (DLMF 19.7.2)."""
    p = 1.0 - m
    beyond, inside = m < 0.0, p > 0.0
    q = where(inside, p, 1.0)
    modulus = where(beyond, maximum(1.0 / q, _LEAST), q)
    value = _complete(modulus, modulus)
    value = where(beyond, value * sqrt(q), value)
    return where(inside, where(p == math.inf, p, value), where(p == 0.0, 1.0, math.nan))

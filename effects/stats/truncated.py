"""The normal distribution between two ends, also where next to nothing of it is between them."""

from __future__ import annotations

import math
from typing import Any, Final

import handlers
from effects import special
from effects.arrays.array import Array
from effects.functions.elementwise import logic, unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import exp, expm1, log, log1p, sqrt
from effects.operations.special import SpecialKind
from effects.special.calling import of as special_of

_LOG_2_PI: Final = 1.8378770664093453
_NARROW: Final = 0.3
_FAR: Final = -5.0
"""Below, what is left is inverted by its logarithm."""


def _mass(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Φ(b) - Φ(a) as two numbers, of which the second is not 0, and the logarithm of another, whose product it is.

    Between ends that are close the density in the middle, and the width with what Hermite's polynomials say of the
    rest; else by the tail that has both where one does.
    """
    width, right = b - a, a > 0
    middle = a + 0.5 * width
    narrow = (width < _NARROW) & (unary.abs(middle) * width < _NARROW)
    m, w = where(narrow, middle, 0.0), where(narrow, width, 0.0)
    quarter = w * w / 4.0
    extent = even = power = 1.0 + 0.0 * w
    odd = m
    for k in range(1, 5):
        even, power = m * odd - (2.0 * k - 1.0) * even, power * quarter
        odd = m * even - 2.0 * k * odd
        extent = extent + even * power / math.factorial(2 * k + 1)
    low, high = where(right, -b, a), where(right, -a, b)
    nothing = high < -1e150
    last = special.log_ndtr(where(narrow | nothing, 0.0, high))
    gap = where(nothing, -1.0, special.log_ndtr(where(narrow | (low < -1e150), -1e150, low)) - last)
    wide = where(nothing, -math.inf, last)
    size = where(narrow, w, -expm1(gap))
    return size, extent, where(narrow, -0.5 * (m * m + _LOG_2_PI), wide)


def log_mass(a: Array, b: Array) -> Array:
    """log(Φ(b) - Φ(a))."""
    width, extent, logarithm = _mass(a, b)
    return logarithm + log(extent) + log(width)  # slopes of their product would be 0 times ∞ where a is b


def share(first: Array, last: Array, a: Array, b: Array) -> Array:
    """Share of the probability between a and b that lies between `first` and `last`."""
    width, extent, logarithm = _mass(first, last)
    return width * extent * exp(logarithm - log_mass(a, b))


def log_share(first: Array, last: Array, rest: tuple[Array, Array], a: Array, b: Array) -> Array:
    """Its logarithm, by the rest where that is less."""
    others = share(*rest, a, b)
    near = others < 0.5
    value = where(near, log1p(-where(near, others, 0.0)), log_mass(first, last) - log_mass(a, b))
    return value * where(unary.isnan(first) | unary.isnan(last), math.nan, 1.0)  # and so all derivatives


def quantile(q: Array, rest: Array, a: Array, b: Array) -> Array:
    """The x with the share q below it and `rest` above, in the lower tail, or in the upper one by reflection."""
    turned = (a > 0) | (b > 0) & (q > 0.5)
    low, high = where(turned, -b, a), where(turned, -a, b)
    p, others = where(turned, rest, q), where(turned, q, rest)
    far = high < _FAR
    first, last = [special_of(SpecialKind.NDTR, where(far, *v)) for v in ((-1.0, low), (1.0, high))]
    near = special.ndtri(first + p * (last - first))
    x = where(far, _far_quantile(p, others, where(far, low, 2 * _FAR), where(far, high, _FAR)), near)
    x = where(turned, -x, x)
    outside: Array = handlers.stop_gradient(logic.clip(x, a, b) - x)
    return x + outside  # next to an end it has its derivative


def _far_quantile(p: Array, rest: Array, low: Array, high: Array) -> Array:
    """By Newton's method for log Φ."""
    last = special.log_ndtr(high)
    gap = special.log_ndtr(low) - last
    share = -expm1(gap)
    wanted = last + where(p < 0.5, log(exp(gap) + p * share), log1p(-rest * where(p < 0.5, 0.0, share)))

    def nearer(_: object, x: Array) -> Any:
        value = special.log_ndtr(x)
        return x - (value - wanted) * exp(value + 0.5 * (x * x + _LOG_2_PI))

    start = -sqrt(-2.0 * wanted - _LOG_2_PI - log(-2.0 * wanted))
    quantile: Array = handlers.fori_loop(0, 5, nearer, start)
    return quantile

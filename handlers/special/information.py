"""Functions of entropy and information, which take 0 · log(0) for 0."""

from __future__ import annotations

import math
from collections.abc import Callable

from effects.arrays.array import Array
from effects.functions.elementwise import unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import log, log1p
from effects.special.calling import has_more_digits
from effects.special.information import divergence_of_near
from effects.types import dtypes


def logit(x: Array) -> Array:
    """Near ½ by log1p, since the quotient is next to 1 there; numbers of single precision are not that near."""
    if has_more_digits(x):
        return log(x / (1.0 - x))
    middle = unary.abs(x - 0.5) < 0.2
    y, z = where(middle, x, 0.5), where(middle, 0.5, x)
    return where(middle, log1p((y + y - 1.0) / (1.0 - y)), log(z / (1.0 - z)))


def entr(x: Array) -> Array:
    return where(x < 0.0, -math.inf, where(x == 0.0, 0.0, -x * log(x)))


def xlogy(x: Array, y: Array) -> Array:
    return where((x == 0.0) & ~unary.isnan(y), 0.0, x * log(y))


def xlog1py(x: Array, y: Array) -> Array:
    return where((x == 0.0) & ~unary.isnan(y), 0.0, x * log1p(y))


def log_ratio(a: Array, b: Array) -> Array:
    """log(a / b), also next to 1, where numbers of single precision are not, and where the quotient overflows."""
    ratio = a / b
    if has_more_digits(a):
        return log(ratio)
    near = (ratio > 0.5) & (ratio < 2.0)
    most = 1e300 if a.aval.dtype is dtypes.float64 else 1e30
    usual = (ratio > 1.0 / most) & (ratio < most)
    apart = where(usual, log(where(usual, ratio, 1.0)), log(a) - log(b))
    return where(near, log1p(where(near, (a - b) / b, 0.0)), apart)


def _begun(x: Array, y: Array) -> Array:
    """Mask of the terms that a sum of such terms takes for 0."""
    return (x == 0.0) & (y >= 0.0)


def rel_entr(x: Array, y: Array) -> Array:
    proper = (x > 0.0) & (y > 0.0)
    a, b = where(proper, x, 1.0), where(proper, y, 1.0)
    value = where(proper, a * log_ratio(a, b), where(_begun(x, y), 0.0, math.inf))
    return where(unary.isnan(x) | unary.isnan(y), math.nan, value)


def kl_div(x: Array, y: Array) -> Array:
    proper = (x > 0.0) & (y > 0.0)
    near = proper & (unary.abs(y - x) < 0.4 * x)
    apart = where(proper | _begun(x, y), rel_entr(x, y) - x + y, math.inf)
    value = where(near, divergence_of_near(where(near, x, 1.0), where(near, y, 1.0)), apart)
    return where(unary.isnan(x) | unary.isnan(y), math.nan, value)


def entr_slope(y: Array, x: Array) -> Array:
    return where(x < 0.0, 0.0, -log(where(x < 0.0, 1.0, x)) - 1.0)


def _without(x: Array, y: Array, pole: float) -> Array:
    """Mask of x equal to 0 where the logarithm of y - pole is infinite or NaN."""
    return (x == 0.0) & ((y <= pole) | (y == math.inf))


def log_slope(f: Callable[[Array], Array], pole: float, z: Array, x: Array, y: Array) -> Array:
    """Of x f(y) in x."""
    return where(_without(x, y, pole), 0.0, f(y))


def slope_in_log(pole: float, z: Array, x: Array, y: Array) -> Array:
    """Of x log(y - pole) in y."""
    quotient = x / (y - pole if pole else y)
    return where(_without(x, y, pole), 0.0, quotient * where(y < pole, math.nan, 1.0))


def relative_slope(i: int, shift: float, z: Array, x: Array, y: Array) -> Array:
    """Of x log(x / y) + shift · (x - y): at x = 0 that of a sum of such terms."""
    undefined = unary.isnan(x) | unary.isnan(y)
    proper, begun = (x > 0.0) & (y > 0.0) | undefined, _begun(x, y)
    a, b = where(proper, x, 1.0), where(proper, y, 1.0)
    if i == 0:
        inside = log_ratio(a, b) + (1.0 + shift)
        begun_slope = where((y > 0.0) & (y < math.inf), -math.inf, shift)
    else:
        inside, begun_slope = (b - a) / b if shift else -a / b, 0.0 * a - shift
    value = where(proper, inside, where(begun, begun_slope, 0.0))
    return value * where(undefined, math.nan, 1.0)

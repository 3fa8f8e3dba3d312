"""The error function's complement and inverses, and the normal distribution's logarithm.

Of x ≥ 0, (1 + 2x) exp(x²) erfc(x) is one polynomial in (x - 3.75) / (x + 3.75), after Shepherd and Laframboise (1981).
"""

from __future__ import annotations

import math
from typing import Final

from effects.arrays.array import Array
from effects.functions.elementwise import arithmetic, transcendental, unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.series import polynomial
from effects.functions.elementwise.transcendental import exp
from effects.special.calling import has_more_digits, tolerance
from effects.types import dtypes
from handlers.special import short
from handlers.special.fits import exact_square, fit

_ROOT_HALF: Final = 0.7071067811865476
_FAR: Final = 1e10
"""From here on exp(x²) erfc(x) is 1 / (√π x)."""
_ERF: Final = tuple([(-1) ** k * 2 / math.sqrt(math.pi) / (math.factorial(k) * (2 * k + 1)) for k in range(13, -1, -1)])
"""Coefficients of erf(x) / x in powers of x², highest first, for x up to ½."""
_NORMAL: Final = tuple([0.5 * c * 0.5 ** (k + 0.5) for k, c in zip(range(13, -1, -1), _ERF, strict=True)])
"""Coefficients of (Φ(x) - ½) / x, likewise, where Φ is the normal distribution."""


def gauss(x: Array, scale: float) -> tuple[Array, Array | float]:
    """exp(scale · x²) of x ≥ 0, and its relative error, which comes from rounding x²."""
    x = arithmetic.minimum(x, 40.0)
    if has_more_digits(x):
        return exp(scale * (x * x)), 0.0
    square, rounding = exact_square(x)
    return exp(scale * square), scale * rounding


def positive_erfcx(x: Array) -> Array:
    """exp(x²) erfc(x) of 0 ≤ x ≤ _FAR."""
    first, second = x + 3.75, 1.0 + 2.0 * x
    if x.aval.dtype is dtypes.float64:
        inverse = 1.0 / (first * second)
        return fit("ERFCX", 1.0 - 7.5 * (second * inverse)) * (first * inverse)
    dividend = fit("ERFCX", (x - 3.75) / first)
    approximate = dividend * (1.0 / second)  # XLA would keep a quotient with several uses in memory
    return dividend / second - 0.9 * (2.0 * x - (second - 1.0)) * (approximate * approximate)


def _tail(x: Array, scale: float, z: Array) -> Array:
    """exp(scale · x²) exp(z²) erfc(z)."""
    power, lost = gauss(x, scale)
    value = power * positive_erfcx(z)
    return value + value * lost


def erfcx(x: Array) -> Array:
    size = unary.abs(x)
    near = arithmetic.minimum(size, _FAR)
    value = where(size < _FAR, positive_erfcx(near), 1.0 / (math.sqrt(math.pi) * arithmetic.maximum(size, _FAR)))
    power, lost = gauss(size, 1.0)
    return where(x < 0.0, 2.0 * power * (1.0 + lost) - value, value)


def erfc(x: Array) -> Array:
    size = arithmetic.minimum(unary.abs(x), 40.0)
    tail = _tail(size, -1.0, size)
    value = where(x < 0.0, 2.0 - tail, tail)
    if has_more_digits(x):
        return value
    central = size <= (0.7 if tolerance.get() else 0.5)
    return where(central, 1.0 - _central(where(central, x, 0.0), _ERF), value)


def _central(x: Array, series: tuple[float, ...]) -> Array:
    """An odd function, to single precision up to √½ for erf and up to 1 for the normal distribution."""
    return x * polynomial(x * x, series[-9:] if tolerance.get() else series)


def ndtr(x: Array) -> Array:
    if not tolerance.get():
        return 0.5 * erfc(x * -_ROOT_HALF)
    size = arithmetic.minimum(unary.abs(x), 60.0)
    tail = 0.5 * _tail(size, -0.5, size * _ROOT_HALF)
    value = where(x < 0.0, tail, 1.0 - tail)
    if has_more_digits(x):
        return value
    central = size <= 1.0
    return where(central, 0.5 + _central(where(central, x, 0.0), _NORMAL), value)


_LEAST_INVERSE: Final = 4.0 / 41.0
"""Least 1 / √w in single precision: that of the least positive number, and a little below."""


def _inverse(y: Array, product: Array) -> Array:
    """The x with erf(x) = y, of y and 1 - y²: y times a function of w = -log(1 - y²) (Giles, 2010)."""
    w = -transcendental.log(product)
    near = w < 6.25
    root = transcendental.sqrt(where(near, 6.25, w))
    inverse = 1.0 / root
    beyond = fit("ERFINV_FAR", arithmetic.maximum(inverse, _LEAST_INVERSE))
    if y.aval.dtype is dtypes.float64:
        beyond = where(inverse < _LEAST_INVERSE, fit("ERFINV_OUT", inverse), beyond)
    return y * where(near, fit("ERFINV_NEAR", where(near, w, 0.0)), root * beyond)


def erfinv(y: Array) -> Array:
    return _inverse(y, (1.0 - y) * (1.0 + y))


def erfcinv(p: Array) -> Array:
    return _inverse(1.0 - p, p * (2.0 - p))


def ndtri(p: Array) -> Array:
    twice = p + p
    return math.sqrt(2.0) * _inverse(twice - 1.0, twice * (2.0 - twice))


def log_ndtr(x: Array) -> Array:
    """The logarithm of Φ(x), by its lesser tail T: log(T exp(x²/2)) - x²/2 below 0, log(1 - T) above."""
    below, size = x < 0.0, unary.abs(x)
    scaled = 0.5 * positive_erfcx(arithmetic.minimum(size * _ROOT_HALF, _FAR))
    power, lost = gauss(size, -0.5)
    log1p = short.log1p if has_more_digits(x) else transcendental.log1p
    value = log1p(where(below, scaled - 1.0, -(power + power * lost) * scaled))
    return where(x >= 0.0, value, value - x * x / 2.0)  # of NaN the logarithm may be a number

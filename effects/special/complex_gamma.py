"""The gamma function of complex numbers in double precision, and its logarithm.

By Stirling's series far from the negative axis (DLMF 5.11.1), elsewhere moved there by the recurrence and by reflection
(5.5.1, 5.5.3). The logarithm is a power series next to its roots 1 and 2 (5.7.3).
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, convert
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.elementwise.series import polynomial
from effects.runtime.coefficients import numbers_below
from effects.types import dtypes

_FAR: Final = 9
"""Distance from the negative axis, or real part, from which Stirling's series is right."""
_HALF_LOG_2_PI: Final = 0.9189385332046728
STIRLING, ABOUT_TWO = [tuple(numbers) for _, numbers in numbers_below(Path(__file__).with_suffix(".txt"))]
"""Of Stirling's series, and of log Γ(2 + w) in powers of w, short up to |w| = _CLOSE."""
_CLOSE: Final = 1.0


def loggamma(z: Array) -> Array:
    x, y = unary.real(z), unary.imag(z)
    reflected, w, shifted, product = _moved(z)
    value = _stirling(shifted) - transcendental.log(product) - _times_i(2 * math.pi * _turns(w, shifted))
    one = unary.real(w) < 1.5
    distance = logic.where(one, w - 1, w - 2)
    close = unary.abs(distance) < _CLOSE
    distance = logic.where(close, distance, 0 * w)
    series = polynomial(distance, ABOUT_TWO)
    series = logic.where(one, series - transcendental.log1p(distance), series)
    value = logic.where(close, series, value)
    sine = _sine(logic.where(reflected, z, constant_like(0.5, z)))
    turns = arithmetic.copysign(constant_like(2 * math.pi, x), y) * unary.floor(0.5 * x + 0.25)
    other = math.log(math.pi) - transcendental.log(sine) - value + _times_i(turns)
    return _defined(z, logic.where(reflected, other, value))


def gamma(z: Array) -> Array:
    reflected, _, shifted, product = _moved(z)
    exponent = _stirling(shifted)
    power = transcendental.exp(logic.where(reflected, -exponent, exponent))
    sine = _sine(logic.where(reflected, z, constant_like(0.5, z)))
    value = logic.where(shifted == z, power, power / logic.where(reflected, constant_like(1, z), product))
    return _defined(z, logic.where(reflected, math.pi * (product * power) / sine, value))


def _defined(z: Array, value: Array) -> Array:
    """NaN at the poles and at infinity, as in SciPy."""
    x, y = unary.real(z), unary.imag(z)
    pole = logic.logical_and(logic.logical_and(y == 0, x <= 0), unary.floor(x) == x)
    undefined = logic.logical_or(pole, logic.logical_not(unary.isfinite(z)))
    return logic.where(undefined, constant_like(complex(math.nan, math.nan), z), value)


def _moved(z: Array) -> tuple[Array, Array, Array, Array]:
    """Mask of what is reflected; z or 1 - z; that moved to where Stirling's series is right; the steps' product."""
    near = logic.logical_and(unary.real(z) < _FAR, unary.abs(unary.imag(z)) < _FAR)
    reflected = logic.logical_and(near, unary.real(z) < 0.5)
    w = logic.where(reflected, 1 - z, z)
    stepped = logic.logical_and(near, unary.real(w) < _FAR)
    base = logic.where(stepped, w, constant_like(1, z))
    product = base
    for k in range(1, _FAR):
        product = product * (base + k)
    one = constant_like(1, z)
    return reflected, w, logic.where(stepped, w + _FAR, w), logic.where(stepped, product, one)


def _turns(w: Array, shifted: Array) -> Array:
    """Of the steps' product about 0, which the angle of the product does not say."""
    stepped = shifted != w
    base = logic.where(stepped, w, constant_like(1, w))
    upper = unary.imag(w) >= 0
    product, turns = base, 0 * unary.real(base)
    for k in range(1, _FAR):
        before = logic.logical_or(unary.imag(product) == 0, (unary.imag(product) > 0) == upper)
        product = product * (base + k)
        after = logic.logical_or(unary.imag(product) == 0, (unary.imag(product) > 0) == upper)
        turns = turns + convert(logic.logical_and(before, logic.logical_not(after)), dtypes.float64)
    return logic.where(upper, turns, -turns)


def _stirling(z: Array) -> Array:
    inverse = 1 / z
    return (z - 0.5) * transcendental.log(z) - z + (_HALF_LOG_2_PI + inverse * polynomial(inverse * inverse, STIRLING))


def _sine(z: Array) -> Array:
    """sin(πz), right next to its roots, of which the imaginary part keeps the sign of 0."""
    x, y = unary.real(z), math.pi * unary.imag(z)
    nearest = unary.round(x)
    turned = math.pi * (x - nearest)
    sign = 1 - 2 * unary.abs(nearest - 2 * unary.round(nearest / 2))
    cosine = transcendental.cos(turned) * transcendental.sinh(y)
    return arithmetic.complex(sign * (transcendental.sin(turned) * transcendental.cosh(y)), sign * cosine)


def _times_i(y: Array) -> Array:
    return arithmetic.complex(0 * y, y)

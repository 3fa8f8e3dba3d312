"""Bessel functions of order 0 and 1.

Polynomials near 0 and beyond; J between its zeros as a product with the nearest of these, in two parts. Far out the
modified ones are polynomials in 1 / x besides exp(±x) / √x, and J is (P cos χ - Q sin χ) √(2 / πx), with P and Q
polynomials in 1 / x² and χ = x - π/4 or x - 3π/4, and Y is (P sin χ + Q cos χ) √(2 / πx) (DLMF 10.17, 10.40); K and Y
have a logarithm next to 0 (DLMF 10.8, 10.31).
"""

from __future__ import annotations

import math
from typing import Final

from effects.arrays.array import Array
from effects.functions.elementwise import unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import cos, exp, log, sin, sqrt
from effects.special.calling import has_more_digits
from effects.types import dtypes
from handlers.special.fits import fit, fits

J0_ZEROS: Final = ((2.404825557695773, -1.176691651530894e-16), (5.520078110286311, 8.088597146146722e-17))
J1_ZEROS: Final = ((3.8317059702075125, -1.5269184090088067e-16), (7.015586669815619, -9.414165653410389e-17))
_ROOT_2_OVER_PI: Final = 0.7978845608028654


def _scaled(name: str, y: Array) -> Array:
    """exp(-y) I(y), over y for order 1 up to 8, or its derivative."""
    far = y > 8.0
    inverse, root = _inverse(where(far, y, 10.0))
    value = fits([(y < 4.0, f"{name}_NEAR", y), (~far, f"{name}_MID", y)], f"{name}_FAR", inverse)
    power = root * inverse if name.endswith("SLOPE") else root
    return where(far, value * power, value)


def _inverse(y: Array) -> tuple[Array, Array]:
    """1 / y and its root, which is one where the inverse is so small that compiled programs take it for 0.

    A quotient by a root is computed one after the other. For single precision it is that of single precision, and one
    step of Newton's.
    """
    if has_more_digits(y):
        single = 1.0 / sqrt(unary.astype(y, dtypes.float32))
        first = unary.astype(single, dtypes.float64)
        second = where(first > 0.0, first * (1.5 - 0.5 * y * (first * first)), 0.0)
        return second * second, second
    quotient = 4.0 / y
    return 0.25 * quotient, 0.5 * sqrt(quotient)


def i0e(x: Array) -> Array:
    return _scaled("I0E", unary.abs(x))


def i1e(x: Array) -> Array:
    y = unary.abs(x)
    value = _scaled("I1E", y)
    return where(y > 8.0, unary.sign(x) * value, x * value)


def i0e_slope(y: Array) -> Array:
    """Of y ≥ 0."""
    return _scaled("I0E_SLOPE", y)


def i1e_slope(y: Array) -> Array:
    """Of y ≥ 0."""
    return _scaled("I1E_SLOPE", y)


def _unscaled(x: Array, scaled: Array) -> Array:
    """Times exp(|x|), in two factors, of which none overflows before the product does."""
    half = exp(unary.abs(x) * 0.5)
    return half * (half * scaled)


def i0(x: Array) -> Array:
    return where(unary.isinf(x), math.inf, _unscaled(x, i0e(x)))


def i1(x: Array) -> Array:
    return where(unary.isinf(x), x, _unscaled(x, i1e(x)))


def _k(order: int, x: Array, scaled: bool) -> Array:
    near = x <= 1.0
    y = where(near & (x > 0.0), x, 0.5)
    square = y * y
    logarithm = log(y) - math.log(2.0)
    if order == 0:
        small = fit("K0_NEAR", square) - logarithm * fit("I0_SMALL", square)
    else:
        small = fit("K1_NEAR", square) / y + logarithm * (y * fit("I1_SMALL", square))
    z = where(near, 2.0, x)
    inverse, root = _inverse(z)
    name = f"K{order}"
    large = fits([(z < 3.0, f"{name}_MID", inverse), (z < 10.0, f"{name}_FAR", inverse)], f"{name}_OUT", inverse)
    large = large * root
    value = where(near, small * exp(y), large) if scaled else where(near, small, large * exp(-z))
    return where(x > 0.0, value, where(x == 0.0, math.inf, math.nan))


def k0(x: Array) -> Array:
    return _k(0, x, False)


def k0e(x: Array) -> Array:
    return _k(0, x, True)


def k1(x: Array) -> Array:
    return _k(1, x, False)


def k1e(x: Array) -> Array:
    return _k(1, x, True)


def _far(order: int, y: Array, second: bool) -> Array:
    """J, or the second kind's Y, from the end of the second interval on."""
    inverse, root = _inverse(y)
    square = inverse * inverse
    p, q = fit(f"J{order}_P", square), fit(f"J{order}_Q", square) * inverse
    c, s = cos(y), sin(y)
    along, across = (c + s, s - c) if order == 0 else (s - c, -(c + s))  # √2 cos χ, √2 sin χ
    turned = p * across + q * along if second else p * along - q * across
    return turned * (root * (_ROOT_2_OVER_PI * math.sqrt(0.5)))


def _j(order: int, y: Array) -> Array:
    """Of y ≥ 0; for order 1 over y, up to the end of the first interval."""
    (first, first_rest), (second, second_rest) = (J0_ZEROS, J1_ZEROS)[order]
    ends = ((4.0, 7.5), (5.0, 8.5))[order]
    near, middle = y < ends[0], y < ends[1]
    z = where(middle, y, 1.0)
    polynomial = fits([(near, f"J{order}_NEAR", z * z)], f"J{order}_MID", z)
    zeros = where(near, (z - first - first_rest) * (z + first), z - second - second_rest)
    beyond = _far(order, where(middle | unary.isinf(y), 10.0, y), False)
    return where(middle, polynomial * zeros, where(unary.isinf(y), 0.0, beyond))


def j0(x: Array) -> Array:
    return _j(0, unary.abs(x))


def j1(x: Array) -> Array:
    y = unary.abs(x)
    value = _j(1, y)
    return where(y < 5.0, x * value, unary.sign(x) * value)


def _y(order: int, x: Array) -> Array:
    near = x < (7.5, 8.5)[order]
    y = where(near & (x > 0.0), x, 1.0)
    if order == 0:
        small = (2.0 / math.pi) * (log(y) * _j(0, y)) + fit("Y0_NEAR", y * y)
    else:
        small = (2.0 / math.pi) * (log(y) * j1(y) - 1.0 / y) + y * fit("Y1_NEAR", y * y)
    beyond = _far(order, where(near | unary.isinf(x), 10.0, x), True)
    value = where(near, small, where(unary.isinf(x), 0.0, beyond))
    return where(x > 0.0, value, where(x == 0.0, -math.inf, math.nan))


def y0(x: Array) -> Array:
    return _y(0, x)


def y1(x: Array) -> Array:
    return _y(1, x)

"""Integrals of sine and cosine: Si and Ci, Fresnel's S and C, and their slopes.

Polynomials near 0, Ci as a product with its distance from its roots there. Far out by f and g, which do not oscillate:
what is left to the limit is f cos + g sin, and f sin - g cos (DLMF 6.2.17 and 6.2.18, 7.2.10 and 7.2.11).
"""

from __future__ import annotations

import math
from typing import Final

from effects.arrays.array import Array
from effects.functions.elementwise import transcendental, unary
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.series import polynomial
from effects.functions.elementwise.transcendental import cos, log, sin
from handlers.special.fits import cos_pi, exact_square, fit, fits, sin_pi

CI_ROOTS: Final = ((0.6165054856207163, -4.209920321433186e-17), (3.3841804225511862, 1.972125462363411e-16))
_CONSTANT_FROM: Final = 1e17
"""From here on Fresnel's integrals are ½."""
_SINE: Final = tuple([(-1) ** k / math.factorial(2 * k + 1) for k in range(12, -1, -1)])


def _rest(y: Array) -> tuple[Array, Array]:
    """f and g of y > 5."""
    inverse = 1.0 / y
    square = inverse * inverse
    middle = y < 9.0
    f, g = [fits([(middle, f"SICI_{name}", square)], f"SICI_{name}_FAR", where(middle, 0.0, square)) for name in "FG"]
    return f * inverse, g * square


def si(x: Array) -> Array:
    y = unary.abs(x)
    near = y < 5.0
    far = where(near | unary.isinf(y), 6.0, y)
    f, g = _rest(far)
    beyond = math.pi / 2 - where(unary.isinf(y), 0.0, f * cos(far) + g * sin(far))
    inside = where(near, x, 1.0)
    return where(near, inside * fit("SI_NEAR", inside * inside), unary.sign(x) * beyond)


def ci(x: Array) -> Array:
    """Of |x|, as scipy's for x < 0."""
    y = unary.abs(x)
    near, middle = y < 2.0, y < 5.0
    far = where(middle | unary.isinf(y), 6.0, y)
    f, g = _rest(far)
    beyond = where(unary.isinf(y), 0.0, f * sin(far) - g * cos(far))
    inside = where(near & (y > 0.0), y, 1.0)
    distance = inside - CI_ROOTS[0][0] - CI_ROOTS[0][1]
    close = unary.abs(distance) < 0.3
    logarithm = where(
        close, transcendental.log1p(where(close, distance, 0.0) / CI_ROOTS[0][0]), log(inside / CI_ROOTS[0][0])
    )
    small = logarithm + distance * (inside + CI_ROOTS[0][0]) * fit("CI_NEAR", inside * inside)
    z = where(middle, y, 4.0)
    between = (z - CI_ROOTS[1][0] - CI_ROOTS[1][1]) * fit("CI_MID", z)
    value = where(near, where(y == 0.0, -math.inf, small), where(middle, between, beyond))
    return where(x == -math.inf, math.nan, value)


def si_slope(y: Array, x: Array) -> Array:
    """sin(x) / x, next to 0 as a series, since its derivatives cancel; 0 at infinity."""
    near, end = unary.abs(x) < 1.0, unary.isinf(x)
    inside, outside = where(near, x, 0.0), where(near | end, 1.0, x)
    return where(near, polynomial(inside * inside, _SINE), where(end, 0.0, sin(outside) / outside))


def ci_slope(x: Array) -> Array:
    """cos(x) / x, 0 at infinity."""
    end = x == math.inf
    inside = where(end, 1.0, x)
    return where(end, 0.0, cos(inside) / inside)


def _fresnel(x: Array, name: str) -> Array:
    y = unary.abs(x)
    near, middle = y < 1.5, y < 2.5
    inside = where(near, x, 1.0)
    square = inside * inside
    small = inside * fit(f"FRESNEL_{name}", square * square)
    small = small * square if name == "S" else small
    far = where(near, 2.0, where(y < _CONSTANT_FROM, y, _CONSTANT_FROM))
    inverse = 1.0 / far
    fourth = where(middle, 0.0, (inverse * inverse) * (inverse * inverse))
    f, g = [fits([(middle, f"FRESNEL_{n}", inverse)], f"FRESNEL_{n}_FAR", fourth) for n in "FG"]
    f, g = f * (inverse / math.pi), g * (inverse * inverse * inverse / math.pi**2)
    turns = _half_square(far)
    sine, cosine = sin_pi(turns), cos_pi(turns)
    beyond = 0.5 - (f * cosine + g * sine) if name == "S" else 0.5 + (f * sine - g * cosine)
    value = where(near, small, unary.sign(x) * beyond)
    return where(unary.isnan(x), x, value)


def fresnel_s(x: Array) -> Array:
    return _fresnel(x, "S")


def fresnel_c(x: Array) -> Array:
    return _fresnel(x, "C")


def _half_square(x: Array) -> Array:
    """x² / 2 less an even number, of which no digit is lost; so large a number is divisible by 4."""
    square, rest = exact_square(where(unary.abs(x) < _CONSTANT_FROM, x, x - x))
    return 0.5 * ((square - 4.0 * unary.round(0.25 * square)) + (rest - 4.0 * unary.round(0.25 * rest)))


def _sine_slope(y: Array, x: Array) -> Array:
    return math.pi * x * half_square_cosine(x)


@with_derivatives(_sine_slope)
def half_square_sine(x: Array) -> Array:
    """sin(πx² / 2)."""
    return sin_pi(_half_square(x))


@with_derivatives(lambda y, x: -math.pi * x * half_square_sine(x))
def half_square_cosine(x: Array) -> Array:
    """cos(πx² / 2)."""
    return cos_pi(_half_square(x))

"""Exponential integrals, Dawson's and the dilogarithm: polynomials near 0, and in 1 / x far out (DLMF 6, 7, 25.12)."""

from __future__ import annotations

import functools
import math
from typing import Final

from effects.arrays.array import Array
from effects.functions.elementwise import transcendental, unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.series import polynomial
from effects.functions.elementwise.transcendental import exp, log
from effects.operations.special import SpecialKind
from effects.special.calling import of
from handlers.special.fits import fit, fits

ROOT: Final = (0.3725074107813666, 1.3140183414386028e-17)
"""Root of Ei, in two parts."""
_FACTORIALS: Final = tuple([1.0 / math.factorial(k + 1) for k in range(18, -1, -1)])
_FACTORIAL_SLOPES: Final = tuple([(k + 1) / math.factorial(k + 2) for k in range(17, -1, -1)])

_DEPTH: Final = 110
"""Terms of a continued fraction after which it is right from x = 1 on."""
_DIGAMMA: Final = tuple([math.fsum([-0.5772156649015329, *[1.0 / k for k in range(1, m + 1)]]) for m in range(21)])
"""Of 1, 2, 3, …"""


def exp1(x: Array) -> Array:
    near = x <= 1.0
    y = where(near & (x > 0.0), x, 0.5)
    small = fit("E1_NEAR", y) - log(y)
    z = where(near, 2.0, x)
    inverse = 1.0 / z
    large = fits([(z < 3.0, "E1_MID", inverse), (z < 10.0, "E1_FAR", inverse)], "E1_OUT", inverse)
    value = where(near, small, large * (exp(-z) * inverse))
    return where(x > 0.0, value, where(x == 0.0, math.inf, math.nan))


def expi(x: Array) -> Array:
    near = x <= 3.0
    y = where(near & (x > 0.0), x, 0.5)
    distance = y - ROOT[0] - ROOT[1]
    close = unary.abs(distance) < 0.15
    logarithm = where(close, transcendental.log1p(distance / ROOT[0]), log(y / ROOT[0]))
    small = logarithm + distance * fit("EI_NEAR", y)
    huge = x > 1e4
    z = where(near | huge, 4.0, x)
    inverse = 1.0 / z
    cases = [(z < 6.0, "EI_MID", inverse), (z < 12.0, "EI_FAR", inverse), (z < 24.0, "EI_OUT", inverse)]
    half = exp(z * 0.5)
    large = half * (half * inverse) * fits(cases, "EI_LAST", inverse)
    positive = where(near, small, where(huge, math.inf, large))
    return where(x > 0.0, positive, where(x == 0.0, -math.inf, -exp1(-x)))


def spence(x: Array) -> Array:
    """Li₂(1 - x), which is scipy's."""
    large = x > 1.5
    y = where(large, 1.0 / where(large, x, 1.0), x)
    low = y < 0.5
    w = where(low, y, 1.0 - y)
    series = w * fit("SPENCE", w)
    inside = where(low & (y > 0.0), y, 0.25)
    reflected = math.pi**2 / 6 - log(inside) * transcendental.log1p(-inside) - series
    value = where(low, where(y == 0.0, math.pi**2 / 6, reflected), series)
    logarithm = log(where(large, x, 1.0))
    value = where(large, -value - 0.5 * (logarithm * logarithm), value)
    return where(x < 0.0, math.nan, value)


def expn(n: Array, x: Array) -> Array:
    """Up to x = 1 by its power series, beyond by its continued fraction, from far within (DLMF 8.19.8, 8.19.17)."""
    near, first = x <= 1.0, n == 0.0
    y, z, order = where(near & (x > 0.0), x, 1.0), where(near, 2.0, x), where(n >= 1.0, n, 1.0)
    logarithm, power = log(y), 0.0 * (order + y) + 1.0
    terms: list[Array] = []
    for m, digamma in enumerate(_DIGAMMA):
        gap = order - (m + 1.0)
        terms.append(power * where(gap == 0.0, digamma - logarithm, 1.0 / where(gap == 0.0, 1.0, gap)))
        power = power * (y * (-1.0 / (m + 1.0)))
    small = functools.reduce(lambda total, term: total + term, terms[::-1])
    below = z + order
    denominator = below + 2.0 * (_DEPTH + 1)
    for k in range(_DEPTH, -1, -1):
        denominator = below + (2.0 * k - (k + 1.0) * (order + k) / denominator)
    value = where(near, small, exp(-z) / denominator)
    value = where(first, exp(-x) / where(x > 0.0, x, 1.0), value)
    value = where(x == 0.0, where(n > 1.0, 1.0 / where(n > 1.0, n - 1.0, 1.0), math.inf), value)
    return where((x >= 0.0) & (n >= 0.0) & (n < math.inf) & (unary.floor(n) == n), value, math.nan)


def expn_slope(y: Array, n: Array, x: Array) -> Array:
    """-E of n - 1, which of 0 has a closed form (DLMF 8.19.13)."""
    last = n == 0.0
    inverse = 1.0 / where(last, x, 1.0)
    return where(last, -exp(-x) * inverse * (1.0 + inverse), -of(SpecialKind.EXPN, where(last, 0.0, n - 1.0), x))


def dawsn(x: Array) -> Array:
    square = x * x
    near, far = square < 9.0, square > 25.0
    z = where(far, x, 5.0)
    inverse = 1.0 / z
    inside = where(near, square, 1.0)
    magnitude = unary.abs(where(near | far, 4.0, x))
    cases = [(near, "DAWSN_NEAR", inside), (~far, "DAWSN_MID", magnitude)]
    value = fits(cases, "DAWSN_FAR", inverse * inverse)
    return where(near, x, where(far, inverse, unary.sign(x))) * value


def exprel(x: Array) -> Array:
    """(exp(x) - 1) / x, next to 0 as a series, in two factors where the exponential overflows before the quotient."""
    near, large = unary.abs(x) < 1.0, x > 700.0
    outside = where(near, 1.0, x)
    half = exp(where(large, 0.5 * outside, 0.0))
    quotient = where(large, half * (half / outside), transcendental.expm1(where(large, 1.0, outside)) / outside)
    value = where(near, polynomial(where(near, x, 0.0), _FACTORIALS), quotient)
    return where(x == math.inf, x, value)


def exprel_slope(y: Array, x: Array) -> Array:
    """(exp(x) - y) / x, above 0 as y + (1 - y) / x, next to it as a series."""
    near, above = unary.abs(x) < 1.0, x > 0.0
    outside = where(near, 1.0, x)
    rest = (exp(where(above, 0.0, outside)) - y) / outside
    return where(near, polynomial(where(near, x, 0.0), _FACTORIAL_SLOPES), where(above, y, 0.0) + rest)

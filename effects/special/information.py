"""Functions of entropy and information, which take 0 · log(0) for 0. Names are scipy's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.functions import elementwise, logic, transcendental
from effects.functions.series import polynomial
from effects.functions.slopes import with_slopes
from effects.runtime.names import named
from effects.special.calling import in_double, left_out, real, reals
from effects.types.signatures.elementwise import RealFloats
from effects.types.signatures.special import Reals

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike

expit = named(transcendental.logistic, "expit")


@RealFloats
def logit(x: ArrayLike, /) -> Array:
    """log(x / (1 - x)), the inverse of `expit`.

    Special cases: 0 and 1 give -∞ and ∞, outside of them NaN.

    >>> logit(0.5)
    Array(0., float64)
    """
    return in_double(_logit, real("logit", x))


def _logit(x: Array) -> Array:
    """Near ½ by log1p, since the quotient is next to 1 there; numbers of single precision are not that near."""
    one, half = constant_like(1, x), constant_like(0.5, x)
    if left_out.get():
        return transcendental.log(x / (one - x))
    middle = elementwise.abs(x - half) < constant_like(0.2, x)
    y = logic.where(middle, x, half)
    near = transcendental.log1p((y + y - one) / (one - y))
    z = logic.where(middle, half, x)
    return logic.where(middle, near, transcendental.log(z / (one - z)))


@RealFloats
def log_expit(x: ArrayLike, /) -> Array:
    """log(expit(x)), without underflow.

    >>> log_expit(-1000.0)
    Array(-1000., float64)
    """
    return in_double(_log_expit, real("log_expit", x))


def _log_expit(x: Array) -> Array:
    """Either side of 0 by a choice, where a minimum and an absolute value would have kinks."""
    below, zero = x < 0, constant_like(0, x)
    return logic.where(below, x, zero) - transcendental.log1p(transcendental.exp(logic.where(below, x, -x)))


def _times(x: Array, y: Array, log: Callable[[Array], Array], pole: float) -> Array:
    """x · log(y), whose derivative in x is log(y), also at x = 0; it is infinite or NaN up to the pole."""
    nothing = (x == 0) & ((y <= pole) | logic.equal(y, constant_like(math.inf, y)))
    return logic.where(nothing, constant_like(0, y), x * log(logic.where(nothing, constant_like(1, y), y)))


@Reals
def xlogy(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x · log(y), 0 where x is 0.

    Special cases: where x is 0 and log(y) infinite or NaN, derivatives are 0.

    >>> xlogy(0.0, 0.0)
    Array(0., float64)
    """
    return in_double(lambda x, y: _times(x, y, transcendental.log, 0.0), *reals("xlogy", x=x, y=y))


@Reals
def xlog1py(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x · log(1 + y), 0 where x is 0.

    Special cases: where x is 0 and log(1 + y) infinite or NaN, derivatives are 0.

    >>> xlog1py(0.0, -1.0)
    Array(0., float64)
    """
    return in_double(lambda x, y: _times(x, y, transcendental.log1p, -1.0), *reals("xlog1py", x=x, y=y))


@with_slopes(lambda y, x: transcendental.log(x) + constant_like(1, x))
def _x_log_x(x: Array) -> Array:
    """x · log(x) of x ≥ 0, with slopes that are infinite at 0."""
    return x * transcendental.log(logic.where(x == 0, constant_like(1, x), x))


@RealFloats
def entr(x: ArrayLike, /) -> Array:
    """-x · log(x), 0 at 0, where the slope is ∞.

    Special cases: -∞ below 0.

    >>> entr(0.5)
    Array(0.34657359, float64)
    """

    def entropy(x: Array) -> Array:
        below = x < 0
        value = -_x_log_x(logic.where(below, constant_like(1, x), x))
        return logic.where(below, constant_like(-math.inf, x), value)

    return in_double(entropy, real("entr", x))


@Reals
def rel_entr(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x · log(x / y), 0 where x is 0 and y is not negative.

    Special cases: ∞ where x or y is negative, and where y is 0 and x is not.

    >>> rel_entr(1.0, 2.0)
    Array(-0.69314718, float64)
    """
    return in_double(_rel_entr, *reals("rel_entr", x=x, y=y))


def _log_ratio(a: Array, b: Array) -> Array:
    """log(a / b), also next to 1, where numbers of single precision are not, and where the quotient overflows."""
    ratio, one = a / b, constant_like(1, a)
    if left_out.get():
        return transcendental.log(ratio)
    near = logic.logical_and(ratio > 0.5, ratio < 2)
    by_difference = transcendental.log1p(logic.where(near, (a - b) / b, constant_like(0, a)))
    usual = logic.logical_and(ratio > 1e-300, ratio < 1e300)
    by_ratio = transcendental.log(logic.where(usual, ratio, one))
    by_logarithms = transcendental.log(a) - transcendental.log(b)
    return logic.where(near, by_difference, logic.where(usual, by_ratio, by_logarithms))


def _rel_entr(x: Array, y: Array) -> Array:
    one, infinite = constant_like(1, x), constant_like(math.inf, x)
    proper = logic.logical_and(x > 0, y > 0)
    a, b = logic.where(proper, x, one), logic.where(proper, y, one)
    value = a * _log_ratio(a, b)
    nothing = logic.logical_and(x == 0, y >= 0)
    begun = nothing & (y > 0) & (y < math.inf)
    c, d = logic.where(begun, x, one), logic.where(begun, y, one)
    ended = _x_log_x(c) - c * transcendental.log(d)  # which is 0, and has slopes
    value = logic.where(proper, value, logic.where(nothing, ended, infinite))
    return logic.where(logic.logical_or(elementwise.isnan(x), elementwise.isnan(y)), x + y, value)


_ATANH: Final = tuple([2 / (2 * k + 3) for k in range(13, -1, -1)])
"""Of 2 (artanh(s) - s) / s³ in powers of s², the highest first."""


def divergence_of_near(x: Array, y: Array) -> Array:
    """x (u - log(1 + u)), of u = y / x - 1 up to 0.4, by log(1 + u) = 2 artanh(s), where s = u / (2 + u)."""
    u = (y - x) / x
    s = u / (u + constant_like(2, x))
    square = s * s
    return x * (s * (u - square * polynomial(square, _ATANH)))


def log_per_distance(x: Array) -> Array:
    """log(x) / (x - 1) of x next to 1, to 0.4 from it, likewise."""
    s = (x - 1.0) / (x + 1.0)
    square = s * s
    return (square * polynomial(square, _ATANH) + 2.0) / (x + 1.0)


@Reals
def kl_div(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x · log(x / y) - x + y, which is not negative: y where x is 0.

    Special cases: ∞ where x or y is negative, and where y is 0 and x is not.

    >>> kl_div(1.0, 2.0)
    Array(0.30685282, float64)
    """

    def divergence(x: Array, y: Array) -> Array:
        entropy = _rel_entr(x, y)
        proper = (x > 0) & (y > 0)
        unlike = logic.equal(entropy, constant_like(math.inf, x)) & ~proper
        near = proper & (elementwise.abs(y - x) < constant_like(0.4, x) * x)
        a, b = logic.where(near, x, constant_like(1, x)), logic.where(near, y, constant_like(1, x))
        value = logic.where(near, divergence_of_near(a, b), entropy - x + y)
        return logic.where(unlike, entropy, value)

    return in_double(divergence, *reals("kl_div", x=x, y=y))

"""Functions of entropy and information, which take 0 · log(0) for 0. Names are scipy's."""

from __future__ import annotations

from typing import Final

from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import constant_like
from effects.functions.elementwise import logic, transcendental
from effects.functions.elementwise.series import polynomial
from effects.operations.special import SpecialKind
from effects.runtime.names import named
from effects.special.calling import in_double, of, of_one, real, reals
from effects.types import dtypes
from effects.types.signatures.elementwise import RealFloats
from effects.types.signatures.pairs import Reals

expit = named(transcendental.logistic, "expit")


@RealFloats
def logit(x: ArrayLike, /) -> Array:
    """log(x / (1 - x)), the inverse of `expit`.

    Special cases: 0 and 1 give -∞ and ∞, outside of them NaN.

    >>> import effects as fx
    >>> fx.special.logit(0.5)
    Array(0., float64)
    """
    return of_one(SpecialKind.LOGIT, "logit", x)


@RealFloats
def log_expit(x: ArrayLike, /) -> Array:
    """log(expit(x)), without underflow.

    >>> import effects as fx
    >>> fx.special.log_expit(-1000.0)
    Array(-1000., float64)
    """
    return in_double(_log_expit, real("log_expit", x))


def _log_expit(x: Array) -> Array:
    """Either side of 0 by a choice, where a minimum and an absolute value would have kinks."""
    below, zero = x < 0, constant_like(0, x)
    return logic.where(below, x, zero) - transcendental.log1p(transcendental.exp(logic.where(below, x, -x)))


@Reals
def xlogy(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x · log(y), 0 where x is 0.

    Special cases: where x is 0 and log(y) infinite or NaN, derivatives are 0.

    >>> import effects as fx
    >>> fx.special.xlogy(0.0, 0.0)
    Array(0., float64)
    """
    return of(SpecialKind.XLOGY, *reals("xlogy", x=x, y=y))


@Reals
def xlog1py(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x · log(1 + y), 0 where x is 0.

    Special cases: where x is 0 and log(1 + y) infinite or NaN, derivatives are 0.

    >>> import effects as fx
    >>> fx.special.xlog1py(0.0, -1.0)
    Array(0., float64)
    """
    return of(SpecialKind.XLOG1PY, *reals("xlog1py", x=x, y=y))


@RealFloats
def entr(x: ArrayLike, /) -> Array:
    """-x · log(x), 0 at 0, where the slope is ∞.

    Special cases: -∞ below 0.

    >>> import effects as fx
    >>> fx.special.entr(0.5)
    Array(0.34657359, float64)
    """

    return of_one(SpecialKind.ENTR, "entr", x)


@Reals
def rel_entr(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x · log(x / y), 0 where x is 0 and y is not negative.

    Special cases: ∞ where x or y is negative, and where y is 0 and x is not.

    >>> import effects as fx
    >>> fx.special.rel_entr(1.0, 2.0)
    Array(-0.69314718, float64)
    """
    return of(SpecialKind.REL_ENTR, *reals("rel_entr", x=x, y=y))


ATANH: Final = tuple([2 / (2 * k + 3) for k in range(13, -1, -1)])
"""Of 2 (artanh(s) - s) / s³ in powers of s², the highest first."""


def divergence_of_near(x: Array, y: Array) -> Array:
    """x (u - log(1 + u)), of u = y / x - 1 up to 0.4, by log(1 + u) = 2 artanh(s), where s = u / (2 + u)."""
    u = (y - x) / x
    s = u / (u + constant_like(2, x))
    square = s * s
    return x * (s * (u - square * polynomial(square, _artanh(x))))


def _artanh(x: Array) -> tuple[float, ...]:
    return ATANH if x.aval.dtype is dtypes.float64 else ATANH[-7:]


def log_per_distance(x: Array) -> Array:
    """log(x) / (x - 1) of x next to 1, to 0.4 from it, likewise."""
    s = (x - 1.0) / (x + 1.0)
    square = s * s
    return (square * polynomial(square, _artanh(x)) + 2.0) / (x + 1.0)


@Reals
def kl_div(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x · log(x / y) - x + y, which is not negative: y where x is 0.

    Special cases: ∞ where x or y is negative, and where y is 0 and x is not.

    >>> import effects as fx
    >>> fx.special.kl_div(1.0, 2.0)
    Array(0.30685282, float64)
    """
    return of(SpecialKind.KL_DIV, *reals("kl_div", x=x, y=y))

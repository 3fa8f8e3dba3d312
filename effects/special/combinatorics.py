"""Factorials, binomial coefficients and their like, by the gamma function. Names are scipy's."""

from __future__ import annotations

import math

import handlers
from effects.arguments import repetitions
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, constant_like
from effects.errors import ArgumentError
from effects.functions.elementwise import logic, unary
from effects.operations.special import SpecialKind
from effects.special.calling import in_double, nan_where, of, real, reals
from effects.types.signatures.elementwise import RealFloats
from effects.types.signatures.pairs import Reals
from effects.types.signatures.special import Dimension


def _rounded(exact: Array, value: Array) -> Array:
    """Rounded where it is exact, with the derivative of what is not."""
    wrong: Array = handlers.stop_gradient(unary.round(value) - value)
    return value + logic.where(exact, wrong, constant_like(0, value))


@RealFloats
def factorial(n: ArrayLike, /) -> Array:
    """n! = Γ(n + 1), as a float; 0 for n < 0.

    >>> import effects as fx
    >>> fx.special.factorial(5)
    Array(120., float64)
    """

    def of_floats(n: Array) -> Array:
        below, zero = n < 0, constant_like(0, n)
        n = logic.where(below, zero, n)
        whole = logic.equal(unary.floor(n), n)
        value = of(SpecialKind.GAMMA, n + constant_like(1, n))
        value = _rounded(logic.logical_and(whole, value < 2**53), value)
        return logic.where(below, zero, value)

    return in_double(of_floats, real("factorial", n, "n"))


@Reals
def binom(n: ArrayLike, k: ArrayLike, /) -> Array:
    """The binomial coefficient Γ(n + 1) / (Γ(k + 1) Γ(n - k + 1)), exact for whole numbers below 2**53.

    Beyond 150 and for more than 12 things by its logarithm, of which it has the digits after the point.

    Special cases: NaN for whole n < 0, 0 for whole k outside of [0, n] and whole n.

    >>> import effects as fx
    >>> fx.special.binom(5, 2), fx.special.binom(0.5, 2)
    (Array(10., float64), Array(-0.125, float64))
    """
    return of(SpecialKind.BINOM, *reals("binom", n=n, k=k))


@Reals
def comb(n: ArrayLike, k: ArrayLike, /) -> Array:
    """In how many ways k of n things can be chosen: `binom`, but 0 for n < 0, k < 0 and k > n.

    >>> import effects as fx
    >>> fx.special.comb(10, 3)
    Array(120., float64)
    """

    def of_floats(n: Array, k: Array) -> Array:
        none = logic.logical_or(logic.logical_or(n < 0, k < 0), k > n)
        zero = constant_like(0, n)
        inside = [logic.where(none, zero, v) for v in (n, k)]
        return logic.where(none, zero, of(SpecialKind.BINOM, *inside))

    return in_double(of_floats, *reals("comb", n=n, k=k))


@Reals
def poch(x: ArrayLike, m: ArrayLike, /) -> Array:
    """Pochhammer's symbol Γ(x + m) / Γ(x), beyond 150 by its logarithm, of which it has the digits after the point.

    Its slope in x is a difference of `digamma`, exact to that. Special cases: ∞ where only x + m is a pole.

    >>> import effects as fx
    >>> fx.special.poch(3.0, 2.0)
    Array(12., float64)
    """
    return of(SpecialKind.POCH, *reals("poch", x=x, m=m))


@Dimension
def multigammaln(a: ArrayLike, d: int) -> Array:
    """log of the gamma function of dimension `d`: log πᵈ⁽ᵈ⁻¹⁾ᐟ⁴ + Σ log Γ(a - i / 2) over i < d.

    `d` is static and at least 1. Special cases: NaN unless a > (d - 1) / 2.

    >>> import effects as fx
    >>> fx.special.multigammaln(3.0, 2)
    Array(1.55019499, float64)
    """
    n = repetitions("multigammaln", "d", d)
    if not n:
        raise ArgumentError("multigammaln: d must be at least 1, got 0")

    def of_floats(a: Array) -> Array:
        total: Array = constant_like(n * (n - 1) / 4 * math.log(math.pi), a)
        for i in range(n):
            total = total + of(SpecialKind.GAMMALN, a - constant_like(i / 2, a))
        return total * nan_where(a <= (n - 1) / 2, total)

    return in_double(of_floats, real("multigammaln", as_array(a, "multigammaln", "a"), "a"))

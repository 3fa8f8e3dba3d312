"""Factorials, binomial coefficients and their like, by the gamma function. Names are scipy's."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Final

from effects.arguments import repetitions
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, constant_like
from effects.errors import ArgumentError
from effects.functions import arithmetic, elementwise, logic, transcendental
from effects.operations.special import SpecialKind
from effects.runtime.names import transformation
from effects.special.calling import in_double, of, real, reals
from effects.special.gamma import gammasgn
from effects.types.signatures import typed_as
from effects.types.signatures.elementwise import RealFloats
from effects.types.signatures.special import OfDimension, Reals

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike


_GREATEST: Final = sys.float_info.max
_FEW: Final = 12
"""So many factors are multiplied: gamma functions next to their poles lose the digits of what is near a pole."""


def _rounded(exact: Array, value: Array) -> Array:
    """Rounded where it is exact, with the derivative of what is not."""
    wrong: Array = transformation("stop_gradient")(elementwise.round(value) - value)
    return value + logic.where(exact, wrong, constant_like(0, value))


def _still_where(few: Array, n: Array) -> Array:
    """n, which few factors are of: what is not of factors does not move with it."""
    return logic.where(few, transformation("stop_gradient")(n), n)


def _moving_as(value: Array, product: Array) -> Array:
    """The product, which moves with what the value moves with besides; where that is no number with nothing."""
    moved = value - transformation("stop_gradient")(value)
    return product + logic.where(elementwise.isfinite(value), moved, constant_like(0, value))


@RealFloats
def factorial(n: ArrayLike, /) -> Array:
    """n! = Γ(n + 1), as a float; 0 for n < 0.

    >>> factorial(5)
    Array(120., float64)
    """

    def of_floats(n: Array) -> Array:
        whole = logic.equal(elementwise.floor(n), n)
        value = of(SpecialKind.GAMMA, n + constant_like(1, n))
        value = _rounded(logic.logical_and(whole, value < 2**53), value)
        return logic.where(n < 0, constant_like(0, n), value)

    return in_double(of_floats, real("factorial", n, "n"))


@Reals
def binom(n: ArrayLike, k: ArrayLike, /) -> Array:
    """The binomial coefficient Γ(n + 1) / (Γ(k + 1) Γ(n - k + 1)), exact for whole numbers below 2**53.

    Beyond 150 and for more than 12 things by its logarithm, of which it has the digits after the point.

    Special cases: NaN for whole n < 0, 0 for whole k outside of [0, n] and whole n.

    >>> binom(5, 2), binom(0.5, 2)
    (Array(10., float64), Array(-0.125, float64))
    """
    return in_double(_binom, *reals("binom", n=n, k=k))


def _binom(n: Array, k: Array) -> Array:
    """That of fractions n < -1 is one of positive numbers by Euler's reflection of the gamma functions."""
    rest = n - k
    most = arithmetic.maximum(k, rest)
    whole = logic.equal(elementwise.floor(n), n)
    turned = (n < -1) & ~whole & ~_are_few(k)
    ahead = turned & (most >= 0)
    behind = turned & ~ahead
    one = constant_like(1, n)
    upper, lower = logic.where(ahead, most - n - one, n), logic.where(ahead, most, k)
    value = _regular_binom(logic.where(behind, one, upper), logic.where(behind, one, lower))
    waves = _sine(k), _sine_of_difference(n, k), logic.where(turned, _sine(n), one)
    factor = logic.where(k >= rest, waves[1], waves[0]) / waves[2]
    p, q = [logic.where(behind, -v, one) for v in (k, rest)]
    both = -waves[0] * waves[1] / (math.pi * waves[2]) * transcendental.exp(of(SpecialKind.BETALN, p, q))
    return logic.where(ahead, factor * value, logic.where(behind, both, value))


def _are_few(k: Array) -> Array:
    """Whether they are whole numbers of factors that are multiplied."""
    return logic.equal(elementwise.floor(k), k) & (k >= 0) & (k <= _FEW)


def _regular_binom(n: Array, k: Array) -> Array:
    one, zero = constant_like(1, n), constant_like(0, n)
    whole_n, whole_k = [logic.equal(elementwise.floor(v), v) for v in (n, k)]
    whole = logic.logical_and(whole_n, whole_k)
    outside = logic.logical_and(whole_k, logic.logical_or(k < 0, logic.logical_and(whole_n, k > n)))
    few = _are_few(k)
    product, n = _few_taken(n, k, few), _still_where(few, n)
    rest = n - k
    sign = gammasgn(n + one) * gammasgn(k + one) * gammasgn(rest + one)
    least = arithmetic.minimum(k, rest)
    beyond = (n > -1) & (least < -1e-300)  # where it is sin(-π least) / π B(n + 1, -least), by reflection
    first, second = logic.where(beyond, n, rest) + one, logic.where(beyond, -least, k + one)
    logarithm = of(SpecialKind.BETALN, first, second) * logic.where(beyond, one, -one)
    root = transcendental.exp(logarithm * constant_like(0.5, n))  # of what may overflow before it is divided
    wave = logic.where(k < rest, -_sine(k), -_sine_of_difference(n, k)) / math.pi
    far = root * logic.where(beyond, wave, sign) / logic.where(beyond, one, elementwise.abs(n + one)) * root
    near = (n < 150) & ~beyond
    a, b, c = [logic.where(near, v + one, one) for v in (n, k, rest)]
    gammas = [of(SpecialKind.GAMMA, v) for v in (a, b, c)]
    value = logic.where(near, gammas[0] / gammas[1] / gammas[2], far)
    value = logic.where(few, _moving_as(value, product), value)
    value = _rounded(logic.logical_and(whole, value < 2**53), value)
    value = logic.where(outside, zero, value)
    unknown = elementwise.isnan(n + k) & ~elementwise.isinf(n)
    return logic.where(logic.logical_and(whole_n, n < 0) | unknown, constant_like(math.nan, n), value)


def _sine(x: Array) -> Array:
    """sin πx."""
    whole = elementwise.round(x)
    return _parity(whole) * transcendental.sin(math.pi * (x - whole))


def _sine_of_difference(x: Array, y: Array) -> Array:
    """sin π(x - y): by the difference where that is exact, which finds all its roots, else by both."""
    rest = x - y
    exact = logic.equal(rest + y, x) & logic.equal(x - rest, y)
    return logic.where(exact, _sine(rest), _sine(x) * _cosine(y) - _cosine(x) * _sine(y))


def _cosine(x: Array) -> Array:
    """cos πx."""
    whole = elementwise.round(x)
    return _parity(whole) * transcendental.cos(math.pi * (x - whole))


def _parity(whole: Array) -> Array:
    """(-1) to the power of a whole number."""
    odd = logic.not_equal(arithmetic.remainder(whole, constant_like(2, whole)), 0)
    return logic.where(odd, constant_like(-1, whole), constant_like(1, whole))


def _few_taken(n: Array, k: Array, few: Array) -> Array:
    """n (n - 1) … (n - k + 1) / k! of few k."""
    one = constant_like(1, n)
    product: Array = one
    for i in range(_FEW):
        taken = constant_like(i, k)
        factor = (n - taken) / constant_like(i + 1, k)
        product = product * logic.where(logic.logical_and(few, taken < k), factor, one)
    return product


@Reals
def comb(n: ArrayLike, k: ArrayLike, /) -> Array:
    """In how many ways k of n things can be chosen: `binom`, but 0 for n < 0, k < 0 and k > n.

    >>> comb(10, 3)
    Array(120., float64)
    """

    def of_floats(n: Array, k: Array) -> Array:
        none = logic.logical_or(logic.logical_or(n < 0, k < 0), k > n)
        zero = constant_like(0, n)
        return logic.where(none, zero, _binom(logic.where(none, zero, n), logic.where(none, zero, k)))

    return in_double(of_floats, *reals("comb", n=n, k=k))


@Reals
def poch(x: ArrayLike, m: ArrayLike, /) -> Array:
    """Pochhammer's symbol Γ(x + m) / Γ(x), beyond 150 by its logarithm, of which it has the digits after the point.

    Its slope in x is a difference of `digamma`, exact to that.

    >>> poch(3.0, 2.0)
    Array(12., float64)
    """
    return in_double(_poch, *reals("poch", x=x, m=m))


def _poch(x: Array, m: Array) -> Array:
    one, most = constant_like(1, x), constant_like(150, x)
    whole = logic.logical_and(logic.equal(elementwise.floor(m), m), elementwise.abs(m) <= _FEW)
    product, x = _few_factors(x, logic.where(whole, m, one)), _still_where(whole, x)
    poles = _is_pole(x) & _is_pole(x + m)  # whose ratio is (-1)ᵐ Γ(1 - x) / Γ(1 - x - m)
    nothing = _is_pole(x) & ~poles  # where 1 / Γ(x) is Γ(1 - x) sin(πx) / π
    p, q = logic.where(nothing, x, one - one), logic.where(nothing, x + m, one)
    half = (of(SpecialKind.GAMMALN, q) + of(SpecialKind.GAMMALN, one - p)) * constant_like(0.5, x)
    beyond, sine = half > 354, _sine(p)
    root = transcendental.exp(logic.where(beyond, one, half))
    lost = gammasgn(q) * logic.where(beyond, sine * _GREATEST, (root * sine / math.pi) * root)
    x, m = logic.where(nothing, one, x), logic.where(nothing, one, m)
    turn = logic.where(poles, _parity(m), one)
    x = logic.where(poles, one - x - m, x)
    near = logic.logical_and(elementwise.abs(x) < most, elementwise.abs(x + m) < most)
    a, b = logic.where(near, x, one), logic.where(near, x + m, one)
    ratio = of(SpecialKind.GAMMA, b) / of(SpecialKind.GAMMA, a)
    sign = gammasgn(x + m) * gammasgn(x)
    logarithm = of(SpecialKind.GAMMALN, x + m) - of(SpecialKind.GAMMALN, x)
    # log Γ(x + m) - log Γ(x) = log Γ(m) - log B(x, m), without cancellation
    steady = (x > 0) & (x + m > 0) & logic.not_equal(m, constant_like(0, m))
    p, q = logic.where(steady, arithmetic.minimum(x, x + m), one), logic.where(steady, elementwise.abs(m), one)
    grown = of(SpecialKind.GAMMALN, q) - of(SpecialKind.BETALN, p, q)
    logarithm = logic.where(steady, logic.where(m > 0, grown, -grown), logarithm)
    value = logic.where(nothing, lost, turn * logic.where(near, ratio, sign * transcendental.exp(logarithm)))
    return logic.where(whole, _moving_as(value, product), value)


def _is_pole(x: Array) -> Array:
    """Whether the gamma function has a pole there."""
    return (x <= 0) & logic.equal(elementwise.floor(x), x)


def _few_factors(x: Array, m: Array) -> Array:
    """x (x + 1) … (x + m - 1) of whole m, or of negative m what is left of the other side's."""
    one = constant_like(1, x)
    above: Array = one
    below: Array = one
    for i in range(_FEW):
        step = constant_like(i, x)
        above = above * logic.where(step < m, x + step, one)
        below = below * logic.where(step < -m, x - (step + one), one)
    return above / below


@typed_as(OfDimension)
def multigammaln(a: ArrayLike, d: int) -> Array:
    """log of the gamma function of dimension `d`: log πᵈ⁽ᵈ⁻¹⁾ᐟ⁴ + Σ log Γ(a - i / 2) over i < d.

    `d` is static and at least 1. Special cases: NaN unless a > (d - 1) / 2.

    >>> multigammaln(3.0, 2)
    Array(1.55019499, float64)
    """
    n = repetitions("multigammaln", "d", d)
    if not n:
        raise ArgumentError("multigammaln: d must be at least 1, got 0")

    def of_floats(a: Array) -> Array:
        total: Array = constant_like(n * (n - 1) / 4 * math.log(math.pi), a)
        for i in range(n):
            total = total + of(SpecialKind.GAMMALN, a - constant_like(i / 2, a))
        return logic.where(a > (n - 1) / 2, total, constant_like(math.nan, total))

    return in_double(of_floats, real("multigammaln", as_array(a, "multigammaln", "a"), "a"))

"""The beta function, binomial coefficients and Pochhammer's symbol by gamma functions, far out by their logarithms."""

from __future__ import annotations

import math
import sys
from typing import Final

import handlers
from effects.arrays.array import Array
from effects.functions.elementwise import arithmetic, unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import exp
from effects.operations.special import SpecialKind
from effects.special.calling import of, ordered
from handlers.special.fits import cos_pi, of_each, sin_pi
from handlers.special.gamma import regular_betaln

_GREATEST: Final = sys.float_info.max
_LEAST: Final = 6e-309
"""Next to 0, up to here, the gamma function overflows."""
_MOST: Final = 150.0
_FEW: Final = 12
"""So many factors are multiplied: gamma functions next to their poles lose the digits of what is near a pole."""


def _is_whole(x: Array) -> Array:
    return unary.floor(x) == x


def is_pole(x: Array) -> Array:
    """Mask of the poles of the gamma function."""
    return (x <= 0.0) & _is_whole(x)


def _parity(whole: Array) -> Array:
    """(-1) to the power of a whole number."""
    return where(unary.floor(whole * 0.5) == whole * 0.5, 1.0, -1.0)


def gammasgn(x: Array) -> Array:
    floor = unary.floor(x)
    poles = where(x == 0.0, arithmetic.copysign(0.0 * x + 1.0, x), math.nan)
    below = where(floor == x, poles, _parity(floor))
    return where(x > 0.0, 1.0, where(unary.isnan(x), x, below))


def _gammas(*xs: Array) -> tuple[Array, ...]:
    return of_each(lambda x: of(SpecialKind.GAMMA, x), *xs)


def beta(a: Array, b: Array) -> Array:
    """Beta function. At a pole of one argument it is infinite, or for whole numbers with a + b ≤ 0 (-1)ᵇ B(1 - a - b,
    b).
    """
    less, more = ordered(a, b)
    pole = (less < 0.0) & _is_whole(less) | (less == 0.0) & (more == 0.0) | (more < 0.0) & _is_whole(more)
    turned = pole & (more > 0.0) & _is_whole(more) & (less + more < 1.0)
    value = _regular_beta(where(turned, 1.0 - less - more, a), where(turned, more, b))
    value = where(pole & ~turned, math.inf, where(turned, _parity(more), 1.0) * value)
    both = a + b
    nothing = (both <= 0.0) & _is_whole(both) & ~_is_whole(a)
    return where(unary.isnan(both), both, where(nothing, 0.0, value))


def _regular_beta(a: Array, b: Array) -> Array:
    small, large = ordered(unary.abs(a), unary.abs(b))
    near = (small > _LEAST) & (large < 30.0)
    low, high = ordered(where(near, a, 1.0), where(near, b, 1.0))
    first, second, both = _gammas(low, high, low + high)
    sign = gammasgn(a) * gammasgn(b) * gammasgn(a + b)
    return where(near, first * (second / both), sign * exp(of(SpecialKind.BETALN, a, b)))


def digamma_of_sum(a: Array, b: Array) -> Array:
    """ψ(a + b), of large numbers by half their sum, which does not overflow."""
    vast = arithmetic.maximum(a, b) > 1e300
    half = where(vast, 0.5, 1.0)
    return of(SpecialKind.DIGAMMA, a * half + b * half) + where(vast, math.log(2.0), 0.0)


def beta_slope(i: int, y: Array, a: Array, b: Array) -> Array:
    """y (ψ(a) - ψ(a + b)), along poles that of 1 less them; where the value is infinite beside a pole it stays so."""
    alone = unary.isinf(y) & (is_pole(a) | is_pole(b))
    x, both = [where(is_pole(v) | alone, 1.0 - v, v) for v in ((a, b)[i], a + b)]
    return where(alone, 0.0, y * (of(SpecialKind.DIGAMMA, x) - of(SpecialKind.DIGAMMA, both)))


def _rounded(exact: Array, value: Array) -> Array:
    """Rounded where it is exact, with the derivative of what is not."""
    wrong: Array = handlers.stop_gradient(unary.round(value) - value)
    return value + where(exact, wrong, 0.0)


def _still_where(few: Array, n: Array) -> Array:
    """n, which few factors are of: what is not of factors does not move with it."""
    return where(few, handlers.stop_gradient(n), n)


def _moving_as(value: Array, product: Array) -> Array:
    """The product, which moves with what the value moves with besides; where that is no number with nothing."""
    moved = value - handlers.stop_gradient(value)
    return product + where(unary.isfinite(value), moved, 0.0)


def _sine_of_difference(x: Array, y: Array, sines: tuple[Array, ...]) -> Array:
    """sin π(x - y): by the difference where that is exact, which finds all its roots, else by both."""
    rest = x - y
    exact = (rest + y == x) & (x - rest == y)
    of_x, of_y, of_rest = sines
    cosine_x, cosine_y = of_each(cos_pi, x, y)
    return where(exact, of_rest, of_x * cosine_y - cosine_x * of_y)


def binom(n: Array, k: Array) -> Array:
    """Γ(n + 1) / (Γ(k + 1) Γ(rest + 1)); by its logarithm as 1 / ((n + 1) B(rest + 1, k + 1)).

    By reflection, where one below 0 is the lesser of k and the rest, as sin(-π least) / π B(n + 1, -least); of
    fractions n < -1 as a multiple of that of `most - n - 1` and `most`, or where both are below 0 of B(-k, -rest).
    """
    whole_n, whole_k = _is_whole(n), _is_whole(k)
    few = whole_k & (k >= 0.0) & (k <= _FEW)
    unknown = unary.isnan(n) | unary.isnan(k) | whole_n & (n < 0.0)
    product = _few_taken(n, k, few)
    sines = of_each(sin_pi, n, k, n - k)
    wave_n, wave_k, wave_rest = sines[0], sines[1], _sine_of_difference(n, k, sines)
    m = _still_where(few, n)
    rest = m - k
    least, most = ordered(k, rest)
    turned = (m < -1.0) & ~whole_n & ~few
    ahead, behind = turned & (most >= 0.0), turned & (most < 0.0)
    outside = whole_k & ~turned & ((k < 0.0) | whole_n & (k > n))
    beyond = (m > -1.0) & (least < -1e-300)
    lesser = where(k < rest, wave_k, wave_rest)
    above, below, beside = where(ahead, most - m - 1.0, m), where(ahead, most, k), where(ahead, -m - 1.0, rest)
    near = (above < _MOST) & ~beyond & ~behind
    first, second, third = _gammas(*[where(near, v + 1.0, 1.0) for v in (above, below, beside)])
    p = where(behind, -k, where(beyond, m, beside) + where(behind, 0.0, 1.0))
    q = where(behind, -rest, where(beyond, -least, below + 1.0))
    turn = where(beyond, -lesser / math.pi, -wave_k * wave_rest / (math.pi * where(behind, wave_n, 1.0)))
    other = beyond | behind
    usual = ~near & (p > 0.0) & (q > 0.0)
    logarithm = regular_betaln(*ordered(where(usual, p, 1.0), where(usual, q, 1.0)))
    root = exp(where(other, 0.5, -0.5) * logarithm)  # of what may overflow before it is divided
    far = root * where(other, turn, 1.0) / where(other, 1.0, unary.abs(above + 1.0)) * root
    value = where(near, first / second / third, far)
    value = where(ahead, where(k >= rest, wave_rest, wave_k) / where(ahead, wave_n, 1.0), 1.0) * value
    value = where(few, _moving_as(value, product), value)
    value = _rounded(whole_n & whole_k & (value < 2**53), value)
    return where(unknown, math.nan, where(outside, 0.0, value))


def _few_taken(n: Array, k: Array, few: Array) -> Array:
    """n (n - 1) … (n - k + 1) / k! of few k."""
    product = where(few & (k > 0.0), n, 1.0)
    for i in range(1, _FEW):
        product = product * where(few & (k > float(i)), (n - float(i)) / (i + 1.0), 1.0)
    return product


def poch(x: Array, m: Array) -> Array:
    infinite = is_pole(x + m) & ~is_pole(x)
    whole = _is_whole(m) & (unary.abs(m) <= _FEW)
    product, x = _few_factors(x, where(whole, m, 1.0)), _still_where(whole, x)
    poles = is_pole(x) & is_pole(x + m)  # whose ratio is (-1)ᵐ Γ(1 - x) / Γ(1 - x - m)
    nothing = is_pole(x) & ~poles  # where 1 / Γ(x) is Γ(1 - x) sin(πx) / π
    pole, beside = where(nothing, x, 0.0), where(nothing, x + m, 1.0)
    turn = where(poles, _parity(m), 1.0)
    x, m = where(nothing, 1.0, where(poles, 1.0 - x - m, x)), where(nothing, 1.0, m)
    end = x + m
    near = (unary.abs(x) < _MOST) & (unary.abs(end) < _MOST)
    first, second = _gammas(where(near, end, 1.0), where(near, x, 1.0))
    # log Γ(x + m) - log Γ(x) = log Γ(m) - log B(x, m), without cancellation
    regular = (x > 0.0) & (end > 0.0) & (m != 0.0)
    p, q = where(regular, arithmetic.minimum(x, end), 1.0), where(regular, unary.abs(m), 1.0)
    of_end, of_x, of_q = of_each(
        lambda v: of(SpecialKind.GAMMALN, v), where(nothing, beside, end), where(nothing, 1.0 - pole, x), q
    )
    grown = of_q - regular_betaln(*ordered(p, q))
    logarithm = where(regular, where(m > 0.0, grown, -grown), of_end - of_x)
    half = (of_end + of_x) * 0.5
    beyond, sine = half > 354.0, sin_pi(pole)
    root = exp(where(beyond, 1.0, half))
    lost = gammasgn(beside) * where(beyond, sine * _GREATEST, (root * sine / math.pi) * root)
    far = gammasgn(end) * gammasgn(x) * exp(logarithm)
    value = where(nothing, lost, turn * where(near, first / second, far))
    return where(infinite, math.inf, where(whole, _moving_as(value, product), value))


def _few_factors(x: Array, m: Array) -> Array:
    """x (x + 1) … (x + m - 1) of whole m, or of negative m what is left of the other side's."""
    above, below = where(m > 0.0, x, 1.0), where(m < 0.0, x - 1.0, 1.0)
    for i in range(1, _FEW):
        above = above * where(m > float(i), x + float(i), 1.0)
        below = below * where(m < -float(i), x - (i + 1.0), 1.0)
    return above / below

"""Kummer's function ₁F₁(a, b, x).

Of x < 0 by Kummer's transformation (DLMF 13.2.39). By its power series, whose terms have one sign for a, b > 0;
for a < -1 that is right near 0 only, from where its differential equation (13.2.1) is solved by Taylor series; far out
by the asymptotic expansion (13.7.2). Polynomials, which do not grow as exp(x), by the recurrence in a (13.3.1). Where
terms cancel for b < 0 by the recurrence in b (13.3.2), from b > 1 on downwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import scalar
from effects.functions.elementwise import arithmetic, unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import exp, sqrt
from effects.operations.special import SpecialKind
from effects.special.calling import of
from effects.types import dtypes
from handlers.special.incomplete import repeat

_ENOUGH: Final = 2.0**-60
_MOST: Final = 5000.0
"""Terms of a series, and of those that are expanded about other places."""
_TAYLOR: Final = 30
_EPSILON: Final = 2.0**-52
_LOST: Final = 2.0**20
"""By how much the greatest term may exceed a sum."""


def hyp1f1(a: Array, b: Array, x: Array, differentiated: bool = False) -> Array:
    negative = x < 0.0
    p, z = where(negative, b - a, a), unary.abs(x)
    pole = (b <= 0.0) & (unary.floor(b) == b)
    early = pole & (b <= a) & (a < 0.0) & (unary.floor(a) == a)  # polynomials that end before the pole
    ended = -a, b, x
    b = where(pole, 1.0, b)
    steps = unary.ceil(1.0 - b)
    zero = 0.0 * (p + b + z)

    def before_pole(usual: Array, other: Array) -> Array:
        return where(early, other, usual)

    def lost(first: Array) -> Array:
        return unary.isnan(first) & (b < 0.0)

    def unfinished(i: Array, first: Array, *_: Array) -> Array:
        return (i < 1.0) | ((i < 3.0) & lost(first))

    def advanced(i: Array, first: Array, few: Array, ahead: Array, now: Array) -> tuple[Array, ...]:
        """Evaluate at b and, where terms cancel for b < 0, at the next two b above 1."""
        above = where((i > 0.0) & lost(first), b + steps + (2.0 - i), b)
        scaled, polynomial = _scaled(p, above, z, lambda *xs: _polynomial(*map(before_pole, xs, ended)), differentiated)
        once, second = i == 0.0, i == 1.0
        return (
            i + 1.0,
            where(once, scaled, first),
            where(once, polynomial, few),
            where(second, scaled, ahead),
            scaled,
        )

    start = scalar(0.0, dtypes.float64), zero, zero, zero, zero
    _, first, few, ahead, now = repeat(unfinished, advanced, start)
    again = lost(first)
    value = where(again, _lowered(p, b, z, where(again, steps, 0.0), now, ahead), first)
    half = exp(z * 0.5)
    value = where(negative, value, half * (half * value))
    value = where(_ends(p, b, differentiated) & ~negative, few, value)
    return where(early, few, where(pole, where(unary.isnan(a) | unary.isnan(x), math.nan, math.inf), value))


def _ends(a: Array, b: Array, differentiated: bool) -> Array:
    """Mask of polynomials: those next to one do not say how it depends on a, and it does grow with that."""
    return (a <= 0.0) & (unary.floor(a) == a) & (b > 0.0) & (not differentiated)


def _scaled(
    a: Array, b: Array, z: Array, polynomial: Callable[..., Array], differentiated: bool
) -> tuple[Array, Array]:
    """exp(-z) times the function of z ≥ 0, and the function where it is a polynomial; NaN where terms cancel."""
    whole = (a <= 0.0) & (unary.floor(a) == a)
    far = ~whole & (z > 60.0 + arithmetic.maximum(unary.abs(a), unary.abs(b)) ** 2 * 0.5)
    beyond = _expansion(where(far, a, 1.0), where(far, b, 1.0), where(far, z, 100.0))
    ends = _ends(a, b, differentiated)
    walked = ~far & ~ends & (a < -1.0) & (b > 0.0)
    start = arithmetic.minimum(z, (b + 1.0) / where(walked, -a, 1.0))
    at = where(far | ends, 0.0, where(walked, start, z))
    value = _series(a, b, at, differentiated)
    slope = a / b * _series(where(walked, a + 1.0, 1.0), b + 1.0, at, differentiated)
    along = _walk(a, b, at, where(walked, z, at), value, slope)
    few = polynomial(where(ends, -a, 0.0), b, z)
    scale = exp(z * -0.5)
    return where(far, beyond, scale * (scale * where(ends, few, where(walked, along, value)))), few


def _lowered(a: Array, b: Array, z: Array, steps: Array, now: Array, ahead: Array) -> Array:
    """Value for b, from the values for b + steps and the next one; NaN where that loses too many digits."""

    def step(k: Array, now: Array, ahead: Array, wrong: Array, wrong_ahead: Array) -> tuple[Array, ...]:
        base = b + where(k > 0.0, k, 1.5)
        one, other = (base - 1.0 + z) / (base - 1.0), z * (base - a) / (base * (base - 1.0))
        below = one * now - other * ahead
        size, beside = still(unary.abs(one)), still(unary.abs(other))
        error = size * (wrong + _EPSILON * unary.abs(still(now)))
        error = error + beside * (wrong_ahead + _EPSILON * unary.abs(still(ahead)))
        going = k > 0.0
        kept = [(below, now), (now, ahead), (error, wrong), (wrong, wrong_ahead)]
        return k - 1.0, *[where(going, new, old) for new, old in kept]

    still = handlers.stop_gradient
    none = 0.0 * still(now)
    state = repeat(lambda k, *_: (k > 0.0) & (k < _MOST), step, (steps, now, ahead, none, none))
    exact = (steps < _MOST) & (state[3] < unary.abs(still(state[1])) / _LOST)
    return where(exact, state[1], math.nan)


def _polynomial(n: Array, b: Array, z: Array) -> Array:
    """The function of a = -n, for whole n, from a = 0 on downwards."""

    def step(k: Array, value: Array, before: Array) -> tuple[Array, Array, Array]:
        below = ((b + 2.0 * k - z) * value - k * before) / (b + k)
        return k + 1.0, where(k < n, below, value), where(k < n, value, before)

    zero = 0.0 * (n + b + z)
    state = repeat(lambda k, *_: (k < n) & (k < _MOST), step, (zero, zero + 1.0, zero))
    return where(n > _MOST, math.nan, state[1])


def _walk(a: Array, b: Array, x: Array, end: Array, value: Array, slope: Array) -> Array:
    """The solution of x y'' + (b - x) y' = a y at the end, from its value and slope at x > 0 on: steps that Taylor's
    series, which the origin bounds, is short for.
    """
    type Sums = tuple[Array, Array, Array, Array, Array]

    def step(k: Array, x: Array, value: Array, slope: Array) -> tuple[Array, ...]:
        going = x < end
        by_root = arithmetic.minimum(1.0, sqrt(x / (1.0 - a)))
        whole = arithmetic.minimum(x / arithmetic.maximum(4.0, b), by_root)
        h = where(going, arithmetic.minimum(whole, end - x), 0.0)
        base = where(going, x, 1.0)

        def further(_: object, sums: Sums) -> Sums:
            n, before, term, total, rate = sums
            last = (n + a) * h * h * before / (n + 1.0) - (n + b - base) * h * term
            term_after = last / (base * (n + 2.0))
            return n + 1.0, term, term_after, total + term_after, rate + (n + 2.0) * term_after

        first = slope * h
        sums = 0.0 * first, value, first, value + first, first
        *_, total, rate = handlers.fori_loop(0, _TAYLOR, further, sums)
        there = where(going & (whole < end - x), x + h, where(going, end, x))
        return k + 1.0, there, where(going, total, value), where(going, rate / where(h > 0.0, h, 1.0), slope)

    def unfinished(k: Array, x: Array, value: Array, slope: Array) -> Array:
        return (x < end) & (k < _MOST)

    state = repeat(unfinished, step, (0.0 * value, x, value, slope))
    return where(state[1] < end, math.nan, state[2])


def _series(a: Array, b: Array, x: Array, differentiated: bool) -> Array:
    """The sum; NaN where its terms cancel, or are too many.

    A factor that is 0 ends it, unless it is differentiated: then as many terms count as if it were 1.
    """
    zero = 0.0 * (a + b + x)

    def step(n: Array, term: Array, size: Array, total: Array, most: Array) -> tuple[Array, ...]:
        scale = x / ((b + n) * (n + 1.0))
        term = term * (a + n) * scale
        factor = unary.abs(a + n)
        size = size * unary.abs(scale) * (where(factor == 0.0, 1.0, factor) if differentiated else factor)
        return n + 1.0, term, size, total + term, arithmetic.maximum(most, size)

    def unfinished(n: Array, term: Array, size: Array, total: Array, most: Array) -> Array:
        early = (n < -arithmetic.minimum(a, b)) & (size != 0.0)
        return (size > unary.abs(total) * _ENOUGH) | early

    start = zero, zero + 1.0, zero + 1.0, zero + 1.0, zero + 1.0
    state = repeat(lambda n, *sums: unfinished(n, *sums) & (n < _MOST), step, start)
    _, _, _, total, most = state
    cancelled = (most > _LOST * unary.abs(total)) & (b < 0.0)
    return where(unfinished(*state) | cancelled, math.nan, total)


def _expansion(a: Array, b: Array, x: Array) -> Array:
    """Γ(b) / Γ(a) xᵃ⁻ᵇ Σ (b - a)ₙ (1 - a)ₙ / n! x⁻ⁿ, up to its least term, before which there may be a greatest one."""
    zero = 0.0 * (a + b + x)
    greatest = sqrt(unary.abs((b - a) * (1.0 - a)))

    def step(n: Array, term: Array, total: Array) -> tuple[Array, ...]:
        following = term * ((b - a + n) * (1.0 - a + n) / ((n + 1.0) * x))
        less = (n < greatest) | (unary.abs(following) < unary.abs(term))
        term = where(less, following, 0.0)
        return n + 1.0, term, total + term

    def unfinished(n: Array, term: Array, total: Array) -> Array:
        return unary.abs(term) > unary.abs(total) * _ENOUGH

    total = repeat(unfinished, step, (zero, zero + 1.0, zero + 1.0))[2]
    gammas = [of(SpecialKind.GAMMA, v) for v in (b, a)]
    return arithmetic.pow(x, a - b) * total * (gammas[0] / gammas[1])

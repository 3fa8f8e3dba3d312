"""Kummer's function ₁F₁(a, b, x).

Of x < 0 by Kummer's transformation (DLMF 13.2.39). By its power series, whose terms have one sign for a, b > 0;
for a < -1 that is right near 0 only, from where its differential equation (13.2.1) is solved by Taylor series; far out
by the asymptotic expansion (13.7.2). Polynomials, which do not grow as exp(x), by the recurrence in a (13.3.1).
"""

from __future__ import annotations

import math
from typing import Final

from effects.arrays.array import Array
from effects.functions import arithmetic, elementwise
from effects.functions.logic import where
from effects.functions.transcendental import exp, sqrt
from effects.operations.special import Special, SpecialKind
from effects.program.chain import perform
from effects.runtime.names import transformation
from handlers.special.incomplete import repeat

_ENOUGH: Final = 2.0**-60
_MOST: Final = 5000.0
"""Terms of a series, and of those that are expanded about other places."""
_TAYLOR: Final = 30
_LOST: Final = 2.0**20
"""By how much the greatest term may exceed a sum."""


def hyp1f1(a: Array, b: Array, x: Array, differentiated: bool = False) -> Array:
    """Polynomials next to it do not say how it depends on a, and it does grow with that."""
    negative = x < 0.0
    p, z = where(negative, b - a, a), elementwise.abs(x)
    pole = (b <= 0.0) & (elementwise.floor(b) == b)
    b = where(pole, 1.0, b)
    ends = (p <= 0.0) & (elementwise.floor(p) == p)
    far = ~ends & (z > 60.0 + arithmetic.maximum(elementwise.abs(p), elementwise.abs(b)) ** 2 * 0.5)
    beyond = _expansion(where(far, p, 1.0), where(far, b, 1.0), where(far, z, 100.0))
    laguerre = ends & (b > 0.0) & (not differentiated)
    walked = ~far & ~laguerre & (p < -1.0) & (b > 0.0)
    start = arithmetic.minimum(z, (b + 1.0) / where(walked, -p, 1.0))
    at = where(far | laguerre, 0.0, where(walked, start, z))
    scale = exp(z * -0.5)
    value = _series(p, b, at, differentiated)
    slope = p / b * _series(where(walked, p + 1.0, 1.0), b + 1.0, at, differentiated)
    along = _walk(p, b, at, where(walked, z, at), value, slope)
    value = where(far, beyond, scale * (scale * where(walked, along, value)))
    half = exp(z * 0.5)
    value = where(negative, value, half * (half * value))
    few = _polynomial(where(laguerre, -p, 0.0), b, z)
    value = where(laguerre, where(negative, scale * (scale * few), few), value)
    return where(pole, math.inf, value)


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

    def step(k: Array, x: Array, value: Array, slope: Array) -> tuple[Array, ...]:
        going = x < end
        whole = arithmetic.minimum(x / arithmetic.maximum(4.0, b), arithmetic.minimum(1.0, sqrt(x / (1.0 - a))))
        h = where(going, arithmetic.minimum(whole, end - x), 0.0)
        base = where(going, x, 1.0)

        def further(_: object, sums: tuple[Array, ...]) -> tuple[Array, ...]:
            n, before, term, total, rate = sums
            last = (n + a) * h * h * before / (n + 1.0) - (n + b - base) * h * term
            term_after = last / (base * (n + 2.0))
            return n + 1.0, term, term_after, total + term_after, rate + (n + 2.0) * term_after

        first = slope * h
        sums = 0.0 * first, value, first, value + first, first
        *_, total, rate = transformation("fori_loop")(0, _TAYLOR, further, sums)
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
        factor = elementwise.abs(a + n)
        size = size * elementwise.abs(scale) * (where(factor == 0.0, 1.0, factor) if differentiated else factor)
        return n + 1.0, term, size, total + term, arithmetic.maximum(most, size)

    def unfinished(n: Array, term: Array, size: Array, total: Array, most: Array) -> Array:
        early = (n < -arithmetic.minimum(a, b)) & (size != 0.0)
        return (size > elementwise.abs(total) * _ENOUGH) | early

    start = zero, zero + 1.0, zero + 1.0, zero + 1.0, zero + 1.0
    state = repeat(lambda n, *sums: unfinished(n, *sums) & (n < _MOST), step, start)
    _, _, _, total, most = state
    cancelled = (most > _LOST * elementwise.abs(total)) & (b < 0.0)
    return where(unfinished(*state) | cancelled, math.nan, total)


def _expansion(a: Array, b: Array, x: Array) -> Array:
    """Γ(b) / Γ(a) xᵃ⁻ᵇ Σ (b - a)ₙ (1 - a)ₙ / n! x⁻ⁿ, up to its least term, before which there may be a greatest one."""
    zero = 0.0 * (a + b + x)
    greatest = sqrt(elementwise.abs((b - a) * (1.0 - a)))

    def step(n: Array, term: Array, total: Array) -> tuple[Array, ...]:
        following = term * ((b - a + n) * (1.0 - a + n) / ((n + 1.0) * x))
        less = (n < greatest) | (elementwise.abs(following) < elementwise.abs(term))
        term = where(less, following, 0.0)
        return n + 1.0, term, total + term

    def unfinished(n: Array, term: Array, total: Array) -> Array:
        return elementwise.abs(term) > elementwise.abs(total) * _ENOUGH

    total = repeat(unfinished, step, (zero, zero + 1.0, zero + 1.0))[2]
    gammas = [perform(Special(SpecialKind.GAMMA, (v,))) for v in (b, a)]
    return arithmetic.pow(x, a - b) * total * (gammas[0] / gammas[1])

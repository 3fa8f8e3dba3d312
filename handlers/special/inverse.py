"""Inverses of incomplete gamma and beta functions in their last argument: Newton's method within bounds.

It is applied to the logarithm of the lesser of P and 1 - P, as a function of log x or of the logarithm of x / (1 - x):
there both are concave, so that it converges from everywhere; a step that leaves the bounds is replaced by bisection.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import handlers
from effects.arrays.array import Array
from effects.functions.elementwise import arithmetic, transcendental, unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import exp, log, log1p
from effects.functions.reductions import reduction
from effects.operations.special import SpecialKind
from effects.special.calling import of
from handlers.special.incomplete_beta import beta_parts

_MOST: Final = 200.0
_CLOSE: Final = 2.0**-51
_LEAST: Final = -750.0
"""The logarithm of what is 0."""


def _newton(f: Callable[[Array], tuple[Array, Array]], start: Array, low: Array, high: Array) -> Array:
    """Root of f, an increasing function that gives its value and slope."""
    type State = tuple[Array, Array, Array, Array, Array]

    def step(state: State) -> State:
        n, u, low, high, _ = state
        value, slope = f(u)
        low, high = where(value < 0.0, u, low), where(value < 0.0, high, u)
        following = u - value / slope
        inside = (following > low) & (following < high)
        following = where(inside, following, 0.5 * (low + high))
        following = where(value == 0.0, u, following)
        return n + 1.0, following, low, high, unary.abs(following - u)

    def unfinished(state: State) -> Array:
        n, u, _, _, moved = state
        return reduction.any((moved > _CLOSE * (1e-3 + unary.abs(u))) & (n < _MOST))

    return handlers.while_loop(unfinished, step, (0.0 * start, start, low, high, start + math.inf))[1]


def _gamma_inverse(a: Array, y: Array, upper: bool) -> Array:
    """The x with P(a, x) = y, or Q(a, x) = y."""
    valid = (a > 0.0) & (a < math.inf) & (y > 0.0) & (y < 1.0)
    a_, y_ = where(valid, a, 1.0), where(valid, y, 0.5)
    lesser = y_ <= 0.5
    by_lower = lesser if not upper else ~lesser
    target = log(where(lesser, y_, 1.0 - y_))
    gammaln = of(SpecialKind.GAMMALN, a_)

    def f(u: Array) -> tuple[Array, Array]:
        x = exp(u)
        tail = where(by_lower, of(SpecialKind.GAMMAINC, a_, x), of(SpecialKind.GAMMAINCC, a_, x))
        tail = arithmetic.maximum(tail, 1e-320)
        slope = exp(a_ * u - x - gammaln - log(tail))
        value = log(tail) - target
        return where(by_lower, value, -value), arithmetic.maximum(slope, 1e-300)

    p_first = (where(by_lower, target, log(0.5)) + of(SpecialKind.GAMMALN, a_ + 1.0)) / a_
    start = arithmetic.minimum(p_first, log(a_ + 0.5))
    start = arithmetic.maximum(start, _LEAST)
    high = log(a_ + 60.0 * transcendental.sqrt(a_) + 800.0) + 0.0 * y_
    low = arithmetic.minimum(start, -750.0 / a_)
    low = arithmetic.maximum(low, _LEAST) - 1.0
    x = exp(_newton(f, start, low, high))
    # Where x is no more than its first term, the logarithm is exact already.
    ends = where(y == 0.0, math.inf if upper else 0.0, where(y == 1.0, 0.0 if upper else math.inf, math.nan))
    return where(valid, x, where((a > 0.0) & (a < math.inf), ends, math.nan))


def gammaincinv(a: Array, y: Array) -> Array:
    return _gamma_inverse(a, y, False)


def gammainccinv(a: Array, y: Array) -> Array:
    return _gamma_inverse(a, y, True)


def _beta_logit(a: Array, b: Array, y: Array) -> Array:
    """log(x / (1 - x)) of the x with Iₓ(a, b) = y; infinite for y = 0 and 1, NaN outside of the domain."""
    proper = (a > 0.0) & (a < math.inf) & (b > 0.0) & (b < math.inf)
    valid = proper & (y > 0.0) & (y < 1.0)
    a_, b_, y_ = where(valid, a, 1.0), where(valid, b, 1.0), where(valid, y, 0.5)
    lesser = y_ <= 0.5
    target = log(where(lesser, y_, 1.0 - y_))
    betaln = of(SpecialKind.BETALN, a_, b_)

    def f(u: Array) -> tuple[Array, Array]:
        size = unary.abs(u)
        small, rest = 1.0 / (1.0 + exp(size)), -log1p(exp(-size))
        large, below = 1.0 - small, u < 0.0
        lower, upper = beta_parts(a_, b_, where(below, small, large), where(below, large, small))
        tail = arithmetic.maximum(where(lesser, lower, upper), 1e-320)
        power = where(below, a_, b_) * (rest - size) + where(below, b_, a_) * rest
        slope = exp(power - betaln - log(tail))
        value = log(tail) - target
        return where(lesser, value, -value), arithmetic.maximum(slope, 1e-300)

    start = log(a_ / b_) + 0.0 * y_
    u = _newton(f, start, arithmetic.minimum(start, -750.0 / a_) - 50.0, arithmetic.maximum(start, 750.0 / b_) + 50.0)
    edge = where(y == 0.0, -math.inf, where(y == 1.0, math.inf, math.nan))
    return where(valid, u, where(proper, edge, math.nan))


def betaincinv(a: Array, b: Array, y: Array) -> Array:
    u = _beta_logit(a, b, y)
    lesser = exp(-unary.abs(u))
    return where(u < 0.0, lesser, 1.0) / (1.0 + lesser)


def beta_odds(a: Array, b: Array, y: Array) -> Array:
    return exp(_beta_logit(a, b, y))

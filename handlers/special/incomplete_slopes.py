"""Slopes of incomplete gamma and beta functions and of their inverses: densities, of large parameters by deviances."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from importlib import import_module
from typing import Final

from effects.arrays.array import Array
from effects.functions.elementwise import logic
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.functions.elementwise.transcendental import log, log1p
from effects.functions.indexing.value_dependent import outside_of_tracing
from effects.functions.reductions import reduction
from effects.operations.special import Special, SpecialKind
from effects.program.chain import perform
from effects.special.calling import is_exact, of, where_some
from handlers.special import incomplete, incomplete_beta
from handlers.special.short import exp, log as short_log

_K = SpecialKind
_LARGE: Final = 20.0
_APART: Final = {2: (_LARGE, _LARGE), 3: (_LARGE, _LARGE, 0.5)}
"""Arguments with large parameters, of a density on [0, ∞) and one on [0, 1]."""


def _product(rest: Array, *powers: tuple[Array, Array, bool]) -> Array:
    """The product of powers, of the complement for True, and of the exponential of the rest."""
    densities = import_module("effects.stats.densities")
    product: Array = densities.Density(rest, tuple([densities.Power(*power) for power in powers])).value()
    return product


def _slope_at_zero(_: Array, x: Array, e: Array) -> Array:
    some = logic.where(e == 0.0, 1.0, e)
    return logic.where((x == 0.0) & (e != 0.0), some * _power_at_zero(x, some - 1.0), 0.0)


@with_derivatives(_slope_at_zero, lambda y, x, e: 0.0 * y)
def _power_at_zero(x: Array, e: Array) -> Array:
    """xᵉ where x is 0, with the slopes that the power has there, else 1."""
    edge = logic.where(e > 0.0, 0.0, logic.where(e == 0.0, 1.0, math.inf))
    return logic.where(x == 0.0, edge, 1.0)


def _by_logarithm(x: Array, e: Array, rest: Array | None = None) -> tuple[Array, Array]:
    """xᵉ as the exponential of one number and another factor, by rest = 1 - x for x next to 1.

    The exponent is rounded: doubles lose as many digits as it has before the point, which they may not.
    """
    at = x == 0.0
    logarithm = short_log(logic.where(at, 1.0, x)) if rest is None else log1p(-logic.where(at, 0.0, rest))
    return e * logarithm, _power_at_zero(x, e)


@outside_of_tracing
def _any_large(*parameters: Array) -> Array:
    """True where all parameters of some element are large."""
    return reduction.any(_are_large(*parameters))


def _are_large(*parameters: Array) -> Array:
    return reduce(logic.logical_and, [(p > _LARGE) & (p < math.inf) for p in parameters])


def _unless_large(usual: Callable[..., Array], large: Callable[..., Array], inside: Array, *xs: Array) -> Array:
    """usual(*xs), but large(*xs) inside of the domain where all parameters are large, which are all but the last.

    Where these are known, the choice is made now.
    """

    def both(*xs: Array) -> Array:
        far = _are_large(*xs[:-1]) & inside
        apart = [logic.where(far, v, other) for v, other in zip(xs, _APART[len(xs)], strict=True)]
        return logic.where(far, large(*apart), usual(*xs))

    return where_some(_any_large(*xs[:-1]), both, usual, *xs)


def beta_in_x(y: Array, a: Array, b: Array, x: Array) -> Array:
    def usual(a: Array, b: Array, x: Array) -> Array:
        if is_exact(x):
            return _product(-of(_K.BETALN, a, b), (x, a - 1.0, False), (x, b - 1.0, True))
        first, left = _by_logarithm(x, a - 1.0)
        second, right = _by_logarithm(1.0 - x, b - 1.0, x)
        return exp(first + second - of(_K.BETALN, a, b)) * logic.where(x == 1.0, right, left)

    def large(a: Array, b: Array, x: Array) -> Array:
        return incomplete_beta.beta_density(a, b, x, 1.0 - x) / (x * (1.0 - x))

    return _unless_large(usual, large, (x > 0.0) & (x < 1.0), a, b, x)


def beta_part_in_lesser(i: int, value: Array, a: Array, b: Array, x: Array, y: Array) -> Array:
    """In x and in y = 1 - x: all that moves is the lesser of them, which is exact."""
    below = x < 0.5
    p, q = logic.where(below, a, b), logic.where(below, b, a)
    density = beta_in_x(value, p, q, logic.where(below, x, y))
    return logic.where(below, density, 0.0) if i == 0 else logic.where(below, 0.0, -density)


def per_odds(odds: Array, a: Array, b: Array) -> Array:
    """Derivative of Iₓ(a, b) by x / (1 - x)."""
    below = odds < 1.0
    p, q = logic.where(below, a, b), logic.where(below, b, a)
    lesser = logic.where(below, odds, 1.0 / odds)
    rate = exp((p - 1.0) * log(lesser) - (p + q) * log1p(lesser) - of(_K.BETALN, a, b))
    return logic.where(below, rate, rate * lesser * lesser)


def odds_in(i: int, odds: Array, a: Array, b: Array, p: Array) -> Array:
    x, y = odds / (1.0 + odds), 1.0 / (1.0 + odds)
    return -order_of(_K.BETA_PART, (1 - i, i, 0, 0), a, b, x, y) / per_odds(odds, a, b)


def gamma_in_x(y: Array, a: Array, x: Array) -> Array:
    def usual(a: Array, x: Array) -> Array:
        if is_exact(x):
            return _product(-x - of(_K.GAMMALN, a), (x, a - 1.0, False))
        exponent, factor = _by_logarithm(x, a - 1.0)
        return exp(exponent - x - of(_K.GAMMALN, a)) * factor

    def large(a: Array, x: Array) -> Array:
        return a / x * incomplete.density_of_large(x, a)

    end = (x == math.inf) & (a >= 0.0) & (a < math.inf)  # where factors are ∞ and 0
    x = logic.where(end, 1.0, x)
    return logic.where(end, 0.0, _unless_large(usual, large, (x > 0.0) & (x < math.inf), a, x))


def order_of(kind: SpecialKind, orders: tuple[int, ...], *xs: Array) -> Array:
    return perform(Special(kind, xs, orders))


def inverse_gamma_in_a(y: Array, a: Array, p: Array) -> Array:
    return -order_of(_K.GAMMAINC, (1, 0), a, y) / gamma_in_x(p, a, y)


def inverse_upper_in_a(y: Array, a: Array, q: Array) -> Array:
    return order_of(_K.GAMMAINCC, (1, 0), a, y) / gamma_in_x(q, a, y)


def inverse_beta_in_a(y: Array, a: Array, b: Array, p: Array) -> Array:
    return -order_of(_K.BETAINC, (1, 0, 0), a, b, y) / beta_in_x(p, a, b, y)


def inverse_beta_in_b(y: Array, a: Array, b: Array, p: Array) -> Array:
    return -order_of(_K.BETAINC, (0, 1, 0), a, b, y) / beta_in_x(p, a, b, y)

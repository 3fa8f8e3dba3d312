"""Distributions of whole numbers, under scipy's names."""

from __future__ import annotations

import math
from functools import partial
from typing import Final

import handlers
from effects import special
from effects.arrays.array import Array
from effects.functions.elementwise import unary
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import exp, expm1, log, log1p
from effects.functions.reductions import reduction
from effects.operations.special import SpecialKind
from effects.special.calling import of as special_of
from effects.stats import densities
from effects.stats.densities import Density, Power
from effects.stats.distribution import Discrete
from effects.stats.standard import Function


def _chance(p: Array) -> Array:
    return (p >= 0) & (p <= 1)


bernoulli: Final = Discrete(
    "bernoulli",
    ("p",),
    lambda k, p: Density(0.0 * p, (Power(p, k), Power(p, 1.0 - k, complement=True))),
    (0.0, 1.0),
    _chance,
    lower=lambda k, p: where(k >= 1, 1.0, 1.0 - p + 0.0 * k),
    upper=lambda k, p: where(k >= 1, 0.0, p + 0.0 * k),
)


def _binomial(k: Array, n: Array, p: Array) -> Density:
    rest, none = n - k, k == 0
    ways = where(none, 0.0, -log1p(n) - special.betaln(where(none, n, rest) + 1.0, k + 1.0))
    near = Density(ways, (Power(p, k), Power(p, rest, complement=True)))
    return densities.beta(near, k, rest, p, 1.0 - p, k * (rest / where(n > 0, n, 1.0)))


def _negative_binomial(k: Array, n: Array, p: Array) -> Density:
    near = Density(-special.betaln(n, k + 1.0) - log(n + k), (Power(p, n), Power(p, k, complement=True)))
    return densities.beta(near, n, k, p, 1.0 - p, k)


def _of_rest(a: Array, b: Array, p: Array) -> Array:
    """I(1 - p; a, b) of p, which may be too small to be had from 1 - p."""
    return special_of(SpecialKind.BETA_PART, a, b, 1.0 - p, p)


def _safe(k: Array, n: Array) -> Array:
    """k below n, where the incomplete beta function is defined."""
    return where(k >= n, 0.0, k)


binom: Final = Discrete(
    "binom",
    ("n", "p"),
    _binomial,
    (0.0, lambda n, p: n),
    lambda n, p: (n >= 0) & (unary.floor(n) == n) & _chance(p),
    lower=lambda k, n, p: where(k >= n, 1.0, _of_rest(where(k >= n, 1.0, n - k), _safe(k, n) + 1.0, p)),
    upper=lambda k, n, p: where(k >= n, 0.0, special.betainc(_safe(k, n) + 1.0, where(k >= n, 1.0, n - k), p)),
)

poisson: Final = Discrete(
    "poisson",
    ("mu",),
    lambda k, mu: densities.gamma(mu, k + 1.0),
    (0.0, math.inf),
    lambda mu: mu >= 0,
    frozenset({"logpmf"}),
    lower=lambda k, mu: special.gammaincc(k + 1.0, mu),
    upper=lambda k, mu: special.gammainc(k + 1.0, mu),
)

geom: Final = Discrete(
    "geom",
    ("p",),
    lambda k, p: Density(0.0 * p, (Power(p, 1.0 + 0.0 * k), Power(p, k - 1.0, complement=True))),
    (1.0, math.inf),
    lambda p: (p > 0) & (p <= 1),
    lower=lambda k, p: -expm1(special.xlog1py(k, -p)),
    upper=lambda k, p: exp(special.xlog1py(k, -p)),
)

nbinom: Final = Discrete(
    "nbinom",
    ("n", "p"),
    _negative_binomial,
    (0.0, math.inf),
    lambda n, p: (n > 0) & (p > 0) & (p <= 1),
    lower=lambda k, n, p: special.betainc(n, k + 1.0, p),
    upper=lambda k, n, p: _of_rest(k + 1.0, n, p),
)


def _looped(f: Function) -> Function:
    """f(k, n, a, b), a loop without a bound, with derivatives in a and b, which are such loops."""

    def along(i: int) -> Function:
        def slope(y: Array, *args: Array) -> Array:
            def derivative(*args: Array) -> Array:
                one = 1.0 + 0.0 * args[i]
                return handlers.jvp(lambda v: f(*args[:i], v, *args[i + 1 :]), (args[i],), (one,))[1]

            return _looped(derivative)(*args)

        return slope

    return with_derivatives(lambda y, *_: 0.0 * y, lambda y, *_: 0.0 * y, along(2), along(3))(f)


@_looped
def _per_last(k: Array, n: Array, a: Array, b: Array) -> Array:
    """Σ pmf(j) / pmf(k) over j ≤ k."""

    def further(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        j, term, total = state
        place = where(j > 0, j, 1.0)
        ratio = place * (b + (n - place)) / ((n - place + 1.0) * (a + (place - 1.0)))
        term = where(j > 0, term * ratio, 0.0)
        return j - 1.0, term, total + term

    one = 1.0 + 0.0 * (k + n + a + b)
    begin = k + 0.0 * one, one, one
    total: Array = handlers.while_loop(lambda s: reduction.any((s[0] > 0) & (s[1] > 0)), further, begin)[2]
    return total


def _share_of_less(upper: bool, k: Array, n: Array, a: Array, b: Array) -> Array:
    """The probability of at most k, or of more, by the lesser tail: the sum of its terms."""
    n, last = handlers.stop_gradient(n), k >= n
    k = where(last, 0.0, k)
    below = k * (a + b) < n * a
    tail = where(below, k, where(last, 0.0, n - k - 1.0)), n, where(below, a, b), where(below, b, a)
    share = exp(densities.beta_binomial(*tail)) * _per_last(*tail)
    return where(last, float(not upper), where(below == upper, 1.0 - share, share))


betabinom: Final = Discrete(
    "betabinom",
    ("n", "a", "b"),
    densities.beta_binomial,
    (0.0, lambda n, a, b: n),
    lambda n, a, b: (n >= 0) & (unary.floor(n) == n) & (a > 0) & (b > 0),
    lower=partial(_share_of_less, False),
    upper=partial(_share_of_less, True),
)

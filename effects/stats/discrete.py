"""Distributions of whole numbers, under scipy's names."""

from __future__ import annotations

import math
from typing import Final

from effects import special
from effects.arrays.array import Array
from effects.functions.elementwise import unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import exp, expm1, log, log1p
from effects.operations.special import SpecialKind
from effects.special.calling import of as special_of
from effects.stats import densities
from effects.stats.densities import Density, Power
from effects.stats.distribution import Discrete, Masses


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


betabinom: Final = Masses(
    "betabinom",
    ("n", "a", "b"),
    densities.beta_binomial,
    (0.0, lambda n, a, b: n),
    lambda n, a, b: (n >= 0) & (unary.floor(n) == n) & (a > 0) & (b > 0),
)

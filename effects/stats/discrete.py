"""Distributions of whole numbers, under scipy's names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from effects import special
from effects.functions import elementwise
from effects.functions.logic import where
from effects.functions.transcendental import exp, expm1, log1p
from effects.stats.distribution import Discrete

if TYPE_CHECKING:
    from effects.arrays.array import Array


def _chance(p: Array) -> Array:
    return (p >= 0) & (p <= 1)


bernoulli: Final = Discrete(
    "bernoulli",
    ("p",),
    lambda k, p: special.xlogy(k, p) + special.xlog1py(1.0 - k, -p),
    lambda k, p: where(k < 1, 1.0 - p, 1.0),
    lambda k, p: where(k < 1, p, 0.0),
    (0.0, 1.0),
    _chance,
)


def _log_choose(n: Array, k: Array) -> Array:
    return -log1p(n) - special.betaln(n - k + 1.0, k + 1.0)


def _safe(k: Array, n: Array) -> Array:
    """k below n, where the incomplete beta function is defined."""
    return where(k < n, k, 0.0 * k)


binom: Final = Discrete(
    "binom",
    ("n", "p"),
    lambda k, n, p: _log_choose(n, k) + special.xlogy(k, p) + special.xlog1py(n - k, -p),
    lambda k, n, p: where(k < n, special.betainc(where(k < n, n - k, 1.0), _safe(k, n) + 1.0, 1.0 - p), 1.0),
    lambda k, n, p: where(k < n, special.betainc(_safe(k, n) + 1.0, where(k < n, n - k, 1.0), p), 0.0),
    (0.0, lambda n, p: n),
    lambda n, p: (n >= 0) & (elementwise.floor(n) == n) & _chance(p),
)

poisson: Final = Discrete(
    "poisson",
    ("mu",),
    lambda k, mu: special.xlogy(k, mu) - mu - special.gammaln(k + 1.0),
    lambda k, mu: special.gammaincc(k + 1.0, mu),
    lambda k, mu: special.gammainc(k + 1.0, mu),
    (0.0, math.inf),
    lambda mu: mu >= 0,
)

geom: Final = Discrete(
    "geom",
    ("p",),
    lambda k, p: special.xlog1py(k - 1.0, -p) + special.xlogy(1.0 + 0.0 * k, p),
    lambda k, p: -expm1(special.xlog1py(k, -p)),
    lambda k, p: exp(special.xlog1py(k, -p)),
    (1.0, math.inf),
    lambda p: (p > 0) & (p <= 1),
)

nbinom: Final = Discrete(
    "nbinom",
    ("n", "p"),
    lambda k, n, p: (
        special.gammaln(n + k)
        - special.gammaln(k + 1.0)
        - special.gammaln(n)
        + special.xlogy(n, p)
        + special.xlog1py(k, -p)
    ),
    lambda k, n, p: special.betainc(n, k + 1.0, p),
    lambda k, n, p: special.betainc(k + 1.0, n, 1.0 - p),
    (0.0, math.inf),
    lambda n, p: (n > 0) & (p > 0) & (p <= 1),
)

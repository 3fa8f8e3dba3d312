"""Continuous distributions, in their standard forms, under scipy's names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from effects import special
from effects.functions import arithmetic, elementwise, transcendental
from effects.functions.logic import where
from effects.functions.transcendental import exp, expm1, log, log1p, sqrt
from effects.stats import student, tails, truncated
from effects.stats.distribution import Continuous, Function

if TYPE_CHECKING:
    from effects.arrays.array import Array

_HALF_LOG_2_PI: Final = 0.9189385332046727


def _half(p: Array, positive: Function) -> Array:
    """A quantile of a symmetric distribution, by that of the lesser tail."""
    lower = p < 0.5
    tail = positive(where(lower, p, 1.0 - p))
    return where(lower, -tail, tail)


norm: Final = Continuous(
    "norm",
    (),
    lambda x: -(x * x) / 2.0 - _HALF_LOG_2_PI,
    special.ndtr,
    lambda x: special.ndtr(-x),
    special.ndtri,
    lambda q: -special.ndtri(q),
    special.log_ndtr,
    lambda x: special.log_ndtr(-x),
)

uniform: Final = Continuous(
    "uniform", (), lambda x: 0.0 * x, lambda x: x, lambda x: 1.0 - x, lambda q: q, lambda q: 1.0 - q, ends=(0.0, 1.0)
)

expon: Final = Continuous(
    "expon",
    (),
    lambda x: -x,
    lambda x: -expm1(-x),
    lambda x: exp(-x),
    lambda q: -log1p(-q),
    lambda q: -log(q),
    None,
    lambda x: -x,
    ends=(0.0, math.inf),
)


def _laplace(x: Array) -> Array:
    small = 0.5 * exp(-elementwise.abs(x))
    return where(x < 0, small, 1.0 - small)


def _log_laplace(x: Array) -> Array:
    size = elementwise.abs(x)
    return where(x < 0, -size - math.log(2), log1p(-0.5 * exp(-size)))


laplace: Final = Continuous(
    "laplace",
    (),
    lambda x: -elementwise.abs(x) - math.log(2),
    _laplace,
    lambda x: _laplace(-x),
    lambda q: _half(q, lambda p: -log(2.0 * p)),
    lambda q: -_half(q, lambda p: -log(2.0 * p)),
    _log_laplace,
    lambda x: _log_laplace(-x),
)

logistic: Final = Continuous(
    "logistic",
    (),
    lambda x: special.log_expit(x) + special.log_expit(-x),
    special.expit,
    lambda x: special.expit(-x),
    special.logit,
    lambda q: -special.logit(q),
    special.log_expit,
    lambda x: special.log_expit(-x),
)


def _cauchy(x: Array) -> Array:
    return arithmetic.atan2(1.0 + 0.0 * x, -x) / math.pi


def _cauchy_density(x: Array) -> Array:
    """Far out without x², which overflows."""
    size = elementwise.abs(x)
    far = size > 1e10
    near = where(far, 0.0, x)
    return -math.log(math.pi) - where(far, 2.0 * log(where(far, size, 1.0)), log1p(near * near))


def _cotangent(q: Array) -> Array:
    """Next to ½ by the distance from it, else by the lesser tail: both are exact."""
    central = elementwise.abs(q - 0.5) < 0.25
    middle = transcendental.tan(math.pi * where(central, q - 0.5, 0.0))
    return where(central, middle, _half(where(central, 0.25, q), lambda p: 1.0 / transcendental.tan(math.pi * p)))


cauchy: Final = Continuous(
    "cauchy",
    (),
    _cauchy_density,
    _cauchy,
    lambda x: _cauchy(-x),
    _cotangent,
    lambda q: -_cotangent(q),
)


gumbel_r: Final = Continuous(
    "gumbel_r",
    (),
    lambda x: -x - exp(-x),
    lambda x: exp(-exp(-x)),
    lambda x: -expm1(-exp(-x)),
    lambda q: -log(-log(q)),
    lambda q: -log(-log1p(-q)),
    lambda x: -exp(-x),
    tails.log_gumbel,
)

gumbel_l: Final = Continuous(
    "gumbel_l",
    (),
    lambda x: x - exp(x),
    lambda x: -expm1(-exp(x)),
    lambda x: exp(-exp(x)),
    lambda q: log(-log1p(-q)),
    lambda q: log(-log(q)),
    lambda x: tails.log_gumbel(-x),
    lambda x: -exp(x),
)

weibull_min: Final = Continuous(
    "weibull_min",
    ("c",),
    lambda x, c: log(c) + special.xlogy(c - 1.0, x) - arithmetic.pow(x, c),
    lambda x, c: -expm1(-arithmetic.pow(x, c)),
    lambda x, c: exp(-arithmetic.pow(x, c)),
    lambda q, c: arithmetic.pow(-log1p(-q), 1.0 / c),
    lambda q, c: arithmetic.pow(-log(q), 1.0 / c),
    None,
    lambda x, c: -arithmetic.pow(x, c),
    ends=(0.0, math.inf),
)

pareto: Final = Continuous(
    "pareto",
    ("b",),
    lambda x, b: log(b) - (b + 1.0) * log(x),
    lambda x, b: -expm1(-b * log(x)),
    lambda x, b: arithmetic.pow(x, -b),
    lambda q, b: exp(-log1p(-q) / b),
    lambda q, b: arithmetic.pow(q, -1.0 / b),
    None,
    lambda x, b: -b * log(x),
    ends=(1.0, math.inf),
)


def _log_of(x: Array, s: Array) -> Array:
    return log(x) / s


def _lognormal(x: Array, s: Array) -> Array:
    inside = where(x > 0, x, 1.0)
    value = norm.log_density(_log_of(inside, s)) - log(s * inside)
    return where(x > 0, value, -math.inf)


lognorm: Final = Continuous(
    "lognorm",
    ("s",),
    _lognormal,
    lambda x, s: special.ndtr(_log_of(x, s)),
    lambda x, s: special.ndtr(-_log_of(x, s)),
    lambda q, s: exp(s * special.ndtri(q)),
    lambda q, s: exp(-s * special.ndtri(q)),
    lambda x, s: special.log_ndtr(_log_of(x, s)),
    lambda x, s: special.log_ndtr(-_log_of(x, s)),
    ends=(0.0, math.inf),
)

rayleigh: Final = Continuous(
    "rayleigh",
    (),
    lambda x: log(x) - x * x / 2.0,
    lambda x: -expm1(-x * x / 2.0),
    lambda x: exp(-x * x / 2.0),
    lambda q: sqrt(-2.0 * log1p(-q)),
    lambda q: sqrt(-2.0 * log(q)),
    None,
    lambda x: -x * x / 2.0,
    ends=(0.0, math.inf),
)

halfnorm: Final = Continuous(
    "halfnorm",
    (),
    lambda x: 0.5 * math.log(2 / math.pi) - x * x / 2.0,
    lambda x: transcendental.erf(x * math.sqrt(0.5)),
    lambda x: special.erfc(x * math.sqrt(0.5)),
    lambda q: math.sqrt(2) * special.erfinv(q),
    lambda q: math.sqrt(2) * special.erfcinv(q),
    None,
    lambda x: special.log_ndtr(-x) + math.log(2),
    ends=(0.0, math.inf),
)

gamma: Final = Continuous(
    "gamma",
    ("a",),
    lambda x, a: special.xlogy(a - 1.0, x) - x - special.gammaln(a),
    lambda x, a: special.gammainc(a, x),
    lambda x, a: special.gammaincc(a, x),
    lambda q, a: special.gammaincinv(a, q),
    lambda q, a: special.gammainccinv(a, q),
    None,
    tails.log_tail,
    ends=(0.0, math.inf),
)

chi2: Final = Continuous(
    "chi2",
    ("df",),
    lambda x, n: gamma.log_density(x / 2.0, n / 2.0) - math.log(2),
    lambda x, n: special.gammainc(n / 2.0, x / 2.0),
    lambda x, n: special.gammaincc(n / 2.0, x / 2.0),
    lambda q, n: 2.0 * special.gammaincinv(n / 2.0, q),
    lambda q, n: 2.0 * special.gammainccinv(n / 2.0, q),
    None,
    lambda x, n: tails.log_tail(x / 2.0, n / 2.0),
    ends=(0.0, math.inf),
)


def _upper_beta_quantile(q: Array, a: Array, b: Array) -> Array:
    """By 1 - q where that is exact: the result may be small."""
    exact = q > 1e-3
    y = special.betaincinv(where(exact, a, b), where(exact, b, a), where(exact, 1.0 - q, q))
    return where(exact, y, 1.0 - y)


beta: Final = Continuous(
    "beta",
    ("a", "b"),
    lambda x, a, b: special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b),
    lambda x, a, b: special.betainc(a, b, x),
    lambda x, a, b: tails.rest(a, b, x, 1.0 - x),
    lambda q, a, b: special.betaincinv(a, b, q),
    _upper_beta_quantile,
    ends=(0.0, 1.0),
)


t: Final = Continuous(
    "t",
    ("df",),
    lambda x, n: -special.betaln(n / 2.0, 0.5) - 0.5 * log(n) - (n + 1.0) / 2.0 * log1p(x * x / n),
    student.lower,
    lambda x, n: student.lower(-x, n),
    student.quantile,
    lambda q, n: -student.quantile(q, n),
)


def _f_share(x: Array, m: Array, n: Array) -> Array:
    return m * x / (m * x + n)


f: Final = Continuous(
    "f",
    ("dfn", "dfd"),
    lambda x, m, n: (
        m / 2.0 * log(m / n)
        + special.xlogy(m / 2.0 - 1.0, x)
        - (m + n) / 2.0 * log1p(m * x / n)
        - special.betaln(m / 2.0, n / 2.0)
    ),
    lambda x, m, n: special.betainc(m / 2.0, n / 2.0, _f_share(x, m, n)),
    lambda x, m, n: tails.rest(m / 2.0, n / 2.0, _f_share(x, m, n), n / (m * x + n)),
    lambda q, m, n: _odds(q, 1.0 - q, m / 2.0, n / 2.0) * n / m,
    lambda q, m, n: _odds(1.0 - q, q, m / 2.0, n / 2.0) * n / m,
    ends=(0.0, math.inf),
)


def _odds(q: Array, rest: Array, a: Array, b: Array) -> Array:
    """y / (1 - y) of the quantile y of a beta distribution, by the lesser of q and 1 - q."""
    lower = q < rest
    y = special.betaincinv(where(lower, a, b), where(lower, b, a), where(lower, q, rest))
    odds = y / (1.0 - y)
    return where(lower, odds, 1.0 / odds)


truncnorm: Final = Continuous(
    "truncnorm",
    ("a", "b"),
    lambda x, a, b: norm.log_density(x) - truncated.log_mass(a, b),
    lambda x, a, b: exp(truncated.log_mass(a, x) - truncated.log_mass(a, b)),
    lambda x, a, b: exp(truncated.log_mass(x, b) - truncated.log_mass(a, b)),
    lambda q, a, b: truncated.quantile(q, 1.0 - q, a, b),
    lambda q, a, b: truncated.quantile(1.0 - q, q, a, b),
    None,
    None,
    ends=(lambda a, b: a, lambda a, b: b),
    valid=lambda a, b: a < b,
)

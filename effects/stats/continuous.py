"""Continuous distributions, in their standard forms, under scipy's names."""

from __future__ import annotations

import math
from typing import Final

from effects import special
from effects.arrays.array import Array
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, logic
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.functions.elementwise.transcendental import erf, exp, expm1, log, log1p, sqrt
from effects.stats import densities, ratios, student, tails, truncated
from effects.stats.densities import HALF_LOG_2_PI, Density, Power
from effects.stats.distribution import Continuous

_DENSITY: Final = frozenset({"logpdf"})
"""Methods that lose in single precision as much as a sum of few terms does."""


@with_derivatives(lambda _, x: -x)
def _normal(x: Array) -> Array:
    return x * (-0.5 * x) - HALF_LOG_2_PI


norm: Final = Continuous(
    "norm",
    (),
    _normal,
    special.ndtr,
    lambda x: special.ndtr(-x),
    special.ndtri,
    lambda q: -special.ndtri(q),
    special.log_ndtr,
    lambda x: special.log_ndtr(-x),
    single=_DENSITY | {"cdf", "sf", "ppf", "isf"},
    everywhere=_DENSITY,
)

uniform: Final = Continuous(
    "uniform",
    (),
    lambda x: 0.0 * x,
    lambda x: x,
    lambda x: 1.0 - x,
    lambda q: q,
    lambda q: 1.0 - q,
    ends=(0.0, 1.0),
    single=_DENSITY,
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
    single=_DENSITY,
)


def _laplace(x: Array) -> Array:
    """Either side of 0 by a function that has a derivative there."""
    lower = x < 0
    small = 0.5 * exp(logic.where(lower, x, -x))
    return logic.where(lower, small, 1.0 - small)


def _log_laplace(x: Array) -> Array:
    lower = x < 0
    size = logic.where(lower, x, -x)
    return logic.where(lower, size - math.log(2), log1p(-0.5 * exp(size)))


laplace: Final = Continuous(
    "laplace",
    (),
    lambda x: -abs(x) - math.log(2),
    _laplace,
    lambda x: _laplace(-x),
    lambda q: tails.half(q, lambda p: -log(2.0 * p)),
    lambda q: -tails.half(q, lambda p: -log(2.0 * p)),
    _log_laplace,
    lambda x: _log_laplace(-x),
    single=_DENSITY,
)


def _logistic(x: Array) -> Array:
    """Above 0 by the rest, which the derivative is next to."""
    lower = x < 0
    tail = special.expit(logic.where(lower, x, -x))
    return logic.where(lower, tail, 1.0 - tail)


def _logistic_density(x: Array) -> Array:
    """Either side of 0 by what is smooth there."""
    size = logic.where(x < 0, x, -x)
    return size - 2.0 * log1p(exp(size))


logistic: Final = Continuous(
    "logistic",
    (),
    _logistic_density,
    _logistic,
    lambda x: _logistic(-x),
    special.logit,
    lambda q: -special.logit(q),
    special.log_expit,
    lambda x: special.log_expit(-x),
    single=_DENSITY,
)


cauchy: Final = Continuous(
    "cauchy",
    (),
    lambda x: -math.log(math.pi) - tails.log_square(x, creation.ones((), dtype=x.dtype)),
    tails.cauchy,
    lambda x: tails.cauchy(-x),
    tails.cotangent,
    lambda q: -tails.cotangent(q),
    lambda x: tails.log_cauchy(-x),
    tails.log_cauchy,
    single=_DENSITY,
)


gumbel_r: Final = Continuous(
    "gumbel_r",
    (),
    lambda x: -x - exp(-x),
    lambda x: exp(-tails.bounded(-x)),
    lambda x: -expm1(-tails.bounded(-x)),
    lambda q: -log(-log(q)),
    lambda q: -log(-log1p(-q)),
    lambda x: -exp(-x),
    tails.log_gumbel,
    vanishes_beyond=(-tails.MOST, math.inf),
)

gumbel_l: Final = Continuous(
    "gumbel_l",
    (),
    lambda x: x - exp(x),
    lambda x: -expm1(-tails.bounded(x)),
    lambda x: exp(-tails.bounded(x)),
    lambda q: log(-log1p(-q)),
    lambda q: log(-log(q)),
    lambda x: tails.log_gumbel(-x),
    lambda x: -exp(x),
    vanishes_beyond=(-math.inf, tails.MOST),
)

weibull_min: Final = Continuous(
    "weibull_min",
    ("c",),
    lambda x, c: Density(log(c) - arithmetic.pow(x, c), (Power(x, c - 1.0),)),
    lambda x, c: -expm1(-tails.raised(x, c)),
    lambda x, c: exp(-tails.raised(x, c)),
    lambda q, c: arithmetic.pow(-log1p(-q), 1.0 / c),
    lambda q, c: arithmetic.pow(-log(q), 1.0 / c),
    lambda x, c: tails.log_less(tails.raised, c * log(x), x, c),
    lambda x, c: -arithmetic.pow(x, c),
    ends=(0.0, math.inf),
    vanishes_beyond=(0.0, tails.vanishing),
)

pareto: Final = Continuous(
    "pareto",
    ("b",),
    lambda x, b: log(b) - (b + 1.0) * log(x),
    lambda x, b: -expm1(-b * log(x)),
    lambda x, b: arithmetic.pow(x, -b),
    lambda q, b: exp(-log1p(-q) / b),
    lambda q, b: arithmetic.pow(q, -1.0 / b),
    lambda x, b: tails.log_less(lambda x, b: b * log(x), log(b) + log(log(x)), x, b),
    lambda x, b: -b * log(x),
    ends=(1.0, math.inf),
)


def _lognormal(x: Array, s: Array) -> Array:
    least = x <= 0
    logarithm = log(logic.where(least, 1.0, x))
    return logic.where(least, -math.inf, _normal(logarithm / s) - log(s) - logarithm)


lognorm: Final = Continuous(
    "lognorm",
    ("s",),
    _lognormal,
    lambda x, s: special.ndtr(tails.log_per(x, s)),
    lambda x, s: special.ndtr(-tails.log_per(x, s)),
    lambda q, s: exp(s * special.ndtri(q)),
    lambda q, s: exp(-s * special.ndtri(q)),
    lambda x, s: special.log_ndtr(log(x) / s),
    lambda x, s: special.log_ndtr(-tails.log_per(x, s)),
    ends=(0.0, math.inf),
)

rayleigh: Final = Continuous(
    "rayleigh",
    (),
    lambda x: Density(x * (-0.5 * x), (Power(x, creation.ones_like(x)),)),
    lambda x: -expm1(x * (-0.5 * x)),
    lambda x: exp(x * (-0.5 * x)),
    lambda q: sqrt(-2.0 * log1p(-q)),
    lambda q: sqrt(-2.0 * log(q)),
    lambda x: tails.log_less(lambda x: x * (0.5 * x), 2.0 * log(x) - math.log(2), x),
    lambda x: x * (-0.5 * x),
    ends=(0.0, math.inf),
)


halfnorm: Final = Continuous(
    "halfnorm",
    (),
    lambda x: 0.5 * math.log(2 / math.pi) + x * (-0.5 * x),
    lambda x: erf(x * math.sqrt(0.5)),
    lambda x: special.erfc(x * math.sqrt(0.5)),
    lambda q: math.sqrt(2) * special.erfinv(q),
    lambda q: math.sqrt(2) * special.erfcinv(q),
    None,
    tails.log_half_normal,
    ends=(0.0, math.inf),
)

gamma: Final = Continuous(
    "gamma",
    ("a",),
    densities.gamma,
    lambda x, a: special.gammainc(a, x),
    lambda x, a: special.gammaincc(a, x),
    lambda q, a: special.gammaincinv(a, q),
    lambda q, a: special.gammainccinv(a, q),
    tails.log_lower,
    tails.log_upper,
    ends=(0.0, math.inf),
    single=_DENSITY,
)

chi2: Final = Continuous(
    "chi2",
    ("df",),
    lambda x, n: densities.gamma(x / 2.0, n / 2.0).over(2.0),
    lambda x, n: special.gammainc(n / 2.0, x / 2.0),
    lambda x, n: special.gammaincc(n / 2.0, x / 2.0),
    lambda q, n: 2.0 * special.gammaincinv(n / 2.0, q),
    lambda q, n: 2.0 * special.gammainccinv(n / 2.0, q),
    lambda x, n: tails.log_lower(x / 2.0, n / 2.0),
    lambda x, n: tails.log_upper(x / 2.0, n / 2.0),
    ends=(0.0, math.inf),
    single=_DENSITY,
)


beta: Final = Continuous(
    "beta",
    ("a", "b"),
    ratios.beta_density,
    ratios.beta_lower,
    ratios.beta_upper,
    lambda q, a, b: special.betaincinv(a, b, q),
    ratios.upper_beta_quantile,
    lambda x, a, b: tails.log_part(ratios.share, ratios.beta_lower, ratios.beta_upper, x, a, b),
    lambda x, a, b: tails.log_part(lambda *v: ratios.share(*v).rest(), ratios.beta_upper, ratios.beta_lower, x, a, b),
    ends=(0.0, 1.0),
    single=_DENSITY,
)


t: Final = Continuous(
    "t",
    ("df",),
    student.log_density,
    student.lower,
    lambda x, n: student.lower(-x, n),
    student.quantile,
    lambda q, n: -student.quantile(q, n),
    student.log_lower,
    lambda x, n: student.log_lower(-x, n),
    single=_DENSITY,
)


f: Final = Continuous(
    "f",
    ("dfn", "dfd"),
    ratios.f_density,
    ratios.f_lower,
    ratios.f_upper,
    lambda q, m, n: tails.odds(q, m / 2.0, n / 2.0) * (n / m),
    ratios.upper_f_quantile,
    lambda x, m, n: tails.log_part(ratios.f_share, ratios.f_lower, ratios.f_upper, x, m, n),
    lambda x, m, n: tails.log_part(lambda *v: ratios.f_share(*v).rest(), ratios.f_upper, ratios.f_lower, x, m, n),
    ends=(0.0, math.inf),
)


truncnorm: Final = Continuous(
    "truncnorm",
    ("a", "b"),
    lambda x, a, b: _normal(x) - truncated.log_mass(a, b),
    lambda x, a, b: truncated.share(a, x, a, b),
    lambda x, a, b: truncated.share(x, b, a, b),
    lambda q, a, b: truncated.quantile(q, 1.0 - q, a, b),
    lambda q, a, b: truncated.quantile(1.0 - q, q, a, b),
    lambda x, a, b: truncated.log_share(a, x, (x, b), a, b),
    lambda x, a, b: truncated.log_share(x, b, (a, x), a, b),
    ends=(lambda a, b: a, lambda a, b: b),
    valid=lambda a, b: a < b,
)

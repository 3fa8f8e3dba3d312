"""The beta distribution, and that of quotients of variances, whose shares of a sum it is the distribution of."""

from __future__ import annotations

from effects import special
from effects.arrays.array import Array
from effects.functions.creation import creation
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import log, log1p
from effects.stats import densities, tails
from effects.stats.densities import Density, Power


def share(x: Array, a: Array, b: Array) -> tails.Part:
    return tails.Part(a, b, x, 1.0 - x, log(x), log(1.0 - x))


def beta_lower(x: Array, a: Array, b: Array) -> Array:
    return special.betainc(a, b, x)


def beta_upper(x: Array, a: Array, b: Array) -> Array:
    return special.betaincc(a, b, x)


def beta_density(x: Array, a: Array, b: Array) -> Density:
    powers = Power(x, a - 1.0), Power(x, b - 1.0, complement=True)
    near = Density(creation.zeros_like(x), powers, -special.betaln(a, b))
    return densities.beta(near, a, b, x, 1.0 - x, x * (1.0 - x))


def upper_beta_quantile(q: Array, a: Array, b: Array) -> Array:
    lesser = q < 0.5
    odds = tails.odds(where(lesser, q, 1.0 - q), where(lesser, b, a), where(lesser, a, b))
    return where(lesser, 1.0, odds) / (1.0 + odds)


def f_share(x: Array, m: Array, n: Array) -> tails.Part:
    """Of the distribution of quotients of variances."""
    ratio = n / m
    total = x + ratio
    log_total = log(total)
    return tails.Part(m / 2.0, n / 2.0, x / total, ratio / total, log(x) - log_total, log(ratio) - log_total)


def f_density(x: Array, m: Array, n: Array) -> Density:
    a, b, ratio = m / 2.0, n / 2.0, n / m
    total, above = x + ratio, x > ratio
    most = where(above, -(a - 1.0) * log1p(ratio / where(above, x, 1.0)), 0.0)
    rest = most - b * log1p(x / ratio) - log(total) - special.betaln(a, b)
    near = Density(rest, (Power(where(above, 1.0, x / total), a - 1.0),))
    return densities.beta(near, a, b, x / total, ratio / total, x)


def _f_value(x: Array, m: Array, n: Array) -> Array:
    return f_density(x, m, n).value()


@with_derivatives(lambda _, *v: _f_value(*v), None, None)
def f_lower(x: Array, m: Array, n: Array) -> Array:
    """The parameters, which move the share of x, do not at 0, where slopes in the share may be infinite."""
    least = x <= 0
    return where(least, 0.0, f_share(where(least, 1.0, x), m, n).value())


@with_derivatives(lambda _, *v: -_f_value(*v), None, None)
def f_upper(x: Array, m: Array, n: Array) -> Array:
    least = x <= 0
    return where(least, 1.0, f_share(where(least, 1.0, x), m, n).rest().value())


def upper_f_quantile(q: Array, m: Array, n: Array) -> Array:
    lesser = q < 0.5
    odds = tails.odds(where(lesser, q, 1.0 - q), where(lesser, n, m) / 2.0, where(lesser, m, n) / 2.0)
    return n / m * where(lesser, 1.0 / odds, odds)

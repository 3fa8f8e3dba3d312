"""Probability distributions: densities, distribution functions, quantiles, with the names and arguments of scipy.

    from effects import stats                   # or fx.stats

Each name is a distribution: `stats.norm.logpdf(x, loc, scale)`, `stats.gamma.cdf(x, a, scale=2.0)`,
`stats.poisson.logpmf(k, mu)`. Numbers of them are drawn by `random`.
"""

from typing import TYPE_CHECKING

from effects.runtime.names import refuse_other_names
from effects.runtime.scipy_spellings import STATISTICS
from effects.stats.continuous import (
    beta,
    cauchy,
    chi2,
    expon,
    f,
    gamma,
    gumbel_l,
    gumbel_r,
    halfnorm,
    laplace,
    logistic,
    lognorm,
    norm,
    pareto,
    rayleigh,
    t,
    truncnorm,
    uniform,
    weibull_min,
)
from effects.stats.discrete import bernoulli, betabinom, binom, geom, nbinom, poisson
from effects.stats.distribution import Continuous, Discrete, Masses
from effects.stats.kernel_density import KernelDensity, gaussian_kde
from effects.stats.multivariate import dirichlet, multinomial, multivariate_normal
from effects.stats.summaries import ModeResult, entropy, mode, rankdata, sem
from effects.stats.symmetric import gennorm, vonmises

if not TYPE_CHECKING:  # to the type checker the names below are all there are
    __getattr__ = refuse_other_names("effects.stats", STATISTICS)


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "Continuous",
    "Discrete",
    "KernelDensity",
    "Masses",
    "ModeResult",
    "bernoulli",
    "beta",
    "betabinom",
    "binom",
    "cauchy",
    "chi2",
    "dirichlet",
    "entropy",
    "expon",
    "f",
    "gamma",
    "gaussian_kde",
    "gennorm",
    "geom",
    "gumbel_l",
    "gumbel_r",
    "halfnorm",
    "laplace",
    "logistic",
    "lognorm",
    "mode",
    "multinomial",
    "multivariate_normal",
    "nbinom",
    "norm",
    "pareto",
    "poisson",
    "rankdata",
    "rayleigh",
    "sem",
    "t",
    "truncnorm",
    "uniform",
    "vonmises",
    "weibull_min",
]

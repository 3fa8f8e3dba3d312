"""The public names of `effects.stats`, each with the module that has it."""

from effects.stats.continuous import (
    beta as beta,
    cauchy as cauchy,
    chi2 as chi2,
    expon as expon,
    f as f,
    gamma as gamma,
    gumbel_l as gumbel_l,
    gumbel_r as gumbel_r,
    halfnorm as halfnorm,
    laplace as laplace,
    logistic as logistic,
    lognorm as lognorm,
    norm as norm,
    pareto as pareto,
    rayleigh as rayleigh,
    t as t,
    truncnorm as truncnorm,
    uniform as uniform,
    weibull_min as weibull_min,
)
from effects.stats.discrete import (
    bernoulli as bernoulli,
    betabinom as betabinom,
    binom as binom,
    geom as geom,
    nbinom as nbinom,
    poisson as poisson,
)
from effects.stats.distribution import Continuous as Continuous, Discrete as Discrete, Masses as Masses
from effects.stats.kernel_density import KernelDensity as KernelDensity, gaussian_kde as gaussian_kde
from effects.stats.multivariate import (
    dirichlet as dirichlet,
    multinomial as multinomial,
    multivariate_normal as multivariate_normal,
)
from effects.stats.summaries import (
    ModeResult as ModeResult,
    entropy as entropy,
    mode as mode,
    rankdata as rankdata,
    sem as sem,
)
from effects.stats.symmetric import gennorm as gennorm, vonmises as vonmises

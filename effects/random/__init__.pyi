"""The public names of `effects.random`, each with the module that has it."""

from effects.random.continuous import (
    cauchy as cauchy,
    exponential as exponential,
    gumbel as gumbel,
    laplace as laplace,
    logistic as logistic,
)
from effects.random.counts import (
    binomial as binomial,
    multinomial as multinomial,
    negative_binomial as negative_binomial,
    poisson as poisson,
)
from effects.random.discrete import (
    bernoulli as bernoulli,
    categorical as categorical,
    rademacher as rademacher,
    randint as randint,
)
from effects.random.gammas import (
    ball as ball,
    beta as beta,
    chisquare as chisquare,
    dirichlet as dirichlet,
    f as f,
    gamma as gamma,
    generalized_normal as generalized_normal,
    loggamma as loggamma,
    t as t,
    triangular as triangular,
)
from effects.random.inverse_gaussian import wald as wald
from effects.random.keys import (
    Key as Key,
    clone as clone,
    fold_in as fold_in,
    key as key,
    key_data as key_data,
    split as split,
    wrap_key_data as wrap_key_data,
)
from effects.random.multivariate import multivariate_normal as multivariate_normal, orthogonal as orthogonal
from effects.random.scaled import (
    geometric as geometric,
    lognormal as lognormal,
    maxwell as maxwell,
    pareto as pareto,
    rayleigh as rayleigh,
    weibull_min as weibull_min,
)
from effects.random.selection import choice as choice, permutation as permutation
from effects.random.truncated import truncated_normal as truncated_normal
from effects.random.uniform import bits as bits, normal as normal, uniform as uniform

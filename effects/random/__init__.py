"""Random numbers as functions of an explicit key.

    from effects import random                  # or fx.random

A key gives the same numbers each time, eagerly and compiled, in every lane and on every device; `split` and `fold_in`
make other keys of it. The generator is Threefry-2x32, and the numbers are those of jax, or Philox-4x32 by its name.
"""

from typing import TYPE_CHECKING

from effects.random.continuous import cauchy, exponential, gumbel, laplace, logistic
from effects.random.counts import binomial, multinomial, negative_binomial, poisson
from effects.random.discrete import bernoulli, categorical, rademacher, randint
from effects.random.gammas import (
    ball,
    beta,
    chisquare,
    dirichlet,
    f,
    gamma,
    generalized_normal,
    loggamma,
    t,
    triangular,
)
from effects.random.inverse_gaussian import wald
from effects.random.keys import Key, clone, fold_in, key, key_data, split, wrap_key_data
from effects.random.multivariate import multivariate_normal, orthogonal
from effects.random.scaled import geometric, lognormal, maxwell, pareto, rayleigh, weibull_min
from effects.random.selection import choice, permutation
from effects.random.truncated import truncated_normal
from effects.random.uniform import bits, normal, uniform
from effects.runtime.names import refuse_other_names
from effects.runtime.spellings import RANDOM

if not TYPE_CHECKING:  # to the type checker the names below are all there are
    __getattr__ = refuse_other_names("effects.random", RANDOM)


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "Key",
    "ball",
    "bernoulli",
    "beta",
    "binomial",
    "bits",
    "categorical",
    "cauchy",
    "chisquare",
    "choice",
    "clone",
    "dirichlet",
    "exponential",
    "f",
    "fold_in",
    "gamma",
    "generalized_normal",
    "geometric",
    "gumbel",
    "key",
    "key_data",
    "laplace",
    "loggamma",
    "logistic",
    "lognormal",
    "maxwell",
    "multinomial",
    "multivariate_normal",
    "negative_binomial",
    "normal",
    "orthogonal",
    "pareto",
    "permutation",
    "poisson",
    "rademacher",
    "randint",
    "rayleigh",
    "split",
    "t",
    "triangular",
    "truncated_normal",
    "uniform",
    "wald",
    "weibull_min",
    "wrap_key_data",
]

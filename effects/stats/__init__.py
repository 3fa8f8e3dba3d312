"""Probability distributions: densities, distribution functions, quantiles, with the names and arguments of scipy.

    from effects import stats                   # or fx.stats

Each name is a distribution: `stats.norm.logpdf(x, loc, scale)`, `stats.gamma.cdf(x, a, scale=2.0)`,
`stats.poisson.logpmf(k, mu)`. Numbers of them are drawn by `random`.
"""

from effects.runtime.names import public

__getattr__, __dir__, __all__ = public(__name__)

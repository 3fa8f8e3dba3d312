"""Quantiles of whole numbers: at values of the distribution function, in one precision and in another, and slopes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.stats as st

import effects as fx
from effects.types.dtypes import DType
from handlers import grad
from lowering import jit

stats: Any = fx.stats
RNG: Final = np.random.default_rng(0)
PARAMETERS: Final[dict[str, tuple[Any, ...]]] = {
    "bernoulli": (RNG.uniform(0.02, 0.98, 12),),
    "binom": (RNG.integers(1, 40, 12).astype(float), RNG.uniform(0.05, 0.95, 12)),
    "poisson": (RNG.uniform(0.1, 40, 12),),
    "geom": (RNG.uniform(0.02, 0.9, 12),),
    "betabinom": (RNG.integers(1, 30, 12).astype(float), RNG.uniform(0.5, 20, 12), RNG.uniform(0.5, 20, 12)),
    "nbinom": (RNG.uniform(0.3, 40, 12), RNG.uniform(0.1, 0.9, 12)),
}
RUNS: Final[list[Any]] = [lambda f: f, jit]


@pytest.mark.parametrize(
    ("dtype", "ahead", "back"),
    [(fx.float64, *RUNS), (fx.float64, *RUNS[::-1]), (fx.float32, *RUNS[:1] * 2), (fx.float16, *RUNS[:1] * 2)],
    ids=["compiled back", "eager back", "float32", "float16"],
)
@pytest.mark.parametrize("name", PARAMETERS)
def test_lead_back(name: str, dtype: type[DType], ahead: Any, back: Any) -> None:
    """Where the next probability is another number in the dtype."""
    shapes = [fx.asarray(p, dtype=dtype) for p in PARAMETERS[name]]
    exact = [np.asarray(fx.asarray(p, dtype=fx.float64)) for p in shapes]
    k = getattr(st, name).ppf(np.linspace(0.02, 0.98, 9)[:, None], *exact)
    distribution = getattr(stats, name)
    q = ahead(distribution.cdf)(fx.asarray(k, dtype=dtype), *shapes)
    before = distribution.cdf(fx.asarray(k - 1, dtype=dtype), *shapes)
    apart = np.asarray((q < 1) & (q > before))
    assert apart.mean() > 0.3
    found = np.asarray(back(distribution.ppf)(q, *shapes)).astype(float)
    np.testing.assert_array_equal(found[apart], k[apart])


def test_one_number_at_a_time() -> None:
    assert float(stats.binom.ppf(stats.binom.cdf(1, 7, 0.4), 7, 0.4)) == 1
    assert float(stats.poisson.ppf(stats.poisson.cdf(0, 1.7), 1.7)) == 0


def test_halves_and_a_million() -> None:
    """In the shapes of the test above, whose programs these are."""
    q = np.full((9, 12), 0.5)  # of binomial distributions, whose computed probabilities are next to ½
    for run in RUNS:
        np.testing.assert_array_equal(run(stats.binom.ppf)(q, [101.0, 999.0] * 6, q[0]), [[50.0, 499.0] * 6] * 9)
    k, million = np.tile([299000.0, 299999.0, 300500.0], (9, 4)), ([1e6] * 12, [0.3] * 12)
    np.testing.assert_array_equal(stats.binom.ppf(stats.binom.cdf(k, *million), *million), k)


def test_between_probabilities() -> None:
    q = np.random.default_rng(1).uniform(0.001, 0.999, (54, 1))
    for name, shapes in PARAMETERS.items():
        expected = getattr(st, name).ppf(q, *shapes)
        actual = [getattr(stats, name).ppf(some, *shapes) for some in np.split(q, 6)]
        np.testing.assert_array_equal(np.concatenate(actual), expected, err_msg=name)


def test_slopes() -> None:
    """Steps are flat, and where they are moved they move along."""
    slopes = grad(lambda q, mu, loc: stats.poisson.ppf(q, mu, loc=loc), (0, 1, 2))(0.4, 2.0, 1.0)
    assert [float(s) for s in slopes] == [0, 0, 1]

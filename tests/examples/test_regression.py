"""The probabilistic program of examples/regression.py: its density, its draws and its posterior are the exact ones."""

from __future__ import annotations

import numpy as np
import scipy.stats

import effects as fx
from effects import random
from examples.regression import NOISE, Drawn, exact, line, log_density, posterior, sample_data
from handlers import grad, handled, vmap, with_random
from lowering import jit

X, Y = sample_data(random.key(0), 40)


def density(w: fx.Array) -> fx.Array:
    return log_density({"weights": w}, X, Y)


def test_the_density_is_that_of_scipy() -> None:
    for weights in ([0.3, -0.2], [2.0, 1.0]):
        w = np.array(weights)
        values = w[0] + w[1] * np.asarray(X)
        expected = scipy.stats.norm.logpdf(w).sum() + scipy.stats.norm.logpdf(np.asarray(Y), values, NOISE).sum()
        np.testing.assert_allclose(float(density(fx.asarray(w))), expected, rtol=1e-12)
        np.testing.assert_allclose(float(jit(density)(fx.asarray(w))), expected, rtol=1e-12)
        mean, covariance = exact(X, Y)
        slope = -np.linalg.solve(np.asarray(covariance), w - np.asarray(mean))
        np.testing.assert_allclose(np.asarray(jit(vmap(grad(density)))(fx.asarray(w[None]))[0]), slope, rtol=1e-9)


def test_draws_are_those_of_the_prior() -> None:
    ends = lambda key: with_random(lambda rng: handled(Drawn(rng), line, X, Y), key)()[0]  # as above
    drawn = np.asarray(jit(vmap(ends))(random.split(random.key(3), 4000)))
    assert scipy.stats.kstest(drawn, scipy.stats.norm(scale=2**0.5).cdf).pvalue > 1e-3


def test_chains_have_the_mean_and_the_covariance_of_the_posterior() -> None:
    draws = np.asarray(posterior(X, Y, random.key(1))).reshape(-1, 2)
    mean, covariance = (np.asarray(v) for v in exact(X, Y))
    assert np.all(np.abs(draws.mean(0) - mean) < 0.1 * np.sqrt(np.diag(covariance)))
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.15 * covariance.max())


def test_draws_of_lanes_whose_keys_are_drawn_too_compile() -> None:
    """A cipher whose key is another one's, read at two ranks, in one loop: XLA would write it out 2ⁿ times."""

    def step(w: fx.Array, key: random.Key) -> fx.Array:
        first, second = random.split(key)
        moved = w + random.normal(first, (2,))
        return fx.where(fx.log(random.uniform(second)) < fx.sum(moved), moved, w)

    arguments = fx.ones((8, 2)), random.split(random.key(0), 8)
    instructions = jit(vmap(step)).lower(*arguments).compile().as_text().count(" = ")
    assert instructions < 2000
    found = jit(vmap(step))(*arguments)
    np.testing.assert_allclose(np.asarray(found), np.asarray(vmap(step)(*arguments)), rtol=1e-12)

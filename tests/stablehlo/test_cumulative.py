"""Cumulative folds of arrays that are large enough to be folded in blocks, against NumPy's; derivatives at ties."""

from __future__ import annotations

import numpy as np

import effects as fx
from effects.operations.cumulative import Cumulative, CumulativeKind
from effects.program.chain import perform
from handlers import grad
from lowering import jit


def test_folds_in_blocks_are_numpys() -> None:
    """Numbers whose sums are exact; there is a rest in each round of blocks."""
    x = np.random.default_rng(0).integers(-9, 9, size=(4097, 8)).astype(np.float32)
    x[5, 3] = np.nan

    def folds(x: fx.Array) -> list[fx.Array]:
        return [fx.cumulative_sum(x, axis=0), perform(Cumulative(CumulativeKind.MAX, 0, x, reverse=True))]

    sums, greatest = jit(folds)(fx.asarray(x))
    np.testing.assert_array_equal(np.asarray(sums), np.cumsum(x, 0))
    np.testing.assert_array_equal(np.asarray(greatest), np.maximum.accumulate(x[::-1], 0)[::-1])


def test_gradients_of_running_log_sums_are_those_of_the_definition() -> None:
    """Σᵢ cᵢ log Σ_{j ≤ i} exp xⱼ has the derivative exp(xⱼ) Σ_{i ≥ j} cᵢ / Σ_{k ≤ i} exp xₖ."""
    x, c = np.random.default_rng(1).normal(size=(2, 37))
    x[:2], x[9] = -np.inf, -np.inf
    c[:2] = 0
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(c == 0, 0, c / np.cumsum(np.exp(x)))
    found = grad(lambda x: fx.sum(fx.where(c == 0, 0, fx.cumlogsumexp(x)) * c))(fx.asarray(x))
    np.testing.assert_allclose(np.asarray(found), np.exp(x) * np.cumsum(share[::-1])[::-1], rtol=1e-12)

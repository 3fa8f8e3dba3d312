"""Cumulative folds of arrays that are large enough to be folded in blocks, against NumPy's; derivatives at ties."""

from __future__ import annotations

import numpy as np
import pytest

import effects as fx
from effects.operations.cumulative import Cumulative, CumulativeKind
from effects.program.chain import perform
from handlers import grad
from lowering import jit, lower
from lowering.stablehlo import cumulative


def test_folds_in_blocks_are_numpys() -> None:
    """Numbers whose sums are exact; there is a rest in each round of blocks."""
    x = np.random.default_rng(0).integers(-9, 9, size=(4097, 8)).astype(np.float32)
    x[5, 3] = np.nan

    def folds(x: fx.Array) -> list[fx.Array]:
        return [fx.cumulative_sum(x, axis=0), perform(Cumulative(CumulativeKind.MAX, 0, x, reverse=True))]

    sums, greatest = jit(folds)(fx.asarray(x))
    np.testing.assert_array_equal(np.asarray(sums), np.cumsum(x, 0))
    np.testing.assert_array_equal(np.asarray(greatest), np.maximum.accumulate(x[::-1], 0)[::-1])


@pytest.mark.parametrize("kind", [CumulativeKind.SUM, CumulativeKind.MIN])
@pytest.mark.parametrize("reverse", [False, True])
def test_folds_of_lines_of_every_length(kind: CumulativeKind, reverse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below and above the sizes of blocks, filling blocks and not, blocks of blocks, along an axis in the middle."""
    monkeypatch.setattr(cumulative, "_FAST_CALLS_FROM", 0)
    accumulate = (np.add if kind is CumulativeKind.SUM else np.minimum).accumulate
    lines = [
        np.random.default_rng(n).integers(-99, 99, (2, n, 3)) for n in (7, 8, 9, 21, 31, 32, 33, 65, 97, 1025, 1401)
    ]
    lines += [np.zeros((0, 40, 3), np.int64), np.ones((1, 40, 1), np.int64)]
    actual = jit(lambda xs: [perform(Cumulative(kind, 1, x, reverse=reverse)) for x in xs])(
        [fx.asarray(x) for x in lines]
    )
    for x, folds in zip(lines, actual, strict=True):
        expected = np.flip(accumulate(np.flip(x, 1), axis=1), 1) if reverse else accumulate(x, axis=1)
        np.testing.assert_array_equal(np.asarray(folds), expected)


@pytest.mark.parametrize("shape, dtype", [((2, 5), "float64"), ((2**15 + 1, 2), "float32"), ((3, 40), "float16")])
def test_sums_of_negative_zeros_are_negative(shape: tuple[int, int], dtype: str) -> None:
    """As one window, in blocks, and of narrow floats."""
    sums = jit(lambda x: fx.cumulative_sum(x, axis=0))(fx.asarray(np.full(shape, -0.0, dtype)))
    assert np.signbit(np.asarray(sums)).all()


def test_complex_sums_of_negative_zeros_are_negative() -> None:
    sums = np.asarray(jit(fx.cumulative_sum)(fx.asarray(np.full(4, complex(-0.0, -0.0)))))
    assert np.signbit(sums.real).all() and np.signbit(sums.imag).all()


def test_sums_and_their_gradients_keep_little_beside_the_lines() -> None:
    x = fx.ones((256, 1024), dtype=fx.float32)
    sums = lower(lambda x: fx.cumulative_sum(x, axis=1), x).compile().memory_analysis()
    assert sums.temporaries < x.nbytes / 12
    slopes = lower(grad(lambda x: fx.sum(fx.cumulative_sum(x, axis=1) ** 2)), x).compile().memory_analysis()
    assert slopes.temporaries < x.nbytes * 13 / 12


def test_gradients_of_running_log_sums_are_those_of_the_definition() -> None:
    """Σᵢ cᵢ log Σ_{j ≤ i} exp xⱼ has the derivative exp(xⱼ) Σ_{i ≥ j} cᵢ / Σ_{k ≤ i} exp xₖ."""
    x, c = np.random.default_rng(1).normal(size=(2, 37))
    x[:2], x[9] = -np.inf, -np.inf
    c[:2] = 0
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(c == 0, 0, c / np.cumsum(np.exp(x)))

    def total(x: fx.Array) -> fx.Array:
        return fx.sum(fx.where(c == 0, 0, fx.cumlogsumexp(x)) * c)

    np.testing.assert_allclose(
        np.asarray(grad(total)(fx.asarray(x))), np.exp(x) * np.cumsum(share[::-1])[::-1], rtol=1e-12
    )


@pytest.mark.parametrize("reverse", [False, True])
def test_running_log_sums_of_lines_are_numpys(reverse: bool) -> None:
    """In lines that go into blocks with a rest, along an axis in the middle."""
    x = np.random.default_rng(2).normal(size=(3, 7, 9, 2))
    x[0, 2, 3], x[1, 1, :2], x[2, 0] = np.inf, -np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        expected = np.logaddexp.accumulate(np.flip(x, 2) if reverse else x, 2)
    actual = jit(lambda x: fx.cumlogsumexp(x, axis=2, reverse=reverse))(fx.asarray(x))
    np.testing.assert_allclose(np.asarray(actual), np.flip(expected, 2) if reverse else expected, rtol=1e-12)


def test_running_log_sums_take_less_memory_than_their_lines() -> None:
    x = fx.ones((256, 512), dtype=fx.float32)
    plan = lower(lambda x: fx.cumlogsumexp(x, axis=1), x).compile().memory_analysis()
    assert plan.temporaries < x.nbytes / 2

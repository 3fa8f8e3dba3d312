"""The greatest elements have no zero with a sign, of whatever dtype and however they are found."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

import effects as fx
from effects.types import dtypes
from lowering import jit, lower

SIGNED = [d for d in dtypes.ALL if issubclass(d, fx.Floating) and np.signbit(np.asarray(-0.0, d.dtype))]


@pytest.mark.parametrize("dtype", SIGNED, ids=str)
def test_zeros_have_no_sign(dtype: type[fx.DType]) -> None:
    x = fx.asarray([-0.0, -1.0, 0.0, -0.0], dtype=dtype)
    for values, places in (fx.top_k(x, 3), jit(lambda x: fx.top_k(x, 3))(x)):
        assert not np.signbit(np.asarray(values)).any() and places.tolist() == [0, 2, 3]
        assert values.dtype is dtype


@pytest.mark.parametrize("dtype", [fx.float32, fx.bfloat16, fx.uint32])
@pytest.mark.parametrize("size", [9, 130])
def test_a_few_of_many_lines_are_the_first_of_equals(size: int, dtype: type[fx.DType]) -> None:
    """What is found one after the other, of few elements and of blocks: NaN, infinities and zeros of both signs."""
    random = np.random.default_rng(size)
    x = random.integers(0, 4, size=(64, size)).astype(np.float64)
    if dtype is fx.uint32:
        x[x > 2] = 2.0**32 - 1
    else:
        for value in (-0.0, np.nan, -np.nan, np.inf, -np.inf):
            x[random.random(x.shape) < 0.15] = value
    array = fx.astype(fx.asarray(x), dtype)
    ranks = np.where(np.isnan(x), -np.inf, np.where(np.isinf(x), -np.sign(x) * 2.0**40, -x))
    expected = np.argsort(ranks, axis=1, kind="stable")
    values, places = jit(lambda x: fx.top_k(x, 3))(array)
    np.testing.assert_array_equal(np.asarray(places), expected[:, :3])
    greatest = np.asarray(fx.astype(values, fx.float64))
    np.testing.assert_array_equal(greatest, np.take_along_axis(x, expected[:, :3], 1))
    assert not np.signbit(greatest[greatest == 0]).any()


_DTYPES: Final[list[type[fx.DType]]] = [fx.float32, fx.float64, fx.bfloat16, fx.uint32, fx.int64, fx.bool]


@pytest.mark.parametrize("dtype", _DTYPES, ids=str)
@pytest.mark.parametrize(("shape", "ks"), [((3, 23, 37), (1, 5, 37)), ((67, 600), (2, 40)), ((2, 3, 530), (9,))])
def test_block_after_block_of_lines(shape: tuple[int, ...], ks: tuple[int, ...], dtype: type[fx.DType]) -> None:
    """Lines that no number of lines divides, and few of them: as the order of ranks has it."""
    random = np.random.default_rng(len(shape))
    x = random.integers(0, 9, size=shape).astype(np.float64)
    if issubclass(dtype, fx.Floating):
        for value in (-0.0, np.nan, -np.nan, np.inf, -np.inf):
            x[random.random(shape) < 0.05] = value
    array = fx.astype(fx.asarray(x), dtype)
    x = np.asarray(fx.astype(array, fx.float64))
    ranks = np.where(np.isnan(x), -np.inf, np.where(np.isinf(x), -np.sign(x) * 2.0**40, -x))
    expected = np.argsort(ranks, axis=-1, kind="stable")
    actual = jit(lambda x: [fx.top_k(x, k) for k in ks])(array)
    for k, (values, places) in zip(ks, actual, strict=True):
        np.testing.assert_array_equal(np.asarray(places), expected[..., :k])
        greatest = np.asarray(fx.astype(values, fx.float64))
        np.testing.assert_array_equal(greatest, np.take_along_axis(x, expected[..., :k], -1))
        assert not np.signbit(greatest[greatest == 0]).any()


@pytest.mark.parametrize(("lines", "n", "k"), [(512, 512, 8), (512, 512, 32), (512, 512, 64), (4096, 64, 2)])
def test_what_is_between_is_less_than_the_positions(lines: int, n: int, k: int) -> None:
    plan = lower(lambda x: fx.top_k(x, k)[0], fx.zeros((lines, n), dtype=fx.float32)).compile().memory_analysis()
    assert plan.temporaries < 4 * lines * k

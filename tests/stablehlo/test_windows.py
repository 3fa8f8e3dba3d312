"""Folds over windows by XLA, with what is at the margins, against those of NumPy's on padded arrays."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import nn
from effects.operations.pooling import ReduceWindow, WindowKind
from effects.program.chain import perform
from effects.types.dtypes import DType
from effects.types.shapes import Ints, Window
from lowering import jit, lower

_ONES = (1, 1)
_WINDOWS = {
    "inside": ((9, 7), (3, 2), Window((2, 1), ((0, 0), (0, 0)), _ONES, _ONES)),
    "margins": ((9, 8), (3, 2), Window((2, 1), ((1, 1), (1, 0)), _ONES, (1, 2))),
    "cut": ((9, 8), (2, 3), Window((1, 2), ((-1, 0), (-2, 1)), _ONES, _ONES)),
    "beyond the ends": ((9, 8), (2, 1), Window((1, 1), ((3, 4), (0, 2)), _ONES, _ONES)),
    "all around": ((9, 8), (3, 3), Window((1, 1), ((1, 1), (1, 1)), _ONES, _ONES)),
    "before and far behind": ((9, 8), (3, 3), Window((2, 1), ((1, 3), (0, 0)), _ONES, (1, 3))),
    "wide margins": ((20, 21), (5, 6), Window((1, 1), ((2, 2), (3, 2)), _ONES, _ONES)),
    "mostly margins": ((3, 3), (3, 3), Window((1, 1), ((2, 2), (2, 2)), _ONES, _ONES)),
    "long": ((90, 2), (70, 1), Window((1, 1), ((0, 0), (0, 0)), _ONES, _ONES)),
    "one element each": ((3, 4), (3, 2), Window((1, 1), ((2, 4), (0, 1)), (3, 2), _ONES)),
    "steps alone": ((9, 8), (1, 1), Window((2, 3), ((0, 0), (1, 0)), _ONES, _ONES)),
    "no axes": ((), (), Window((), (), (), ())),
}


_WITH_MARGINS = ("margins", "cut", "wide margins", "mostly margins")  # which are filled with a number of the dtype


@pytest.mark.parametrize(
    ("name", "dtype"),
    [*[(name, fx.float32) for name in _WINDOWS], *product(_WITH_MARGINS, (fx.bfloat16, fx.int8))],
    ids=str,
)
def test_folds_are_those_of_evaluation(name: str, dtype: type[DType]) -> None:
    shape, sizes, window = _WINDOWS[name]
    x = fx.astype(fx.asarray(np.random.default_rng(3).integers(-9, 9, size=shape)), dtype)

    def folds(x: fx.Array) -> list[fx.Array]:
        return [_fold(kind, x, sizes, window) for kind in WindowKind]

    for actual, expected in zip(jit(folds)(x), folds(x), strict=True):
        assert actual.dtype is expected.dtype is dtype
        np.testing.assert_array_equal(
            np.asarray(fx.astype(actual, fx.float64)), np.asarray(fx.astype(expected, fx.float64))
        )


def _fold(kind: WindowKind, x: fx.Array, sizes: Ints, window: Window) -> fx.Array:
    """Products are of signs: those of many numbers leave every dtype."""
    return perform(ReduceWindow(kind, sizes, window, fx.sign(x) if kind is WindowKind.PROD else x))


def test_nan_is_the_greatest_and_the_least_of_what_it_is_under() -> None:
    x = fx.asarray([1.0, float("nan"), 3.0, 4.0, 5.0])
    for fold in (fx.window_max, fx.window_min):
        np.testing.assert_array_equal(np.isnan(np.asarray(jit(lambda x, f=fold: f(x, 2, 1, 1))(x))), [0, 1, 1, 0, 0, 0])


@pytest.mark.parametrize("pool", [nn.max_pool, nn.avg_pool])
@pytest.mark.parametrize(("window", "strides"), [(3, 2), (3, 1), (2, 2)])
def test_margins_take_no_memory(pool: Any, window: int, strides: int) -> None:
    def pooled(x: fx.Array) -> Any:
        return pool(x, window, strides=strides, padding="same", dimension_numbers="NHWC")

    plan = lower(pooled, fx.ones((2, 28, 28, 8), dtype=fx.float32)).compile().memory_analysis()
    assert plan.temporaries == 0

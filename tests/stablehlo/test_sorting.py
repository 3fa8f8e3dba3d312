"""Sorts of special values: as they are written for the CPU, and for any device."""

from __future__ import annotations

from itertools import batched
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects.arrays.array import Array
from effects.arrays.concrete import Host
from effects.operations.sorting import Order, Sort
from effects.program.chain import perform
from effects.types.dtypes import DType
from lowering import jit, lower, pjrt
from lowering.stablehlo import emit
from tests.stablehlo.agreement import REAL, program, run_module

_MOST: dict[int, float] = {1: 200.0, 2: 3e4, 4: 3e38, 8: 1e308}


def _special(dtype: type[DType]) -> Host:
    """Numbers, some of them equal, among NaN, infinities and zeros of both signs."""
    random = np.random.default_rng(3)
    x = random.integers(-4, 5, size=(7, 41)).astype(np.float64)
    most = _MOST[dtype.dtype.itemsize]
    for value in (0.0, -0.0, np.nan, np.copysign(np.nan, -1.0), np.inf, -np.inf, most, -most):
        x[random.random(x.shape) < 0.08] = value
    return np.asarray(fx.astype(fx.asarray(x), dtype))


def _order(x: Host, axis: int, descending: bool) -> Host:
    """By ranks: NaN above all numbers, and what is equal in the order in which it came."""
    wide = x.astype(np.float64)
    _, ranks = np.unique(np.where(wide == 0, 0.0, wide), return_inverse=True)  # NaN is one, and the last
    ranks = ranks.reshape(x.shape)
    return np.argsort(-ranks if descending else ranks, axis, kind="stable")


def _sorted(axis: int, descending: bool, x: Array, moved: Array) -> list[Array]:
    return [
        *perform(Sort(1, axis, descending, (x,))),
        *perform(Sort(1, axis, descending, (x, moved))),
        perform(Order(axis, descending, (x,))),
    ]


@pytest.mark.parametrize("where", ["cpu", "anywhere"])
@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_special_values_are_where_numpy_puts_them(dtype: type[DType], where: str) -> None:
    x = _special(dtype)
    moved = np.arange(x.size, dtype=np.int32).reshape(x.shape)
    device = pjrt.default_device() if where == "cpu" else None
    ways = [(0, False), (1, False), (0, True), (1, True)]
    jaxpr = program(lambda x, moved: [y for way in ways for y in _sorted(*way, x, moved)], (x, moved))
    actual = run_module(emit(jaxpr, "sorts", where=device), jaxpr.out_avals, (x, moved))
    for way, got in zip(ways, batched(actual, 4), strict=True):
        order = _order(x, *way)
        expected = np.take_along_axis(x, order, way[0]).astype(np.float64)
        for values in got[:2]:
            np.testing.assert_array_equal(values.astype(np.float64), expected)
            there = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(values.astype(np.float64))[there], np.signbit(expected)[there])
        np.testing.assert_array_equal(got[2], np.take_along_axis(moved, order, way[0]))
        np.testing.assert_array_equal(got[3], order)


@pytest.mark.parametrize("dtype", [d for d in REAL if d.dtype.itemsize > 1], ids=str)
@pytest.mark.parametrize("descending", [False, True])
def test_sorts_keep_nothing_beside_their_result(dtype: type[DType], descending: bool) -> None:
    x = fx.zeros((64, 128), dtype=dtype)
    for axis in (0, 1):
        lowered = lower(lambda x: fx.sort(x, axis=axis, descending=descending), x)  # noqa: B023
        assert lowered.compile().memory_analysis().temporaries == 0


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 0), (0, 3), (1, 1)])
@pytest.mark.parametrize("dtype", [fx.float32, fx.bfloat16, fx.float64])
def test_nothing_and_one_are_in_order(shape: tuple[int, ...], dtype: Any) -> None:
    x = fx.full(shape, fx.nan, dtype=dtype)
    functions: tuple[Any, ...] = (fx.sort, fx.argsort)
    for f in functions:
        got, expected = np.asarray(jit(f)(x)), np.asarray(f(x))
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)


@pytest.mark.parametrize("key", [fx.bfloat16, fx.float32, fx.float64], ids=str)
def test_whatever_is_moved_goes_with_its_key(key: type[DType]) -> None:
    line = fx.astype(fx.asarray([np.nan, 5.0, np.nan, 1.0, -np.inf, np.inf, 0.0, 2.0]), key)
    places = np.asarray(fx.argsort(line))
    kinds: tuple[type[DType], ...] = (fx.bool, fx.int8, fx.float16, fx.float64, fx.complex128)
    moved = [fx.astype(fx.arange(8) % 3, kind) for kind in kinds]
    compiled = jit(lambda line, moved: [fx.sort_together([line, x])[1] for x in moved])(line, moved)
    for before, after in zip(moved, compiled, strict=True):
        np.testing.assert_array_equal(np.asarray(after), np.asarray(before)[places])

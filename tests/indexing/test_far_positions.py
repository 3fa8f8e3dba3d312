"""Positions far out of bounds, whose lower bits alone would be within them, mean what each mode says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import effects as fx
from handlers import grad, vmap
from lowering import jit, lower

N = 5
PLACES = [0, 2, -1, 2**32, 2**32 + 1, -(2**32) + 3, 2**31, -(2**31) - 1, 2**40 + 2, -(2**62), 2**63 - 1, -(2**63)]


def _meant(place: int, mode: str) -> int | None:
    """The position that a mode makes of one, by Python's integers; None where there is nothing."""
    if mode == "wrap":
        return place % N
    counted = place + N if place < 0 else place
    if mode == "clip":
        return min(max(counted, 0), N - 1)
    return counted if 0 <= counted < N else None


def _places(dtype: Any) -> list[int]:
    info = np.iinfo(dtype)
    return [place for place in PLACES if info.min <= place <= info.max]


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("mode", ["clip", "fill", "wrap"])
def test_reading(mode: str, dtype: Any) -> None:
    places = _places(dtype)
    x = np.arange(1.0, N + 1)
    expected = [np.nan if (at := _meant(place, mode)) is None else x[at] for place in places]
    read: Any = jit(lambda x, i: x.at[i].get(mode=mode))
    np.testing.assert_array_equal(np.asarray(read(fx.asarray(x), fx.asarray(np.array(places, dtype)))), expected)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("mode", ["clip", "drop", "wrap", None])
def test_writing(mode: Any, dtype: Any) -> None:
    places = _places(dtype)
    given = 2.0 ** np.arange(len(places))
    expected = np.zeros(N)
    met = np.zeros(len(places))
    for k, place in enumerate(places):
        at = _meant(place, mode or "drop")
        if at is not None:
            expected[at] += given[k]
            met[k] = at + 1
    weights = fx.arange(1.0, N + 1)

    def write(values: Any, i: Any) -> Any:
        return fx.zeros(N).at[i].add(values, mode=mode)

    index = fx.asarray(np.array(places, dtype))
    np.testing.assert_array_equal(np.asarray(jit(write)(fx.asarray(given), index)), expected)
    slope = jit(grad(lambda values, i: fx.sum(weights * write(values, i))))
    np.testing.assert_array_equal(np.asarray(slope(fx.asarray(given), index)), met)


@pytest.mark.parametrize("mode", ["clip", "drop", "wrap"])
def test_reading_equal_elements(mode: Any) -> None:
    """Along an axis in the middle, all positions at once or in lanes: only those that are dropped differ."""
    places = np.array([[-4, -3, 2], [3, 0, 90]])
    there = np.where((places < -3) | (places > 2), np.nan, 5.0) if mode == "drop" else np.full(places.shape, 5.0)

    def read(x: Any, i: Any) -> Any:
        return fx.broadcast_to(x, (2, 3, 4)).at[:, i].get(mode=mode)

    x, i = fx.asarray(5.0), fx.asarray(places)
    whole = np.broadcast_to(there[None, :, :, None], (2, 2, 3, 4))
    np.testing.assert_array_equal(np.asarray(jit(read)(x, i)), whole)
    np.testing.assert_array_equal(np.asarray(jit(vmap(read, (None, 0)))(x, i)), np.moveaxis(whole, 1, 0))
    np.testing.assert_array_equal(np.asarray(jit(vmap(read))(fx.full(2, 5.0), i)), np.moveaxis(whole, 1, 0))


def test_positions_take_four_bytes() -> None:
    """However wide they are given, as long as the array is not larger."""
    x, i = fx.zeros((100, 3)), fx.zeros(50, dtype=fx.int64)
    plan = lower(lambda x, i: x.at[i].add(1.0), x, i).compile().memory_analysis()
    assert plan.temporaries < 50 * (4 + 3 * 8) + 64


def test_an_element_has_one_position() -> None:
    """However many axes it is found along."""
    x, i = fx.zeros((4, 5, 600)), fx.zeros(1000, dtype=fx.int32)
    plan = lower(lambda x, i: x.at[i, i, i].add(1.0), x, i).compile().memory_analysis()
    assert plan.temporaries < 1000 * (4 + 8) + 64


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint32, np.int64, np.uint64])
def test_parts_that_begin_there(dtype: Any) -> None:
    x, places = np.arange(1.0, N + 1), _places(dtype)

    def parts(i: Any) -> Any:
        one = fx.dynamic_index_in_dim(fx.asarray(x), i, keepdims=False)
        return one, fx.dynamic_slice(fx.asarray(x), (i,), (2,)), fx.dynamic_update_slice(fx.zeros(N), fx.ones(2), [i])

    starts = [min(max(place + N if place < 0 else place, 0), N - 2) for place in places]
    expected = (
        [x[_meant(place, "clip")] for place in places],
        [x[start : start + 2] for start in starts],
        [[float(start <= k < start + 2) for k in range(N)] for start in starts],
    )
    given = [fx.asarray(np.array(place, dtype)) for place in places]
    compiled: Any = jit(parts)
    in_lanes = vmap(parts)(fx.asarray(np.array(places, dtype)))
    for rows in (zip(*map(parts, places)), zip(*map(parts, given)), zip(*map(compiled, given)), in_lanes):
        for actual, wanted in zip(rows, expected, strict=True):
            np.testing.assert_array_equal([np.asarray(row) for row in actual], wanted)

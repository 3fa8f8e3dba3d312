"""Shapes of indexing and slicing, against NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from effects import shapes as S
from effects.errors import ArgumentError, ShapeError
from tests.shapes.agreement import ints, many, same

bound = st.one_of(st.none(), st.integers(-5, 5))
entry = st.one_of(
    st.integers(-4, 3),
    st.none(),
    st.just(...),
    st.builds(slice, bound, bound, st.one_of(st.none(), st.integers(-3, 3))),
)


@settings(max_examples=300, deadline=None)
@given(ints, st.one_of(entry, st.lists(entry, max_size=4).map(tuple)))
def test_index(shape: tuple[int, ...], key: S.Index | tuple[S.Index, ...]) -> None:
    x = np.arange(math.prod(shape)).reshape(shape)
    same(lambda: S.basic_index(shape, key).shape, lambda: x[key].shape)
    try:
        expected = x[key]
    except (IndexError, ValueError):
        with pytest.raises(ShapeError):
            S.basic_index(shape, key)
        return
    plan = S.basic_index(shape, key)
    slices = tuple(slice(*bounds) for bounds in zip(plan.starts, plan.limits, plan.strides, strict=True))
    assert S.strided_slice(shape, plan.starts, plan.limits, plan.strides) == x[slices].shape
    np.testing.assert_array_equal(np.flip(x[slices], plan.flipped).reshape(plan.shape), expected)


def test_index_takes_only_basic_keys() -> None:
    assert S.basic_index((3, 4), 1).shape == (4,)
    for key in (True, (True,), 1.0, "a"):
        with pytest.raises(ArgumentError):
            S.basic_index((3, 4), key)  # type: ignore[arg-type]  # refused at run time too
    with pytest.raises(ArgumentError):
        S.basic_index((3,), slice(0.5, 2))
    assert S.basic_index((3, 4), np.int64(1)).shape == (4,)


@many
@given(st.integers(0, 5), st.integers(-1, 6), st.integers(-1, 6), st.integers(0, 3))
def test_strided_slice(n: int, start: int, limit: int, stride: int) -> None:
    if stride >= 1 and 0 <= start <= limit <= n:
        assert S.strided_slice((n,), (start,), (limit,), (stride,)) == (len(range(start, limit, stride)),)
    else:
        with pytest.raises(ShapeError):
            S.strided_slice((n,), (start,), (limit,), (stride,))

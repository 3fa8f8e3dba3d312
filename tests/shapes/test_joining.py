"""Shapes of joining, splitting and padding, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from effects import shapes as S
from effects.errors import ShapeError
from tests.shapes.agreement import blank, dims, many, same


@many
@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=3).map(tuple), min_size=1, max_size=3), st.data())
def test_joining(shapes: list[tuple[int, ...]], data: st.DataObject) -> None:
    axis = data.draw(st.one_of(st.none(), st.integers(-3, 2)))
    xs = [blank(s) for s in shapes]
    same(lambda: S.concat(shapes, axis), lambda: np.concatenate(xs, axis=axis).shape)
    if axis is not None:
        same(lambda: S.stack(shapes, axis), lambda: np.stack(xs, axis=axis).shape)


@many
@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=3).map(tuple),
    st.one_of(st.integers(1, 4), st.lists(st.integers(-7, 8), max_size=3).map(tuple)),
    st.integers(-3, 2),
)
def test_split(shape: tuple[int, ...], sections: int | tuple[int, ...], axis: int) -> None:
    x = blank(shape)
    same(
        lambda: tuple([stop - start for start, stop in S.split_bounds(shape, sections, axis)]),
        lambda: tuple([y.shape[axis] for y in np.split(x, sections, axis)]),
    )


@many
@given(st.lists(st.tuples(dims, st.integers(0, 3), st.integers(0, 3)), max_size=4))
def test_pad(entries: list[tuple[int, int, int]]) -> None:
    shape = tuple(n for n, _, _ in entries)
    expected = np.pad(blank(shape), [(lo, hi) for _, lo, hi in entries]).shape if shape else ()
    assert S.pad(shape, [(lo, hi, 0) for _, lo, hi in entries]) == expected


@many
@given(dims, st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 3))
def test_pad_interior(n: int, low: int, high: int, interior: int) -> None:
    spread = max(n + (n - 1) * interior, 0) if n else 0
    if spread + low + high < 0:
        with pytest.raises(ShapeError, match="would have size"):
            S.pad((n,), [(low, high, interior)])
    else:
        assert S.pad((n,), [(low, high, interior)]) == (spread + low + high,)

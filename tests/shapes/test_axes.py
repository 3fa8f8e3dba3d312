"""Shapes of what takes axes, against NumPy: reductions, permutations, reshaping."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from effects import shapes as S
from effects.errors import ShapeError
from tests.shapes.agreement import blank, ints, many, same


@many
@given(
    ints, st.one_of(st.none(), st.integers(-5, 4), st.lists(st.integers(-5, 4), max_size=3).map(tuple)), st.booleans()
)
def test_axes(shape: tuple[int, ...], axes: int | tuple[int, ...] | None, keepdims: bool) -> None:
    if shape == () and axes in (0, -1):  # NumPy takes these for a scalar in some functions; the rules never do
        with pytest.raises(ShapeError):
            S.reduce("sum", shape, axes, keepdims)
        return
    x = blank(shape)
    same(
        lambda: S.reduce("sum", shape, axes, keepdims),
        lambda: np.shape(np.sum(x, axis=axes, keepdims=True) if keepdims else np.sum(x, axis=axes)),
    )
    same(lambda: S.squeeze(shape, axes), lambda: np.squeeze(x, axes).shape)
    if axes is not None:
        same(lambda: S.expand_dims(shape, axes), lambda: np.expand_dims(x, axes).shape)
    if not isinstance(axes, tuple):
        same(
            lambda: S.argreduce("argmax", shape, axes, keepdims),
            lambda: (np.argmax(x, axis=axes, keepdims=True) if keepdims else np.argmax(x, axis=axes)).shape,
        )


@many
@given(ints, st.lists(st.integers(-4, 3), max_size=4).map(tuple))
def test_permute_dims(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    same(lambda: S.permute_dims(shape, axes), lambda: np.transpose(blank(shape), axes).shape)
    same(lambda: S.matrix_transpose(shape), lambda: np.matrix_transpose(blank(shape)).shape)


@many
@given(ints, st.lists(st.integers(-4, 3), max_size=3), st.lists(st.integers(-4, 3), max_size=3))
def test_moveaxis(shape: tuple[int, ...], source: list[int], destination: list[int]) -> None:
    x = np.zeros(tuple(range(2, 2 + len(shape))))
    same(
        lambda: S.permute_dims(x.shape, S.moveaxis_perm(x.shape, tuple(source), tuple(destination))),
        lambda: np.moveaxis(x, source, destination).shape,
    )
    if source and destination:
        i, j = source[0], destination[0]
        same(lambda: S.permute_dims(x.shape, S.swapaxes_perm(x.shape, i, j)), lambda: np.swapaxes(x, i, j).shape)


@many
@given(st.lists(st.integers(0, 4), max_size=4).map(tuple), st.lists(st.integers(-1, 6), max_size=4).map(tuple))
def test_reshape(shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    same(lambda: S.reshape(shape, target), lambda: np.reshape(blank(shape), target).shape)
    assert S.reshape(shape, (-1,)) == (math.prod(shape),)

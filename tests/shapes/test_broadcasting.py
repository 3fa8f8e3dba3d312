"""Shapes of broadcasting, against NumPy."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, strategies as st

from effects import shapes as S
from tests.shapes.agreement import blank, ints, many, same


@many
@given(st.lists(ints, min_size=1, max_size=3))
def test_broadcast(shapes: list[tuple[int, ...]]) -> None:
    same(lambda: S.broadcast_all(shapes), lambda: np.broadcast_shapes(*shapes))
    if len(shapes) == 2:
        same(lambda: S.broadcast_to(*shapes), lambda: np.broadcast_to(blank(shapes[0]), shapes[1]).shape)


def test_broadcast_exhaustive() -> None:
    every = [s for r in range(4) for s in itertools.product((1, 2, 3), repeat=r)]
    for a, b in itertools.product(every, every):
        same(lambda a=a, b=b: S.broadcast(a, b), lambda a=a, b=b: np.broadcast_shapes(a, b))  # type: ignore[misc]  # bound


@many
@given(ints, st.data())
def test_broadcast_in_dim(out: tuple[int, ...], data: st.DataObject) -> None:
    axes = data.draw(st.permutations(range(len(out))).map(lambda p: tuple(p[: len(out) // 2 + 1])))
    shape = tuple(data.draw(st.sampled_from([1, out[k]])) for k in axes)
    assert S.broadcast_in_dim(shape, out, axes) == out

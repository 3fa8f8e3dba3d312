"""Batching is a loop, and the order of two batches does not matter."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

import effects as fx
from effects import Array
from handlers import vmap
from tests.laws.expressions import Expression, expressions, many
from tests.reference.agreement import close


def grid(seed: int, *shape: int) -> Array:
    return fx.asarray(np.random.default_rng(seed).uniform(-1.2, 1.2, shape))


@many
@given(f=expressions(), seed=st.integers(0, 2**16), axis=st.integers(-2, 1), out_axis=st.integers(-2, 1))
def test_batching_is_a_loop(f: Expression, seed: int, axis: int, out_axis: int) -> None:
    xs, y = grid(seed, 4, 3), grid(seed + 1, 3)
    rows = [f(x, y) for x in xs]
    expected = tuple(fx.stack(list(lanes), axis=out_axis) for lanes in zip(*rows, strict=True))
    moved = fx.moveaxis(xs, 0, axis)
    close(vmap(f, in_axes=(axis, None), out_axes=out_axis)(moved, y), expected, 1e-9, 1e-11)


@many
@given(f=expressions(), seed=st.integers(0, 2**16))
def test_two_batches_commute(f: Expression, seed: int) -> None:
    xs, ys = grid(seed, 2, 4, 3), grid(seed + 1, 4, 3)
    rows_first = vmap(vmap(f), in_axes=(0, None))(xs, ys)
    columns_first = vmap(vmap(f, in_axes=(0, None)), in_axes=(1, 0), out_axes=1)(xs, ys)
    close(rows_first, columns_first, 1e-9, 1e-11)
    swapped = vmap(vmap(f, in_axes=(0, None)))(fx.swapaxes(xs, 0, 1), ys)
    close(tuple(fx.swapaxes(v, 0, 1) for v in swapped), rows_first, 1e-9, 1e-11)


@many
@given(f=expressions(), seed=st.integers(0, 2**16))
def test_a_batch_of_one_is_the_function(f: Expression, seed: int) -> None:
    x, y = grid(seed, 3), grid(seed + 1, 3)
    close(vmap(f)(x[None], y[None]), tuple(v[None] for v in f(x, y)), 1e-9, 1e-11)


@many
@given(f=expressions(), seed=st.integers(0, 2**16), size=st.integers(0, 4))
def test_a_batch_over_nothing_repeats(f: Expression, seed: int, size: int) -> None:
    x, y = grid(seed, 3), grid(seed + 1, 3)
    expected = tuple(fx.broadcast_to(v, (size, *v.shape)) for v in f(x, y))
    close(vmap(f, in_axes=None, axis_size=size)(x, y), expected, 1e-9, 1e-11)
    close(vmap(lambda: f(x, y), axis_size=size)(), expected, 1e-9, 1e-11)
    close(vmap(lambda x: f(x, y), axis_size=size)(fx.broadcast_to(x, (size, 3))), expected, 1e-9, 1e-11)

"""Batching of slices. Where lanes have start positions of their own, elements are gathered and scattered instead."""

from __future__ import annotations

import effects as fx
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, convert, scalar
from effects.operations.gathering import Bounds, Gather, Scatter, ScatterKind
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.shapes import Ints
from handlers.vmap.rules import RULES, Batched, Lanes, Whole, materialized, size_of


@RULES.rule(Slice)
@Whole
def batch_slice(op: Slice[Batched]) -> Slice[Array]:
    x = op.x.value
    return Slice((0, *op.start), (x.aval.shape[0], *op.limit), (1, *op.strides), x)


def _zero(starts: tuple[Batched, ...]) -> Array:
    return constant_like(0, starts[0].value) if starts else scalar(0, dtypes.int64)


def _places(starts: tuple[Batched, ...], lengths: Ints, shape: Ints, size: int) -> tuple[Ints, tuple[Array, ...]]:
    """The axes that the slice of a lane does not take whole, and the positions of its elements along them."""
    axes = tuple([axis for axis, (length, n) in enumerate(zip(lengths, shape, strict=True)) if length != n])
    positions = []
    for after, axis in zip(range(len(axes) - 1, -1, -1), axes, strict=True):
        length = lengths[axis]
        first = fx.clip(convert(materialized(starts[axis], size), dtypes.int64), 0, shape[axis] - length)
        along = fx.iota(dtypes.int64, (length, *(1,) * after), 0)
        positions.append(fx.add(fx.reshape(first, (size, *(1,) * len(axes))), along))
    return axes, tuple(positions)


def _moved(x: Array, axes: Ints, rank: int, back: bool) -> Array:
    """A lane with `axes` moved to the front; with `back`, the inverse."""
    order = (*axes, *[axis for axis in range(rank) if axis not in axes])
    lanes = [order.index(axis) for axis in range(rank)] if back else order
    return fx.permute_dims(x, (0, *[axis + 1 for axis in lanes]))


@RULES.rule(DynamicSlice)
def batch_dynamic_slice(op: DynamicSlice[Batched]) -> Lanes:
    size = size_of(op)
    if not any([s.batched for s in op.starts]):
        x, starts = op.x.value, (_zero(op.starts), *[s.value for s in op.starts])
        return perform(DynamicSlice((size, *op.sizes), x, starts)), True
    axes, places = _places(op.starts, op.sizes, op.x.aval.shape, size)
    if not axes:
        return op.x.value, op.x.batched
    batch = int(op.x.batched)
    along = tuple([axis + batch for axis in axes])
    out = perform(Gather(along, batch, 0, Bounds.CLIP, 0, op.x.value, places, op.x.batched))
    return _moved(out, axes, op.x.aval.ndim, True), True


@RULES.rule(DynamicUpdateSlice)
def batch_dynamic_update_slice(op: DynamicUpdateSlice[Batched]) -> Lanes:
    size = size_of(op)
    x, update = materialized(op.x, size), materialized(op.update, size)
    if not any([s.batched for s in op.starts]):
        return perform(DynamicUpdateSlice(x, update, (_zero(op.starts), *[s.value for s in op.starts]))), True
    axes, places = _places(op.starts, op.update.aval.shape, op.x.aval.shape, size)
    if not axes:
        return update, True
    new = _moved(update, axes, op.x.aval.ndim, False)
    along = tuple([axis + 1 for axis in axes])
    return perform(Scatter(ScatterKind.SET, along, 1, 0, Bounds.CLIP, x, new, places, True)), True

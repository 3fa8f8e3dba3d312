"""Batching of reading and writing at positions: lanes are an axis in common, unless one of the sides has none."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.functions.manipulation import movement
from effects.operations.gathering import Gather, Scatter
from effects.program.chain import perform
from effects.types.shapes import Ints
from handlers.vmap.rules import RULES, Batched, Lanes, materialized, size_of


def _in_lanes(indices: tuple[Batched, ...], each: bool = False) -> tuple[Array, ...]:
    """Positions with the lanes in front, if they are batched; with `each`, they have an axis for lanes in any case."""
    rank = max([i.aval.ndim for i in indices])
    aligned = [i.value for i in indices]
    for n, index in enumerate(indices):
        if each or index.batched or (n == 0 and not any([i.batched for i in indices])):
            lanes = aligned[n].aval.shape[0] if index.batched else 1
            shape = index.aval.shape
            aligned[n] = movement.reshape(aligned[n], (lanes, *(1,) * (rank - len(shape)), *shape))
    return tuple(aligned)


def _next(axes: Ints) -> Ints:
    return tuple([axis + 1 for axis in axes])


@RULES.rule(Gather)
def batch_gather(op: Gather[Batched]) -> Lanes:
    axes, batch, at, x = op.axes, op.batch, op.at, op.x
    if x.batched:
        if not batch and not any([i.batched for i in op.indices]):
            indices = tuple([i.value for i in op.indices])
            return _gather(op, _next(axes), 0, at + 1, x.value, indices, op.ordered), True
        return _gather(op, _next(axes), batch + 1, at, x.value, _in_lanes(op.indices)), True
    indices = _in_lanes(op.indices, batch > 0)
    if batch:  # the axes in common stay in front
        indices = tuple([movement.moveaxis(i, 0, batch) for i in indices])
    out = _gather(op, axes, batch, at, x.value, indices)
    return movement.moveaxis(out, batch + at, 0), True


def _gather(
    op: Gather[Batched], axes: Ints, batch: int, at: int, x: Array, indices: tuple[Array, ...], ordered: bool = False
) -> Array:
    unique = op.unique and (batch > op.batch or op.x.batched)
    return perform(Gather(axes, batch, at, op.bounds, op.fill, x, indices, unique, ordered))


@RULES.rule(Scatter)
def batch_scatter(op: Scatter[Batched]) -> Lanes:
    size = size_of(op)
    x, update = materialized(op.x, size), materialized(op.update, size)
    axes, batch, at, indices = _next(op.axes), op.batch, op.at + 1, tuple([i.value for i in op.indices])
    ordered = op.ordered
    if batch or any([i.batched for i in op.indices]):
        batch, at, indices, ordered = batch + 1, op.at, _in_lanes(op.indices), False
    return perform(Scatter(op.kind, axes, batch, at, op.bounds, x, update, indices, op.unique, ordered)), True

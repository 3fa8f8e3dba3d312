"""Batching of collectives: the handler of the named axis resolves them, any other keeps them.

Under the handler of the name operands may be the same in every lane, so each rule checks whether they are batched.
"""

from __future__ import annotations

import effects as fx
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.functions.manipulation import movement
from effects.operations.collectives import (
    AllGather,
    AllReduce,
    AllReduceKind,
    AllToAll,
    AxisIndex,
    PPermute,
    ReduceScatter,
)
from effects.operations.creation import Iota
from effects.operations.reduction import Reduce, ReduceKind
from effects.program.chain import perform
from effects.types import dtypes
from handlers.vmap.rules import RULES, Batched, Lanes, materialized

_FOLDS = {AllReduceKind.MAX: ReduceKind.MAX, AllReduceKind.MIN: ReduceKind.MIN, AllReduceKind.SUM: ReduceKind.SUM}


@RULES.rule(AllReduce)
def batch_all_reduce(op: AllReduce[Batched]) -> Lanes:
    handler = op.x.owner
    if handler.name not in op.names:
        return perform(AllReduce(op.kind, op.names, op.x.value)), True
    reduced = _over_lanes(op.kind, op.x, handler.size)
    others = tuple([name for name in op.names if name != handler.name])
    return (perform(AllReduce(op.kind, others, reduced)) if others else reduced), False


def _over_lanes(kind: AllReduceKind, x: Batched, size: int) -> Array:
    if not x.batched:
        if kind is not AllReduceKind.SUM:
            return x.value
        if dtypes.is_inexact(x.aval.dtype):
            return fx.multiply(x.value, constant_like(size, x.value))
    return perform(Reduce(_FOLDS[kind], (0,), materialized(x, size)))


@RULES.rule(AllGather)
def batch_all_gather(op: AllGather[Batched]) -> Lanes:
    handler = op.x.owner
    if handler.name != op.axis_name:
        return perform(AllGather(op.axis_name, op.size, op.axis + 1, op.x.value)), True
    return movement.moveaxis(materialized(op.x, handler.size), 0, op.axis), False


@RULES.rule(ReduceScatter)
def batch_reduce_scatter(op: ReduceScatter[Batched]) -> Lanes:
    handler = op.x.owner
    if handler.name != op.axis_name:
        return perform(ReduceScatter(op.axis_name, op.size, op.axis + 1, op.x.value)), True
    return movement.moveaxis(_over_lanes(AllReduceKind.SUM, op.x, handler.size), op.axis, 0), True


@RULES.rule(AllToAll)
def batch_all_to_all(op: AllToAll[Batched]) -> Lanes:
    handler = op.x.owner
    if handler.name != op.axis_name:
        shifted = AllToAll(op.axis_name, op.size, op.split_axis + 1, op.concat_axis + 1, op.x.value)
        return perform(shifted), True
    split_first = movement.moveaxis(materialized(op.x, handler.size), op.split_axis + 1, 0)
    return movement.moveaxis(split_first, 1, op.concat_axis + 1), True


@RULES.rule(PPermute)
def batch_ppermute(op: PPermute[Batched]) -> Lanes:
    handler = op.x.owner
    if handler.name != op.axis_name:
        return perform(PPermute(op.axis_name, op.pairs, op.x.value)), True
    x = materialized(op.x, handler.size)
    source_of = {target: source for source, target in op.pairs}
    parts: list[Array] = []
    target = 0
    while target < handler.size:
        first = source_of.get(target)
        stop = target + 1
        while stop < handler.size and source_of.get(stop) == (None if first is None else first + stop - target):
            stop += 1
        if first is None:
            parts.append(fx.zeros((stop - target, *x.aval.shape[1:]), dtype=x.aval.dtype))
        else:
            parts.append(movement.slice_axis(x, 0, first, first + stop - target))
        target = stop
    return (movement.concat(parts) if len(parts) > 1 else parts[0] if parts else x), True


@RULES.rule(AxisIndex)
def batch_axis_index(op: AxisIndex[Batched]) -> Lanes:
    # Without an operand, it comes here only where the handler is that of the name.
    return perform(Iota[Array]((op.size,), dtypes.int64, 0)), True

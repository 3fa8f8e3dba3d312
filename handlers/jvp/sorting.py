"""Derivatives of sorting: one sort gives keys and positions, at which other values and tangents are read."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.functions.manipulation import movement
from effects.operations.creation import Iota
from effects.operations.gathering import Bounds, Gather
from effects.operations.sorting import Insertion, Nonzero, Order, Ranked, Sort, TopK
from effects.program.chain import perform
from effects.types import dtypes
from handlers.jvp.rules import RULES, Dual, Pair, value_of


@RULES.rule(Sort)
def jvp_sort(op: Sort[Dual]) -> Pair:
    primals = tuple([x.primal for x in op.xs])
    if not any([x.tangent is not None for x in op.xs]):
        outs = perform(Sort(op.num_keys, op.axis, op.descending, primals))
        return outs, (None,) * len(outs)
    shape, n_keys = primals[0].aval.shape, op.num_keys
    places = perform(Iota(shape, dtypes.int32 if shape[op.axis] < 2**31 else dtypes.int64, op.axis))
    *keys, order = value_of(Sort(n_keys, op.axis, op.descending, (*primals[:n_keys], places)))
    slopes = [None if x.tangent is None else _moved(x.tangent, order, op.axis) for x in op.xs]
    return (*keys, *[_moved(x, order, op.axis) for x in primals[n_keys:]]), tuple(slopes)


def _moved(t: Array, order: Array, axis: int, unique: bool = True) -> Array:
    """The elements of `t` along `axis` at the positions `order`, none of which occurs twice if `unique`."""
    last = t.aval.ndim - 1
    if not t.aval.size:
        return movement.slice_axis(t, axis, 0, order.aval.shape[axis])
    t, order = movement.moveaxis(t, axis, -1), movement.moveaxis(order, axis, -1)
    gathered = perform(Gather((last,), last, 0, Bounds.CLIP, 0, t, (order,), unique))
    return movement.moveaxis(gathered, -1, axis)


@RULES.rule(Insertion, Order)
def jvp_order(op: Insertion[Dual] | Order[Dual]) -> Pair:
    return value_of(op.map(lambda x: x.primal)), None


@RULES.rule(Nonzero)
def jvp_nonzero(op: Nonzero[Dual]) -> Pair:
    return value_of(op.map(lambda x: x.primal)), (None,) * op.rank


@RULES.rule(TopK)
def jvp_top_k(op: TopK[Dual]) -> Pair:
    x, t = op.x.primal, op.x.tangent
    outs = value_of(TopK(op.k, x))
    return outs, (None if t is None else _moved(t, outs[1], t.aval.ndim - 1), None)


@RULES.rule(Ranked)
def jvp_ranked(op: Ranked[Dual]) -> Pair:
    x, t = op.x.primal, op.x.tangent
    out = value_of(Ranked(op.ranks, x))
    if t is None:
        return out, None
    last = t.aval.ndim - 1
    order = perform(Order(last, False, (x,)))
    places = movement.concat([movement.slice_axis(order, last, rank, rank + 1) for rank in op.ranks], axis=last)
    return out, _moved(t, places, last, len(set(op.ranks)) == len(op.ranks))

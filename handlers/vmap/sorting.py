"""Batching of sorting: the axis moves one to the right; lanes share the line of an insertion, or have their own."""

from __future__ import annotations

from effects.operations.sorting import Insertion, Nonzero, Order, Ranked, Sort, TopK
from effects.program.chain import perform
from handlers.vmap.rules import RULES, Batched, Lanes, materialized, on_last_axes, size_of


@RULES.rule(Sort)
def batch_sort(op: Sort[Batched]) -> Lanes:
    size = size_of(op)
    xs = tuple([materialized(x, size) for x in op.xs])
    return perform(Sort(op.num_keys, op.axis + 1, op.descending, xs)), (True,) * len(xs)


@RULES.rule(Order)
def batch_order(op: Order[Batched]) -> Lanes:
    size = size_of(op)
    return perform(Order(op.axis + 1, op.descending, tuple([materialized(key, size) for key in op.keys]))), True


@RULES.rule(TopK)
def batch_top_k(op: TopK[Batched]) -> Lanes:
    return perform(TopK(op.k, op.x.value)), (True, True)


RULES.rule(Ranked)(on_last_axes)


@RULES.rule(Insertion)
def batch_insertion(op: Insertion[Batched]) -> Lanes:
    if not op.batch and not op.line.batched:
        return perform(Insertion(op.before, 0, op.line.value, op.values.value)), True
    size = size_of(op)
    line, values = materialized(op.line, size), materialized(op.values, size)
    return perform(Insertion(op.before, op.batch + 1, line, values)), True


@RULES.rule(Nonzero)
def batch_nonzero(op: Nonzero[Batched]) -> Lanes:
    return perform(op.map(lambda x: x.value)), (True,) * op.rank

"""Batching of places: lanes are an axis in common, or more values for the same line."""

from __future__ import annotations

from effects.operations.searching import Insertion, Nonzero
from effects.program.chain import perform
from handlers.vmap.rules import RULES, Batched, Lanes, materialized, size_of


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

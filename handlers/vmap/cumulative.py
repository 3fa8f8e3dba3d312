"""Batching of cumulative folds: the axis moves one to the right."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.operations.cumulative import Cumulative
from handlers.vmap.rules import RULES, Batched, Whole


@RULES.rule(Cumulative)
@Whole
def batch_cumulative(op: Cumulative[Batched]) -> Cumulative[Array]:
    return Cumulative(op.kind, op.axis + 1, op.x.value, op.reverse)

"""Batching of reductions: the axes move one to the right."""

from __future__ import annotations

from effects.chain import perform
from effects.operations.reduction import ArgReduce, Reduce
from handlers.vmap.rules import RULES, Batched, Lanes


@RULES.rule(Reduce)
def batch_reduce(op: Reduce[Batched]) -> Lanes:
    return perform(Reduce(op.kind, tuple([a + 1 for a in op.axes]), op.x.value, op.keepdims)), True


@RULES.rule(ArgReduce)
def batch_argreduce(op: ArgReduce[Batched]) -> Lanes:
    return perform(ArgReduce(op.kind, op.axis + 1, op.x.value)), True

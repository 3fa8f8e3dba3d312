"""Batching of reductions: the axes move one to the right."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.operations.reduction import ArgReduce, Norm, Reduce
from handlers.vmap.rules import RULES, Batched, Whole


@RULES.rule(Reduce)
@Whole
def batch_reduce(op: Reduce[Batched]) -> Reduce[Array]:
    return Reduce(op.kind, tuple([a + 1 for a in op.axes]), op.x.value, op.keepdims)


@RULES.rule(ArgReduce)
@Whole
def batch_argreduce(op: ArgReduce[Batched]) -> ArgReduce[Array]:
    return ArgReduce(op.kind, op.axis + 1, op.x.value)


@RULES.rule(Norm)
@Whole
def batch_norm(op: Norm[Batched]) -> Norm[Array]:
    return Norm(tuple([a + 1 for a in op.axes]), op.x.value, op.keepdims)

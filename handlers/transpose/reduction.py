"""Transpose of the sum: the cotangent repeated along the summed axes."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.operations.movement import Broadcast
from effects.operations.reduction import Reduce, ReduceKind
from effects.program.chain import perform
from handlers.transpose.elementwise import not_linear
from handlers.transpose.rules import RULES, Cotangents


@RULES.rule(Reduce)
def transpose_reduce(op: Reduce[Array], ct: Array) -> Cotangents:
    if op.kind is not ReduceKind.SUM:
        raise not_linear(op)
    shape = op.x.aval.shape
    dims = tuple([a for a in range(len(shape)) if op.keepdims or a not in op.axes])
    return (perform(Broadcast(shape, dims, ct)),)

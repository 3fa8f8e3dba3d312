"""Derivatives of collectives: most are linear; an extreme has the mean of the tangents of the lanes that attain it."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.functions.elementwise import arithmetic
from effects.operations.collectives import AllGather, AllReduce, AllReduceKind, AllToAll, PPermute, ReduceScatter
from effects.operations.elementwise import Select
from effects.program.chain import perform
from handlers.jvp.rules import RULES, Dual, Pair, linear, value_of


@RULES.rule(AllReduce)
def jvp_all_reduce(op: AllReduce[Dual]) -> Pair:
    x, t = op.x.primal, op.x.tangent
    out = value_of(AllReduce(op.kind, op.names, x))
    if t is None:
        return out, None
    if op.kind is AllReduceKind.SUM:
        return out, _sum(op, t)
    attained = x == out
    zero, one = constant_like(0, x), constant_like(1, x)
    total = _sum(op, perform(Select(attained, t, zero)))
    return out, arithmetic.divide(total, _sum(op, perform(Select(attained, one, zero))))


def _sum(op: AllReduce[Dual], x: Array) -> Array:
    return perform(AllReduce(AllReduceKind.SUM, op.names, x))


RULES.rule(AllGather, ReduceScatter, AllToAll, PPermute)(linear)

"""Derivatives of sorting: tangents are moved as the values are, so each sort is linear in what is no key."""

from __future__ import annotations

from effects.functions import movement
from effects.operations.sorting import Sort, TopK
from effects.program.chain import perform
from handlers.jvp.rules import RULES, Dual, Pair


@RULES.rule(Sort)
def jvp_sort(op: Sort[Dual]) -> Pair:
    primals = tuple([x.primal for x in op.xs])
    outs = perform(Sort(op.num_keys, op.axis, op.descending, primals))
    moving = [i for i, x in enumerate(op.xs) if x.tangent is not None]
    tangents = tuple([t for x in op.xs if (t := x.tangent) is not None])
    if not tangents:
        return outs, (None,) * len(outs)
    moved = perform(Sort(op.num_keys, op.axis, op.descending, (*primals[: op.num_keys], *tangents)))
    slopes = dict(zip(moving, moved[op.num_keys :], strict=True))
    return outs, tuple([slopes.get(i) for i in range(len(outs))])


@RULES.rule(TopK)
def jvp_top_k(op: TopK[Dual]) -> Pair:
    x, t = op.x.primal, op.x.tangent
    outs = perform(TopK(op.k, x))
    if t is None:
        return outs, (None, None)
    last = x.aval.ndim - 1
    _, moved = perform(Sort(1, last, True, (x, t)))
    return outs, (movement.cut(moved, last, 0, op.k), None)

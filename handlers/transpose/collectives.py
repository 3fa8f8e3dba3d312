"""Transposes of collectives, as linear functions of the values of all lanes."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.errors import NotLinearError
from effects.operations.collectives import AllGather, AllReduce, AllReduceKind, AllToAll, PPermute, ReduceScatter
from effects.program.chain import perform
from handlers.transpose.rules import RULES, Cotangents


@RULES.rule(AllReduce)
def transpose_all_reduce(op: AllReduce[Array], ct: Array) -> Cotangents:
    if op.kind is not AllReduceKind.SUM:
        raise NotLinearError(f"{op.name} is not linear")
    return (perform(AllReduce(op.kind, op.names, ct)),)


@RULES.rule(AllGather)
def transpose_all_gather(op: AllGather[Array], ct: Array) -> Cotangents:
    return (perform(ReduceScatter(op.axis_name, op.size, op.axis, ct)),)


@RULES.rule(ReduceScatter)
def transpose_reduce_scatter(op: ReduceScatter[Array], ct: Array) -> Cotangents:
    return (perform(AllGather(op.axis_name, op.size, op.axis, ct)),)


@RULES.rule(AllToAll)
def transpose_all_to_all(op: AllToAll[Array], ct: Array) -> Cotangents:
    return (perform(AllToAll(op.axis_name, op.size, op.concat_axis, op.split_axis, ct)),)


@RULES.rule(PPermute)
def transpose_ppermute(op: PPermute[Array], ct: Array) -> Cotangents:
    back = tuple([(target, source) for source, target in op.pairs])
    return (perform(PPermute(op.axis_name, back, ct)),)

"""Calls of programs: each distinct program is one private function."""

from __future__ import annotations

import numpy as np

from effects.operations.higher_order import Call, Cond
from effects.program.jaxpr import Atom, Var
from effects.types.dtypes import bool_
from lowering.stablehlo.builder import Region
from lowering.stablehlo.context import Value, tensor_type
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope


@RULES.rule(Call)
def lower_call(op: Call[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    symbol = scope.functions.symbol(op.body, op.label)
    return scope.builder.call(symbol, [TYPES[out.aval] for out in outs], [scope[v] for v in op.operands_])


@RULES.rule(Cond)
def lower_cond(op: Cond[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    index = scope[op.index]
    results = [TYPES[out.aval] for out in outs]
    operands = [scope[v] for v in op.operands_]
    if op.index.aval.dtype is not bool_:
        index = _clamped(op, scope)
    index = scope.op("stablehlo.convert", tensor_type((), np.dtype(np.int32)), (index,))

    def branch(number: int) -> Region:
        symbol = scope.functions.symbol(op.branches[number], f"branch_{number}")
        return Region((), lambda _: scope.builder.call(symbol, results, operands))

    return scope.builder.ops("stablehlo.case", results, (index,), None, [branch(i) for i in range(len(op.branches))])


def _clamped(op: Cond[Atom], scope: Scope) -> Value:
    """The index clamped to the branches, and then narrowed: `case` runs its last branch for a negative one."""
    aval = op.index.aval
    low, high = scope.fill(aval, 0), scope.fill(aval, min(len(op.branches) - 1, np.iinfo(aval.dtype.dtype.name).max))
    return scope.op("stablehlo.clamp", TYPES[aval], (low, scope[op.index], high))

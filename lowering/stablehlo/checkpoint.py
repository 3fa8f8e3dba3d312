"""Checkpoints: functions like those of calls; a barrier keeps XLA from merging repeated work with the original.

The barrier is over all operands, with the cotangents, so that nothing is recomputed before it is needed.
"""

from __future__ import annotations

from effects.operations.checkpoint import Checkpoint, Name
from effects.program.jaxpr import Atom, Var
from lowering.stablehlo.context import Value
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope


@RULES.rule(Checkpoint)
def lower_checkpoint(op: Checkpoint[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    operands = [scope[v] for v in op.operands_]
    if op.recomputes and op.prevent_cse and operands:
        operands = scope.builder.ops("stablehlo.optimization_barrier", [v.type for v in operands], operands)
    symbol = scope.functions.symbol(op.body, op.label)
    return scope.builder.call(symbol, [TYPES[out.aval] for out in outs], operands)


@RULES.rule(Name)
def lower_name(op: Name[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    return scope[op.x]

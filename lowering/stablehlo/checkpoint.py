"""Checkpoints: functions like those of calls; where work is repeated, XLA is kept from merging it with the first time.

The barrier joins all operands, the cotangents among them, so that nothing is computed again before it is needed.
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

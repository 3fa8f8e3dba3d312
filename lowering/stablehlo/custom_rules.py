"""Functions with rules of their own: a call of the function's program, as if it had none."""

from __future__ import annotations

from effects.arrays.concrete import Concrete
from effects.errors import ArgumentError
from effects.operations.custom_rules import CustomCall
from effects.program.jaxpr import Atom, Var
from lowering.stablehlo.context import Value
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope


@RULES.rule(CustomCall)
def lower_custom_call(op: CustomCall[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    body, constants, name = op.body, list[Value](), op.definition.name
    if body is None:  # a derivative that only transposition runs, unless there is a jvp rule
        body, captured, _ = op.definition.staged([v.aval for v in op.operands_])
        for value in captured:
            if type(value) is not Concrete:
                raise ArgumentError(f"{name} uses {value.aval}, a value of a trace; make it an argument")
            constants.append(scope.builder.constant(value.fetch()))
    operands = [*constants, *map(scope.__getitem__, op.operands_)]
    if not body.eqns:  # such as of stop_gradient: reductions are written as loops where they see what they read
        values = dict(zip(body.inputs, operands, strict=True))
        return [values[x] if type(x) is Var else scope[x] for x in body.outputs]
    symbol = scope.functions.symbol(body, name)
    return scope.builder.call(symbol, [TYPES[out.aval] for out in outs], operands)

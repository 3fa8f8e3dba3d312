"""The greatest elements, by an order or as CPUs find them."""

from __future__ import annotations

from effects.operations.sorting import TopK
from effects.program.jaxpr import Atom, Var
from lowering.stablehlo.context import Value
from lowering.stablehlo.cpu import selection as on_cpu
from lowering.stablehlo.greatest import by_order, chosen
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import Scope


@RULES.rule(TopK)
def lower_top_k(op: TopK[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    x, aval = scope[op.x], op.x.aval
    values, positions = outs[0].aval, outs[1].aval
    if not values.size:
        return [scope.fill(values, 0), scope.fill(positions, 0)]
    if scope.functions.tuned:
        greatest, places = on_cpu.chosen_of_lines(x, aval, op.k, scope)
    else:
        greatest, places = chosen(x, aval, op.k, by_order, scope)
    return [greatest, scope.convert(places, positions)]

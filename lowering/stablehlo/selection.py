"""The greatest elements, by sorting or in the form for CPUs, and elements at given ranks."""

from __future__ import annotations

from collections.abc import Callable

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.functions.manipulation import movement
from effects.operations.sorting import Ranked, Sort, TopK
from effects.program.chain import perform
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from lowering.stablehlo.context import Value
from lowering.stablehlo.cpu import selection as on_cpu
from lowering.stablehlo.greatest import by_order, chosen
from lowering.stablehlo.lapack import by_program
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


@RULES.rule(Ranked)
@by_program
def lower_ranked(op: Ranked[Atom]) -> Callable[[Array], list[Array]]:
    def elements(x: Array) -> list[Array]:
        last = x.aval.ndim - 1
        (ordered,) = perform(Sort(1, last, False, (x,)))
        kept = movement.concat([movement.slice_axis(ordered, last, rank, rank + 1) for rank in op.ranks], axis=last)
        return [kept + constant_like(0, kept) if issubclass(kept.aval.dtype, dtypes.Inexact) else kept]

    return elements

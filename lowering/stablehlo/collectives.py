"""Collectives in a program that is compiled: `vmap` resolves those of its axes before, so a name is left over here."""

from __future__ import annotations

from effects.errors import UnboundAxisError
from effects.operations.collectives import AllGather, AllReduce, AllToAll, AxisIndex, PPermute, ReduceScatter
from effects.program.jaxpr import Atom, Var
from effects.program.operation import Single
from lowering.stablehlo.context import Value
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import Scope


@RULES.rule(AllReduce, AllGather, ReduceScatter, AllToAll, PPermute, AxisIndex)
def lower_collective(op: Single[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    raise UnboundAxisError(
        f"{op.describe()}: this part of a program was traced within a vmap that names the axis, and is compiled "
        "outside of it"
    )

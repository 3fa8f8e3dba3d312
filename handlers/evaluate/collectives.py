"""Collectives on concrete arrays: the handler that knows their axis is not in the chain."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.errors import UnboundAxisError
from effects.operations.collectives import AllGather, AllReduce, AllToAll, AxisIndex, PPermute, ReduceScatter
from effects.program.chain import Performed
from effects.program.operation import Single
from handlers.evaluate.rules import RULES, refuse_foreign


@RULES.rule(AllReduce, AllGather, ReduceScatter, AllToAll, PPermute, AxisIndex)
def evaluate_collective(op: Single[Array]) -> Performed:
    refuse_foreign(op)
    raise UnboundAxisError(
        f"{op.describe()}: this part of a program was traced within a vmap that names the axis, and runs outside of it"
    )

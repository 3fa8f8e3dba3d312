"""Derivatives of movements: the same movement of the tangent."""

from __future__ import annotations

from effects.operations.movement import Bitcast, Broadcast, Concat, Constrain, Flip, Pad, PermuteDims, Place, Reshape
from handlers.jvp.rules import RULES, Dual, Pair, linear, value_of

RULES.rule(Broadcast, Concat, Constrain, Flip, Pad, PermuteDims, Place, Reshape)(linear)


@RULES.rule(Bitcast)
def jvp_bitcast(op: Bitcast[Dual]) -> Pair:
    return value_of(Bitcast(op.dtype, op.x.primal)), None

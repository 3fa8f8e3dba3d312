"""Derivatives of movements: the same movement of the tangent."""

from __future__ import annotations

from effects.arrays.promotion import constant_like
from effects.functions.creation import creation
from effects.operations.movement import Bitcast, Broadcast, Concat, Constrain, Flip, Pad, PermuteDims, Place, Reshape
from effects.program.chain import perform
from handlers.jvp.rules import RULES, Dual, Pair, value_of

type Moved = Broadcast[Dual] | Constrain[Dual] | Flip[Dual] | PermuteDims[Dual] | Place[Dual] | Reshape[Dual]


@RULES.rule(Broadcast, Constrain, Flip, PermuteDims, Place, Reshape)
def jvp_movement(op: Moved) -> Pair:
    t = op.x.tangent
    return value_of(op.map(lambda dual: dual.primal)), None if t is None else perform(op.map(lambda _: t))


@RULES.rule(Concat)
def jvp_concat(op: Concat[Dual]) -> Pair:
    out = value_of(Concat(op.axis, tuple([x.primal for x in op.xs])))
    if all(x.tangent is None for x in op.xs):
        return out, None
    tangents = [creation.zeros_like(x.primal) if x.tangent is None else x.tangent for x in op.xs]
    return out, perform(Concat(op.axis, tuple(tangents)))


@RULES.rule(Pad)
def jvp_pad(op: Pad[Dual]) -> Pair:
    x, value = op.x, op.value
    out = value_of(Pad(op.config, x.primal, value.primal))
    if x.tangent is None and value.tangent is None:
        return out, None
    tx = creation.zeros_like(x.primal) if x.tangent is None else x.tangent
    tv = constant_like(0, out) if value.tangent is None else value.tangent
    return out, perform(Pad(op.config, tx, tv))


@RULES.rule(Bitcast)
def jvp_bitcast(op: Bitcast[Dual]) -> Pair:
    return value_of(Bitcast(op.dtype, op.x.primal)), None

"""Batching of elementwise operations: operands are aligned so that they broadcast lane by lane."""

from __future__ import annotations

from effects.array import Array
from effects.chain import perform
from effects.functions import movement
from effects.operation import Single
from effects.operations.elementwise import Binary, Clamp, Compare, Convert, Select, Unary
from handlers.vmap.rules import RULES, Batched, Lanes


@RULES.rule(Unary, Convert)
def batch_unary(op: Single[Batched]) -> Lanes:
    return perform(op.map(lambda x: x.value)), True


@RULES.rule(Binary, Compare, Select, Clamp)
def batch_elementwise(op: Single[Batched]) -> Lanes:
    rank = max([x.aval.ndim for x in op.operands])

    def aligned(x: Batched) -> Array:
        missing = rank - x.aval.ndim
        if not x.batched or not missing:
            return x.value
        shape = x.value.aval.shape
        return movement.reshape(x.value, (shape[0], *(1,) * missing, *shape[1:]))

    return perform(op.map(aligned)), True

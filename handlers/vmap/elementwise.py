"""Batching of elementwise operations: operands are aligned so that they broadcast lane by lane."""

from __future__ import annotations

from operator import attrgetter
from typing import Final

from effects.array import Array
from effects.chain import perform
from effects.functions import movement
from effects.operation import Single
from effects.operations.elementwise import Binary, Clamp, Compare, Convert, Select, Unary
from handlers.vmap.rules import RULES, Batched, Lanes

_value: Final = attrgetter("value")


@RULES.rule(Unary, Convert)
def batch_unary(op: Single[Batched]) -> Lanes:
    return perform(op.map(_value)), True


@RULES.rule(Binary, Compare, Select, Clamp)
def batch_elementwise(op: Single[Batched]) -> Lanes:
    ranks = [x.aval.ndim for x in op.operands]
    rank = max(ranks)
    if min(ranks) == rank:
        return perform(op.map(_value)), True

    def aligned(x: Batched) -> Array:
        missing = rank - x.aval.ndim
        if not x.batched or not missing:
            return x.value
        shape = x.value.aval.shape
        return movement.reshape(x.value, (shape[0], *(1,) * missing, *shape[1:]))

    return perform(op.map(aligned)), True

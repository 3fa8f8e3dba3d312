"""Batching of elementwise operations: operands are aligned so that they broadcast lane by lane."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Final

from effects.arrays.array import Array
from effects.operations.elementwise import Binary, Clamp, Compare, Convert, Select, Unary
from effects.operations.movement import Reshape
from effects.operations.special import Special
from effects.program.operation import Operation, Single
from handlers.vmap.rules import RULES, Batched, Whole, outside

_value: Final = attrgetter("value")


@RULES.rule(Unary, Convert)
@Whole
def batch_unary(op: Single[Batched]) -> Single[Array]:
    return op.map(_value)


def alignment(op: Operation[Batched]) -> Callable[[Batched], Array]:
    """Function that aligns the operands of an elementwise operation so that whole arrays broadcast."""
    ranks = {x.aval.ndim for x in op.operands}
    if len(ranks) == 1:
        return _value
    rank = max(ranks)

    def aligned(x: Batched) -> Array:
        missing = rank - x.aval.ndim
        if not x.batched or not missing:
            return x.value
        shape = x.value.aval.shape
        return outside(x, Reshape((shape[0], *(1,) * missing, *shape[1:]), x.value))

    return aligned


@RULES.rule(Binary, Compare, Select, Clamp, Special)
@Whole
def batch_elementwise(op: Single[Batched]) -> Single[Array]:
    return op.map(alignment(op))

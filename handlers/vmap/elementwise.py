"""Batching of elementwise operations: operands are aligned so that they broadcast lane by lane."""

from __future__ import annotations

from collections.abc import Callable

from effects.arrays.array import Array
from effects.operations.elementwise import Binary, Clamp, Compare, Convert, Select, Unary
from effects.operations.movement import Reshape
from effects.operations.special import Special
from effects.program.operation import Operation, Single
from handlers.vmap.rules import RULES, Batched, Whole, on_last_axes, outside, value

RULES.rule(Unary, Convert)(on_last_axes)


def alignment(op: Operation[Batched]) -> Callable[[Batched], Array]:
    """Function that aligns the operands of an elementwise operation so that whole arrays broadcast."""
    ranks = {x.aval.ndim for x in op.operands}
    if len(ranks) == 1:
        return value
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

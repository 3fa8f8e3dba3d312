"""Counting: `flops(f)` gives the result of `f` and how many floating-point operations it took.

The count is an array that is threaded through every program inside `f`, so that it follows the branch that is taken.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, cast

import effects as fx
from effects import operations as ops
from effects.program.chain import Performed
from effects.program.operation import Operation
from handlers import OperationHandler, kept

COST: dict[type, Callable[[Any, int], int]] = {
    **dict.fromkeys((ops.Unary, ops.Binary, ops.Compare, ops.Select, ops.Clamp), lambda op, size: size),
    **dict.fromkeys((*ops.REARRANGING, ops.Convert, ops.Gather, ops.Iota), lambda op, size: 0),
    ops.Reduce: lambda op, size: op.x.size - size,
    ops.ReduceWindow: lambda op, size: (math.prod(op.sizes) - 1) * size,
    ops.Chosen: lambda op, size: 2 * math.prod(op.sizes) * op.y.size,
    ops.Cumulative: lambda op, size: size - size // max(op.x.shape[op.axis], 1),
    ops.Convolution: lambda op, size: 2 * size * (op.kernel.size // max(op.kernel.shape[op.layout.kernel[0]], 1)),
    ops.Scatter: lambda op, size: op.update.size,
    ops.DotGeneral: lambda op, size: 2 * size * math.prod(op.x.shape[axis] for axis in op.contracting[0]),
}
"""What an operation with a result of `size` elements costs."""


class Flops(OperationHandler):
    count: fx.Array = kept(default=fx.asarray(0))

    def interpret(self, op: Operation[fx.Array], /) -> Performed:
        if type(op) not in COST:
            raise fx.MissingRule(f"the cost of {op.name} is not known: write COST[{type(op).__name__}]")
        result: Any = fx.perform(op)
        self.count = self.count + COST[type(op)](op, result.size)
        return cast("Performed", result)


def flops[**P](f: Callable[P, Any]) -> Callable[P, tuple[Any, fx.Array]]:
    @functools.wraps(f)
    def counted(*args: P.args, **kwargs: P.kwargs) -> tuple[Any, fx.Array]:
        with Flops() as handler:
            return f(*args, **kwargs), handler.count

    return counted

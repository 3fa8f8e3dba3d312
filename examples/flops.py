"""Counting: `flops(f)` gives the result of `f` and how many floating-point operations it took.

The count is an array that goes through every program inside `f`, so that it follows the branch that is taken.

>>> y, count = flops(lambda x: fx.sum(fx.sin(x) * x))(fx.ones(10))
>>> count
Array(29, int64)
"""

import functools
import math
from collections.abc import Callable

import effects as fx
from effects import Array, Operation, Performed, perform
from effects.operations import (
    REARRANGING,
    Band,
    Binary,
    Chosen,
    Clamp,
    Compare,
    Convert,
    Convolution,
    Cumulative,
    DotGeneral,
    Gather,
    Iota,
    Reduce,
    ReduceWindow,
    Scatter,
    Select,
    Unary,
)
from handlers import OperationHandler, kept


def cost(op: Operation[Array], size: int) -> int:
    """Cost of an operation with a result of `size` elements."""
    price: int
    match op:
        case Unary() | Binary() | Compare() | Select() | Clamp():
            price = size
        case Reduce():
            price = op.x.size - size
        case ReduceWindow():
            price = (math.prod(op.sizes) - 1) * size
        case Chosen():
            price = 2 * math.prod(op.sizes) * op.y.size
        case Cumulative():
            price = size - size // max(op.x.shape[op.axis], 1)
        case Convolution():
            price = 2 * size * (op.kernel.size // max(op.kernel.shape[op.layout.kernel[0]], 1))
        case Scatter():
            price = op.update.size
        case DotGeneral():
            price = 2 * size * math.prod([op.x.shape[axis] for axis in op.contracting[0]])
        case _ if isinstance(op, (*REARRANGING, Convert, Gather, Band, Iota)):
            price = 0
        case _:
            raise fx.MissingRule(f"the cost of {op.name} is not known: write it in cost, case {type(op).__name__}()")
    return price


class Flops(OperationHandler):
    """Performs every operation, and adds up its cost."""

    count: Array = kept(default=fx.asarray(0))

    def interpret(self, op: Operation[Array], /) -> Performed:
        results = perform(op)
        size = sum([result.size for result in results]) if isinstance(results, tuple) else results.size
        self.count = self.count + cost(op, size)
        return results


def flops[**P, R](f: Callable[P, R]) -> Callable[P, tuple[R, Array]]:
    """`f`, and how many floating-point operations it takes."""

    @functools.wraps(f)
    def counted(*args: P.args, **kwargs: P.kwargs) -> tuple[R, Array]:
        with Flops() as handler:
            return f(*args, **kwargs), handler.count

    return counted

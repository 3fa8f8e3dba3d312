"""Emission of operations in front of a reduction, which fold parts of its operand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from jaxlib.mlir import ir

from lowering.stablehlo.context import Attribute, Type, Value, shape_of

ARRAYS: Final = 8
"""Number of arrays folded in one loop, which LLVM unrolls (`lowering.pjrt.options`)."""
READ: Final = 4 * ARRAYS
"""Number of arrays that are folded in groups of `ARRAYS` if they are only read."""
_PAGE: Final = 1024
"""Row length from which a cache holds few rows at once: each `ARRAYS` of them get a loop."""
KEPT: Final = "stablehlo.optimization_barrier"


def folded_by(reduction: ir.Operation) -> str:
    """The name of the operation that folds, "" for several."""
    body = reduction.regions[0].blocks[0].operations
    return str(body[0].operation.name) if len(body) == 2 else ""


def keep(x: Value, location: ir.Location) -> None:
    """Have XLA keep a value in memory: all that read it read it behind a barrier."""
    maker = x.owner
    assert not isinstance(maker, ir.Block), "arguments are in memory"
    barrier = ir.Operation.create(KEPT, [x.type], [x], loc=location, ip=ir.InsertionPoint.after(maker))
    x.replace_all_uses_except(barrier.result, barrier)


class Folding:
    """A reduction of one array, and emission in front of it."""

    def __init__(self, reduction: ir.Operation) -> None:
        self.reduction: Final = reduction
        self.name: Final = folded_by(reduction)
        self.ip = ir.InsertionPoint(reduction)
        """Place of the next operation."""

    def fold(self, x: Value, over: int) -> Value:
        """The fold over an axis, at once or in groups of arrays, which LLVM may join into one loop."""
        shape = shape_of(x)
        rest, n = (*shape[:over], *shape[over + 1 :]), shape[over]
        if ARRAYS < n <= READ and over < len(shape) - 1:
            some = [self.part(x, over, i, min(i + ARRAYS, n)) for i in range(0, n, ARRAYS)]
            apart = math.prod(shape[over + 1 :]) >= _PAGE
            folded = self.fold(some[0], over)
            for part in some[1:]:
                before = self.op(KEPT, rest, [folded]) if apart else folded
                folded = self.op(self.name, rest, [before, self.fold(part, over)])
            return folded
        fold = self.reduction.clone(self.ip)
        fold.operands[0] = x
        fold.attributes["dimensions"] = self.numbers(over)
        fold.result.set_type(with_shape(x.type, rest))
        return fold.result

    def numbers(self, *values: int) -> Attribute:
        return ir.DenseI64ArrayAttr.get(values, context=self.reduction.context)

    def op(self, name: str, shape: tuple[int, ...], operands: Sequence[Value], **attributes: Attribute) -> Value:
        """An operation whose result has the element type of its first operand."""
        return self.ops(name, [with_shape(operands[0].type, shape)], operands, 0, **attributes).result

    def ops(
        self, name: str, results: Sequence[Type], operands: Sequence[Value], regions: int = 0, **attributes: Attribute
    ) -> ir.Operation:
        loc = self.reduction.location
        return ir.Operation.create(name, results, operands, attributes, None, regions, loc, self.ip)

    def reshaped(self, x: Value, shape: tuple[int, ...]) -> Value:
        """The elements of `x` as an array of this shape."""
        return x if shape_of(x) == shape else self.op("stablehlo.reshape", shape, [x])

    def part(self, x: Value, axis: int, start: int, stop: int) -> Value:
        shape = shape_of(x)
        starts = [start if i == axis else 0 for i in range(len(shape))]
        stops = [stop if i == axis else n for i, n in enumerate(shape)]
        return self.op(
            "stablehlo.slice",
            tuple([b - a for a, b in zip(starts, stops, strict=True)]),
            [x],
            start_indices=self.numbers(*starts),
            limit_indices=self.numbers(*stops),
            strides=self.numbers(*[1] * len(shape)),
        )


def with_shape(kind: Type, shape: tuple[int, ...]) -> Type:
    """The type of arrays of this shape with such elements."""
    element = ir.RankedTensorType(kind).element_type
    return ir.RankedTensorType.get(shape, element, loc=ir.Location.unknown(kind.context))


def symbol_of(operation: ir.Operation | ir.OpView | None) -> str:
    """The name of a function, "" for another operation."""
    if operation is None or operation.operation.name != "func.func":
        return ""
    return ir.StringAttr(operation.attributes["sym_name"]).value

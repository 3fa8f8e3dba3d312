"""Reductions over rows that are in memory as one loop, which folds a few rows at a time into its state.

It reads each element once and stores one row, where steps store an eighth of the rows and read these again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Final, final

from jaxlib.mlir import ir

from lowering.stablehlo.context import Value, shape_of
from lowering.stablehlo.cpu.folding import ARRAYS, KEPT, Folding, keep, symbol_of, with_shape
from lowering.stablehlo.cpu.traits import traits_of
from lowering.stablehlo.functions import MAIN

_ROW: Final = 64
"""Least length of rows that are folded singly; of shorter ones several are folded side by side."""
_WIDE: Final = 1024
"""Largest total length of rows side by side."""
_SHARED: Final = 1 << 22
"""Number of elements from which several processors are faster than a loop, which runs on one."""
_LINE: Final = 4096
"""Largest number of rows of floats that a loop sums, one after the other."""
_APART: Final = 512
"""The same for rows side by side, whose sums are added afterwards."""
type Calls = Mapping[str, Sequence[ir.Operation]]
"""The calls of each function."""
_MOST_OPERATIONS: Final = 64
"""Largest number of operations in a loop."""


def rows(shape: tuple[int, ...], axis: int) -> tuple[int, ...] | None:
    """The shape to which an array is reshaped for a loop over rows along the axis; None for no loop.

    >>> rows((1000, 500), 0)
    (1000, 500)
    >>> rows((30000, 10), 0)
    (300, 1000)
    >>> rows((15, 500), 0)
    """
    n, row = shape[axis], math.prod(shape[axis + 1 :])
    together = 1
    if row < _ROW:
        together = next((k for k in range(_WIDE // row, _ROW // row, -1) if n % k == 0), n)
    if row == 1 or n // together < 2 * ARRAYS or math.prod(shape) >= _SHARED:
        return None
    return (*shape[:axis], n // together, together * row)


def _is_slow(x: Value) -> bool:
    return not isinstance(x.owner, ir.Block) and traits_of(x.owner.name).is_slow


@final
class RowLoop(Folding):
    """A reduction, over an axis, of an elementwise function of values in memory, and of those that do not vary along
    this axis; all arrays are reshaped to `cut`. In memory are the arguments of the program, and the results of slow
    operations that others read, too.
    """

    def __init__(self, reduction: ir.Operation, cut: tuple[int, ...], axis: int, calls: Calls) -> None:
        super().__init__(reduction)
        self.calls: Final = calls
        self.cut: Final = cut
        self.axis: Final = axis

    def written(self) -> Value | None:
        """The fold; None if a loop would be less exact, or its operands are not in memory."""
        x, init = self.reduction.operands
        values = set[Value]()
        if not self.exact(x) or not self.is_computed(x, values) or not self.are_read_elsewhere(values):
            return None
        axis, n = self.axis, self.cut[self.axis]
        stop = n - n % ARRAYS
        row = (*self.cut[:axis], *self.cut[axis + 1 :])
        zero, step, end = [self.index(number) for number in (0, ARRAYS, stop)]
        start = self.op("stablehlo.broadcast_in_dim", row, [init], broadcast_dimensions=self.numbers())
        types, place = [zero.type, start.type], self.reduction.location
        loop = self.ops("stablehlo.while", types, [zero, start], regions=2)
        more, once = [ir.Block.create_at_start(region, types, [place] * 2) for region in loop.regions]
        self.ip = ir.InsertionPoint(more)
        less = ir.Attribute.parse("#stablehlo<comparison_direction LT>", self.reduction.context)
        truth = ir.RankedTensorType.get((), ir.IntegerType.get_signless(1, self.reduction.context), loc=place)
        goes_on = self.ops("stablehlo.compare", [truth], [more.arguments[0], end], comparison_direction=less)
        self.ops("stablehlo.return", (), goes_on.results)
        self.ip = ir.InsertionPoint(once)
        at, before = once.arguments
        few = self.rows(ARRAYS)
        starts, sizes = [at if i == axis else zero for i in range(len(few))], self.numbers(*few)
        following: Callable[[Value], Value] = lambda array: self.op(
            "stablehlo.dynamic_slice", few, [array, *starts], slice_sizes=sizes
        )
        after = self.op(self.name, row, [before, self.fold(self.computed(x, few, following, {}), axis)])
        self.ops("stablehlo.return", (), [self.op("stablehlo.add", (), [at, step]), after])
        self.ip = ir.InsertionPoint(self.reduction)
        result: Value = loop.results[1]
        if stop < n:
            last = self.computed(x, self.rows(n - stop), lambda array: self.part(array, axis, stop, n), {})
            result = self.op(self.name, row, [result, self.fold(last, axis)])
        for value in filter(_is_slow, values):
            keep(value, self.reduction.location)
        return result

    def rows(self, count: int) -> tuple[int, ...]:
        """The shape of so many rows."""
        return (*self.cut[: self.axis], count, *self.cut[self.axis + 1 :])

    def exact(self, x: Value) -> bool:
        """Return True if the fold of `x` in a loop is as exact as one in steps."""
        integers = isinstance(ir.RankedTensorType(x.type).element_type, ir.IntegerType)
        few = self.cut[self.axis] <= (_LINE if shape_of(x) == self.cut else _APART)
        return traits_of(self.name).is_unordered or (self.name != "" and (integers or few))

    def is_computed(self, x: Value, before: set[Value]) -> bool:
        """Return True if the loop can compute `x`, which is then added to the values `before`."""
        maker = x.owner
        if x in before:
            return True
        before.add(x)
        if isinstance(maker, ir.Block):
            return self.is_argument(x)
        if maker.name == KEPT or traits_of(maker.name).is_slow:
            return symbol_of(maker.parent) != ""
        if maker.name == "stablehlo.constant":
            # The bindings of MLIR cannot read complex elements.
            readable = not isinstance(ir.RankedTensorType(x.type).element_type, ir.ComplexType)
            return readable and ir.DenseElementsAttr(maker.attributes["value"]).is_splat
        if maker.name == "stablehlo.broadcast_in_dim":
            return self.is_alike(maker)
        alike = all([shape_of(y) == shape_of(x) for y in maker.operands])
        operations = traits_of(maker.name).is_light and alike and len(before) <= _MOST_OPERATIONS
        return operations and all([self.is_computed(y, before) for y in maker.operands])

    def are_read_elsewhere(self, before: Set[Value]) -> bool:
        """Return True if each result of a slow operation is read by others, too, so that it is in memory anyway."""
        readers = [[use.owner for use in value.uses] for value in filter(_is_slow, before)]
        return not any(
            [all([op == self.reduction or not before.isdisjoint(op.results) for op in ops]) for ops in readers]
        )

    def is_alike(self, broadcast: ir.OpView | ir.Operation) -> bool:
        """Return True for a broadcast number, and for a broadcast that is the same in all rows."""
        axes = list(ir.DenseI64ArrayAttr(broadcast.attributes["broadcast_dimensions"]))
        if not axes:
            return True
        size = shape_of(broadcast.operands[0])[axes.index(self.axis)] if self.axis in axes else 1
        return size == 1 and shape_of(broadcast.results[0]) == self.cut

    def is_argument(self, x: Value) -> bool:
        """Return True if `x`, an argument of a function, is an argument of the program that calls pass on."""
        while isinstance(block := x.owner, ir.Block):
            if (symbol := symbol_of(block.owner)) == MAIN:
                return True
            calls = self.calls.get(symbol, ())
            if len(calls) != 1:
                return False
            x = calls[0].operands[ir.BlockArgument(x).arg_number]
        return False

    def computed(
        self, x: Value, shape: tuple[int, ...], part: Callable[[Value], Value], before: dict[Value, Value]
    ) -> Value:
        """`x` for some rows, which are a `part` of the argument; it is added to the values `before`."""
        if x in before:
            return before[x]
        maker, kind = x.owner, with_shape(x.type, shape)
        if isinstance(maker, ir.Block) or maker.name == KEPT or _is_slow(x):
            return before.setdefault(x, part(self.reshaped(x, self.cut)))
        if maker.name == "stablehlo.constant":
            element = ir.DenseElementsAttr(maker.attributes["value"]).get_splat_value()
            value = ir.DenseElementsAttr.get_splat(kind, element)
            return before.setdefault(x, self.ops(maker.name, [kind], (), value=value).result)
        repeated = maker.name == "stablehlo.broadcast_in_dim"
        operands = list(maker.operands) if repeated else [self.computed(y, shape, part, before) for y in maker.operands]
        again = maker.clone(self.ip)
        for i, operand in enumerate(operands):
            again.operands[i] = operand
        again.result.set_type(kind)
        return before.setdefault(x, again.result)

    def index(self, number: int) -> Value:
        integer = ir.IntegerType.get_signless(32, self.reduction.context)
        kind = ir.RankedTensorType.get((), integer, loc=self.reduction.location)
        value = ir.DenseElementsAttr.get_splat(kind, ir.IntegerAttr.get(integer, number))
        return self.ops("stablehlo.constant", [kind], (), value=value).result

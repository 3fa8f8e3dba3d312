"""Contractions over long axes, and those for which XLA would transpose the left operand.

If one operand has few rows, XLA's code for CPUs adds the products one after the other, with an error that grows with
their number. So long sums are written as a product and a reduction, which adds in parts. XLA moves contracted axes to
the end of the left operand, and would compute the operand again for that, column by column.
"""

from __future__ import annotations

import math
from typing import Final

from effects.operations.contraction import DotGeneral
from effects.operations.reduction import ReduceKind
from effects.program.jaxpr import Atom
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value, i64s
from lowering.stablehlo.reduction import fold
from lowering.stablehlo.scope import TYPES, Scope

_LONG: Final = 2**15
_FEW: Final = 4
_MOVED: Final = 1024
"""Number of elements below which transposing is as fast as reading."""


def is_long(op: DotGeneral[Atom]) -> bool:
    """Return True if many elements are added for few rows; for one row, if the other operand is not contiguous."""
    (x_sum, y_sum), (x_batch, _) = op.contracting, op.batch
    x, y = op.x.aval.shape, op.y.aval.shape
    count = math.prod([x[axis] for axis in x_sum])
    if count <= _LONG:
        return False
    shared = count * math.prod([x[axis] for axis in x_batch])
    rows, columns = math.prod(x) // shared, math.prod(y) // shared
    if rows == columns == 1 or min(rows, columns) >= _FEW:
        return False
    neighbours = (rows == 1 and y_sum == (len(y) - 1,)) or (columns == 1 and x_sum == (len(x) - 1,))
    return not neighbours or max(rows, columns) < _FEW or issubclass(op.x.aval.dtype, dtypes.Complex)


def is_moved(op: DotGeneral[Atom]) -> bool:
    """Return True if the contracted axes are not the last ones of a left operand of many elements."""
    (x_sum, _), x = op.contracting, op.x.aval
    return math.prod(x.shape) >= _MOVED and sorted(x_sum) != list(range(x.ndim - len(x_sum), x.ndim))


def reduced(op: DotGeneral[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """The contraction as a sum of products."""
    (x_sum, y_sum), (x_batch, y_batch) = op.contracting, op.batch
    n_shared, n_x = len(x_batch) + len(x_sum), op.x.aval.ndim
    x, x_shape = _leading(x, op.x.aval, (*x_batch, *x_sum), out, scope)
    y, y_shape = _leading(y, op.y.aval, (*y_batch, *y_sum), out, scope)
    whole = out.with_shape((*x_shape, *y_shape[n_shared:]))
    of_x, of_y = tuple(range(n_x)), (*range(n_shared), *range(n_x, whole.ndim))
    x = scope.broadcast(x, whole, of_x)
    y = scope.broadcast(y, whole, of_y)
    product = scope.do("multiply", x, y)
    return fold(ReduceKind.SUM, product, tuple(range(len(x_batch), n_shared)), out, scope)


def _leading(
    x: Value, aval: ShapedArray, first: tuple[int, ...], out: ShapedArray, scope: Scope
) -> tuple[Value, tuple[int, ...]]:
    """`x` with the axes `first` in front, and its shape."""
    order = (*first, *[axis for axis in range(aval.ndim) if axis not in first])
    shape = tuple([aval.shape[axis] for axis in order])
    moved = scope.op("stablehlo.transpose", TYPES[out.with_shape(shape)], (x,), {"permutation": i64s(order)})
    return moved, shape

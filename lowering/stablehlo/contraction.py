"""Contractions. XLA chooses the precision of float32 products: full on a CPU. Narrow floats are added in float32.

Where one side of the product has few rows, XLA's code for CPUs adds over the shared axis one element after the other,
with an error that grows with their count: long sums are products and then a reduction, which adds in parts.
"""

from __future__ import annotations

import math
from typing import Final

from effects.operations.contraction import DotGeneral, Precision
from effects.operations.reduction import ReduceKind
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.builder import Attributes
from lowering.stablehlo.context import Value, array, dot_dimensions, i64s, interned, parsed
from lowering.stablehlo.conversion import converted
from lowering.stablehlo.reduction import fold
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import FLOAT8, TYPES, Scope

_LONG: Final = 2**15
_FEW: Final = 4


@interned
def precision_of(precision: Precision) -> Attributes:
    """How exactly both operands are multiplied, where it is said."""
    if precision == "default":
        return {}
    return {"precision_config": array((parsed(f"#stablehlo<precision {precision.upper()}>"),) * 2)}


@RULES.rule(DotGeneral)
def lower_dot_general(op: DotGeneral[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    x, y = scope[op.x], scope[op.y]
    long = dtypes.is_inexact(out.dtype) and _long(op)
    if out.dtype is dtypes.bool_ or out.dtype in (dtypes.NARROW if long else FLOAT8):
        wide = dtypes.int32 if out.dtype is dtypes.bool_ else dtypes.float32
        x = scope.convert(x, op.x.aval.with_dtype(wide))
        y = scope.convert(y, op.y.aval.with_dtype(wide))
        product = (_reduced if long else _dot)(op, x, y, out.with_dtype(wide), scope)
        return converted(product, out.with_dtype(wide), out, scope)
    if out.dtype in dtypes.NARROW and scope.functions.parted:  # what devices add are parts of the sum
        return scope.convert(_dot(op, x, y, out.with_dtype(dtypes.float32), scope), out)
    return (_reduced if long else _dot)(op, x, y, out, scope)


def _dot(op: DotGeneral[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    (x_sum, y_sum), (x_batch, y_batch) = op.contracting, op.batch
    attributes = {
        "dot_dimension_numbers": dot_dimensions(x_batch, y_batch, x_sum, y_sum),
        **precision_of(op.precision),
    }
    return scope.op("stablehlo.dot_general", TYPES[out], (x, y), attributes)


def _long(op: DotGeneral[Atom]) -> bool:
    """Whether many elements are added for few rows: for one where the other side's elements are not neighbours."""
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


def _reduced(op: DotGeneral[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    (x_sum, y_sum), (x_batch, y_batch) = op.contracting, op.batch
    n_shared, n_x = len(x_batch) + len(x_sum), op.x.aval.ndim
    x, x_shape = _leading(x, op.x.aval, (*x_batch, *x_sum), out, scope)
    y, y_shape = _leading(y, op.y.aval, (*y_batch, *y_sum), out, scope)
    whole = out.with_shape((*x_shape, *y_shape[n_shared:]))
    of_x, of_y = tuple(range(n_x)), (*range(n_shared), *range(n_x, whole.ndim))
    x = scope.op("stablehlo.broadcast_in_dim", TYPES[whole], (x,), {"broadcast_dimensions": i64s(of_x)})
    y = scope.op("stablehlo.broadcast_in_dim", TYPES[whole], (y,), {"broadcast_dimensions": i64s(of_y)})
    product = scope.op("stablehlo.multiply", TYPES[whole], (x, y))
    return fold(ReduceKind.SUM, product, tuple(range(len(x_batch), n_shared)), out, scope)


def _leading(
    x: Value, aval: ShapedArray, first: tuple[int, ...], out: ShapedArray, scope: Scope
) -> tuple[Value, tuple[int, ...]]:
    """`x` with the axes `first` in front, and its shape."""
    order = (*first, *[axis for axis in range(aval.ndim) if axis not in first])
    shape = tuple([aval.shape[axis] for axis in order])
    moved = scope.op("stablehlo.transpose", TYPES[out.with_shape(shape)], (x,), {"permutation": i64s(order)})
    return moved, shape

"""Contractions. XLA chooses the precision of float32 products: full on a CPU. Narrow floats are added in float32."""

from __future__ import annotations

from effects.operations.contraction import DotGeneral, Precision
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.builder import Attributes
from lowering.stablehlo.context import Value, array, dot_dimensions, interned, parsed
from lowering.stablehlo.conversion import converted
from lowering.stablehlo.cpu.contraction import is_long, is_moved, reduced
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import FLOAT8, TYPES, Scope


@interned
def precision_of(precision: Precision) -> Attributes:
    """Precision attribute of both operands, where one is given."""
    if precision == "default":
        return {}
    return {"precision_config": array((parsed(f"#stablehlo<precision {precision.upper()}>"),) * 2)}


@RULES.rule(DotGeneral)
def lower_dot_general(op: DotGeneral[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    x, y = scope[op.x], scope[op.y]
    long = scope.functions.tuned and dtypes.is_inexact(out.dtype) and is_long(op)
    if out.dtype is dtypes.bool_ or out.dtype in (dtypes.NARROW if long else FLOAT8):
        wide = dtypes.int32 if out.dtype is dtypes.bool_ else dtypes.float32
        x = scope.convert(x, op.x.aval.with_dtype(wide))
        y = scope.convert(y, op.y.aval.with_dtype(wide))
        product = (reduced if long else _dot)(op, x, y, out.with_dtype(wide), scope)
        return converted(product, out.with_dtype(wide), out, scope)
    if out.dtype in dtypes.NARROW and scope.functions.parted:  # devices add parts of the sum
        return scope.convert(_dot(op, x, y, out.with_dtype(dtypes.float32), scope), out)
    return (reduced if long else _dot)(op, x, y, out, scope)


def _dot(op: DotGeneral[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    (x_sum, y_sum), (x_batch, y_batch) = op.contracting, op.batch
    if scope.functions.tuned and is_moved(op):
        x = scope.barrier(x)
    attributes = {"dot_dimension_numbers": dot_dimensions(x_batch, y_batch, x_sum, y_sum), **precision_of(op.precision)}
    return scope.op("stablehlo.dot_general", TYPES[out], (x, y), attributes)

"""Contractions. XLA chooses the precision of float32 products: full on a CPU."""

from __future__ import annotations

from effects import dtypes
from effects.jaxpr import Atom, Var
from effects.operations.contraction import DotGeneral
from lowering.stablehlo.context import Value, dot_dimensions
from lowering.stablehlo.conversion import converted
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import FLOAT8, TYPES, Scope


@RULES.rule(DotGeneral)
def lower_dot_general(op: DotGeneral[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    (x_sum, y_sum), (x_batch, y_batch) = op.contracting, op.batch
    attributes = {"dot_dimension_numbers": dot_dimensions(x_batch, y_batch, x_sum, y_sum)}
    out = outs[0].aval
    x, y = scope[op.x], scope[op.y]
    if out.dtype is dtypes.bool_ or out.dtype in FLOAT8:
        wide = dtypes.int32 if out.dtype is dtypes.bool_ else dtypes.float32
        x = scope.convert(x, op.x.aval.with_dtype(wide))
        y = scope.convert(y, op.y.aval.with_dtype(wide))
        product = scope.op("stablehlo.dot_general", TYPES[out.with_dtype(wide)], (x, y), attributes)
        return converted(product, out.with_dtype(wide), out, scope)
    return scope.op("stablehlo.dot_general", TYPES[out], (x, y), attributes)

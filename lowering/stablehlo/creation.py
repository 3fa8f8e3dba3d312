"""Operations without operands."""

from __future__ import annotations

from effects.operations.creation import Iota
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from lowering.stablehlo.context import Value, i64
from lowering.stablehlo.conversion import converted
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope


@RULES.rule(Iota)
def lower_iota(op: Iota[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    counted = out if issubclass(out.dtype, dtypes.Integer) else out.with_dtype(dtypes.int64)
    places = scope.op("stablehlo.iota", TYPES[counted], (), {"iota_dimension": i64(op.axis)})
    return converted(places, counted, out, scope)

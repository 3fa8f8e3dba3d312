"""Operations without operands."""

from __future__ import annotations

from effects.operations.creation import Band, Iota
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import bits, compared, converted
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import Scope


@RULES.rule(Iota)
def lower_iota(op: Iota[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    counted = out if issubclass(out.dtype, dtypes.Integer) else out.with_dtype(dtypes.int64)
    places = scope.iota(counted, op.axis)
    return converted(places, counted, out, scope)


@RULES.rule(Band)
def lower_band(op: Band[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    (n, m), counted = op.shape, ShapedArray(op.shape, dtypes.int64)
    row, column = [scope.iota(counted, axis) for axis in (0, 1)]

    def chosen(direction: str, k: int) -> Value:
        """Mask of the elements whose column compares so with that of diagonal k."""
        on_diagonal = scope.do("add", row, scope.fill(counted, k)) if k else row
        return compared(direction, column, on_diagonal, counted, scope)

    if op.low == op.high:
        on = chosen("EQ", op.low)
    elif op.low <= -n:
        on = chosen("LE", op.high)
    elif op.high >= m - 1:
        on = chosen("GE", op.low)
    else:
        both = chosen("GE", op.low), chosen("LE", op.high)
        on = scope.do("and", *both)
    return converted(on, bits(counted), outs[0].aval, scope)

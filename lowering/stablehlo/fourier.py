"""Fourier transforms: one operation of StableHLO each."""

from __future__ import annotations

from effects.operations.fourier import Fourier
from effects.program.jaxpr import Atom, Var
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value, i64s, parsed, string
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope


@RULES.rule(Fourier)
def lower_fourier(op: Fourier[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    if not out.size:
        return scope.fill(out, 0)
    attributes = {"fft_type": parsed(f"#stablehlo<fft_type {op.kind.name}>"), "fft_length": i64s(op.lengths)}
    ends = range(out.ndim - len(op.lengths), out.ndim)  # whole: else the partitioner gathers them, with a warning
    x = _in_rows(scope.whole_along(scope[op.x], op.x.aval, ends), op.x.aval, scope)
    y = _in_rows(scope.op("stablehlo.fft", TYPES[out], (x,), attributes), out, scope)
    return scope.whole_along(y, out, ends)


def _in_rows(value: Value, aval: ShapedArray, scope: Scope) -> Value:
    """The value in row-major layout, which the CPU's runtime needs, and LAPACK or a gather may have changed.

    The layout is no part of StableHLO, and omitted in programs for other platforms, or for any.
    """
    if not scope.functions.tuned:
        return value
    order = parsed(f"[dense<{[*reversed(range(aval.ndim))]}> : tensor<{aval.ndim}xindex>]")
    attributes = {"call_target_name": string("LayoutConstraint"), "operand_layouts": order, "result_layouts": order}
    return scope.op("stablehlo.custom_call", TYPES[aval], (value,), attributes)

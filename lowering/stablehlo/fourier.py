"""Fourier transforms: one operation of StableHLO each."""

from __future__ import annotations

from effects.operations.fourier import Fourier
from effects.program.jaxpr import Atom, Var
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value, i64s, parsed, string
from lowering.stablehlo.cuts import sharding_attribute
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope


@RULES.rule(Fourier)
def lower_fourier(op: Fourier[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    if not out.size:
        return scope.fill(out, 0)
    attributes = {"fft_type": parsed(f"#stablehlo<fft_type {op.kind.name}>"), "fft_length": i64s(op.lengths)}
    x = _in_rows(_whole(scope[op.x], op.x.aval, op, scope), op.x.aval, scope)
    return _whole(_in_rows(scope.op("stablehlo.fft", TYPES[out], (x,), attributes), out, scope), out, op, scope)


def _whole(value: Value, aval: ShapedArray, op: Fourier[Atom], scope: Scope) -> Value:
    """The operand, not cut along the axes that are transformed: else the partitioner gathers it itself, with a
    warning.
    """
    functions = scope.functions
    if functions.layout is None or (functions.manual is not None and not functions.manual.partly):
        return value
    names = ((),) * aval.ndim
    cut = sharding_attribute(functions.mesh(functions.layout.mesh), names, aval.ndim - len(op.lengths))
    return scope.op("sdy.sharding_constraint", TYPES[aval], (value,), {"sharding": cut})


def _in_rows(value: Value, aval: ShapedArray, scope: Scope) -> Value:
    """In row-major order, which the runtime of the CPU wants; LAPACK, or who gathers it, wants another one.

    To say so is no part of StableHLO, and left out of programs for other platforms, and for any.
    """
    if not scope.functions.tuned:
        return value
    order = parsed(f"[dense<{[*reversed(range(aval.ndim))]}> : tensor<{aval.ndim}xindex>]")
    attributes = {"call_target_name": string("LayoutConstraint"), "operand_layouts": order, "result_layouts": order}
    return scope.op("stablehlo.custom_call", TYPES[aval], (value,), attributes)

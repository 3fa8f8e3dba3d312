"""Fourier transforms: one operation of StableHLO each."""

from __future__ import annotations

from effects.operations.fourier import Fourier
from effects.program.jaxpr import Atom, Var
from lowering.stablehlo.context import Value, i64s, parsed
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope


@RULES.rule(Fourier)
def lower_fourier(op: Fourier[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    if not out.size:
        return scope.fill(out, 0)
    attributes = {"fft_type": parsed(f"#stablehlo<fft_type {op.kind.name}>"), "fft_length": i64s(op.lengths)}
    return scope.op("stablehlo.fft", TYPES[out], (scope[op.x],), attributes)

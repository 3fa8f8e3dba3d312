"""Derivatives of Fourier transforms, which are linear."""

from __future__ import annotations

from effects.operations.fourier import Fourier
from effects.program.chain import perform
from handlers.jvp.rules import RULES, Dual, Pair, value_of


@RULES.rule(Fourier)
def jvp_fourier(op: Fourier[Dual]) -> Pair:
    x, t = op.x.primal, op.x.tangent
    out = value_of(Fourier(op.kind, op.lengths, x))
    return out, None if t is None else perform(Fourier(op.kind, op.lengths, t))

"""Derivatives of contractions: the product rule."""

from __future__ import annotations

from effects.operations.contraction import DotGeneral
from effects.program.chain import perform
from handlers.jvp.elementwise import product_rule
from handlers.jvp.rules import RULES, Dual, Pair


@RULES.rule(DotGeneral)
def jvp_dot_general(op: DotGeneral[Dual]) -> Pair:
    contracting, batch, precision = op.contracting, op.batch, op.precision
    return product_rule(op, op.x, op.y, lambda a, b: perform(DotGeneral(contracting, batch, a, b, precision)))

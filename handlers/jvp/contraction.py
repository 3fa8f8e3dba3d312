"""Derivatives of contractions: the product rule."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.operations.contraction import DotGeneral
from effects.program.chain import perform
from handlers.jvp.elementwise import add_tangents
from handlers.jvp.rules import RULES, Dual, Pair, value_of


@RULES.rule(DotGeneral)
def jvp_dot_general(op: DotGeneral[Dual]) -> Pair:
    x, y = op.x, op.y

    def product(a: Array, b: Array) -> Array:
        return perform(DotGeneral(op.contracting, op.batch, a, b, op.precision))

    out = value_of(DotGeneral(op.contracting, op.batch, x.primal, y.primal, op.precision))
    by_x = None if x.tangent is None else product(x.tangent, y.primal)
    by_y = None if y.tangent is None else product(x.primal, y.tangent)
    return out, add_tangents(by_x, by_y)

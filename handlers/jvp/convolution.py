"""Derivatives of convolutions: the product rule."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.operations.convolution import Convolution
from effects.program.chain import perform
from handlers.jvp.elementwise import add_tangents
from handlers.jvp.rules import RULES, Dual, Pair, value_of


@RULES.rule(Convolution)
def jvp_convolution(op: Convolution[Dual]) -> Pair:
    x, kernel = op.x, op.kernel

    def convolved(a: Array, b: Array) -> Array:
        return perform(Convolution(op.window, op.layout, op.groups, a, b, op.precision))

    out = value_of(op.map(lambda dual: dual.primal))
    by_x = None if x.tangent is None else convolved(x.tangent, kernel.primal)
    by_kernel = None if kernel.tangent is None else convolved(x.primal, kernel.tangent)
    return out, add_tangents(by_x, by_kernel)

"""Derivatives of convolutions: the product rule."""

from __future__ import annotations

from effects.operations.convolution import Convolution
from effects.program.chain import perform
from handlers.jvp.elementwise import product_rule
from handlers.jvp.rules import RULES, Dual, Pair


@RULES.rule(Convolution)
def jvp_convolution(op: Convolution[Dual]) -> Pair:
    window, layout, groups, precision = op.window, op.layout, op.groups, op.precision
    return product_rule(op, op.x, op.kernel, lambda a, b: perform(Convolution(window, layout, groups, a, b, precision)))

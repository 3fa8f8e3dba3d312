"""Derivatives of folds over windows.

An extreme has the mean of the tangents at the positions where it is attained, and NaN where the window has one.
Products are differentiated by halving, as those over whole axes are.
"""

from __future__ import annotations

import math

import effects as fx
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, rounded_once
from effects.functions.elementwise import logic
from effects.functions.windows.pooling import elements_under_window
from effects.operations.pooling import Chosen, ChosenKind, ReduceWindow, WindowKind
from effects.program.chain import perform
from handlers.jvp.reduction import product_tangent
from handlers.jvp.rules import RULES, Dual, Pair, value_of


@RULES.rule(ReduceWindow)
def jvp_reduce_window(op: ReduceWindow[Dual]) -> Pair:
    kind, sizes, window = op.kind, op.sizes, op.window
    x, t = op.x.primal, op.x.tangent
    out = value_of(ReduceWindow(kind, sizes, window, x))
    if t is None:
        return out, None
    if kind is WindowKind.SUM:
        return out, perform(ReduceWindow(kind, sizes, window, t))
    if not out.aval.size:
        return out, fx.zeros_like(out)

    def of_product(x: Array, t: Array, out: Array) -> Array:
        factors, tangents = [fx.stack(elements_under_window(v, fill, sizes, window)) for v, fill in ((x, 1), (t, 0))]
        return product_tangent(factors, tangents, (0,))

    def of_extreme(x: Array, t: Array, out: Array) -> Array:
        def chosen(values: Array) -> Array:
            return perform(Chosen(ChosenKind.GATHER, sizes, window, x, out, values))

        count, one = chosen(fx.ones_like(x)), constant_like(1, x)
        divisor = logic.where(logic.greater(count, one), count, one)  # an empty array has no elements to choose
        return chosen(t) / logic.where(logic.equal(out, out), divisor, constant_like(math.nan, out))

    return out, rounded_once(of_product if kind is WindowKind.PROD else of_extreme, x, t, out)


@RULES.rule(Chosen)
def jvp_chosen(op: Chosen[Dual]) -> Pair:
    kind, sizes, window, x, y = op.kind, op.sizes, op.window, op.x.primal, op.y.primal
    out = value_of(Chosen(kind, sizes, window, x, y, op.values.primal))
    t = op.values.tangent
    return out, None if t is None else perform(Chosen(kind, sizes, window, x, y, t))

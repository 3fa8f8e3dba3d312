"""Derivatives of cumulative folds.

The tangent of a longer prefix is that of a shorter one and of the further elements, weighted: by 1 or 0 for extremes,
by shares of the sum where exponentials are summed. Weights follow from the values, so values and tangents are folded
together. An extreme has the mean of the tangents at the places where it is attained so far, and NaN where there is one.
Products are folded with their tangents, which is exact where they vanish. All of it holds to every order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, rounded_once
from effects.functions.elementwise import logic, transcendental, unary
from effects.functions.manipulation import movement
from effects.functions.reductions.prefixes import Leaves, prefixes
from effects.operations.cumulative import Cumulative, CumulativeKind
from effects.program.chain import perform
from handlers.jvp.rules import RULES, Dual, Pair, value_of

_K = CumulativeKind


@RULES.rule(Cumulative)
def jvp_cumulative(op: Cumulative[Dual]) -> Pair:
    kind, axis, reverse = op.kind, op.axis, op.reverse
    x, t = op.x.primal, op.x.tangent
    out = value_of(Cumulative(kind, axis, x, reverse))
    if t is None:
        return out, None
    if kind is _K.SUM:
        return out, perform(Cumulative(kind, axis, t, reverse))

    def tangent(x: Array, t: Array) -> Array:
        exact = out if out.aval.dtype is x.aval.dtype else perform(Cumulative(kind, axis, x, reverse))
        return TANGENTS[kind](axis, reverse, x, t, exact)

    return out, rounded_once(tangent, x, t)


def _along(combined: Callable[[Leaves, Leaves], Leaves], axis: int, reverse: bool, *leaves: Array) -> Leaves:
    """The prefixes under `combined`, from the other end if `reverse`."""
    inputs = [movement.flip(leaf, axis=axis) if reverse else leaf for leaf in leaves]
    results = prefixes(combined, inputs, [axis] * len(leaves))
    return [movement.flip(leaf, axis=axis) if reverse else leaf for leaf in results]


def _of_products(axis: int, reverse: bool, x: Array, t: Array, out: Array) -> Array:
    def combined(first: Leaves, second: Leaves) -> Leaves:
        (a, da), (b, db) = first, second
        return [a * b, da * b + a * db]

    return _along(combined, axis, reverse, x, t)[1]


def _of_sums(axis: int, reverse: bool, x: Array, t: Array, out: Array) -> Array:
    def weight(part: Array, total: Array) -> Array:
        """The share of a part in a total, both given as logarithms."""
        is_empty, zero = total == constant_like(-math.inf, total), constant_like(0, total)
        return logic.where(is_empty, zero, transcendental.exp(logic.where(is_empty, zero, part - total)))

    def combined(first: Leaves, second: Leaves) -> Leaves:
        (a, da), (b, db) = first, second
        return [b, da * weight(a, b) + db]

    return _along(combined, axis, reverse, out, t * weight(x, out))[1]


def _of_extremes(axis: int, reverse: bool, x: Array, t: Array, out: Array) -> Array:
    zero, one = constant_like(0, out), constant_like(1, out)

    def combined(first: Leaves, second: Leaves) -> Leaves:
        """The extreme, the sum of the tangents where it is attained, and at how many places that is."""
        (a, *of_a), (b, *of_b) = first, second
        return [b, *[w + logic.where(a == b, v, zero) for v, w in zip(of_a, of_b, strict=True)]]

    attained = x == out
    sums, counts = _along(
        combined, axis, reverse, out, logic.where(attained, t, zero), logic.where(attained, one, zero)
    )[1:]
    return sums / logic.where(unary.isnan(out), constant_like(math.nan, out), counts)


TANGENTS: Final[dict[CumulativeKind, Callable[[int, bool, Array, Array, Array], Array]]] = {
    _K.LOGSUMEXP: _of_sums,
    _K.MAX: _of_extremes,
    _K.MIN: _of_extremes,
    _K.PROD: _of_products,
}
"""The tangent of each kind of fold, from the axis, `reverse`, the operand, its tangent and the result."""

"""Derivatives of cumulative folds.

All but the sum are folds of values with their tangents, by the same associative function: exact where a product
vanishes, and to every order. An extreme passes on the mean of the tangents at the places where it is attained so far,
and NaN where there is one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, rounded_once
from effects.functions import arithmetic, creation, elementwise, logic, movement, transcendental
from effects.functions.prefixes import Leaves, prefixes
from effects.operations.cumulative import Cumulative, CumulativeKind
from effects.program.chain import perform
from handlers.jvp.rules import RULES, Dual, Pair

_K = CumulativeKind


@RULES.rule(Cumulative)
def jvp_cumulative(op: Cumulative[Dual]) -> Pair:
    kind, axis, reverse = op.kind, op.axis, op.reverse
    x, t = op.x.primal, op.x.tangent
    out = perform(Cumulative(kind, axis, x, reverse))
    if t is None:
        return out, None
    if kind is _K.SUM:
        return out, perform(Cumulative(kind, axis, t, reverse))
    return out, rounded_once(lambda x, t: _tangent(kind, axis, reverse, x, t), x, t)


def _tangent(kind: CumulativeKind, axis: int, reverse: bool, x: Array, t: Array) -> Array:
    leaves = [x, t]
    if kind is _K.MAX or kind is _K.MIN:
        leaves.append(creation.ones_like(x))
    if reverse:
        leaves = [movement.flip(leaf, axis=axis) for leaf in leaves]
    out, slope, *count = prefixes(TOGETHER[kind], leaves, [axis] * len(leaves))
    if count:
        slope = slope / logic.where(elementwise.isnan(out), out, count[0])
    return movement.flip(slope, axis=axis) if reverse else slope


def _product(first: Leaves, second: Leaves) -> Leaves:
    (a, da), (b, db) = first, second
    return [a * b, da * b + a * db]


def _logsumexp(first: Leaves, second: Leaves) -> Leaves:
    (a, da), (b, db) = first, second
    out = arithmetic.logaddexp(a, b)
    nothing = out == constant_like(-math.inf, out)
    zero = constant_like(0, out)

    def weight(part: Array) -> Array:
        return logic.where(nothing, zero, transcendental.exp(logic.where(nothing, zero, part - out)))

    return [out, da * weight(a) + db * weight(b)]


def _extreme(choose: Callable[[Array, Array], Array], first: Leaves, second: Leaves) -> Leaves:
    """The extreme, the sum of the tangents where it is attained, and at how many places that is."""
    (a, *of_a), (b, *of_b) = first, second
    out = choose(a, b)
    zero = constant_like(0, out)
    return [
        out,
        *[logic.where(a == out, v, zero) + logic.where(b == out, w, zero) for v, w in zip(of_a, of_b, strict=True)],
    ]


TOGETHER: Final[dict[CumulativeKind, Callable[[Leaves, Leaves], Leaves]]] = {
    _K.LOGSUMEXP: _logsumexp,
    _K.MAX: lambda first, second: _extreme(arithmetic.maximum, first, second),
    _K.MIN: lambda first, second: _extreme(arithmetic.minimum, first, second),
    _K.PROD: _product,
}
"""How values and what is kept with them are combined."""

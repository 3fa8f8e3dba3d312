"""Nelder and Mead's search, by values alone."""

from __future__ import annotations

from collections.abc import Callable

import effects as fx
import handlers
from effects.arrays.array import Array
from effects.optimize.objective import Ends, Search, chosen, largest

type Simplex = tuple[Array, Array]
"""Corners [n + 1, n], the least first, and the values there."""


def nelder_mead(f: Callable[[Array], Array], start: Array, ends: Ends) -> Search[Simplex]:
    """A simplex whose greatest corner is moved through the middle of the others, or else all towards the least.

    How far depends on the number of unknowns. NaN counts as infinite. Source: Gao and Han, 2012.
    """
    n = start.aval.size
    number = max(n, 2)
    far, near, shrunk = 1 + 2 / number, 0.75 - 1 / (2 * number), 1 - 1 / number

    def value(x: Array) -> Array:
        result = f(x)
        return fx.where(fx.isnan(result), fx.inf, result)

    def ordered(corners: Array, values: Array) -> Simplex:
        order = fx.argsort(values)
        return corners[order], values[order]

    def status(corners: Array, values: Array) -> Array:
        spread = fx.maximum(largest(corners[1:] - corners[0]), largest(values[1:] - values[0]))
        return ends.reached(fx.minimum(spread, fx.finfo(start.aval.dtype).max), values[0])

    def advance(state: Search[Simplex]) -> Search[Simplex]:
        corners, values = state.memory
        middle = fx.mean(corners[:-1], axis=0)
        onward = middle - corners[-1]
        reflected = value(middle + onward)
        beyond, outside = reflected < values[0], reflected < values[-1]
        share = fx.where(beyond, far, fx.where(outside, near, -near))
        second = value(middle + share * onward)
        expanded = fx.logical_and(beyond, second < reflected)
        plain = fx.logical_and(reflected < values[max(n - 1, 0)], ~expanded)
        contracted = fx.where(outside, second <= reflected, second < values[-1])
        moved = chosen(plain, (middle + onward, reflected), (middle + share * onward, second))

        def with_moved() -> Simplex:
            return fx.concat([corners[:-1], moved[0][None]]), fx.concat([values[:-1], moved[1][None]])

        def towards_least() -> Simplex:
            closer = corners[0] + shrunk * (corners[1:] - corners[0])
            return fx.concat([corners[:1], closer]), fx.concat([values[:1], handlers.vmap(value)(closer)])

        better = fx.logical_or(fx.logical_or(plain, expanded), contracted)
        after = ordered(*handlers.cond(better, with_moved, towards_least))
        return state.after(after[0][0], after, fx.where(better, 2, 2 + n), status(*after))

    if not n:
        first = start[None], value(start)[None]
    else:
        corners = fx.concat([start[None], start + fx.diag(0.05 * fx.maximum(fx.abs(start), 1.0))])
        first = ordered(corners, handlers.vmap(value)(corners))
    return ends.search(advance, first[0][0], first, n + 1, status(*first))

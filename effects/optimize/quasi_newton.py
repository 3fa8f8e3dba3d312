"""Descent by line searches, and quasi-Newton methods: BFGS and L-BFGS, which learn curvature from gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import effects as fx
import handlers
from effects.arrays.array import Array
from effects.optimize.line_searches import Wolfe, searched
from effects.optimize.objective import Ends, Status, chosen, largest

WOLFE = Wolfe()
MEMORY = 10
"""Number of steps that L-BFGS remembers."""


class Search(NamedTuple):
    """The end of a search: the point, the numbers of steps and of evaluations, the status."""

    x: Array
    steps: Array
    evaluations: Array
    status: Array


class _Descent[M](NamedTuple):
    """A point, the value and the gradient there, and the memory of a method."""

    x: Array
    value: Array
    slope: Array
    memory: M
    steps: Array
    evaluations: Array
    status: Array


def descent[M](
    f: Callable[[Array], Array],
    start: Array,
    ends: Ends,
    memory: M,
    direction: Callable[[M, Array, Array], Array],
    learned: Callable[[M, Array, Array], M],
) -> Search:
    """Line searches along direction(memory, x, gradient); `learned` is the memory after a step and its change."""
    both = handlers.value_and_grad(f)

    def advance(state: _Descent[M]) -> _Descent[M]:
        x, slope = state.x, state.slope
        along = direction(state.memory, x, slope)
        downhill = slope @ along < 0  # also False of NaN
        along = fx.where(downhill, along, -slope)
        full_step = fx.logical_and(downhill, state.steps > 0)  # steps are of no known length before the first
        length = fx.where(full_step, 1.0, fx.minimum(1.0, 1 / fx.linalg.vector_norm(slope)))
        best, count, _ = searched(both, x, along, state.value, slope, length, WOLFE)
        moved = best.step * along
        memory = learned(state.memory, moved, best.slope - slope)
        status = fx.where(best.step > 0, ends.reached(largest(best.slope), best.value), Status.STALLED)
        after = x + moved, best.value, best.slope, memory
        return _Descent(*after, state.steps + 1, state.evaluations + count, fx.astype(status, fx.int32))

    value, slope = both(start)
    zero = fx.zeros((), dtype=fx.int32)
    begin = _Descent(start, value, slope, memory, zero, zero + 1, ends.reached(largest(slope), value))
    end = handlers.while_loop(lambda state: ends.going(state.status, state.steps), advance, begin)
    return Search(end.x, end.steps, end.evaluations, end.status)


def bfgs(f: Callable[[Array], Array], start: Array, ends: Ends) -> Search:
    """Broyden, Fletcher, Goldfarb and Shanno: the inverse Hessian matrix by updates of rank 2."""

    def direction(inverse: Array, x: Array, slope: Array) -> Array:
        return -(inverse @ slope)

    def learned(inverse: Array, moved: Array, change: Array) -> Array:
        product = moved @ change
        curved = fx.logical_and(product > 0, fx.isfinite(change @ change / product))
        product = fx.where(curved, product, 1.0)
        turned = inverse @ change
        outer = fx.outer(turned, moved)
        grown = (1 + change @ turned / product) * fx.outer(moved, moved) - outer - fx.matrix_transpose(outer)
        return fx.where(curved, inverse + grown / product, inverse)

    return descent(f, start, ends, fx.eye(start.aval.size, dtype=start.aval.dtype), direction, learned)


class _Pairs(NamedTuple):
    """The last steps and the changes of the gradient, the newest first; the inverses of their products, or 0."""

    steps: Array
    changes: Array
    inverses: Array


def lbfgs(f: Callable[[Array], Array], start: Array, ends: Ends) -> Search:
    """BFGS of limited memory: the inverse Hessian matrix is that of the last steps, and never written down."""

    def direction(pairs: _Pairs, x: Array, slope: Array) -> Array:
        def back(left: Array, pair: _Pairs) -> tuple[Array, Array]:
            share = pair.inverses * (pair.steps @ left)
            return left - share * pair.changes, share

        def forth(scaled: Array, row: tuple[_Pairs, Array]) -> tuple[Array, None]:
            pair, share = row
            return scaled + pair.steps * (share - pair.inverses * (pair.changes @ scaled)), None

        left, shares = handlers.scan(back, slope, pairs)
        size = pairs.inverses[0] * (pairs.changes[0] @ pairs.changes[0])
        scaled = left / fx.where(size > 0, size, 1.0)
        return -handlers.scan(forth, scaled, (pairs, shares), reverse=True)[0]

    def learned(pairs: _Pairs, moved: Array, change: Array) -> _Pairs:
        product = moved @ change
        curved = fx.logical_and(product > 0, fx.isfinite(change @ change / product))
        newest = _Pairs(moved, change, 1 / fx.where(curved, product, 1.0))
        pushed = fx.tree_map(lambda rows, row: fx.concat([row[None], rows[:-1]]), pairs, newest)
        return chosen(curved, pushed, pairs)

    rows = fx.zeros((MEMORY, start.aval.size), dtype=start.aval.dtype)
    return descent(f, start, ends, _Pairs(rows, rows, fx.zeros(MEMORY, dtype=start.aval.dtype)), direction, learned)

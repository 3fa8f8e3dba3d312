"""Descent by line searches, and quasi-Newton methods: BFGS and L-BFGS, which learn curvature from gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import effects as fx
import handlers
from effects.arrays.array import Array
from effects.optimize.line_searches import ValueAndSlope, Wolfe, searched
from effects.optimize.objective import Ends, Search, Status, chosen, largest

WOLFE = Wolfe()
MEMORY = 10
"""Number of steps that L-BFGS remembers."""

PATIENCE = 20
"""Number of steps that may lead nowhere: gradients do not fall with every step, and rounding hides values."""


class Descent[M](NamedTuple):
    """The value and the gradient at a point, the memory of a method, and the progress of its steps.

    `least` are the least value and the least size of a gradient so far, and `idle` counts the steps since one of these
    became less.
    """

    value: Array
    slope: Array
    memory: M
    least: tuple[Array, Array]
    idle: Array

    def after(self, value: Array, slope: Array, memory: M) -> Descent[M]:
        """The descent one step on."""
        size, (least, flattest) = largest(slope), self.least
        useful = fx.logical_or(value < least, size < flattest)
        records = fx.minimum(value, least), fx.minimum(size, flattest)
        return Descent(value, slope, memory, records, fx.where(useful, 0, self.idle + 1))

    def status(self, ends: Ends) -> Array:
        """The status of this point."""
        status = ends.reached(largest(self.slope), self.value)
        return fx.where(fx.logical_and(status == Status.MAXITER, self.idle >= PATIENCE), Status.STALLED, status)


def descending[M](
    both: ValueAndSlope,
    start: Array,
    ends: Ends,
    memory: M,
    advance: Callable[[Search[Descent[M]]], Search[Descent[M]]],
) -> Search[Descent[M]]:
    """The end of the descent that these steps make."""
    value, slope = both(start)
    begin = Descent(value, slope, memory, (value, largest(slope)), fx.zeros((), dtype=fx.int32))
    return ends.search(advance, start, begin, 1, begin.status(ends))


def descent[M](
    f: Callable[[Array], Array],
    start: Array,
    ends: Ends,
    memory: M,
    direction: Callable[[M, Array, Array], Array],
    learned: Callable[[M, Array, Array], M],
) -> Search[Descent[M]]:
    """Line searches along direction(memory, x, gradient); `learned` is the memory after a step and its change."""
    both = handlers.value_and_grad(f)

    def advance(state: Search[Descent[M]]) -> Search[Descent[M]]:
        x, (value, slope, memory, _, _) = state.x, state.memory
        along = direction(memory, x, slope)
        downhill = slope @ along < 0  # also False of NaN
        along = fx.where(downhill, along, -slope)
        full_step = fx.logical_and(downhill, state.steps > 0)  # steps are of no known length before the first
        first = fx.minimum(1.0, 1 / fx.linalg.vector_norm(slope))
        length = fx.where(full_step, 1.0, first)
        best, count, satisfied = searched(both, x, along, value, slope, length, WOLFE)
        moved = best.step * along
        after = state.memory.after(best.value, best.slope, learned(memory, moved, best.slope - slope))
        useful = fx.logical_and(best.step > 0, fx.logical_or(satisfied, after.idle == 0))
        return state.after(x + moved, after, count, fx.where(useful, after.status(ends), Status.STALLED))

    return descending(both, start, ends, memory, advance)


def bfgs(f: Callable[[Array], Array], start: Array, ends: Ends) -> Search[Descent[Array]]:
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


class Pairs(NamedTuple):
    """The last steps and the changes of the gradient, the newest first; the inverses of their products, or 0."""

    steps: Array
    changes: Array
    inverses: Array


def lbfgs(f: Callable[[Array], Array], start: Array, ends: Ends) -> Search[Descent[Pairs]]:
    """BFGS of limited memory: the inverse Hessian matrix is that of the last steps, and never written down."""

    def direction(pairs: Pairs, x: Array, slope: Array) -> Array:
        def back(left: Array, pair: Pairs) -> tuple[Array, Array]:
            share = pair.inverses * (pair.steps @ left)
            return left - share * pair.changes, share

        def forth(scaled: Array, row: tuple[Pairs, Array]) -> tuple[Array, None]:
            pair, share = row
            return scaled + pair.steps * (share - pair.inverses * (pair.changes @ scaled)), None

        left, shares = handlers.scan(back, slope, pairs)
        size = pairs.inverses[0] * (pairs.changes[0] @ pairs.changes[0])
        scaled = left / fx.where(size > 0, size, 1.0)
        return -handlers.scan(forth, scaled, (pairs, shares), reverse=True)[0]

    def learned(pairs: Pairs, moved: Array, change: Array) -> Pairs:
        product = moved @ change
        curved = fx.logical_and(product > 0, fx.isfinite(change @ change / product))
        newest = Pairs(moved, change, 1 / fx.where(curved, product, 1.0))
        pushed = fx.tree_map(lambda rows, row: fx.concat([row[None], rows[:-1]]), pairs, newest)
        return chosen(curved, pushed, pairs)

    rows = fx.zeros((MEMORY, start.aval.size), dtype=start.aval.dtype)
    return descent(f, start, ends, Pairs(rows, rows, fx.zeros(MEMORY, dtype=start.aval.dtype)), direction, learned)

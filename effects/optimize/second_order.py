"""Newton's method by products with the Hessian matrix alone: along line searches, and in a trust region."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import effects as fx
import handlers
from effects.arrays.array import Array
from effects.optimize.objective import Ends, Search, Status, chosen, hidden, largest, negligible
from effects.optimize.quasi_newton import Descent, descending, descent


class _Conjugate(NamedTuple):
    """State of conjugate gradients: the step, the gradient of the model there and its square, the next direction."""

    step: Array
    slope: Array
    square: Array
    along: Array
    tries: Array
    done: Array


def _truncated(product: Callable[[Array], Array], slope: Array, radius: Array) -> Array:
    """The step where product(step) = -slope, by conjugate gradients, as exactly as the distance is worth.

    It ends at the radius. Where the curvature is not positive it goes along to the radius, or no further if that is
    infinite. Source: Steihaug, 1983.
    """
    size = fx.linalg.vector_norm(slope)
    small = fx.minimum(0.5, fx.sqrt(size)) * size

    def advance(state: _Conjugate) -> _Conjugate:
        turned = product(state.along)
        curvature = state.along @ turned
        length = state.square / curvature
        step = state.step + length * state.along
        inside = fx.logical_and(curvature > 0, fx.linalg.vector_norm(step) < radius)
        after = state.slope + length * turned
        square = after @ after
        along = square / state.square * state.along - after
        done = fx.logical_or(~inside, fx.sqrt(square) <= small)
        end = fx.where(inside, step, _at_radius(state.step, state.along, radius))
        return _Conjugate(end, after, square, along, state.tries + 1, done)

    def going(state: _Conjugate) -> Array:
        return fx.logical_and(~state.done, state.tries < 2 * slope.aval.size + 10)  # more than n, for rounding

    zero = fx.zeros((), dtype=fx.int32)
    begin = _Conjugate(fx.zeros_like(slope), slope, slope @ slope, -slope, zero, size == 0)
    return handlers.while_loop(going, advance, begin).step


def _at_radius(step: Array, along: Array, radius: Array) -> Array:
    """The point step + t · along, t ≥ 0, that has this norm; the step itself where there is none."""
    square, product = along @ along, step @ along
    left = radius * radius - step @ step
    t = left / (product + fx.sqrt(product * product + square * left))
    return step + fx.where(fx.isfinite(t), t, 0.0) * along


def newton_cg(f: Callable[[Array], Array], start: Array, ends: Ends) -> Search[Descent[tuple[()]]]:
    """Line searches along Newton's step, or down the gradient where the curvature is not positive."""
    gradient = handlers.grad(f)

    def direction(memory: tuple[()], x: Array, slope: Array) -> Array:
        return _truncated(handlers.linearize(gradient, x)[1], slope, fx.zeros_like(slope @ slope) + fx.inf)

    return descent(f, start, ends, (), direction, lambda memory, moved, change: memory)


ENOUGH = 0.15
"""Part of the decrease that the model promises from which on a step is accepted."""


def trust_region(f: Callable[[Array], Array], start: Array, ends: Ends) -> Search[Descent[Array]]:
    """Newton's step within a radius, which follows how well the model foretells the decrease."""
    both = handlers.value_and_grad(f)
    gradient = handlers.grad(f)

    def advance(state: Search[Descent[Array]]) -> Search[Descent[Array]]:
        x, (value, slope, radius, _, _) = state.x, state.memory
        product = handlers.linearize(gradient, x)[1]
        step = _truncated(product, slope, radius)
        length = fx.linalg.vector_norm(step)
        promised = -(slope @ step + step @ product(step) / 2)
        value_there, slope_there = both(x + step)
        noise = hidden(value)  # so that decreases which rounding hides count as promised
        ratio = (value - value_there + noise) / (promised + noise)
        usable = fx.logical_or(fx.isfinite(largest(slope_there)), value_there == -fx.inf)
        accepted = fx.logical_and(ratio > ENOUGH, usable)
        at_edge = fx.logical_and(ratio > 0.75, length >= 0.99 * radius)
        grown = fx.where(at_edge, 2 * radius, radius)
        next_radius = fx.where(fx.logical_and(accepted, ratio >= 0.25), grown, fx.minimum(length, radius) / 4)
        there = state.memory.after(value_there, slope_there, next_radius)
        after = chosen(accepted, there, state.memory._replace(memory=next_radius))
        stalled = fx.logical_and(~accepted, negligible(length, x))
        status = fx.where(stalled, Status.STALLED, after.status(ends))
        return state.after(fx.where(accepted, x + step, x), after, 1, status)

    return descending(both, start, ends, fx.ones_like(fx.sum(start)), advance)

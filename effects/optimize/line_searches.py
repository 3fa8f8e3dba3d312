"""Line searches: a step along a direction that makes a function less, and its slope flatter."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import effects as fx
import handlers
from effects.arguments import number, step_count
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import convert
from effects.errors import ArgumentError, ShapeError
from effects.optimize.objective import chosen, hidden, scalar_objective, vectorized
from effects.runtime.attributes import advising
from effects.trees.pytree import check_like, tree_leaves_with_path

type ValueAndSlope = Callable[[Array], tuple[Array, Array]]

GROWTH = 4.0
"""Factor by which a step grows that is too short."""


@advising
class LineSearch[P](NamedTuple):
    """A step along a direction, the value and the gradient there; `converged` where Wolfe's conditions hold."""

    step: Array
    fun: Array
    jac: P
    evaluations: Array
    converged: Array


class Trial(NamedTuple):
    """A step, and there the value, the gradient and the rate, which is the gradient along the direction."""

    step: Array
    value: Array
    slope: Array
    rate: Array


class _Bracket(NamedTuple):
    """The least point so far, the other end where there is one, and the step to try next."""

    least: Trial
    other: Trial
    bracketed: Array
    step: Array
    evaluations: Array
    done: Array


class Wolfe(NamedTuple):
    """The parts of the first decrease and of the first rate that are enough, and the number of steps to try."""

    c1: float = 1e-4
    c2: float = 0.9
    maxiter: int = 30


def _interpolated(low: Trial, high: Trial) -> Array:
    """The step where the cubic through values and rates of both is least; in the middle where there is none."""
    width = high.step - low.step
    first = low.rate + high.rate - 3 * (high.value - low.value) / width
    square = first * first - low.rate * high.rate
    root = fx.sign(width) * fx.sqrt(fx.maximum(square, 0.0))
    share = 1 - (high.rate + root - first) / (high.rate - low.rate + 2 * root)
    usable = fx.logical_and(fx.isfinite(share), square >= 0)
    return low.step + width * fx.where(usable, fx.clip(share, 0.1, 0.9), 0.5)


def searched(
    both: ValueAndSlope, x: Array, direction: Array, value: Array, slope: Array, first_step: Array, wolfe: Wolfe
) -> tuple[Trial, Array, Array]:
    """The best step, the number of evaluations, and True where it satisfies the strong conditions of Wolfe.

    A trial that is not lower than the least one, or not finite, becomes the other end of a bracket; one beyond the
    minimum turns it round. Differences of values that rounding hides are judged by the rates.
    """
    rate = slope @ direction
    noise = hidden(value)
    start = Trial(fx.zeros_like(value), value, slope, rate)

    def advance(state: _Bracket) -> _Bracket:
        least, other = state.least, state.other
        value_there, slope_there = both(x + state.step * direction)
        trial = Trial(state.step, value_there, slope_there, slope_there @ direction)
        by_rate = fx.logical_and(trial.value <= value + noise, trial.rate <= (2 * wolfe.c1 - 1) * rate)
        enough = fx.logical_or(trial.value <= value + wolfe.c1 * trial.step * rate, by_rate)
        lower = fx.logical_and(enough, trial.value <= least.value + noise)
        lower = fx.logical_and(lower, fx.isfinite(trial.rate))
        bottomless = trial.value == -fx.inf
        flat = fx.logical_and(lower, fx.abs(trial.rate) <= wolfe.c2 * fx.abs(rate))
        onward = fx.where(state.bracketed, other.step - least.step, 1.0)
        turned = fx.logical_and(lower, trial.rate * onward >= 0)
        high = chosen(lower, chosen(turned, least, other), trial)
        low = chosen(fx.logical_or(lower, bottomless), trial, least)
        bracketed = fx.logical_or(state.bracketed, fx.logical_or(~lower, turned))
        step = fx.where(bracketed, _interpolated(low, high), GROWTH * state.step)
        return _Bracket(low, high, bracketed, step, state.evaluations + 1, fx.logical_or(flat, bottomless))

    def going(state: _Bracket) -> Array:
        return fx.logical_and(~state.done, state.evaluations < wolfe.maxiter)

    downhill = fx.logical_and(fx.isfinite(value), rate < 0)
    begin = _Bracket(start, start, fx.asarray(False), first_step, fx.zeros((), dtype=fx.int32), ~downhill)
    end = handlers.while_loop(going, advance, begin)
    return end.least, end.evaluations, fx.logical_and(end.done, fx.logical_and(downhill, fx.isfinite(end.least.value)))


def line_search[P, *Args](
    f: Callable[[P, *Args], ArrayLike],
    x: P,
    direction: P,
    *args: *Args,
    c1: float = 1e-4,
    c2: float = 0.9,
    maxiter: int = 30,
) -> LineSearch[P]:
    """A step a > 0 along a direction p in which f falls, that satisfies the strong Wolfe conditions.

    f(x + a·p) ≤ f(x) + c1·a·∇f(x)·p and |∇f(x + a·p)·p| ≤ c2·|∇f(x)·p|; where rounding hides the decrease, the slopes
    alone decide. Steps to where f is NaN or infinite are too long. `converged` is False if `maxiter` trials are not
    enough, with the lowest of them, and if f does not fall along p, with the step 0. Sources: Nocedal and Wright,
    Numerical optimization, 2006, 3.5; Hager and Zhang, 2005.

    `fun` and `jac` are differentiable in x, the direction, the arguments and the values that f closes over, at this
    step, which has no derivative.

    Raises ArgumentError unless 0 < c1 < c2 < 1, TreeError or ShapeError unless the direction is a tree like x,
    NotScalarError unless f gives a scalar.

    >>> import effects as fx
    >>> fx.optimize.line_search(lambda x: x**2, fx.asarray(3.0), fx.asarray(-1.0), c2=0.1).step
    Array(3., float64)
    """
    first, second = number("line_search", "c1", c1), number("line_search", "c2", c2)
    if not 0 < first < second < 1:
        raise ArgumentError(f"line_search: 0 < c1 < c2 < 1 must hold, got c1 = {first} and c2 = {second}")
    wolfe = Wolfe(first, second, step_count("line_search", "maxiter", maxiter))
    objective = scalar_objective("line_search", f, x, args, "x")
    check_like("line_search: direction", direction, "x", x)
    along = vectorized("line_search", direction, lambda _: fx.asarray(0.0), (), "direction").start
    for (path, leaf), part in zip(tree_leaves_with_path(x), fx.tree_leaves(direction), strict=True):
        own, other = fx.shape(leaf), fx.shape(part)
        if own != other:
            difference = f"must have the shape of x{path}, {list(own)}, got {list(other)}"
            raise ShapeError(f"line_search: direction{path} {difference}")
    both = handlers.value_and_grad(objective.constant)
    value, slope = both(objective.start)
    along = convert(along, slope.aval.dtype)
    best, count, converged = searched(both, objective.start, along, value, slope, fx.ones_like(value), wolfe)
    start, towards = [convert(fx.ravel_pytree(tree)[0], along.aval.dtype) for tree in (x, direction)]
    value, slope = handlers.value_and_grad(objective.varying)(start + handlers.stop_gradient(best.step) * towards)
    return LineSearch(best.step, value, objective.tree(slope), count + 2, converged)

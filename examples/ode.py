"""Differential equations by the adaptive method of Dormand and Prince (1980), with two ways back.

A slope is f(y, t, *args), of a state y that is any tree of arrays. `trajectory` steps as often as it has to, and its
gradient is the adjoint equation, solved backwards: it keeps nothing of the way. `checkpointed` has a bound on the
number of steps, and its gradient is that of the steps, each of which is made again on the way back.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import effects as fx
from effects import Array
from handlers import checkpoint, cond, custom_vjp, fori_loop, scan, stop_gradient, vjp, while_loop

type Tree = Any
"""A tree of arrays."""
type Slope = Callable[..., Tree]

TIMES = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
STAGES = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
"""Weights of the slopes before each stage; the last one is the step of order 5."""
ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
"""Weights of the difference between the steps of order 5 and of order 4."""


class Tolerance(NamedTuple):
    """Error that each step may have, in proportion to the state and besides."""

    relative: float = 1e-8
    absolute: float = 1e-10


FINE = Tolerance()


class Walk(NamedTuple):
    """A state, its slope, the time, and the step to try next."""

    y: Tree
    slope: Tree
    t: Array
    h: Array


def moved(y: Tree, h: Array, weights: tuple[float, ...], slopes: list[Tree]) -> Tree:
    """y + h times the weighted sum of slopes."""
    used = [(w, k) for w, k in zip(weights, slopes, strict=False) if w]
    return fx.tree_map(lambda y, *ks: y + h * sum(w * k for (w, _), k in zip(used, ks)), y, *[k for _, k in used])


def step(f: Slope, walk: Walk, until: Array, tolerance: Tolerance, args: tuple[Tree, ...]) -> Walk:
    """One try: the walk a step further, or where it was with a shorter step to try."""
    h = fx.minimum(walk.h, until - walk.t)
    y, slopes = walk.y, [walk.slope]
    for time, weights in zip(TIMES[1:], STAGES[1:], strict=True):
        y = moved(walk.y, h, weights, slopes)
        slopes.append(f(y, walk.t + time * h, *args))
    wrong = stop_gradient(moved(fx.tree_map(fx.zeros_like, y), h, ERROR, slopes))
    relative, absolute = tolerance
    allowed = fx.tree_map(lambda a, b: absolute + relative * fx.maximum(abs(a), abs(b)), walk.y, y)
    shares = [fx.ravel(e / a) for e, a in zip(fx.tree_leaves(wrong), fx.tree_leaves(stop_gradient(allowed)))]
    error = fx.sqrt(fx.mean(fx.concat(shares) ** 2))
    factor = fx.clip(0.9 * fx.maximum(error, 1e-10) ** -0.2, 0.2, 5.0)
    good = error <= 1.0
    chosen = fx.tree_map(lambda new, old: fx.where(good, new, old), (y, slopes[-1]), (walk.y, walk.slope))
    return Walk(*chosen, fx.where(good, walk.t + h, walk.t), stop_gradient(h * factor))


def started(f: Slope, y: Tree, times: Array, args: tuple[Tree, ...]) -> Walk:
    """A walk from the first time on, whose first step is short."""
    return Walk(y, f(y, times[0], *args), times[0], stop_gradient(times[-1] - times[0]) * 1e-3)


def stacked(first: Tree, others: Tree) -> Tree:
    return fx.tree_map(lambda a, b: fx.concat([a[None], b]), first, others)


def solved(f: Slope, y: Tree, times: Array, tolerance: Tolerance, args: tuple[Tree, ...]) -> Tree:
    """The states at ascending times, the first of which is that of y."""

    def to_next(walk: Walk, until: Array) -> tuple[Walk, Tree]:
        before = walk.h
        walk = while_loop(lambda w: w.t < until, lambda w: step(f, w, until, tolerance, args), walk)
        return walk._replace(h=fx.maximum(walk.h, before)), walk.y

    return stacked(y, scan(to_next, started(f, y, times, args), times[1:])[1])


def walked(f: Slope, tolerance: Tolerance, y: Tree, times: Array, args: tuple[Tree, ...]) -> Tree:
    return solved(f, y, times, tolerance, args)


adjoint = custom_vjp(walked, nondiff_argnums=(0, 1))


def forwards(f: Slope, tolerance: Tolerance, y: Tree, times: Array, args: tuple[Tree, ...]) -> Any:
    ys = solved(f, y, times, tolerance, args)
    return ys, (ys, times, args)


def inner(x: Tree, y: Tree) -> Array:
    return fx.stack([fx.sum(a * b) for a, b in zip(fx.tree_leaves(x), fx.tree_leaves(y), strict=True)]).sum()


def backwards(f: Slope, tolerance: Tolerance, residuals: Any, cts: Tree) -> tuple[Tree, Array, Tree]:
    """From each time to the one before: the state, what the result makes of it, and of the other arguments."""
    ys, times, args = residuals

    def slope(state: tuple[Tree, Tree, Tree], back: Array, *args: Tree) -> tuple[Tree, Tree, Tree]:
        y, a, _ = state
        rate, pull = vjp(lambda y, args: f(y, -back, *args), y, args)
        turned: Callable[[Tree], Tree] = lambda tree: fx.tree_map(fx.negative, tree)
        return turned(rate), *pull(a)

    def to_last(state: tuple[Tree, Tree], now: Any) -> tuple[tuple[Tree, Tree], Array]:
        a, of_args = state
        y, ct, t, before = now
        a = fx.tree_map(fx.add, a, ct)
        path = solved(slope, (y, a, of_args), fx.stack([-t, -before]), tolerance, args)
        _, a, of_args = fx.tree_map(lambda x: x[-1], path)
        return (a, of_args), inner(ct, f(y, t, *args))

    later: Callable[[Tree], Tree] = lambda tree: fx.tree_map(lambda x: x[1:], tree)
    first: Callable[[Tree], Tree] = lambda tree: fx.tree_map(lambda x: x[0], tree)
    nothing = fx.tree_map(fx.zeros_like, (first(ys), args))
    (a, of_args), of_times = scan(to_last, nothing, (later(ys), later(cts), times[1:], times[:-1]), reverse=True)
    start = inner(a, f(first(ys), times[0], *args))
    return fx.tree_map(fx.add, a, first(cts)), fx.concat([-start[None], of_times]), of_args


adjoint.defvjp(forwards, backwards)


def trajectory(f: Slope, y: Tree, times: Array, *args: Tree, tolerance: Tolerance = FINE) -> Tree:
    """The states at ascending times, the first of which is that of y; differentiable in y, the times and `args`.

    >>> ys = trajectory(lambda y, t, rate: -rate * y, fx.asarray(1.0), fx.asarray([0.0, 1.0]), fx.asarray(2.0))
    >>> bool(abs(ys[1] - math.exp(-2.0)) < 1e-8)
    True
    """
    return adjoint(f, tolerance, y, times, args)


def checkpointed(f: Slope, y: Tree, times: Array, *args: Tree, steps: int = 64, tolerance: Tolerance = FINE) -> Tree:
    """The same by at most so many steps from each time to the next; NaN where they are too few. Of any derivative.

    >>> ys = checkpointed(lambda y, t, rate: -rate * y, fx.asarray(1.0), fx.asarray([0.0, 1.0]), fx.asarray(2.0))
    >>> bool(abs(ys[1] - math.exp(-2.0)) < 1e-8)
    True
    """
    tried = checkpoint(lambda walk, until: step(f, walk, until, tolerance, args))

    def to_next(walk: Walk, until: Array) -> tuple[Walk, Tree]:
        before = walk.h
        walk = fori_loop(0, steps, lambda _, w: cond(w.t < until, tried, lambda w, _: w, w, until), walk)
        there = walk.t >= until
        return walk._replace(h=fx.maximum(walk.h, before)), fx.tree_map(lambda y: fx.where(there, y, math.nan), walk.y)

    return stacked(y, scan(to_next, started(f, y, times, args), times[1:])[1])

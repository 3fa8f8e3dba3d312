"""Minima, roots and fits: points are trees like the first ones, and arguments are those of the function."""

from typing import NamedTuple, reveal_type

import effects as fx
from handlers import grad
from lowering import jit


class Place(NamedTuple):
    u: fx.Array[fx.float32]
    v: fx.Array[fx.float32]


def valley(x: Place, a: fx.Array[fx.float32]) -> fx.Array[fx.float32]:
    return fx.sum((a - x.u) ** 2 + 100 * (x.v - x.u**2) ** 2)


@jit
def best(start: Place, a: fx.Array[fx.float32]) -> Place:
    result = fx.optimize.minimize(valley, start, a, method="bfgs", tol=1e-3)
    reveal_type(result.jac)  # tuple[Array[float32, Any], Array[float32, Any], fallback=Place]
    reveal_type(result.converged)  # Array[Any, Any]
    return result.x


def moved(start: Place, a: fx.Array[fx.float32]) -> fx.Array[fx.float32]:
    return fx.sum(fx.optimize.minimize(lambda x: valley(x, a), start).x.u)


def stepped(start: Place, a: fx.Array[fx.float32]) -> Place:
    slope = grad(valley)(start, a)
    return fx.optimize.line_search(valley, start, slope, a).jac


def crossing(x: Place, a: fx.Array[fx.float32]) -> Place:
    return Place(x.u - a, x.v * x.u)


def crossed(start: Place, a: fx.Array[fx.float32]) -> Place:
    return fx.optimize.root(crossing, start, a, maxiter=9).fun


def fitted(start: Place, a: fx.Array[fx.float32]) -> Place:
    result = fx.optimize.least_squares(lambda x, a: {"more": x.u - a, "less": x.v}, start, a)
    reveal_type(result.fun)  # dict[str, Array[float32, Any]]
    reveal_type(result.jac)  # Array[Any, Any]
    return result.grad

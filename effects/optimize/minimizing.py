"""`minimize`: the point at which a function is least, by several methods, with its derivatives by the arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

import handlers
from effects.arguments import choice
from effects.arrays.array import Array, ArrayLike
from effects.optimize.objective import (
    Ends,
    Search,
    Status,
    dense_solve,
    ends,
    implicit,
    iterative_solve,
    scalar_objective,
    shown_search,
)
from effects.optimize.quasi_newton import bfgs, lbfgs
from effects.optimize.second_order import newton_cg, trust_region
from effects.optimize.simplex import nelder_mead
from effects.runtime.attributes import advising

type Method = Literal["bfgs", "l-bfgs", "newton-cg", "trust-region", "nelder-mead"]


@advising
class Minimum[P](NamedTuple):
    """A point, the value and the gradient there, how many steps and evaluations led to it, and a `Status`."""

    x: P
    fun: Array
    jac: P
    steps: Array
    evaluations: Array
    status: Array

    def __repr__(self) -> str:
        return shown_search(self)

    @property
    def converged(self) -> Array:
        """True where the criterion of the method is met."""
        return self.status == Status.CONVERGED


class _Method(NamedTuple):
    """A search, and the solution of equations with the Hessian matrix."""

    search: Callable[[Callable[[Array], Array], Array, Ends], Search[Any]]
    solve: Callable[[Callable[[Array], Array], Array], Array]


_METHODS: Final[dict[str, _Method]] = {
    "bfgs": _Method(bfgs, dense_solve),
    "l-bfgs": _Method(lbfgs, iterative_solve),
    "newton-cg": _Method(newton_cg, iterative_solve),
    "trust-region": _Method(trust_region, iterative_solve),
    "nelder-mead": _Method(nelder_mead, dense_solve),
}


def minimize[P, *Args](
    f: Callable[[P, *Args], ArrayLike],
    x0: P,
    *args: *Args,
    method: Method = "bfgs",
    tol: float | None = None,
    maxiter: int | None = None,
) -> Minimum[P]:
    """The x near x0 at which f(x, *args) is least: a local minimum.

    x0 is a tree of floats. f is called with trees like it (float16 and bfloat16 as float32) and returns a scalar. The
    search ends when no element of the gradient is greater than `tol` (None: the square root of the precision of x0),
    after `maxiter` steps (200 for each element), or when steps no longer make value or gradient less, as where rounding
    hides the rest. `status` tells which; `converged` is True in the first case. The `method` "nelder-mead" uses values
    alone, and ends when neither these nor the corners of its simplex differ by more than `tol`. Float arguments are
    arrays in f; integers, which may be sizes or exponents, are part of the program, which is compiled for each: pass
    3.0 for one that changes.

    x and fun are differentiable, to any order, in the arguments and the values that f closes over, by the equation
    ∇f(x, *args) = 0, not through the steps: ẋ = -H⁻¹ ∂∇f, where the Hessian matrix H is not singular. x0 has no
    derivative.

    Raises DTypeError if x0 is not of floats, NotScalarError if f does not return a scalar. Source: Nocedal and Wright,
    Numerical optimization, 2006.

    >>> import effects as fx
    >>> from handlers import grad
    >>> valley = lambda x, a: (a - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
    >>> result = fx.optimize.minimize(valley, fx.asarray([-1.2, 1.0]), 1.0)
    >>> fx.round(result.x, 6), result.converged
    (Array([1., 1.], float64), Array(True, bool))
    >>> fx.round(grad(lambda a: fx.optimize.minimize(valley, fx.zeros(2), a).x[1])(3.0), 6)
    Array(6., float64)
    """
    known = _METHODS[choice("minimize", "method", method, Method)]
    objective = scalar_objective("minimize", f, x0, args)
    end = known.search(objective.constant, objective.start, ends("minimize", objective.start, tol, maxiter))
    x = implicit(handlers.grad(objective.varying), end.x, known.solve)
    value, slope = handlers.value_and_grad(objective.varying)(x)
    return Minimum(objective.tree(x), value, objective.tree(slope), end.steps, end.evaluations, end.status)

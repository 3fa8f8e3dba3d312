"""`root` and `least_squares`, by the method of Levenberg and Marquardt, differentiated by what they satisfy."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import effects as fx
import handlers
from effects.arguments import check_callable, function_name, in_the_name_of, refusal
from effects.arrays.array import Array
from effects.errors import ShapeError
from effects.optimize.objective import (
    Ends,
    Search,
    Status,
    chosen,
    dense_solve,
    ends,
    epsilon,
    floats,
    implicit,
    largest,
    length,
    negligible,
    shown_search,
    vectorized,
)
from effects.runtime.attributes import advising
from effects.trees.pytree import check_like, tree_leaves_with_path


@advising
class Root[P](NamedTuple):
    """A point, the value there, how many steps and evaluations led to it, and a `Status`."""

    x: P
    fun: P
    steps: Array
    evaluations: Array
    status: Array

    def __repr__(self) -> str:
        return shown_search(self)

    @property
    def converged(self) -> Array:
        """True where the criterion is met."""
        return self.status == Status.CONVERGED


@advising
class LeastSquares[P, R](NamedTuple):
    """A point, half the sum of squares, the residuals, their Jacobian matrix, the gradient; then as `Minimum`."""

    x: P
    cost: Array
    fun: R
    jac: Array
    grad: P
    steps: Array
    evaluations: Array
    status: Array

    def __repr__(self) -> str:
        return shown_search(self)

    @property
    def converged(self) -> Array:
        """True where the criterion is met."""
        return self.status == Status.CONVERGED


class Linear(NamedTuple):
    """The linear model at a point: residuals and their Jacobian matrix; the damping, and the scales of the unknowns."""

    residuals: Array
    jacobian: Array
    damping: Array
    scales: Array


type Measure = Callable[[Array, Array, Array], Array]
"""The size that is to be small, of residuals, their greatest cosine, the part of x that the last step moved it by."""

ENOUGH = 1e-4
"""Part of the decrease that the linear model promises from which on a step is accepted."""


def _modelled(f: Callable[[Array], Array], x: Array) -> tuple[Array, Array]:
    """The value and the Jacobian matrix."""
    value, product = handlers.linearize(f, x)
    return value, handlers.vmap(product, out_axes=1)(fx.eye(x.aval.size, dtype=x.aval.dtype))


def _cosine(residuals: Array, jacobian: Array) -> Array:
    """The greatest |cosine| of a column of the matrix with the residuals; 0 where there are none."""
    direction, columns = [x / fx.where(length(x) > 0, length(x), 1.0) for x in (residuals, jacobian)]
    return largest(direction @ columns)


def levenberg_marquardt(
    f: Callable[[Array], Array], start: Array, ends: Ends, measure: Callable[[Array, Array], Measure]
) -> Search[Linear]:
    """Steps of Gauss and Newton, damped by as much as the linear model errs, and less the smaller the residuals are.

    `measure` is given the norm of the residuals at the start, and the unit that they are in. A point where the cosine
    is small, and the size is not, is one from which no step makes the residuals less. Sources: Moré, 1978; Fan and
    Yuan, 2005.
    """

    def advance(state: Search[Linear]) -> Search[Linear]:
        x, (residuals, jacobian, damping, scales) = state.x, state.memory
        size = length(residuals)
        weights = fx.sqrt(damping * size / first) * fx.where(scales > 0, scales, 1.0)
        q, r = fx.linalg.qr(fx.concat([jacobian, fx.diag(weights)]))
        step = -fx.linalg.solve_triangular(r, q[: residuals.aval.size].T @ residuals)
        there, slopes = _modelled(scaled, x + step)
        left, promised = [fx.sum(fx.square(r / size)) for r in (there, residuals + jacobian @ step)]
        noise = 1 + 10 * epsilon(x)  # so that decreases which rounding hides count as promised
        ratio = (noise - left) / (noise - promised)
        accepted = fx.logical_and(ratio > ENOUGH, fx.isfinite(largest(slopes)))
        moves = length(step)
        moved = moves / (1 + length(x))
        factor = fx.where(ratio > 0.25, 0.3, 2.0)
        factor = fx.where(ratio > 0.75, 0.1, factor)
        eased = fx.maximum(damping * fx.where(accepted, factor, 4.0), epsilon(x))
        after = chosen(
            accepted,
            Linear(there, slopes, eased, fx.maximum(scales, length(slopes))),
            Linear(residuals, jacobian, eased, scales),
        )
        cosine = _cosine(there, slopes)
        stuck = fx.where(accepted, cosine <= ends.tol, negligible(moves, x))
        reached = ends.reached(small(there, cosine, moved), size)
        status = fx.where(accepted, reached, Status.MAXITER)
        status = fx.where(fx.logical_and(stuck, status == Status.MAXITER), Status.STALLED, status)
        return state.after(fx.where(accepted, x + step, x), after, 1, status)

    size = largest(f(start))
    unit = fx.where(fx.logical_and(fx.isfinite(size), size > 0), size, 1.0)  # whose squares neither over- nor underflow
    scaled = lambda x: f(x) / unit
    residuals, jacobian = _modelled(scaled, start)
    first = length(residuals)
    small = measure(first, unit)
    begin = Linear(residuals, jacobian, fx.full_like(first, 1e-3), length(jacobian))
    status = ends.reached(small(residuals, _cosine(residuals, jacobian), fx.ones_like(first)), fx.sum(jacobian))
    return ends.search(advance, start, begin, 1, status)


def root[P, *Args](
    f: Callable[[P, *Args], P], x0: P, *args: *Args, tol: float | None = None, maxiter: int | None = None
) -> Root[P]:
    """An x near x0 where f(x, *args) = 0, for trees of floats; f gives a tree like x0.

    By Newton steps with the Jacobian matrix, damped where they do not reduce the squares of f. The search ends when no
    element of f is greater than `tol` (None: the square root of the precision of x0) after a step of length at most tol
    · (1 + |x|), or after `maxiter` steps (200 for each element). It stalls at a minimum of the squares that is not a
    root. `status` tells which; `converged` is True in the first case. Arguments are as for `minimize`.

    x is differentiable, to any order, in the arguments and the values that f closes over, by the equation f(x, *args) =
    0: ẋ = -J⁻¹ ∂f, where the Jacobian matrix J is not singular. x0 has no derivative.

    Raises DTypeError if x0 or f is not of floats, TreeError or ShapeError if f is not like x0. Sources: as those of
    `least_squares`.

    >>> import effects as fx
    >>> from handlers import grad
    >>> crossing = lambda x, a: fx.stack([x[0] ** 2 + x[1] ** 2 - a, x[0] - x[1]])
    >>> fx.optimize.root(crossing, fx.ones(2), 8.0).x
    Array([2., 2.], float64)
    >>> grad(lambda a: fx.optimize.root(crossing, fx.ones(2), a).x[0])(8.0)
    Array(0.125, float64)
    """
    check_callable("root", f)

    @in_the_name_of(f)
    def value(x: P, *args: *Args) -> Array:
        result, name = f(x, *args), f"root: what {function_name(f)} gives"
        check_like(name, result, "x0", x)
        parts = _residuals("root", result)
        for (path, leaf), part in zip(tree_leaves_with_path(x), parts, strict=True):
            if part.aval.shape != leaf.aval.shape:
                raise ShapeError(f"{name} is {part.aval}, where x0{path} is {leaf.aval}")
        return _vector(parts)

    def measure(_: Array, unit: Array) -> Measure:
        def measured(f: Array, cosine: Array, moved: Array) -> Array:
            size = largest(f)
            return fx.where(size == 0, 0.0, fx.maximum(unit * size, moved))

        return measured

    equation = vectorized("root", x0, value, args)
    end = levenberg_marquardt(equation.constant, equation.start, ends("root", equation.start, tol, maxiter), measure)
    x = implicit(equation.varying, end.x, dense_solve)
    return Root(equation.tree(x), equation.tree(equation.varying(x)), end.steps, end.evaluations, end.status)


def least_squares[P, R, *Args](
    f: Callable[[P, *Args], R], x0: P, *args: *Args, tol: float | None = None, maxiter: int | None = None
) -> LeastSquares[P, R]:
    """The x near x0 at which the squares of f(x, *args) have the least sum, for trees of floats: a local minimum.

    By the Levenberg-Marquardt method. The search ends when no column of the Jacobian matrix has a cosine with the
    residuals greater than `tol` (None: the square root of the precision of x0), when the residuals are at most `tol`
    times those at x0 after a step of at most tol · (1 + |x|), or after `maxiter` steps (200 for each element). `status`
    tells which; `converged` is True in the first two cases. Arguments are as for `minimize`.

    The rows of `jac` are the elements of f, its columns those of x. Results are differentiable, to any order, in the
    arguments and the values that f closes over, by the equation Jᵀf = 0, where the Hessian matrix of the sum is not
    singular. x0 has no derivative.

    Raises DTypeError if x0 or f is not of floats. Sources: Moré, 1978; Fan and Yuan, 2005.

    >>> import effects as fx
    >>> t = fx.asarray([0.0, 1.0, 2.0])
    >>> wrong = lambda x, y: x["size"] * fx.exp(-x["rate"] * t) - y
    >>> result = fx.optimize.least_squares(wrong, {"size": 1.0, "rate": 0.0}, fx.asarray([4.0, 2.0, 1.0]))
    >>> fx.round(result.x["size"], 6), fx.round(result.x["rate"], 6), result.converged
    (Array(4., float64), Array(0.693147, float64), Array(True, bool))
    """
    check_callable("least_squares", f)

    def measure(first: Array, _: Array) -> Measure:
        def small(residuals: Array, cosine: Array, moved: Array) -> Array:
            share = length(residuals) / fx.where(first > 0, first, 1.0)
            return fx.minimum(cosine, fx.maximum(share, moved))

        return small

    @in_the_name_of(f)
    def value(x: P, *args: *Args) -> Array:
        return _vector(_residuals("least_squares", f(x, *args)))

    problem = vectorized("least_squares", x0, value, args)
    end = levenberg_marquardt(
        problem.constant, problem.start, ends("least_squares", problem.start, tol, maxiter), measure
    )
    size = largest(_modelled(problem.constant, end.x)[1])
    unit = fx.where(fx.logical_and(fx.isfinite(size), size > 0), size, 1.0)  # in which the Hessian is of order 1
    cost: Callable[[Array], Array] = lambda x: fx.sum(fx.square(problem.varying(x) / unit)) / 2
    x = implicit(handlers.grad(cost), end.x, dense_solve)
    residuals, jacobian = _modelled(problem.varying, x)
    return LeastSquares(
        problem.tree(x),
        fx.sum(fx.square(residuals)) / 2,
        f(problem.wide(x), *args),
        jacobian,
        problem.tree(residuals @ jacobian),
        *(end.steps, end.evaluations, end.status),
    )


def _residuals(function: str, tree: object) -> list[Array]:
    """The leaves of what a function gives, which are real."""
    leaves = tree_leaves_with_path(tree)
    if tree is None:
        raise refusal(function, "what f gives", "a float, an array or a tree of them", tree)
    return [floats(function, f"what f gives{path}", leaf) for path, leaf in leaves]


def _vector(parts: list[Array]) -> Array:
    return fx.ravel_pytree(parts)[0]

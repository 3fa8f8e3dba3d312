"""Systems of linear equations by products with the matrix alone: iterations, differentiated by the equation."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import effects as fx
from effects.arguments import in_the_name_of, natural, number, refusal
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import inexact
from effects.errors import ArgumentError, ShapeError
from effects.functions.elementwise import logic
from effects.trees.functions import ravel_pytree
from effects.trees.pytree import tree_map
from effects.types import dtypes
from handlers.transformations.derivatives.linearization import linear_transpose
from handlers.transformations.derivatives.stop_gradient import stop_gradient
from handlers.transformations.implicit.solutions import custom_linear_solve
from handlers.transformations.loops.loops import fori_loop, while_loop

type _LinearMap = Callable[[Array], Array]


def cg[T](
    a: ArrayLike | Callable[[T], T],
    b: T,
    x0: T | None = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: ArrayLike | Callable[[T], T] | None = None,
) -> T:
    """The x with a @ x = b, by conjugate gradients: a is a positive definite matrix, or the function x ↦ a @ x.

    It begins at `x0` (0) and stops when |b - a @ x| is at most max(tol · |b|, atol), or after `maxiter` steps (10 times
    the number of elements); check the remaining b - a @ x yourself. If it is NaN or infinite, the solution is NaN. `M`
    approximates the inverse of a. b may be a tree, which `a` maps to a tree of the same form. Derivatives are those of
    the solution, whatever the steps (Hestenes, Stiefel, 1952).

    >>> import effects as fx
    >>> from handlers import grad
    >>> cg(fx.asarray([[4.0, 1.0], [1.0, 3.0]]), fx.asarray([5.0, 4.0]))
    Array([1., 1.], float64)
    """
    solution: T = _solve("cg", _conjugate_gradients, a, b, x0, tol, atol, maxiter, M, symmetric=True)
    return solution


def bicgstab[T](
    a: ArrayLike | Callable[[T], T],
    b: T,
    x0: T | None = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: ArrayLike | Callable[[T], T] | None = None,
) -> T:
    """Solve a x = b as `cg` does, by stabilised bi-conjugate gradients: a need not be symmetric (van der Vorst, 1992).

    >>> import effects as fx
    >>> bicgstab(fx.asarray([[4.0, 1.0], [0.0, 3.0]]), fx.asarray([5.0, 3.0]))
    Array([1., 1.], float64)
    """
    solution: T = _solve(
        "bicgstab", _stabilised_biconjugate_gradients, a, b, x0, tol, atol, maxiter, M, symmetric=False
    )
    return solution


def gmres[T](
    a: ArrayLike | Callable[[T], T],
    b: T,
    x0: T | None = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    restart: int = 20,
    maxiter: int | None = None,
    M: ArrayLike | Callable[[T], T] | None = None,
) -> T:
    """Solve a x = b as `cg` does, by the generalised minimal residual: a need not be symmetric (Saad, Schultz, 1986).

    It keeps `restart` vectors, takes their best combination, and restarts from there, at most `maxiter` times.

    >>> import effects as fx
    >>> gmres(fx.asarray([[4.0, 1.0], [0.0, 3.0]]), fx.asarray([5.0, 3.0]))
    Array([1., 1.], float64)
    """
    restart_length = natural("gmres", "restart", restart)
    if not restart_length:
        raise ArgumentError("gmres: restart must be positive, got 0")
    solution: T = _solve(
        "gmres", partial(_minimal_residual, restart_length), a, b, x0, tol, atol, maxiter, M, symmetric=False
    )
    return solution


class _Stopping(NamedTuple):
    """Stopping criterion of an iteration: the largest norm of the residual, and the largest number of steps."""

    tolerance: Array
    steps: int


type _Iteration = Callable[[_LinearMap, _LinearMap, Array, Array, _Stopping], Array]
"""iteration(a, m, b, x, stopping): the solution of a x = b, iterated from x, where m approximates the inverse of a."""


def _solve(
    function: str,
    iteration: _Iteration,
    a: object,
    b: object,
    x0: object,
    tol: float,
    atol: float,
    maxiter: int | None,
    m: object,
    *,
    symmetric: bool,
) -> Any:
    relative, absolute = number(function, "tol", tol), number(function, "atol", atol)
    flat, unravel = _vector(function, "b", b)
    count = max(10 * flat.aval.size, 1) if maxiter is None else natural(function, "maxiter", maxiter)
    start = fx.zeros_like(flat) if x0 is None else _vector(function, "x0", x0)[0]
    if start.aval.shape != flat.aval.shape:
        raise ShapeError(f"{function}: x0 must have the form of b, got {start.aval.size} elements for {flat.aval.size}")
    start = fx.astype(start, flat.aval.dtype)
    product = _linear_map(function, "a", a, flat, unravel)
    preconditioner = (lambda x: x) if m is None else _linear_map(function, "M", m, flat, unravel)

    def solve(first_guess: Array | None, preconditioner: _LinearMap) -> Callable[[_LinearMap, Array], Array]:
        def solved(product: _LinearMap, b: Array) -> Array:
            tolerance = fx.maximum(relative * fx.linalg.vector_norm(b), absolute)
            x = fx.zeros_like(b) if first_guess is None else first_guess
            return iteration(product, preconditioner, b, x, _Stopping(tolerance, count))

        return solved

    def transposed_preconditioner(x: Array) -> Array:
        transposed: Array = linear_transpose(preconditioner, x)(x)[0]
        return transposed

    first_guess = stop_gradient(start)
    # The matrix of a symmetric complex system is Hermitian: its transpose is its conjugate.
    self_transposed = symmetric and not issubclass(flat.aval.dtype, dtypes.Complex)
    solution = custom_linear_solve(
        product, flat, solve(first_guess, preconditioner), solve(None, transposed_preconditioner), self_transposed
    )
    return unravel(solution)


def _vector(function: str, argument: str, tree: object) -> tuple[Array, Any]:
    """The leaves of a tree as one vector of inexact numbers, and the function from such a vector to the tree."""
    leaves: Any = tree_map(lambda leaf: inexact(function, leaf, argument), tree)
    flat, unravel = ravel_pytree(leaves)
    return flat, unravel


def _linear_map(
    function: str, argument: str, a: object, flat: Array, unravel: Callable[[Array], Any]
) -> Callable[[Array], Array]:
    """x ↦ a @ x on vectors, for a matrix, or a function of trees."""
    if callable(a) and not isinstance(a, Array | type):
        mapped: Callable[[Any], object] = a

        @in_the_name_of(mapped)
        def product(x: Array) -> Array:
            result = ravel_pytree(mapped(unravel(x)))[0]
            if result.aval.shape != x.aval.shape:
                raise ShapeError(
                    f"{function}: {argument} must return as many elements as it takes, {x.aval.size}, "
                    f"got {result.aval.size}"
                )
            return fx.astype(result, x.aval.dtype)

        return product
    if a is None or isinstance(a, str | bytes | type | dict):
        raise refusal(function, argument, "a square matrix or a function", a)
    matrix = inexact(function, a, argument)
    if matrix.aval.shape != (flat.aval.size, flat.aval.size):
        raise ShapeError(
            f"{function}: {argument} must be a square matrix with {flat.aval.size} rows, as b, or a function, "
            f"got {matrix.aval}"
        )
    return lambda x: fx.matmul(fx.astype(matrix, x.aval.dtype), x)


def _divide_or_zero(x: Array, y: Array) -> Array:
    """x / y, and 0 where y is 0, so that the iteration stays where it is."""
    zero = y == 0
    return logic.where(zero, 0, x / logic.where(zero, 1, y))


def _iterate(next_state: Callable[[Any], Any], state: Any, stopping: _Stopping) -> Array:
    """x at the end of the iteration. A state is x, the residual b - a @ x, further arrays, and the number of steps."""

    def continues(state: Any) -> Any:
        return (fx.linalg.vector_norm(state[1]) > stopping.tolerance) & (state[-1] < stopping.steps)

    x, residual, *_ = while_loop(continues, next_state, state)
    solution: Array = logic.where(fx.isfinite(fx.linalg.vector_norm(residual)), x, math.nan)
    return solution


def _conjugate_gradients(a: _LinearMap, m: _LinearMap, b: Array, x: Array, stopping: _Stopping) -> Array:
    def next_state(state: Any) -> Any:
        x, residual, direction, product, step = state
        image = a(direction)
        step_size = _divide_or_zero(product, fx.vecdot(direction, image))
        x, residual = x + step_size * direction, residual - step_size * image
        preconditioned = m(residual)
        next_product = fx.vecdot(residual, preconditioned)
        return x, residual, preconditioned + _divide_or_zero(next_product, product) * direction, next_product, step + 1

    residual = b - a(x)
    preconditioned = m(residual)
    return _iterate(next_state, (x, residual, preconditioned, fx.vecdot(residual, preconditioned), 0), stopping)


def _stabilised_biconjugate_gradients(a: _LinearMap, m: _LinearMap, b: Array, x: Array, stopping: _Stopping) -> Array:
    def next_state(state: Any) -> Any:
        x, residual, direction, image, rho, alpha, omega, step = state
        next_rho = fx.vecdot(shadow, residual)
        beta = _divide_or_zero(next_rho, rho) * _divide_or_zero(alpha, omega)
        direction = residual + beta * (direction - omega * image)
        preconditioned = m(direction)
        image = a(preconditioned)
        alpha = _divide_or_zero(next_rho, fx.vecdot(shadow, image))
        half_residual = residual - alpha * image
        preconditioned_half = m(half_residual)
        half_image = a(preconditioned_half)
        omega = _divide_or_zero(fx.vecdot(half_image, half_residual), fx.vecdot(half_image, half_image))
        return (
            x + alpha * preconditioned + omega * preconditioned_half,
            half_residual - omega * half_image,
            direction,
            image,
            next_rho,
            alpha,
            omega,
            step + 1,
        )

    shadow = residual = b - a(x)
    one, zeros = fx.ones((), dtype=b.aval.dtype), fx.zeros_like(b)
    return _iterate(next_state, (x, residual, zeros, zeros, one, one, one, 0), stopping)


def _minimal_residual(restart: int, a: _LinearMap, m: _LinearMap, b: Array, x: Array, stopping: _Stopping) -> Array:
    n = min(restart, b.aval.size)

    def next_state(state: Any) -> Any:
        x, residual, step = state
        norm = fx.linalg.vector_norm(residual)
        first = _divide_or_zero(residual, fx.astype(norm, residual.aval.dtype))
        basis = fx.zeros((n + 1, b.aval.size), dtype=b.aval.dtype).at[0].set(first)

        def extend_basis(i: Array, state: Any) -> Any:
            basis, matrix = state
            vector = a(m(basis[i]))
            overlaps = fx.matmul(fx.conj(basis), vector)
            vector = vector - fx.matmul(overlaps, basis)
            corrections = fx.matmul(fx.conj(basis), vector)  # once more, against rounding
            vector = vector - fx.matmul(corrections, basis)
            vector_norm = fx.astype(fx.linalg.vector_norm(vector), vector.aval.dtype)
            column = (overlaps + corrections).at[i + 1].set(vector_norm)
            return basis.at[i + 1].set(_divide_or_zero(vector, vector_norm)), matrix.at[:, i].set(column)

        matrix = fx.zeros((n + 1, n), dtype=b.aval.dtype)
        basis, matrix = fori_loop(0, n, extend_basis, (basis, matrix))
        right_side = fx.zeros((n + 1,), dtype=b.aval.dtype).at[0].set(fx.astype(norm, b.aval.dtype))
        weights = fx.linalg.lstsq(matrix, right_side).x
        x = x + m(fx.matmul(weights, basis[:n]))
        return x, b - a(x), step + 1

    return _iterate(next_state, (x, b - a(x), 0), stopping)

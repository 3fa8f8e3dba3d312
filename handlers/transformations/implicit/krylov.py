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

type _Product = Callable[[Array], Array]


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
    solution: T = _solved("cg", _conjugate_gradients, a, b, x0, tol, atol, maxiter, M, symmetric=True)
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
    solution: T = _solved("bicgstab", _stabilised, a, b, x0, tol, atol, maxiter, M, symmetric=False)
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
    solution: T = _solved(
        "gmres", partial(_minimal_residual, restart_length), a, b, x0, tol, atol, maxiter, M, symmetric=False
    )
    return solution


class _Ends(NamedTuple):
    """Criterion for the end of an iteration: the norm of the residual, and the number of steps."""

    small: Array
    steps: int


type _Iteration = Callable[[_Product, _Product, Array, Array, _Ends], Array]
"""iteration(a, m, b, x, ends): the result of an iteration that begins at x."""


def _solved(
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
    product = _product(function, "a", a, flat, unravel)
    nearly = (lambda x: x) if m is None else _product(function, "M", m, flat, unravel)

    def solve(begin: Array | None, nearly: _Product) -> Callable[[_Product, Array], Array]:
        def solved(product: _Product, b: Array) -> Array:
            small = fx.maximum(relative * fx.linalg.vector_norm(b), absolute)
            x = fx.zeros_like(b) if begin is None else begin
            return iteration(product, nearly, b, x, _Ends(small, count))

        return solved

    def turned(x: Array) -> Array:
        back: Array = linear_transpose(nearly, x)(x)[0]
        return back

    begin = stop_gradient(start)
    own = symmetric and not issubclass(flat.aval.dtype, dtypes.Complex)  # for complex numbers, the conjugate transpose
    solution = custom_linear_solve(product, flat, solve(begin, nearly), solve(None, turned), own)
    return unravel(solution)


def _vector(function: str, argument: str, tree: object) -> tuple[Array, Any]:
    """The leaves of a tree as one vector of inexact numbers, and the function from such a vector to the tree."""
    leaves: Any = tree_map(lambda leaf: inexact(function, leaf, argument), tree)
    flat, unravel = ravel_pytree(leaves)
    return flat, unravel


def _product(
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


def _safe(x: Array, y: Array) -> Array:
    """x / y, and 0 where y is 0, so that the iteration does not move."""
    zero = y == 0
    return logic.where(zero, 0, x / logic.where(zero, 1, y))


def _iterated(following: Callable[[Any], Any], state: Any, ends: _Ends) -> Array:
    """x at the end of the iteration. A state is x, the residual b - a @ x, further arrays, and the number of steps."""

    def going(state: Any) -> Any:
        return (fx.linalg.vector_norm(state[1]) > ends.small) & (state[-1] < ends.steps)

    x, rest, *_ = while_loop(going, following, state)
    solution: Array = logic.where(fx.isfinite(fx.linalg.vector_norm(rest)), x, math.nan)
    return solution


def _conjugate_gradients(a: _Product, m: _Product, b: Array, x: Array, ends: _Ends) -> Array:
    def following(state: Any) -> Any:
        x, rest, along, size, step = state
        moved = a(along)
        by = _safe(size, fx.vecdot(along, moved))
        x, rest = x + by * along, rest - by * moved
        better = m(rest)
        after = fx.vecdot(rest, better)
        return x, rest, better + _safe(after, size) * along, after, step + 1

    rest = b - a(x)
    better = m(rest)
    return _iterated(following, (x, rest, better, fx.vecdot(rest, better), 0), ends)


def _stabilised(a: _Product, m: _Product, b: Array, x: Array, ends: _Ends) -> Array:
    def following(state: Any) -> Any:
        x, rest, along, moved, size, alpha, omega, step = state
        after = fx.vecdot(shadow, rest)
        beta = _safe(after, size) * _safe(alpha, omega)
        along = rest + beta * (along - omega * moved)
        near = m(along)
        moved = a(near)
        alpha = _safe(after, fx.vecdot(shadow, moved))
        half = rest - alpha * moved
        better = m(half)
        turned = a(better)
        omega = _safe(fx.vecdot(turned, half), fx.vecdot(turned, turned))
        return x + alpha * near + omega * better, half - omega * turned, along, moved, after, alpha, omega, step + 1

    shadow = rest = b - a(x)
    one, none = fx.ones((), dtype=b.aval.dtype), fx.zeros_like(b)
    return _iterated(following, (x, rest, none, none, one, one, one, 0), ends)


def _minimal_residual(restart: int, a: _Product, m: _Product, b: Array, x: Array, ends: _Ends) -> Array:
    n = min(restart, b.aval.size)

    def following(state: Any) -> Any:
        x, rest, step = state
        size = fx.linalg.vector_norm(rest)
        first = _safe(rest, fx.astype(size, rest.aval.dtype))
        basis = fx.zeros((n + 1, b.aval.size), dtype=b.aval.dtype).at[0].set(first)

        def extended(i: Array, state: Any) -> Any:
            basis, matrix = state
            new = a(m(basis[i]))
            overlaps = fx.matmul(fx.conj(basis), new)
            new = new - fx.matmul(overlaps, basis)
            corrections = fx.matmul(fx.conj(basis), new)  # once more, against rounding
            new = new - fx.matmul(corrections, basis)
            length = fx.astype(fx.linalg.vector_norm(new), new.aval.dtype)
            column = (overlaps + corrections).at[i + 1].set(length)
            return basis.at[i + 1].set(_safe(new, length)), matrix.at[:, i].set(column)

        matrix = fx.zeros((n + 1, n), dtype=b.aval.dtype)
        basis, matrix = fori_loop(0, n, extended, (basis, matrix))
        target = fx.zeros((n + 1,), dtype=b.aval.dtype).at[0].set(fx.astype(size, b.aval.dtype))
        weights = fx.linalg.lstsq(matrix, target).x
        x = x + m(fx.matmul(weights, basis[:n]))
        return x, b - a(x), step + 1

    return _iterated(following, (x, b - a(x), 0), ends)

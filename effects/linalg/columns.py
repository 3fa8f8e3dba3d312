"""Functions computed column by column: solutions of Sylvester's equation, the order of columns of a pivoted `qr`."""

from __future__ import annotations

from typing import overload

import handlers
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import convert, inexact, promoted, rounded_once
from effects.errors import ShapeError
from effects.functions.creation import creation
from effects.functions.elementwise import logic, transcendental, unary
from effects.functions.indexing import taking
from effects.functions.manipulation import movement
from effects.functions.products.matrices import adjoint, product, unit
from effects.functions.reductions import reduction
from effects.linalg.arguments import in_lanes
from effects.operations.factoring import Schur
from effects.operations.solving import TriangularSolve
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.dtypes import Inexact
from effects.types.promotion import complex_of
from effects.types.shapes.matrices import matrices, squares


@overload
def solve_sylvester[D: Inexact](a: Array[D], b: Array[D], q: Array[D], /) -> Array[D]: ...
@overload
def solve_sylvester[X: ArrayLike, Y: ArrayLike, Z: ArrayLike](a: X, b: Y, q: Z, /) -> Array: ...
def solve_sylvester(a: ArrayLike, b: ArrayLike, q: ArrayLike, /) -> Array:
    """The solution x of a @ x + x @ b = q for square matrices a, (..., m, m), and b, (..., n, n), and q, (..., m, n).

    Leading axes broadcast. Where a and -b share an eigenvalue, the result has infinities and NaN. Derivatives solve the
    differentiated equation. Source: Bartels, Stewart, Comm. ACM 15, 1972.

    >>> import effects as fx
    >>> fx.linalg.solve_sylvester(fx.asarray([[3.0]]), fx.asarray([[1.0]]), fx.asarray([[8.0]]))
    Array([[2.]], float64)
    """
    named = {name: inexact("solve_sylvester", x, name) for name, x in (("a", a), ("b", b), ("q", q))}
    left, right, target = promoted("solve_sylvester", **named)
    squares("solve_sylvester", left.aval.shape, "a")
    squares("solve_sylvester", right.aval.shape, "b")
    *_, m, n = matrices("solve_sylvester", target.aval.shape, "q")
    if (m, n) != (left.aval.shape[-1], right.aval.shape[-1]):
        raise ShapeError(f"solve_sylvester: q, {target.aval}, does not go with a, {left.aval}, and b, {right.aval}")
    for other in (left, right):
        target, _ = in_lanes("solve_sylvester", target, other)
    return rounded_once(_sylvester, left, right, target)


def _sylvester(a: Array, b: Array, q: Array) -> Array:
    fixed, other = handlers.stop_gradient((a, b))
    turned, turned_other = movement.matrix_transpose(fixed), movement.matrix_transpose(other)
    x: Array = handlers.custom_linear_solve(
        lambda x: product(a, x) + product(x, b),
        q,
        lambda _, q: _by_triangles(fixed, other, q),
        lambda _, q: _by_triangles(turned, turned_other, q),
    )
    return x


def _by_triangles(a: Array, b: Array, q: Array) -> Array:
    if not q.aval.size:
        return q
    wide = complex_of(q.aval.dtype)
    (upper, basis), (other, back) = [perform(Schur(convert(x, wide))) for x in (a, b)]
    target = product(adjoint(basis), convert(q, wide), back)
    places = creation.iota(dtypes.int64, (q.aval.shape[-1],), 0)

    def column(x: Array, k: Array) -> tuple[Array, None]:
        own = taking.take(target, k, axis=-1)[..., None] - product(x, taking.take(other, k, axis=-1)[..., None])
        shift = taking.take(taking.take(other, k, axis=-1), k, axis=-1)[..., None, None]
        system = upper + shift * unit(upper)
        solved = perform(TriangularSolve(False, False, False, *in_lanes("solve_sylvester", system, own)))
        return logic.where(places == k, solved, x), None

    x, _ = handlers.scan(column, creation.zeros_like(target), places)
    x = product(basis, x, adjoint(back))
    return x if issubclass(q.aval.dtype, dtypes.Complex) else unary.real(x)


def pivots(x: Array) -> Array:
    """The order in which a pivoted `qr` takes the columns of matrices: next is that with the greatest norm, apart from
    its part along those before (Businger, Golub, 1965).
    """
    f = _pivots
    for _ in x.aval.shape[:-2]:
        f = handlers.vmap(f)
    return f(handlers.stop_gradient(x))


def _pivots(x: Array) -> Array:
    m, n = x.aval.shape
    places = creation.iota(dtypes.int64, (n,), 0)
    if not x.aval.size:
        return places
    largest = reduction.max(unary.abs(x))

    def step(k: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        rest, order = state
        sizes = logic.where(places >= k, reduction.sum(unary.abs(rest) ** 2, axis=0), -1)
        j = reduction.argmax(sizes)
        exchanged = logic.where(places == k, j, logic.where(places == j, k, places))
        rest, order = taking.take(rest, exchanged, axis=1), taking.take(order, exchanged)
        column = taking.take(rest, k, axis=1)[:, None]
        size = transcendental.sqrt(reduction.sum(unary.abs(column) ** 2))
        direction = column / logic.where(size > 0, size, 1)
        return rest - product(direction, product(adjoint(direction), rest)), order

    scaled = x / logic.where(largest > 0, largest, 1)
    _, order = handlers.fori_loop(0, min(m, n), step, (scaled, places))
    chosen: Array = order
    return chosen

"""Systems of linear equations, and inverses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

from effects.arguments import counted, entries, flag, natural
from effects.arrays.array import Array, ArrayLike, Foreign, Like
from effects.arrays.concrete import Concrete
from effects.arrays.promotion import as_array, inexact, promoted, rounded_once
from effects.errors import ArgumentError, ShapeError
from effects.functions.elementwise import unary
from effects.functions.indexing import taking
from effects.functions.manipulation import movement
from effects.functions.ordering import sorting
from effects.functions.products.matrices import by_columns, unit
from effects.linalg.arguments import in_lanes, pair, rounded, square, transposed, two
from effects.operations.factoring import LU
from effects.operations.movement import Reshape
from effects.operations.solving import Solve, TriangularSolve, TridiagonalSolve
from effects.program.chain import perform
from effects.types.dtypes import Inexact, Integer, i32
from effects.types.shapes.axes import normalize_axis
from effects.types.shapes.matrices import squares

if TYPE_CHECKING:
    from effects.arrays.operators import DT, RT, Sh
    from effects.linalg.arguments import Transposed
    from effects.types.signatures.becoming import Dividing, FloatMatrices, HasFloats


def _system(function: str, a: object, b: object, names: tuple[str, str]) -> tuple[Array, Array]:
    """A square matrix and a right-hand side of matching size."""
    matrix, right = pair(function, a, b, names)
    squares(function, matrix.aval.shape, "the matrix")
    size = right.aval.shape
    if not size or size[-2 if len(size) > 1 else 0] != matrix.aval.shape[-1]:
        raise ShapeError(f"{function}: the matrix, {matrix.aval}, does not go with the right-hand side, {right.aval}")
    return matrix, right


def _solved(function: str, a: Array, b: Array, solve: Callable[[Array, Array], Array]) -> Array:
    """solve(a, b), where b may also be one vector, or have leading axes if a is one matrix."""
    size = b.aval.shape
    if len(size) == 1:
        column = perform(Reshape((*size, 1), b))
        x = solve(a, column) if a.aval.ndim == 2 else solve(*in_lanes(function, a, column))
        return perform(Reshape(x.aval.shape[:-1], x))
    if a.aval.ndim == 2 and len(size) > 2:
        return by_columns(solve, a, b)
    return solve(*in_lanes(function, a, b))


def solve(x1: Like[DT], x2: Dividing[DT, RT], /) -> Array[RT]:
    """The solution x of x1 @ x = x2, for square matrices x1, (..., n, n).

    x2 is one vector, (n,), or has several in columns, (..., n, k), and so has the result; leading axes broadcast.
    Raises LinearAlgebraError for a known singular matrix; in compiled programs its solution is NaN. Raises ShapeError
    for matrices that are not square, or whose sizes do not match.

    >>> import effects as fx
    >>> fx.linalg.solve(fx.asarray([[2.0, 1.0], [1.0, 3.0]]), fx.asarray([3.0, 5.0]))
    Array([0.8, 1.4], float64)
    """
    a, b = _system("solve", x1, x2, ("x1", "x2"))
    return rounded_once(lambda a, b: _solved("solve", a, b, lambda a, b: perform(Solve(False, a, b))), a, b)


def inv(x: HasFloats[DT, Sh] | Foreign, /) -> Array[DT, Sh]:
    """The inverse of each square matrix of x, (..., n, n). To multiply by it, `solve` is faster and more accurate.

    Singular matrices are treated as by `solve`.

    >>> import effects as fx
    >>> fx.linalg.inv(fx.asarray([[2.0, 0.0], [0.0, 4.0]]))
    Array([[0.5 , 0.  ],
           [0.  , 0.25]], float64)
    """
    return rounded_once(lambda x: perform(Solve(False, x, unit(x))), square("inv", x))


def tensorsolve(a: ArrayLike, b: ArrayLike, /, axes: Sequence[int] | None = None) -> Array:
    """The solution x of tensordot(a, x, x.ndim) = b.

    The shape of a is that of b and then that of x, which have as many elements. `axes` of a are moved to its end
    before. Raises the errors of `solve`.

    >>> import effects as fx
    >>> fx.linalg.tensorsolve(fx.asarray([[[2.0, 0.0]], [[0.0, 4.0]]]), fx.asarray([2.0, 2.0]))
    Array([[1. , 0.5]], float64)
    """
    array, right = pair("tensorsolve", a, b, ("a", "b"))
    if axes is not None:
        moved = [normalize_axis("tensorsolve", array.aval.shape, axis, "axes") for axis in entries(axes)]
        if len(set(moved)) < len(moved):
            raise ArgumentError(f"tensorsolve: axes must differ, got {axes}")
        array = movement.moveaxis(array, tuple(moved), tuple(range(-len(moved), 0)))
    n, lead = right.aval.size, right.aval.ndim
    if array.aval.size != n * n or math.prod(array.aval.shape[lead:]) != n:
        order = f" with axes {axes} moved to the end" if axes is not None else ""
        raise ShapeError(
            f"tensorsolve: a must have {n} elements along its first {counted(lead, 'axis', 'axes')}, as b has, "
            f"{right.aval}, and as many along the others, got {array.aval}{order}"
        )
    x = solve(movement.reshape(array, (n, n)), movement.reshape(right, (n,)))
    return movement.reshape(x, array.aval.shape[lead:])


def tensorinv(a: FloatMatrices[DT], /, ind: int = 2) -> Array[DT]:
    """The inverse of a for `tensordot`: tensordot(tensorinv(a, ind), b, ind) is tensorsolve(a, b) for b of `ind` axes.

    The first `ind` axes of a have as many elements as the others; in the result they are the last. Raises the errors of
    `solve`.

    >>> import effects as fx
    >>> fx.linalg.tensorinv(fx.asarray([[[2.0, 0.0]], [[0.0, 4.0]]]), ind=1).shape
    (1, 2, 2)
    """
    array, first = inexact("tensorinv", a, "a"), natural("tensorinv", "ind", ind)
    shape = array.aval.shape
    n, m = math.prod(shape[:first]), math.prod(shape[first:])
    if not 0 < first <= len(shape) or n != m:
        raise ShapeError(
            f"tensorinv: a must have as many elements along ind={first} axes as along the others, got {array.aval}"
        )
    return movement.reshape(inv(movement.reshape(array, (n, n))), (*shape[first:], *shape[:first]))


def solve_triangular(
    a: Like[DT], b: Dividing[DT, RT], /, trans: Transposed = 0, lower: bool = False, unit_diagonal: bool = False
) -> Array[RT]:
    """The solution x of t @ x = b, where t is the upper triangle of a, (..., n, n), or with `lower` the lower one.

    The other elements of a are not read. b is one vector, (n,), or has several in columns, (..., n, k). `trans` 1 or
    "T" solves with the transpose of t, 2 or "C" with the conjugate transpose. With `unit_diagonal` the diagonal counts
    as ones; a 0 on it gives infinities and NaN.

    >>> import effects as fx
    >>> fx.linalg.solve_triangular(fx.asarray([[2.0, 0.0], [1.0, 4.0]]), fx.asarray([2.0, 5.0]), lower=True)
    Array([1., 1.], float64)
    """
    matrix, columns = _system("solve_triangular", a, b, ("a", "b"))
    turn = transposed("solve_triangular", trans)
    below = flag("solve_triangular", "lower", lower)
    ones = flag("solve_triangular", "unit_diagonal", unit_diagonal)

    def solved(a: Array, b: Array) -> Array:
        triangle = unary.conj(a) if turn == "C" else a
        solve = lambda a, b: perform(TriangularSolve(below, turn != "N", ones, a, b))
        return _solved("solve_triangular", triangle, b, solve)

    return rounded_once(solved, matrix, columns)


def cho_solve(c_and_lower: tuple[Like[DT], bool], b: Dividing[DT, RT], /) -> Array[RT]:
    """The solution x of a @ x = b, from the Cholesky factor of a: `c_and_lower` is what cho_factor(a) returns.

    It is the factor, and True if that is the lower one, as in (cholesky(a), True). b is as for `solve`.

    >>> import effects as fx
    >>> fx.linalg.cho_solve((fx.asarray([[2.0, 0.0], [0.0, 1.0]]), True), fx.asarray([4.0, 3.0]))
    Array([1., 3.], float64)
    """
    c, lower = two("cho_solve", "c_and_lower", c_and_lower, "a factor, and whether it is the lower one")
    below = flag("cho_solve", "c_and_lower[1]", lower)
    factor, columns = _system("cho_solve", c, b, ("c_and_lower[0]", "b"))

    def solve(c: Array, b: Array) -> Array:
        across = unary.conj(c)
        first, second = (c, across) if below else (across, c)
        inner = perform(TriangularSolve(below, not below, False, first, b))
        return perform(TriangularSolve(below, below, False, second, inner))

    return rounded_once(lambda c, b: _solved("cho_solve", c, b, solve), factor, columns)


class LUFactors[D: Inexact](NamedTuple):
    """Result of `lu_factor` and argument of `lu_solve`."""

    factors: Array[D]
    order: Array[i32]


def lu_factor(x: FloatMatrices[DT], /) -> LUFactors[DT]:  # type: ignore[type-var]  # what becomes of x has fractions
    """The LU factors of each square matrix of x, (..., n, n), in one array, for `lu_solve`.

    The upper triangle of `factors` is u; below it is l, whose diagonal of ones is left out. x[order] is l @ u: `order`
    has rows, not exchanges as in SciPy.

    >>> import effects as fx
    >>> fx.linalg.lu_factor(fx.asarray([[1.0, 2.0], [2.0, 2.0]]))
    LUFactors(factors=Array([[2. , 2. ],
           [0.5, 1. ]], float64), order=Array([1, 0], int32))
    """
    return LUFactors(*rounded(lambda x: perform(LU(x)), square("lu_factor", x)))


def lu_solve(lu_and_order: tuple[Like[DT], ArrayLike], b: Dividing[DT, RT], /, trans: Transposed = 0) -> Array[RT]:
    """The solution x of a @ x = b, where `lu_and_order` is what lu_factor(a) returns.

    b is as for `solve`; `trans`, as for `solve_triangular`, transposes a. Raises ArgumentError for an order that is
    none.

    >>> import effects as fx
    >>> fx.linalg.lu_solve(fx.linalg.lu_factor(fx.asarray([[1.0, 2.0], [2.0, 2.0]])), fx.asarray([3.0, 4.0]))
    Array([1., 1.], float64)
    """
    lu, order = two("lu_solve", "lu_and_order", lu_and_order, "what lu_factor gives")
    factors, columns = _system("lu_solve", lu, b, ("lu_and_order[0]", "b"))
    rows = as_array(order, "lu_solve", "lu_and_order[1]")
    if not issubclass(rows.aval.dtype, Integer) or rows.aval.shape != factors.aval.shape[:-1]:
        raise ArgumentError(f"lu_solve: lu_and_order[1] must be the order that lu_factor gives, got {rows.aval}")
    _refuse_exchanges(rows)
    turn = transposed("lu_solve", trans)

    def solve(c: Array, b: Array) -> Array:
        if turn == "N":
            inner = perform(TriangularSolve(True, False, True, c, _in_order(b, rows)))
            return perform(TriangularSolve(False, False, False, c, inner))
        c = unary.conj(c) if turn == "C" else c
        inner = perform(TriangularSolve(False, True, False, c, b))
        return _in_order(perform(TriangularSolve(True, True, True, c, inner)), sorting.argsort(rows, axis=-1))

    return rounded_once(lambda c, b: _solved("lu_solve", c, b, solve), factors, columns)


def _in_order(x: Array, order: Array) -> Array:
    """Matrices with their rows in this order, one for all or one for each."""
    if order.aval.ndim == 1:
        return taking.take(x, order, axis=-2)
    places = movement.broadcast_to(order, x.aval.shape[:-1])
    return taking.take_along_axis(x, movement.expand_dims(places, -1), axis=-2)


def _refuse_exchanges(order: Array) -> None:
    """Raise ArgumentError if the known order is no permutation of the rows."""
    if type(order) is not Concrete or not order.aval.size:
        return
    host = order.fetch()
    lanes = [host.tolist()] if host.ndim == 1 else host.reshape(-1, host.shape[-1]).tolist()
    every = list(range(host.shape[-1]))
    for rows in lanes:
        if sorted(rows) != every:
            raise ArgumentError(
                f"lu_solve: lu_and_order[1] must have each row from 0 to {len(every) - 1} once, got {rows}; take what "
                "effects.linalg.lu_factor gives (SciPy's says which rows are exchanged)"
            )


@overload
def tridiagonal_solve[D: Inexact](dl: Array[D], d: Array[D], du: Array[D], b: Array[D], /) -> Array[D]: ...
@overload
def tridiagonal_solve[L: ArrayLike, M: ArrayLike, U: ArrayLike, Y: ArrayLike](dl: L, d: M, du: U, b: Y, /) -> Array: ...
def tridiagonal_solve(dl: ArrayLike, d: ArrayLike, du: ArrayLike, b: ArrayLike, /) -> Array:
    """The solution x of t @ x = b for the tridiagonal matrix t with the diagonals dl (below the main one), d, and du
    (above).

    All three have the shape (..., n); dl[..., 0] and du[..., -1] are not read. b is as many vectors, (..., n), or has
    several in columns, (..., n, k). A singular matrix gives NaN.

    >>> import effects as fx
    >>> diagonal, beside = fx.asarray([2.0, 2.0, 2.0]), fx.asarray([-1.0, -1.0, -1.0])
    >>> fx.linalg.tridiagonal_solve(beside, diagonal, beside, fx.asarray([1.0, 0.0, 1.0]))
    Array([1., 1., 1.], float64)
    """
    names = ("dl", "d", "du", "b")
    inputs = [inexact("tridiagonal_solve", x, name) for x, name in zip((dl, d, du, b), names, strict=True)]
    below, diagonal, above, right = promoted("tridiagonal_solve", **dict(zip(names, inputs, strict=True)))
    vector = right.aval.ndim == diagonal.aval.ndim
    if vector and right.aval.shape != diagonal.aval.shape:
        raise ShapeError(f"tridiagonal_solve: b must have as many rows as d, {diagonal.aval}, got {right.aval}")
    columns = movement.expand_dims(right, -1) if vector else right
    x = rounded_once(lambda *xs: perform(TridiagonalSolve(*xs)), below, diagonal, above, columns)
    return movement.squeeze(x, -1) if vector else x

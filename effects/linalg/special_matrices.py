"""Special matrices, made of smaller ones, of a few numbers, or of their size alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal, overload

import numpy as np

from effects.arguments import choice, natural
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.promotion import as_array, convert, inexact, promoted
from effects.errors import ArgumentError, ShapeError
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, unary
from effects.functions.indexing import taking
from effects.functions.manipulation import movement, padding
from effects.functions.products.matrices import of_diagonal
from effects.types import dtypes
from effects.types.promotion import complex_of

if TYPE_CHECKING:
    from effects.arrays.operators import DT, RT
    from effects.types.dtypes import DType, i64
    from effects.types.signatures.becoming import AsFloats, Meeting

    type Triangle = Literal["symmetric", "lower", "upper"]


_PASCAL: Final = 1030
"""The size of the largest Pascal's triangle whose numbers are in the range of floats."""


def _vector(function: str, x: Array, argument: str, least: int = 0) -> Array:
    if x.aval.ndim != 1 or x.aval.size < least:
        needed = f" of at least {least} elements" if least else ""
        raise ShapeError(f"{function}: {argument} must be a vector{needed}, got {x.aval}")
    return x


def _edges(function: str, c: object, r: object, other: Callable[[Array], Array]) -> tuple[Array, Array]:
    """A first column c and a row r, in one dtype; without r the row is `other(c)`."""
    column = _vector(function, as_array(c, function, "c"), "c")
    row = other(column) if r is None else _vector(function, as_array(r, function, "r"), "r")
    column, row = promoted(function, c=column, r=row)
    return column, row


def _by_place(values: Array, place: Callable[[Array, Array], Array], n: int, m: int) -> Array:
    """The n by m matrix of elements of a vector, at the position that `place` gives for each row and column."""
    if not n or not m:
        return creation.zeros((n, m), dtype=values.aval.dtype)
    row, column = [creation.iota(dtypes.int64, (n, m), axis) for axis in (0, 1)]
    return taking.take(values, place(row, column))


@overload
def block_diag[D: DType](*arrays: Array[D]) -> Array[D]: ...
@overload
def block_diag[X: ArrayLike](*arrays: X) -> Array: ...
def block_diag(*arrays: ArrayLike) -> Array:
    """The matrix with the given ones along its diagonal, and zeros elsewhere; vectors and numbers count as rows.

    >>> import effects as fx
    >>> fx.linalg.block_diag(fx.ones((1, 2)), 3.0)
    Array([[1., 1., 0.],
           [0., 0., 3.]], float64)
    """
    if not arrays:
        return creation.zeros((1, 0))
    xs = promoted("block_diag", **{f"arrays[{i}]": x for i, x in enumerate(arrays)})
    rows: list[Array] = []
    blocks = [x if x.aval.ndim >= 2 else movement.reshape(x, (1, x.aval.size)) for x in xs]
    for i, x in enumerate(blocks):
        if x.aval.ndim > 2:
            raise ShapeError(f"block_diag: arrays[{i}] must have at most two axes, got {x.aval}")
    width, before = sum([x.aval.shape[1] for x in blocks]), 0
    for x in blocks:
        columns = x.aval.shape[1]
        rows.append(padding.pad(x, ((0, 0), (before, width - before - columns))))
        before += columns
    return movement.concat(rows, axis=0)


@overload
def toeplitz[D: DType](c: Array[D], /, r: Array[D] | None = None) -> Array[D]: ...
@overload
def toeplitz[X: ArrayLike, Y: ArrayLike](c: X, /, r: Y | None = None) -> Array: ...
def toeplitz(c: ArrayLike, /, r: ArrayLike | None = None) -> Array:
    """The matrix with constant diagonals whose first column is the vector c, and whose first row is r.

    r[0] is not read. Without r the row is the conjugate of c.

    >>> import effects as fx
    >>> fx.linalg.toeplitz(fx.asarray([1, 2, 3]), fx.asarray([0, 8, 9]))
    Array([[1, 8, 9],
           [2, 1, 8],
           [3, 2, 1]], int64)
    """
    column, row = _edges("toeplitz", c, r, unary.conj)
    n, m = column.aval.size, row.aval.size
    return _by_place(movement.concat([movement.flip(column), row[1:]]), lambda i, j: j - i + (n - 1), n, m)


@overload
def hankel[D: DType](c: Array[D], /, r: Array[D] | None = None) -> Array[D]: ...
@overload
def hankel[X: ArrayLike, Y: ArrayLike](c: X, /, r: Y | None = None) -> Array: ...
def hankel(c: ArrayLike, /, r: ArrayLike | None = None) -> Array:
    """The matrix with constant diagonals from upper right to lower left whose first column is c, and whose last row is
    r.

    r[0] is not read. Without r, elements beyond c are 0.

    >>> import effects as fx
    >>> fx.linalg.hankel(fx.asarray([1, 2, 3]), fx.asarray([0, 8, 9]))
    Array([[1, 2, 3],
           [2, 3, 8],
           [3, 8, 9]], int64)
    """
    column, row = _edges("hankel", c, r, creation.zeros_like)
    n, m = column.aval.size, row.aval.size
    return _by_place(movement.concat([column, row[1:]]), lambda i, j: i + j, n, m)


def circulant(c: Like[DT], /) -> Array[DT]:
    """The square matrix whose first column is the vector c, and whose other columns are each the one before, rolled by
    one.

    >>> import effects as fx
    >>> fx.linalg.circulant(fx.asarray([1, 2, 3]))
    Array([[1, 3, 2],
           [2, 1, 3],
           [3, 2, 1]], int64)
    """
    column = _vector("circulant", as_array(c, "circulant", "c"), "c")
    n = column.aval.size
    return _by_place(column, lambda i, j: (i - j) % n, n, n)


def companion(a: AsFloats[DT], /) -> Array[DT]:
    """The companion matrix of a polynomial with the coefficients a, highest power first: its eigenvalues are the roots.

    >>> import effects as fx
    >>> fx.linalg.companion(fx.asarray([1.0, -3.0, 2.0]))
    Array([[ 3., -2.],
           [ 1.,  0.]], float64)
    """
    coefficients = _vector("companion", inexact("companion", a, "a"), "a", 2)
    first: Array = arithmetic.divide(unary.negative(coefficients[1:]), coefficients[0])
    n = first.aval.size
    matrix: Array = movement.concat([first[None], creation.eye(n - 1, n, dtype=first.aval.dtype)])
    return matrix


def leslie(f: Like[DT], s: Meeting[DT, RT], /) -> Array[RT]:
    """The Leslie matrix, which multiplies the numbers of a population at each age: births f in the first row, survivals
    s below the diagonal.

    >>> import effects as fx
    >>> fx.linalg.leslie(fx.asarray([0.0, 2.0]), fx.asarray([0.5]))
    Array([[0. , 2. ],
           [0.5, 0. ]], float64)
    """
    births, survivals = promoted("leslie", f=as_array(f, "leslie", "f"), s=as_array(s, "leslie", "s"))
    n = _vector("leslie", births, "f", 1).aval.size
    if survivals.aval.shape != (n - 1,):
        raise ShapeError(f"leslie: s must be a vector of {n - 1} elements, one fewer than f has, got {survivals.aval}")
    return movement.concat([births[None], padding.pad(of_diagonal(survivals), ((0, 0), (0, 1)))])


def dft(n: int, scale: Literal["sqrtn", "n"] | None = None) -> Array:
    """The n by n matrix whose product with a vector is the vector's `fft`.

    It is divided by √n for `scale` "sqrtn" and by n for "n". The elements are complex.

    >>> import effects as fx
    >>> fx.linalg.dft(2).real
    Array([[ 1.,  1.],
           [ 1., -1.]], float64)
    """
    size = natural("dft", "n", n)
    divisor = 1.0 if scale is None else size ** {"sqrtn": 0.5, "n": 1.0}[choice("dft", "scale", scale, ("sqrtn", "n"))]
    places = np.arange(size)
    turns = np.exp(-2j * np.pi * (np.outer(places, places) % max(size, 1)) / max(size, 1)) / max(divisor, 1)
    return convert(creation.asarray(turns), complex_of(dtypes.current_default_float()))


def hadamard(n: int) -> Array[i64]:
    """The n by n matrix of 1 and -1 whose rows are orthogonal (Sylvester's). Raises ArgumentError unless n is a power
    of 2.

    >>> import effects as fx
    >>> fx.linalg.hadamard(2)
    Array([[ 1,  1],
           [ 1, -1]], int64)
    """
    size = natural("hadamard", "n", n)
    if size.bit_count() != 1:
        raise ArgumentError(f"hadamard: n must be a power of 2, got {size}")
    places = np.arange(size)
    return creation.asarray(1 - 2 * (np.bitwise_count(places[:, None] & places).astype(np.int64) % 2))


def hilbert(n: int) -> Array:
    """The n by n matrix of 1 / (i + j + 1), which is nearly singular.

    >>> import effects as fx
    >>> fx.linalg.hilbert(2)
    Array([[1.        , 0.5       ],
           [0.5       , 0.33333333]], float64)
    """
    places = np.arange(natural("hilbert", "n", n))
    return convert(creation.asarray(1 / (places[:, None] + places + 1)), dtypes.current_default_float())


def invhilbert(n: int) -> Array:
    """The inverse of `hilbert(n)`: integers, which are rounded to floats.

    >>> import effects as fx
    >>> fx.linalg.invhilbert(2)
    Array([[ 4., -6.],
           [-6., 12.]], float64)
    """
    size, comb = natural("invhilbert", "n", n), math.comb

    def element(i: int, j: int) -> int:
        outer = comb(size + i, size - j - 1) * comb(size + j, size - i - 1)
        return (1 - 2 * ((i + j) % 2)) * (i + j + 1) * outer * comb(i + j, i) ** 2

    return _of_size("invhilbert", n, element)


def pascal(n: int, kind: Triangle = "symmetric") -> Array:
    """The n by n matrix of the binomial coefficients (i + j over i), as floats.

    For `kind` "lower" it is the triangle of the coefficients (i over j), for "upper" its transpose. Raises
    ArgumentError where elements overflow.

    >>> import effects as fx
    >>> fx.linalg.pascal(3)
    Array([[1., 1., 1.],
           [1., 2., 3.],
           [1., 3., 6.]], float64)
    """
    of = choice("pascal", "kind", kind, ("symmetric", "lower", "upper"))
    size = natural("pascal", "n", n)
    if size > _PASCAL:
        raise _too_large("pascal", size)
    rows = [[1] * size]  # of the symmetric matrix; its diagonals are the rows of the triangle
    for _ in range(size - 1):
        rows.append(list(accumulate(rows[-1])))
    symmetric = of == "symmetric"
    lower = _of_size("pascal", n, lambda i, j: rows[i][j] if symmetric else rows[i - j][j] if j <= i else 0)
    return movement.matrix_transpose(lower) if of == "upper" else lower


def _too_large(function: str, size: int) -> ArgumentError:
    return ArgumentError(f"{function}: n is too large, {size}: some elements are too large for floats")


def _of_size(function: str, n: int, element: Callable[[int, int], float]) -> Array:
    size = natural(function, "n", n)
    try:
        rows = [[float(element(i, j)) for j in range(size)] for i in range(size)]
    except OverflowError:
        raise _too_large(function, size) from None
    numbers = np.array(rows, float).reshape(size, size)
    return convert(creation.asarray(numbers), dtypes.current_default_float())

"""Triangles and diagonals of matrices, and the positions of these.

Sizes are static. Names and semantics are NumPy's.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from effects.arguments import check_callable, flag, integer, natural, repetitions
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, as_type, constant_like, convert
from effects.errors import ShapeError
from effects.functions.creation import creation
from effects.functions.elementwise import logic
from effects.functions.manipulation import diagonals, movement, padding
from effects.runtime.memory_errors import memory_errors
from effects.types import dtypes, promotion
from effects.types.dtypes import ForeignDType, i64


def tri(N: int, M: int | None = None, k: int = 0, dtype: type[DT] | ForeignDType | None = None) -> Array[DT]:
    """A matrix of ones at and below diagonal k (positive: above the main one) and zeros above; N by M, M being N.

    >>> import effects as fx
    >>> fx.tri(2)
    Array([[1., 0.],
           [1., 1.]], float64)
    """
    rows = natural("tri", "N", N)
    columns = rows if M is None else natural("tri", "M", M)
    target = dtypes.default_of(float) if dtype is None else dtypes.as_dtype(dtype)
    return creation.band("tri", rows, columns, integer("tri", "k", k), target, high=True)


def identity(n: int, dtype: type[DT] | ForeignDType | None = None) -> Array[DT]:
    """The matrix with ones on the diagonal and zeros elsewhere.

    >>> import effects as fx
    >>> fx.identity(2)
    Array([[1., 0.],
           [0., 1.]], float64)
    """
    return creation.eye(natural("identity", "n", n), dtype=dtype)


def _triangle(function: str, n: int, k: int, m: int | None, lower: bool) -> tuple[Array[i64], Array[i64]]:
    size = natural(function, "n", n)
    columns = size if m is None else natural(function, "m", m)
    diagonal = min(max(integer(function, "k", k), -size), columns)  # beyond that the triangle is the same
    with memory_errors:
        indices = (np.tril_indices if lower else np.triu_indices)(size, diagonal, columns)
        rows, places = (creation.asarray(part.astype(np.int64)) for part in indices)
    return rows, places


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array[i64], Array[i64]]:
    """The rows and columns of the positions at and below diagonal k of a matrix, n by m (m is n).

    >>> import effects as fx
    >>> fx.tril_indices(2)
    (Array([0, 1, 1], int64), Array([0, 0, 1], int64))
    """
    return _triangle("tril_indices", n, k, m, True)


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array[i64], Array[i64]]:
    """The rows and columns of the positions at and above diagonal k of a matrix, n by m (m is n).

    >>> import effects as fx
    >>> fx.triu_indices(2)
    (Array([0, 0, 1], int64), Array([0, 1, 1], int64))
    """
    return _triangle("triu_indices", n, k, m, False)


def _matrix(function: str, x: ArrayLike) -> tuple[int, int]:
    array = as_array(x, function, "x")
    if array.aval.ndim != 2:
        raise ShapeError(f"{function}: x must have rank 2, got {array.aval}")
    n, m = array.aval.shape
    return n, m


def tril_indices_from(x: ArrayLike, /, k: int = 0) -> tuple[Array[i64], Array[i64]]:
    """`tril_indices` of the sizes of a matrix.

    >>> import effects as fx
    >>> fx.tril_indices_from(fx.ones((2, 2)))
    (Array([0, 1, 1], int64), Array([0, 0, 1], int64))
    """
    n, m = _matrix("tril_indices_from", x)
    return _triangle("tril_indices_from", n, k, m, True)


def triu_indices_from(x: ArrayLike, /, k: int = 0) -> tuple[Array[i64], Array[i64]]:
    """`triu_indices` of the sizes of a matrix.

    >>> import effects as fx
    >>> fx.triu_indices_from(fx.ones((2, 2)))
    (Array([0, 0, 1], int64), Array([0, 1, 1], int64))
    """
    n, m = _matrix("triu_indices_from", x)
    return _triangle("triu_indices_from", n, k, m, False)


def mask_indices(n: int, mask_func: Callable[[Array, int], Array], k: int = 0) -> tuple[Array[i64], Array[i64]]:
    """The rows and columns of an n by n matrix where `mask_func` of a matrix of ones and k is not zero.

    >>> import effects as fx
    >>> fx.mask_indices(2, fx.triu)
    (Array([0, 0, 1], int64), Array([0, 1, 1], int64))
    """
    check_callable("mask_indices", mask_func, "mask_func")
    size = natural("mask_indices", "n", n)
    chosen = np.asarray(mask_func(creation.ones((size, size), dtype=dtypes.int64), integer("mask_indices", "k", k)))
    rows, columns = (creation.asarray(part) for part in np.nonzero(chosen))
    return rows, columns


def diag_indices(n: int, ndim: int = 2) -> tuple[Array[i64], ...]:
    """The positions of the main diagonal of an array with `ndim` axes of size n.

    >>> import effects as fx
    >>> fx.diag_indices(2)
    (Array([0, 1], int64), Array([0, 1], int64))
    """
    places = creation.iota(dtypes.int64, (natural("diag_indices", "n", n),))
    return (places,) * natural("diag_indices", "ndim", ndim)


def diag_indices_from(x: ArrayLike, /) -> tuple[Array[i64], ...]:
    """`diag_indices` of an array whose axes are of one size, two of them or more.

    >>> import effects as fx
    >>> fx.diag_indices_from(fx.ones((2, 2)))
    (Array([0, 1], int64), Array([0, 1], int64))
    """
    array = as_array(x, "diag_indices_from", "x")
    if array.aval.ndim < 2 or len(set(array.aval.shape)) != 1:
        raise ShapeError(f"diag_indices_from: x needs two axes or more, all of one size, got {array.aval}")
    return diag_indices(array.aval.shape[0], array.aval.ndim)


def diag(x: Like[DT], /, k: int = 0) -> Array[DT]:
    """Of a vector the matrix that has it as diagonal k, of a matrix its diagonal k.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.diag(np.array([1, 2]))
    Array([[1, 0],
           [0, 2]], int64)
    """
    array = as_array(x, "diag", "x")
    offset = integer("diag", "k", k)
    if array.aval.ndim == 2:
        return diagonals.diagonal(array, offset)
    if array.aval.ndim != 1:
        raise ShapeError(f"diag: x must have rank 1 or 2, got {array.aval}")
    n = array.aval.size + abs(offset)
    spread = padding.pad(array, (max(offset, 0), max(-offset, 0)))
    chosen = creation.eye(n, n, offset, dtype=dtypes.bool_)
    return logic.where(chosen, spread, constant_like(0, array))


def diagflat(x: Like[DT], /, k: int = 0) -> Array[DT]:
    """The matrix that has all elements of x as diagonal k.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.diagflat(np.array([[1], [2]]))
    Array([[1, 0],
           [0, 2]], int64)
    """
    return diag(movement.reshape(as_array(x, "diagflat", "x"), (-1,)), integer("diagflat", "k", k))


def fill_diagonal(x: Like[DT], /, val: ArrayLike, wrap: bool = False) -> Array[DT]:
    """x with `val` on its main diagonal: a number, or elements in turn. With `wrap` tall matrices begin again.

    Arrays are immutable, so x does not change; NumPy's function writes to it.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.fill_diagonal(np.zeros((2, 2)), 5.0)
    Array([[5., 0.],
           [0., 5.]], float64)
    """
    array = as_array(x, "fill_diagonal", "x")
    own = array.aval.shape
    if len(own) < 2 or (len(own) > 2 and len(set(own)) != 1):
        raise ShapeError(f"fill_diagonal: x needs rank 2, or more axes of one size, got {array.aval}")
    steps = [math.prod(own[i + 1 :]) for i in range(len(own))]
    end = array.aval.size if flag("fill_diagonal", "wrap", wrap) or len(own) > 2 else min(own[1] ** 2, array.aval.size)
    places = np.arange(0, end, sum(steps))
    new = as_type(val, array.aval.dtype, False, "fill_diagonal", "val")
    if not new.aval.size:
        raise ShapeError(f"fill_diagonal: val has no elements, got {new.aval}")
    if new.aval.ndim:
        flat = movement.reshape(new, (-1,))
        new = flat[np.arange(len(places)) % flat.aval.size]
    flat = movement.reshape(array, (-1,))
    return movement.reshape(flat.at[places].set(new), own)


def vander(x: ArrayLike, /, N: int | None = None, increasing: bool = False) -> Array:
    """The matrix whose columns are powers of a vector: N of them (its size), falling to 0, or `increasing` from it.

    Integers become int64, and uint64 float64, as in NumPy.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.vander(np.array([1, 2, 3]), 2)
    Array([[1, 1],
           [2, 1],
           [3, 1]], int64)
    """
    array = as_array(x, "vander", "x")
    if array.aval.ndim != 1:
        raise ShapeError(f"vander: x must have rank 1, got {array.aval}")
    count = repetitions("vander", "N", array.aval.size if N is None else N)
    dtype = array.aval.dtype
    wide = dtype if dtypes.is_inexact(dtype) else promotion.promote(dtype, dtypes.int64)
    column = convert(array, wide)
    columns = [creation.ones_like(column)]
    while len(columns) < count:
        columns.append(columns[-1] * column)
    columns = columns[:count] if flag("vander", "increasing", increasing) else columns[:count][::-1]
    return movement.stack(columns, axis=1) if columns else creation.zeros((array.aval.size, 0), dtype=wide)

"""Triangles and diagonals of matrices. Offsets are static."""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex

from effects.arguments import integer
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.promotion import as_array, constant_like
from effects.errors import ArgumentError, ShapeError
from effects.functions.creation import creation
from effects.functions.elementwise import logic
from effects.functions.manipulation import movement
from effects.operations.indexing import Slice
from effects.program.chain import perform
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.arrays.operators import DT


def _triangle(function: str, x: ArrayLike, k: SupportsIndex, upper: bool) -> Array:
    array = as_array(x, function, "x")
    if array.aval.ndim < 2:
        raise ShapeError(f"{function}: x needs rank >= 2, got {array.aval}")
    n, m = array.aval.shape[-2:]
    chosen = creation.band(function, n, m, k, dtypes.bool_, low=upper, high=not upper)
    return logic.where(chosen, array, constant_like(0, array))


def tril(x: Like[DT], /, k: SupportsIndex = 0) -> Array[DT]:
    """x with zeros above diagonal k (positive: above the main one) of its last two axes.

    >>> import effects as fx
    >>> fx.tril(fx.ones((2, 2)))
    Array([[1., 0.],
           [1., 1.]], float64)
    """
    return _triangle("tril", x, k, upper=False)


def triu(x: Like[DT], /, k: SupportsIndex = 0) -> Array[DT]:
    """x with zeros below diagonal k (positive: above the main one) of its last two axes.

    >>> import effects as fx
    >>> fx.triu(fx.ones((2, 2)))
    Array([[1., 1.],
           [0., 1.]], float64)
    """
    return _triangle("triu", x, k, upper=True)


def diagonal(x: Like[DT], /, offset: int = 0, axis1: int = -2, axis2: int = -1) -> Array[DT]:
    """x[..., i, i + offset]: the diagonal of the last two axes (or of `axis1` and `axis2`), as a last axis.

    >>> import effects as fx
    >>> fx.diagonal(fx.reshape(fx.arange(6), (2, 3)), offset=1)
    Array([1, 5], int64)
    """
    array = as_array(x, "diagonal", "x")
    if array.aval.ndim < 2:
        raise ShapeError(f"diagonal: x needs rank >= 2, got {array.aval}")
    rows, columns = integer("diagonal", "axis1", axis1), integer("diagonal", "axis2", axis2)
    if (rows, columns) != (-2, -1):
        if len({shapes.normalize_axis("diagonal", array.aval.shape, a) for a in (rows, columns)}) == 1:
            raise ArgumentError(f"diagonal: axis1 and axis2 must differ, got {rows} and {columns}")
        array = movement.moveaxis(array, (rows, columns), (-2, -1))
    *lead, n, m = array.aval.shape
    offset = integer("diagonal", "offset", offset)
    down, right = max(-offset, 0), max(offset, 0)
    count = max(0, min(n - down, m - right))
    start = min(down * m + right, n * m)
    stop = start + (count - 1) * (m + 1) + 1 if count else start
    flat = movement.reshape(array, (*lead, n * m))
    zeros = (0,) * len(lead)
    return perform(Slice((*zeros, start), (*lead, stop), (*[1] * len(lead), m + 1), flat))

"""Functions that arrange parts and copies: splitting, rolling, padding, triangles, diagonals, grids.

They are made of the functions of `movement`. Counts, positions and offsets are static. Names and semantics are the
Array API standard's, then NumPy's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, SupportsIndex

from effects.arguments import choice, entries, flag, integer, integers, one_or_several
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, constant_like, convert, integer_or_array
from effects.errors import ArgumentError, ShapeError
from effects.functions import arithmetic, creation, logic, movement
from effects.operations.indexing import DynamicSlice, Slice
from effects.operations.movement import Broadcast, Concat
from effects.program.chain import perform
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike, Like
    from effects.arrays.operators import DT


type Indexing = Literal["xy", "ij"]


def broadcast_arrays(*arrays: ArrayLike) -> tuple[Array, ...]:
    """The arrays repeated so that all have their common shape.

    >>> [a.shape for a in broadcast_arrays(creation.zeros((2, 1)), creation.zeros(3))]
    [(2, 3), (2, 3)]
    """
    given = [as_array(a, "broadcast_arrays", f"arrays[{i}]") for i, a in enumerate(arrays)]
    shape = shapes.broadcast_all([a.aval.shape for a in given])
    return tuple([movement.broadcast_to(a, shape) for a in given])


def split(x: Like[DT], /, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array[DT]]:
    """x cut along `axis` into equal parts (an int), or before the given positions (a sequence of ints).

    >>> import effects as fx
    >>> [part.shape for part in split(fx.arange(6), [1, 4])]
    [(1,), (3,), (2,)]
    """
    array = as_array(x, "split", "x")
    shape = array.aval.shape
    sections = one_or_several("split", "indices_or_sections", indices_or_sections)
    at = shapes.normalize_axis("split", shape, axis)
    return [movement.cut(array, at, start, stop) for start, stop in shapes.split_bounds(shape, sections, at)]


def _triangle(function: str, x: ArrayLike, k: SupportsIndex, upper: bool) -> Array:
    array = as_array(x, function, "x")
    if array.aval.ndim < 2:
        raise ShapeError(f"{function}: x needs rank >= 2, got {array.aval}")
    n, m = array.aval.shape[-2:]
    chosen = creation.band(function, n, m, k, dtypes.bool_, low=upper, high=not upper)
    return logic.where(chosen, array, constant_like(0, array))


def tril(x: Like[DT], /, k: SupportsIndex = 0) -> Array[DT]:
    """x with zeros above diagonal k (positive: above the main one) of its last two axes.

    >>> tril(creation.ones((2, 2)))
    Array([[1., 0.],
           [1., 1.]], float64)
    """
    return _triangle("tril", x, k, upper=False)


def triu(x: Like[DT], /, k: SupportsIndex = 0) -> Array[DT]:
    """x with zeros below diagonal k (positive: above the main one) of its last two axes.

    >>> triu(creation.ones((2, 2)))
    Array([[1., 1.],
           [0., 1.]], float64)
    """
    return _triangle("triu", x, k, upper=True)


def diagonal(x: Like[DT], /, offset: int = 0, axis1: int = -2, axis2: int = -1) -> Array[DT]:
    """x[..., i, i + offset]: the diagonal of the last two axes (or of `axis1` and `axis2`), as a last axis.

    >>> import effects as fx
    >>> diagonal(movement.reshape(fx.arange(6), (2, 3)), offset=1)
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


def meshgrid(*arrays: ArrayLike, indexing: Indexing = "xy", sparse: bool = False) -> tuple[Array, ...]:
    """The coordinates of the grid whose axes are the given vectors, one array of the grid's shape for each.

    With `indexing` "ij" axis i of the grid is vector i; with "xy" the first two are exchanged. With `sparse` arrays
    keep size 1 along the axes of the others, beside which they broadcast.

    >>> import effects as fx
    >>> [a.shape for a in meshgrid(fx.arange(2), fx.arange(3))]
    [(3, 2), (3, 2)]
    """
    choice("meshgrid", "indexing", indexing, Indexing)
    sparse = flag("meshgrid", "sparse", sparse)
    given = [as_array(a, "meshgrid", f"arrays[{i}]") for i, a in enumerate(arrays)]
    for i, a in enumerate(given):
        if a.aval.ndim > 1:
            raise ShapeError(f"meshgrid: arrays[{i}] must have rank 0 or 1, got {a.aval}")
    places = list(range(len(given)))
    if indexing == "xy" and len(given) > 1:
        places[:2] = [1, 0]
    if sparse:
        grid = [
            movement.reshape(a, tuple([-1 if i == place else 1 for i in range(len(given))]))
            for a, place in zip(given, places, strict=True)
        ]
        return tuple(grid)
    shape = [0] * len(given)
    for a, place in zip(given, places, strict=True):
        shape[place] = a.aval.size
    grid = [
        perform(Broadcast(tuple(shape), (place,), movement.reshape(a, (-1,))))
        for a, place in zip(given, places, strict=True)
    ]
    return tuple(grid)


type Shift = SupportsIndex | Sequence[SupportsIndex]


def roll(x: Like[DT], /, shift: Shift, axis: int | tuple[int, ...] | None = None) -> Array[DT]:
    """The elements moved by `shift` positions along `axis`, what leaves at one end entering at the other.

    With `axis` None the elements move in row-major order. A tuple of axes takes one shift for all, or one for each.
    Shifts may be integer arrays of rank 0 whose values are not known.

    >>> from effects.functions.sequences import arange
    >>> roll(arange(4), 1)
    Array([3, 0, 1, 2], int64)
    """
    array = as_array(x, "roll", "x")
    if axis is None:
        return movement.reshape(roll(movement.reshape(array, (-1,)), shift, axis=0), array.aval.shape)
    axes = integers("roll", "axis", axis)
    shifts = tuple([integer_or_array("roll", "shift", by) for by in entries(shift)])
    if len(shifts) == 1:
        shifts *= len(axes)
    elif len(axes) == 1:
        axes *= len(shifts)
    if len(shifts) != len(axes):
        raise ArgumentError(f"roll: {len(shifts)} shifts for {len(axes)} axes")
    shape = array.aval.shape
    for at, by in zip([shapes.normalize_axis("roll", shape, a) for a in axes], shifts, strict=True):
        n = shape[at]
        if isinstance(by, Array):
            array = _rolled(array, at, by)
        elif n and by % n:
            array = perform(
                Concat(at, (movement.cut(array, at, n - by % n, n), movement.cut(array, at, 0, n - by % n)))
            )
    return array


def _rolled(x: Array, axis: int, by: Array) -> Array:
    """x moved along `axis` by a number of positions that is not known: a part of x beside itself."""
    shape = x.aval.shape
    if shape[axis] < 2:
        return x
    first = arithmetic.remainder(arithmetic.subtract(0, convert(by, dtypes.int64)), shape[axis])
    none = constant_like(0, first)
    starts = tuple([first if i == axis else none for i in range(len(shape))])
    return perform(DynamicSlice(shape, perform(Concat(axis, (x, x))), starts))

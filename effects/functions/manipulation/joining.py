"""NumPy's ways of joining arrays and of splitting them.

They are composed of `concat` and slices. Counts and positions are static. Names and semantics are NumPy's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Never, overload

import numpy as np

from effects.arguments import MOST_AXES, integer, sequence
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError
from effects.functions.manipulation import movement
from effects.types.signatures.joining import Beside, Columns

if TYPE_CHECKING:
    from effects.arrays.operators import DT, RT
    from effects.types.dtypes import DTypeLike
    from effects.types.signatures.becoming import Meeting


type Blocks = ArrayLike | Sequence[Blocks]


@overload
def atleast_1d(x: Like[DT], /) -> Array[DT]: ...


@overload
def atleast_1d(x: ArrayLike, y: ArrayLike, /, *arrays: ArrayLike) -> tuple[Array, ...]: ...


def atleast_1d(*arrays: ArrayLike) -> Array | tuple[Array, ...]:
    """Each array with rank 1 or more: one array of one, a tuple of several.

    >>> import effects as fx
    >>> fx.atleast_1d(3.0)
    Array([3.], float64)
    """
    return _each([_padded("atleast_1d", a, i, 1) for i, a in enumerate(arrays)])


@overload
def atleast_2d(x: Like[DT], /) -> Array[DT]: ...


@overload
def atleast_2d(x: ArrayLike, y: ArrayLike, /, *arrays: ArrayLike) -> tuple[Array, ...]: ...


def atleast_2d(*arrays: ArrayLike) -> Array | tuple[Array, ...]:
    """Each array with rank 2 or more; a vector becomes a row.

    >>> import effects as fx
    >>> fx.atleast_2d(3.0)
    Array([[3.]], float64)
    """
    return _each([_padded("atleast_2d", a, i, 2) for i, a in enumerate(arrays)])


@overload
def atleast_3d(x: Like[DT], /) -> Array[DT]: ...


@overload
def atleast_3d(x: ArrayLike, y: ArrayLike, /, *arrays: ArrayLike) -> tuple[Array, ...]: ...


def atleast_3d(*arrays: ArrayLike) -> Array | tuple[Array, ...]:
    """Each array with rank 3 or more: a vector has shape (1, n, 1) then, a matrix (n, m, 1).

    >>> import effects as fx
    >>> fx.atleast_3d(fx.ones(2)).shape
    (1, 2, 1)
    """
    return _each([_padded("atleast_3d", a, i, 3) for i, a in enumerate(arrays)])


def _each(arrays: list[Array]) -> Array | tuple[Array, ...]:
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


def _padded(function: str, x: ArrayLike, i: int, rank: int) -> Array:
    array = as_array(x, function, f"arrays[{i}]")
    own = array.aval.shape
    missing = rank - len(own)
    if missing <= 0:
        return array
    behind = 1 if rank == 3 and own else 0
    return movement.reshape(array, (1,) * (missing - behind) + own + (1,) * behind)


def _as_arrays(function: str, arrays: object, more: tuple[object, ...]) -> list[Array]:
    movement.check_one_sequence(function, more)
    if isinstance(arrays, Array | np.ndarray) and arrays.ndim > 0:
        rows: Iterable[object] = arrays
    else:
        rows = sequence(function, "arrays", arrays, "arrays")
    return [as_array(a, function, f"arrays[{i}]") for i, a in enumerate(rows)]


@Beside
def vstack(arrays: Sequence[ArrayLike], /, *more: Never, dtype: DTypeLike | None = None) -> Array:
    """The arrays below each other: along the first axis, vectors being rows; dtypes as in `concat`.

    >>> import effects as fx
    >>> fx.vstack([fx.ones(2), fx.zeros(2)])
    Array([[1., 1.],
           [0., 0.]], float64)
    """
    rows = [_padded("vstack", a, i, 2) for i, a in enumerate(_as_arrays("vstack", arrays, more))]
    return movement.concat(rows, axis=0, dtype=dtype)


@Beside
def hstack(arrays: Sequence[ArrayLike], /, *more: Never, dtype: DTypeLike | None = None) -> Array:
    """The arrays beside each other: along the second axis, vectors along the first; dtypes as in `concat`.

    >>> import effects as fx
    >>> fx.hstack([fx.ones(2), fx.zeros(1)])
    Array([1., 1., 0.], float64)
    """
    rows = [_padded("hstack", a, i, 1) for i, a in enumerate(_as_arrays("hstack", arrays, more))]
    return movement.concat(rows, axis=0 if rows and rows[0].aval.ndim == 1 else 1, dtype=dtype)


@Columns
def dstack(arrays: Sequence[ArrayLike], /, *more: Never) -> Array:
    """The arrays behind each other: along the third axis.

    >>> import effects as fx
    >>> fx.dstack([fx.ones(2), fx.zeros(2)]).shape
    (1, 2, 2)
    """
    return movement.concat(
        [_padded("dstack", a, i, 3) for i, a in enumerate(_as_arrays("dstack", arrays, more))], axis=2
    )


@Columns
def column_stack(arrays: Sequence[ArrayLike], /, *more: Never) -> Array:
    """The arrays beside each other, vectors being columns.

    >>> import effects as fx
    >>> fx.column_stack([fx.ones(2), fx.zeros(2)])
    Array([[1., 0.],
           [1., 0.]], float64)
    """
    columns = _as_arrays("column_stack", arrays, more)
    return movement.concat([a if a.aval.ndim > 1 else movement.reshape(a, (-1, 1)) for a in columns], axis=1)


def block(arrays: Blocks, /, *more: Never) -> Array:
    """One array of nested lists of blocks: the innermost are joined along the last axis, those around along others.

    >>> import effects as fx
    >>> fx.block([[fx.ones((1, 2)), fx.zeros((1, 1))], [fx.ones((1, 3))]])
    Array([[1., 1., 0.],
           [1., 1., 1.]], float64)
    """
    movement.check_one_sequence("block", more)
    depths = set(_depths(arrays, 0))
    if len(depths) != 1:
        raise ArgumentError("block: arrays must be lists of one depth everywhere")
    (depth,) = depths
    rank = max([depth, *[a.aval.ndim for a in _leaves(arrays)]])
    return _block(arrays, depth, rank)


def _depths(arrays: Blocks, around: int) -> Iterator[int]:
    """Number of lists around each block."""
    if not isinstance(arrays, list):
        yield around
    elif around == MOST_AXES or not arrays:
        raise ArgumentError(
            f"block: arrays must be lists, {MOST_AXES} within each other at most, with at least one block in each"
        )
    else:
        for entry in arrays:
            yield from _depths(entry, around + 1)


def _leaves(arrays: Blocks) -> list[Array]:
    if isinstance(arrays, list):
        return [leaf for entry in arrays for leaf in _leaves(entry)]
    return [as_array(arrays, "block", "arrays")]


def _block(arrays: Blocks, depth: int, rank: int) -> Array:
    if isinstance(arrays, list):
        return movement.concat([_block(entry, depth - 1, rank) for entry in arrays], axis=-depth)
    (array,) = _leaves(arrays)
    return movement.reshape(array, (1,) * (rank - array.aval.ndim) + array.aval.shape)


def append(x: Like[DT], /, values: Meeting[DT, RT], axis: int | None = None) -> Array[RT]:
    """x and then `values` along `axis`; None flattens both.

    >>> import effects as fx
    >>> fx.append(fx.ones(2), 3.0)
    Array([1., 1., 3.], float64)
    """
    a, b = as_array(x, "append", "x"), as_array(values, "append", "values")
    return movement.concat([a, b], axis=None if axis is None else integer("append", "axis", axis))

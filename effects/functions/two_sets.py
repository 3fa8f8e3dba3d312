"""What is in two vectors, taken as sets: in one of them, in both, in only one.

Sizes and what is filled are as in `effects.functions.sets`; of two sets each has one NaN at most, and the other does
not have it. Names and semantics are NumPy's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from effects.arguments import flag
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, convert, promoted
from effects.functions import (
    creation,
    cumulative,
    elementwise,
    indexing,
    logic,
    movement,
    searching,
    sets,
    sorting,
)
from effects.functions.settled import settled
from effects.operations.sorting import Sort
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.signatures.pairs import TwoSets

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike
    from effects.types.dtypes import DType, i64
    from effects.types.signatures import Exactly, Shape


@TwoSets
@settled
def union1d(x1: ArrayLike, x2: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None) -> Array:
    """The different elements of x1 and x2 in ascending order.

    >>> from effects.functions.creation import asarray
    >>> union1d(asarray([3, 1]), asarray([2, 1]))
    Array([1, 2, 3], int64)
    """
    flat = [movement.reshape(x, (-1,)) for x in promoted("union1d", x1=x1, x2=x2)]
    return sets.distinct("union1d", movement.concat(flat), size, fill_value, True, _read("union1d", x1, x2))


def _read(function: str, x1: ArrayLike, x2: ArrayLike) -> dict[str, Array]:
    """What decides the size of the result."""
    return {name: as_array(x, function, name) for name, x in (("x1", x1), ("x2", x2))}


def _parts(function: str, x1: ArrayLike, x2: ArrayLike) -> tuple[Array, Array, Array]:
    """The elements of both in order, where those are that differ from the one before, and which are of x1.

    Those of x1 come before those of x2 that are equal. NaN of x2 are not equal to NaN of x1.
    """
    flat = [movement.reshape(x, (-1,)) for x in promoted(function, x1=x1, x2=x2)]
    everything = movement.concat(flat)
    ordered, came_from = perform(Sort(1, 0, False, (everything, sorting.positions(everything, 0))))
    of_first = came_from < flat[0].aval.shape[0]
    new = sets.first_of_equals(ordered, True)
    if issubclass(ordered.aval.dtype, dtypes.Inexact):
        new = logic.logical_or(new, logic.logical_and(elementwise.isnan(ordered), sets.first_of_equals(of_first, True)))
    return ordered, new, of_first


def _last_of_equals(new: Array) -> Array:
    n = new.aval.shape[0]
    return movement.concat([movement.cut(new, 0, min(1, n), n), creation.full((min(1, n),), True)])


def _runs(new: Array, of_first: Array) -> tuple[Array, Array]:
    """At the first of each run of equals, whether it has elements of x1, and whether it has elements of x2."""
    last = _last_of_equals(new)
    numbers = convert(elementwise.bitwise_invert(of_first), dtypes.int64)
    total = cumulative.cumsum(numbers)
    # The number of elements of x2 before the end of a run, carried back to its beginning.
    ends = cumulative.cummin(logic.where(last, total, new.aval.shape[0]), 0, reverse=True)
    return of_first, ends > total - numbers


@overload
def intersect1d[D: DType, S: Shape, T: Shape](
    x1: Array[D, S],
    x2: Array[D, T],
    /,
    *,
    return_indices: Literal[False] = False,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array[D]: ...
@overload
def intersect1d[D: DType, S: Shape, T: Shape](
    x1: Array[D, S],
    x2: Array[D, T],
    /,
    *,
    return_indices: Literal[False] = False,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array[Exactly[D]]: ...
@overload
def intersect1d[X: ArrayLike, Y: ArrayLike](
    x1: X,
    x2: Y,
    /,
    *,
    return_indices: Literal[False] = False,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array: ...
@overload
def intersect1d(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    return_indices: Literal[True],
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> tuple[Array, Array[i64], Array[i64]]: ...
@settled
def intersect1d(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    return_indices: bool = False,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array | tuple[Array, Array, Array]:
    """The different elements that are in both x1 and x2, in ascending order.

    With `return_indices` the positions where they are first in x1 and in x2 come, too, 0 for what is filled.

    >>> from effects.functions.creation import asarray
    >>> intersect1d(asarray([3, 1, 2]), asarray([2, 3, 4]))
    Array([2, 3], int64)
    """
    asked = flag("intersect1d", "return_indices", return_indices)
    ordered, new, of_first = _parts("intersect1d", x1, x2)
    in_first, in_second = _runs(new, of_first)
    mask = logic.logical_and(new, logic.logical_and(in_first, in_second))
    found, there = sets.chosen("intersect1d", ordered, mask, size, fill_value, _read("intersect1d", x1, x2))
    if not asked:
        return found
    both = [_first(x, found) for x in promoted("intersect1d", x1=x1, x2=x2)]
    return found, logic.where(there, both[0], 0), logic.where(there, both[1], 0)


def _first(x: Array, values: Array) -> Array:
    """Where `values` are first in x, of those that are there."""
    line = movement.reshape(x, (-1,))
    if not line.aval.shape[0]:
        return creation.zeros_like(values, dtype=dtypes.int64)
    order = sorting.argsort(line)
    return indexing.take(order, searching.searchsorted(line, values, sorter=order), mode="clip")


@TwoSets
@settled
def setdiff1d(
    x1: ArrayLike, x2: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> Array:
    """The different elements of x1 that are not in x2, in ascending order.

    >>> from effects.functions.creation import asarray
    >>> setdiff1d(asarray([3, 1, 2]), asarray([2, 4]))
    Array([1, 3], int64)
    """
    ordered, new, of_first = _parts("setdiff1d", x1, x2)
    in_first, in_second = _runs(new, of_first)
    mask = logic.logical_and(new, logic.logical_and(in_first, elementwise.bitwise_invert(in_second)))
    own = convert(ordered, as_array(x1, "setdiff1d", "x1").aval.dtype)
    return sets.chosen("setdiff1d", own, mask, size, fill_value, _read("setdiff1d", x1, x2))[0]


@TwoSets
@settled
def setxor1d(x1: ArrayLike, x2: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None) -> Array:
    """The different elements that are in only one of x1 and x2, in ascending order.

    >>> from effects.functions.creation import asarray
    >>> setxor1d(asarray([3, 1, 2]), asarray([2, 4]))
    Array([1, 3, 4], int64)
    """
    ordered, new, of_first = _parts("setxor1d", x1, x2)
    in_first, in_second = _runs(new, of_first)
    mask = logic.logical_and(new, in_first != in_second)
    return sets.chosen("setxor1d", ordered, mask, size, fill_value, _read("setxor1d", x1, x2))[0]

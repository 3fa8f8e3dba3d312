"""Vectors as sets: what occurs in them, and how often.

How many different elements there are depends on values. At once that is simply counted; where values are not known,
`size` says how many the result has: more are cut off, and what is left over is filled, with `fill_value` or the least
element. Names and semantics are the Array API standard's, where every NaN differs from all others, then NumPy's.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from effects.arguments import flag
from effects.arrays.array import Array
from effects.arrays.concrete import Host, from_host
from effects.arrays.promotion import as_array, as_type
from effects.functions import (
    at_once,
    creation,
    cumulative,
    differences,
    elementwise,
    logic,
    movement,
    searching,
)
from effects.operations.sorting import Sort
from effects.program.chain import perform
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from effects.arrays.array import ArrayLike, Like
    from effects.arrays.operators import DT
    from effects.types.dtypes import DType, i64


class UniqueAll[D: DType](NamedTuple):
    """What `unique_all` gives: the elements, where each is first, which of them each element is, how often they are."""

    values: Array[D]
    indices: Array[i64]
    inverse_indices: Array[i64]
    counts: Array[i64]


class UniqueCounts[D: DType](NamedTuple):
    """What `unique_counts` gives: the elements, and how often they are."""

    values: Array[D]
    counts: Array[i64]


class UniqueInverse[D: DType](NamedTuple):
    """What `unique_inverse` gives: the elements, and which of them each element is."""

    values: Array[D]
    inverse_indices: Array[i64]


@at_once.settled
def unique_parts(
    function: str,
    x: ArrayLike,
    size: int | None,
    fill_value: ArrayLike | None,
    equal_nan: bool = False,
    axis: int | None = None,
    read: Mapping[str, Array] | None = None,
) -> UniqueAll[Any]:
    """What occurs in x: elements or, along an axis, parts, which are ordered as words are.

    `read` has the arguments that x is made of, where it is none itself.
    """
    array = as_array(x, function, "x")
    at = 0 if axis is None else shapes.normalize_axis(function, array.aval.shape, axis)
    if axis is None and size is None and (known := _known(array)) is not None:
        return UniqueAll(*[from_host(part) for part in np.unique(known, True, True, True, equal_nan=equal_nan)])
    rows = movement.reshape(array, (-1,)) if axis is None else movement.moveaxis(array, at, 0)
    n, *rest = rows.aval.shape
    if not n and size is None:
        none = creation.zeros((0,), dtype=dtypes.int64)
        inverse = none if axis is not None else movement.reshape(none, array.aval.shape)
        return UniqueAll(rows if axis is None else array, none, inverse, none)
    columns = list(movement.parts(movement.reshape(rows, (n, math.prod(rest))), 1))
    places = creation.iota(dtypes.int64, (n,))
    *ordered, came_from = perform(Sort(len(columns), 0, False, (*columns, places))) if columns else (places,)
    new = functools.reduce(logic.logical_or, [first_of_equals(c, equal_nan) for c in ordered] or [places == 0])
    count = searching.count_of(function, new, size, read or {"x": array})
    bounds, indices, *values = [
        movement.cut(part, 0, 0, count + (i == 0))
        for i, part in enumerate(searching.holding(new, count + 1, n, came_from, *ordered))
    ]
    found = movement.stack(values, axis=1) if values else creation.zeros((count, 0), dtype=array.aval.dtype)
    found = movement.reshape(found, (count, *rest))
    left = movement.cut(bounds, 0, 0, count) < n
    least = movement.cut(found, 0, 0, 1) if fill_value is None and count else None
    fill = as_type(fill_value, array.aval.dtype, False, function, "fill_value") if fill_value is not None else least
    if fill is not None:
        found = logic.where(movement.reshape(left, (count, *[1] * len(rest))), found, fill)
    inverse = perform(Sort(1, 0, False, (came_from, cumulative.cumsum(new) - 1)))[1]
    return UniqueAll(
        movement.moveaxis(found, 0, at),
        logic.where(left, indices, 0),
        inverse if axis is not None else movement.reshape(inverse, array.aval.shape),
        differences.diff(bounds),
    )


def _known(x: Array) -> Host | None:
    """The elements, of which NumPy says at once which differ."""
    known = at_once.hosts(x)
    return None if known is None or at_once.has_both_zeros(known[0]) else known[0]


@at_once.settled
def distinct(
    function: str,
    x: ArrayLike,
    size: int | None,
    fill_value: ArrayLike | None,
    equal_nan: bool = False,
    read: Mapping[str, Array] | None = None,
) -> Array:
    """The different elements alone; of the arguments as `unique_parts`."""
    array = as_array(x, function, "x")
    if size is None and (known := _known(array)) is not None:
        return from_host(np.unique(known, equal_nan=equal_nan))
    return unique_parts(function, array, size, fill_value, equal_nan, None, read).values


def first_of_equals(ordered: Array, equal_nan: bool) -> Array:
    """Where an element of a sorted vector differs from the one before it."""
    n = ordered.aval.shape[0]
    after, before = movement.cut(ordered, 0, min(1, n), n), movement.cut(ordered, 0, 0, max(n - 1, 0))
    differs = after != before
    if equal_nan and issubclass(ordered.aval.dtype, dtypes.Inexact):
        both = logic.logical_and(elementwise.isnan(after), elementwise.isnan(before))
        differs = logic.logical_and(differs, elementwise.bitwise_invert(both))
    first = creation.full((min(1, n),), True)
    return movement.concat([first, differs])


def unique_values(x: Like[DT], /, *, size: int | None = None, fill_value: ArrayLike | None = None) -> Array[DT]:
    """The different elements of x in ascending order.

    >>> from effects.functions.creation import asarray
    >>> unique_values(asarray([3, 1, 3])), unique_values(asarray([3, 1, 3]), size=3, fill_value=0)
    (Array([1, 3], int64), Array([1, 3, 0], int64))
    """
    return distinct("unique_values", x, size, fill_value)


def unique_counts(x: Like[DT], /, *, size: int | None = None, fill_value: ArrayLike | None = None) -> UniqueCounts[DT]:
    """The different elements of x in ascending order, and how often each occurs, 0 for what is filled.

    >>> from effects.functions.creation import asarray
    >>> unique_counts(asarray([3, 1, 3]))
    UniqueCounts(values=Array([1, 3], int64), counts=Array([1, 2], int64))
    """
    found = unique_parts("unique_counts", x, size, fill_value)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(
    x: Like[DT], /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueInverse[DT]:
    """The different elements of x in ascending order, and in the shape of x which of them each element is.

    >>> from effects.functions.creation import asarray
    >>> unique_inverse(asarray([3, 1, 3]))
    UniqueInverse(values=Array([1, 3], int64), inverse_indices=Array([1, 0, 1], int64))
    """
    found = unique_parts("unique_inverse", x, size, fill_value)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_all(x: Like[DT], /, *, size: int | None = None, fill_value: ArrayLike | None = None) -> UniqueAll[DT]:
    """The different elements of x in ascending order, where each occurs first (in row-major order), in the shape of x
    which of them each element is, and how often each occurs.

    >>> from effects.functions.creation import asarray
    >>> unique_all(asarray([3, 1, 3])).indices
    Array([1, 0], int64)
    """
    return unique_parts("unique_all", x, size, fill_value)


@overload
def unique(
    x: Like[DT],
    /,
    *,
    axis: int | None = None,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array[DT]: ...
@overload
def unique(
    x: ArrayLike,
    /,
    return_index: bool,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> tuple[Array, ...]: ...
@overload
def unique(
    x: ArrayLike,
    /,
    *,
    return_inverse: bool,
    return_counts: bool = False,
    axis: int | None = None,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> tuple[Array, ...]: ...
@overload
def unique(
    x: ArrayLike,
    /,
    *,
    return_counts: bool,
    axis: int | None = None,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> tuple[Array, ...]: ...
def unique(
    x: ArrayLike,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array | tuple[Array, ...]:
    """The different elements of x in ascending order, and what of `unique_all` is asked for, in a tuple.

    All NaN are one if `equal_nan`. Along an `axis` it is the different parts, such as rows, by their first elements and
    then the next; there NaN differ.

    >>> from effects.functions.creation import asarray
    >>> unique(asarray([3, 1, 3]), return_counts=True)
    (Array([1, 3], int64), Array([1, 2], int64))
    >>> unique([[2, 1], [0, 5], [2, 1]], axis=0)
    Array([[0, 5],
           [2, 1]], int64)
    """
    asked = [
        flag("unique", name, value)
        for name, value in (
            ("return_index", return_index),
            ("return_inverse", return_inverse),
            ("return_counts", return_counts),
        )
    ]
    same_nan = flag("unique", "equal_nan", equal_nan) and axis is None
    if axis is None and not any(asked):
        return distinct("unique", x, size, fill_value, same_nan)
    found = unique_parts("unique", x, size, fill_value, same_nan, axis)
    more = [array for array, wanted in zip(found[1:], asked, strict=True) if wanted]
    return (found.values, *more) if more else found.values

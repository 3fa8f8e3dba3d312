"""Vectors as sets: their distinct elements, and how often these occur.

The number of distinct elements depends on values. Eagerly it is counted; where values are unknown, `size` is the number
of elements in the result, which is cut off or filled, with `fill_value` or the least element. Names and semantics are
the Array API standard's, where every NaN differs from all others, then NumPy's.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any, NamedTuple, overload

from effects.arguments import flag
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, as_type, scalar
from effects.functions.creation import creation
from effects.functions.elementwise import logic, unary
from effects.functions.indexing.value_dependent import outside_of_tracing
from effects.functions.manipulation import movement
from effects.functions.ordering import searching, sorting
from effects.functions.reductions import cumulative, differences
from effects.operations.gathering import Bounds, Gather, Scatter, ScatterKind
from effects.operations.movement import Pad
from effects.operations.sorting import Nonzero, Sort
from effects.program.chain import perform
from effects.types import dtypes, shapes
from effects.types.dtypes import DType, i64


class UniqueAll[D: DType](NamedTuple):
    """Result of `unique_all`: the elements, the index of the first of each, the inverse indices, and the counts."""

    values: Array[D]
    indices: Array[i64]
    inverse_indices: Array[i64]
    counts: Array[i64]


class UniqueCounts[D: DType](NamedTuple):
    """Result of `unique_counts`: the elements and their counts."""

    values: Array[D]
    counts: Array[i64]


class UniqueInverse[D: DType](NamedTuple):
    """Result of `unique_inverse`: the elements and the inverse indices."""

    values: Array[D]
    inverse_indices: Array[i64]


@outside_of_tracing
def unique_parts(
    function: str,
    x: ArrayLike,
    size: int | None,
    fill_value: ArrayLike | None,
    equal_nan: bool = False,
    axis: int | None = None,
) -> UniqueAll[Any]:
    """The distinct elements of x or, along an axis, its distinct parts, in lexicographic order."""
    array = as_array(x, function, "x")
    at = 0 if axis is None else shapes.normalize_axis(function, array.aval.shape, axis)
    rows = movement.reshape(array, (-1,)) if axis is None else movement.moveaxis(array, at, 0)
    n, *rest = rows.aval.shape
    if not n and size is None:
        none = creation.zeros((0,), dtype=dtypes.int64)
        inverse = none if axis is not None else movement.reshape(none, array.aval.shape)
        return UniqueAll(rows if axis is None else array, none, inverse, none)
    places = creation.iota(dtypes.int64, (n,))
    width = math.prod(rest)
    columns = (rows,) if axis is None else movement.parts(movement.reshape(rows, (n, width)), 1)
    *ordered, came_from = perform(Sort(width, 0, False, (*columns, places))) if width else (places,)
    new = functools.reduce(logic.logical_or, [first_of_equals(c, equal_nan) for c in ordered] or [places == 0])
    starts, counts = _runs(function, new, size, array)
    indices = at_places(came_from, starts)
    values = at_places(ordered[0], starts) if axis is None else at_places(rows, indices)
    if size is not None:
        values = filled(function, values, starts < n, fill_value)
    before = creation.zeros((n,), dtype=dtypes.int64)
    nth = cumulative.cumsum(new) - 1
    inverse = perform(Scatter(ScatterKind.SET, (0,), 0, 0, Bounds.CLIP, before, nth, (came_from,), True)) if n else nth
    return UniqueAll(
        movement.moveaxis(values, 0, at),
        indices,
        inverse if axis is not None else movement.reshape(inverse, array.aval.shape),
        counts,
    )


def _runs(function: str, new: Array, size: int | None, x: Array) -> tuple[Array[i64], Array[i64]]:
    """The first position and the length of each run of equal elements of x in order, where `new` marks the first."""
    count = searching.count_of(function, new, size, {"x": x})
    (bounds,) = perform(Nonzero(count + 1, new.aval.size, 1, new))
    return movement.slice_axis(bounds, 0, 0, count), differences.diff(bounds)


def at_places(x: Array, places: Array) -> Array:
    """The slices of x at positions along its first axis, 0 past its end."""
    return perform(Gather((0,), 0, 0, Bounds.DROP, 0, x, (places,)))


def filled(function: str, values: Array, valid: Array, fill_value: ArrayLike | None) -> Array:
    """The valid slices of values along the first axis, with `fill_value` or the first of them in place of others."""
    count, *rest = values.aval.shape
    if fill_value is not None:
        fill = as_type(fill_value, values.aval.dtype, False, function, "fill_value")
    elif count:
        fill = movement.slice_axis(values, 0, 0, 1)
    else:
        return values
    return logic.where(movement.reshape(valid, (count, *[1] * len(rest))), values, fill)


@outside_of_tracing
def distinct(
    function: str,
    x: ArrayLike,
    size: int | None,
    fill_value: ArrayLike | None,
    equal_nan: bool = False,
    read: Mapping[str, Array] | None = None,
) -> Array:
    """The distinct elements alone. `read` has the arguments from which x is computed, if x is no argument itself."""
    array = as_array(x, function, "x")
    ordered = sorting.sort(array, None)
    new = first_of_equals(ordered, equal_nan)
    return chosen(function, ordered, new, size, fill_value, read or {"x": array})[0]


@outside_of_tracing
def counted(
    function: str, x: ArrayLike, size: int | None, fill_value: ArrayLike | None, equal_nan: bool = False
) -> UniqueCounts[Any]:
    """The distinct elements and the number of occurrences of each."""
    array = as_array(x, function, "x")
    ordered = sorting.sort(array, None)
    starts, counts = _runs(function, first_of_equals(ordered, equal_nan), size, array)
    values = at_places(ordered, starts)
    return UniqueCounts(
        values if size is None else filled(function, values, starts < array.aval.size, fill_value), counts
    )


def chosen(
    function: str, x: Array, mask: Array, size: int | None, fill_value: ArrayLike | None, read: Mapping[str, Array]
) -> tuple[Array, Array]:
    """The elements of a sorted vector where `mask`, computed from `read`, holds, and their mask in the result."""
    (places,) = perform(Nonzero(searching.count_of(function, mask, size, read), x.aval.size, 1, mask))
    valid = places < x.aval.size
    values = at_places(x, places)
    return values if size is None else filled(function, values, valid, fill_value), valid


def first_of_equals(ordered: Array, equal_nan: bool) -> Array:
    """Mask of the elements of a sorted vector that differ from the one before."""
    n = ordered.aval.shape[0]
    after, before = movement.slice_axis(ordered, 0, min(1, n), n), movement.slice_axis(ordered, 0, 0, max(n - 1, 0))
    differs = after != before
    if equal_nan and issubclass(ordered.aval.dtype, dtypes.Inexact):
        both = logic.logical_and(unary.isnan(after), unary.isnan(before))
        differs = logic.logical_and(differs, unary.bitwise_invert(both))
    return perform(Pad(((min(1, n), 0, 0),), differs, scalar(True, dtypes.bool_)))


def unique_values(x: Like[DT], /, *, size: int | None = None, fill_value: ArrayLike | None = None) -> Array[DT]:
    """The different elements of x in ascending order.

    `size` says how many, where values are not known; what is left over is `fill_value`, or the least element.

    >>> import effects as fx
    >>> fx.unique_values(fx.asarray([3, 1, 3])), fx.unique_values(fx.asarray([3, 1, 3]), size=3, fill_value=0)
    (Array([1, 3], int64), Array([1, 3, 0], int64))
    """
    return distinct("unique_values", x, size, fill_value)


def unique_counts(x: Like[DT], /, *, size: int | None = None, fill_value: ArrayLike | None = None) -> UniqueCounts[DT]:
    """The different elements of x in ascending order, and how often each occurs, 0 for what is filled; arguments
    as of `unique_values`.

    >>> import effects as fx
    >>> fx.unique_counts(fx.asarray([3, 1, 3]))
    UniqueCounts(values=Array([1, 3], int64), counts=Array([1, 2], int64))
    """
    return counted("unique_counts", x, size, fill_value)


def unique_inverse(
    x: Like[DT], /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueInverse[DT]:
    """The different elements of x in ascending order, and in the shape of x which of them each element is;
    arguments as of `unique_values`.

    >>> import effects as fx
    >>> fx.unique_inverse(fx.asarray([3, 1, 3]))
    UniqueInverse(values=Array([1, 3], int64), inverse_indices=Array([1, 0, 1], int64))
    """
    parts = unique_parts("unique_inverse", x, size, fill_value)
    return UniqueInverse(parts.values, parts.inverse_indices)


def unique_all(x: Like[DT], /, *, size: int | None = None, fill_value: ArrayLike | None = None) -> UniqueAll[DT]:
    """The different elements of x in ascending order, where each occurs first (in row-major order), in the shape of x
    which of them each element is, and how often each occurs; arguments as of `unique_values`.

    >>> import effects as fx
    >>> fx.unique_all(fx.asarray([3, 1, 3])).indices
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
    """The different elements of x in ascending order, and what of `unique_all` is asked for, in a tuple: by
    `return_index`, `return_inverse`, `return_counts`.

    All NaN are one if `equal_nan`. Along an `axis` it is the different parts, such as rows, by their first elements and
    then the next; in these NaN differ.

    >>> import effects as fx
    >>> fx.unique(fx.asarray([3, 1, 3]), return_counts=True)
    (Array([1, 3], int64), Array([1, 2], int64))
    >>> fx.unique([[2, 1], [0, 5], [2, 1]], axis=0)
    Array([[0, 5],
           [2, 1]], int64)
    """
    flags = [
        flag("unique", name, value)
        for name, value in (
            ("return_index", return_index),
            ("return_inverse", return_inverse),
            ("return_counts", return_counts),
        )
    ]
    if axis is not None and (shape := as_array(x, "unique", "x").aval.shape)[1:] == ():
        shapes.normalize_axis("unique", shape, axis)
        axis = None  # the slices of a vector are its elements
    same_nan = flag("unique", "equal_nan", equal_nan) and axis is None
    if axis is None and not any(flags):
        return distinct("unique", x, size, fill_value, same_nan)
    if axis is None and flags == [False, False, True]:
        return tuple(counted("unique", x, size, fill_value, same_nan))
    parts = unique_parts("unique", x, size, fill_value, same_nan, axis)
    more = [array for array, flag in zip(parts[1:], flags, strict=True) if flag]
    return (parts.values, *more) if more else parts.values

"""Set operations on two vectors: union, intersection, difference, symmetric difference.

Sizes and fill values are as in `sets`; each set has one NaN at most, which the other does not have. Names and semantics
are NumPy's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from effects.arguments import flag
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.promotion import as_array, convert, promoted
from effects.functions.creation import creation
from effects.functions.elementwise import logic, unary
from effects.functions.indexing import taking
from effects.functions.indexing.value_dependent import outside_of_tracing
from effects.functions.manipulation import movement
from effects.functions.ordering import searching, sets, sorting
from effects.operations.sorting import Sort
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.signatures.pairs import TwoSets

if TYPE_CHECKING:
    from effects.arrays.operators import DT, RT
    from effects.types.dtypes import i64
    from effects.types.signatures.becoming import Meeting


@TwoSets
@outside_of_tracing
def union1d(x1: ArrayLike, x2: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None) -> Array:
    """The different elements of x1 and x2 in ascending order; `size` and `fill_value` as of `unique_values`.

    >>> import effects as fx
    >>> fx.union1d(fx.asarray([3, 1]), fx.asarray([2, 1]))
    Array([1, 2, 3], int64)
    """
    flat = [movement.reshape(x, (-1,)) for x in promoted("union1d", x1=x1, x2=x2)]
    return sets.distinct("union1d", movement.concat(flat), size, fill_value, True, _read("union1d", x1, x2))


def _read(function: str, x1: ArrayLike, x2: ArrayLike) -> dict[str, Array]:
    """The arrays whose values decide the size of the result."""
    return {name: as_array(x, function, name) for name, x in (("x1", x1), ("x2", x2))}


def _in_order(function: str, x1: ArrayLike, x2: ArrayLike) -> tuple[Array, Array]:
    first, second = [sorting.sort(x, None) for x in promoted(function, x1=x1, x2=x2)]
    return first, second


def _only(own: Array, other: Array) -> Array:
    """Mask of the distinct elements of a sorted vector that are not in another one."""
    return sets.first_of_equals(own, True) & unary.bitwise_invert(searching.among(other, own))


@overload
def intersect1d(
    x1: Like[DT],
    x2: Meeting[DT, RT],
    /,
    *,
    return_indices: Literal[False] = False,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array[RT]: ...
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
@outside_of_tracing  # type: ignore[misc]  # promoted with an array it is one
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

    With `return_indices` the positions where they are first in x1 and in x2 come, too, 0 for what is filled. `size` and
    `fill_value` are as of `unique_values`.

    >>> import effects as fx
    >>> fx.intersect1d(fx.asarray([3, 1, 2]), fx.asarray([2, 3, 4]))
    Array([2, 3], int64)
    """
    with_indices = flag("intersect1d", "return_indices", return_indices)
    first, second = _in_order("intersect1d", x1, x2)
    mask = sets.first_of_equals(first, True) & searching.among(second, first)
    common, valid = sets.chosen("intersect1d", first, mask, size, fill_value, _read("intersect1d", x1, x2))
    if not with_indices:
        return common
    both = [_first(x, common) for x in promoted("intersect1d", x1=x1, x2=x2)]
    return common, logic.where(valid, both[0], 0), logic.where(valid, both[1], 0)


def _first(x: Array, values: Array) -> Array:
    """Index in x of the first occurrence of each of `values`, for those that occur."""
    line = movement.reshape(x, (-1,))
    if not line.aval.shape[0]:
        return creation.zeros_like(values, dtype=dtypes.int64)
    order = sorting.argsort(line)
    return taking.take(order, searching.searchsorted(line, values, sorter=order), mode="clip")


@TwoSets
@outside_of_tracing
def setdiff1d(
    x1: ArrayLike, x2: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> Array:
    """The different elements of x1 that are not in x2, ascending; `size` and `fill_value` as of `unique_values`.

    >>> import effects as fx
    >>> fx.setdiff1d(fx.asarray([3, 1, 2]), fx.asarray([2, 4]))
    Array([1, 3], int64)
    """
    first, second = _in_order("setdiff1d", x1, x2)
    own = convert(first, as_array(x1, "setdiff1d", "x1").aval.dtype)
    return sets.chosen("setdiff1d", own, _only(first, second), size, fill_value, _read("setdiff1d", x1, x2))[0]


@TwoSets
@outside_of_tracing
def setxor1d(x1: ArrayLike, x2: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None) -> Array:
    """The different elements that are in only one of x1, x2, ascending; `size` and `fill_value` as of `unique_values`.

    >>> import effects as fx
    >>> fx.setxor1d(fx.asarray([3, 1, 2]), fx.asarray([2, 4]))
    Array([1, 3, 4], int64)
    """
    first, second = _in_order("setxor1d", x1, x2)
    only = movement.concat([_only(first, second), _only(second, first)])
    everything = movement.concat([first, second])
    elements, mask = perform(Sort(1, 0, False, (everything, convert(only, dtypes.int8))))  # XLA sorts bools slowly
    return sets.chosen("setxor1d", elements, mask, size, fill_value, _read("setxor1d", x1, x2))[0]

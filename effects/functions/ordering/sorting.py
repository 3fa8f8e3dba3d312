"""Functions that order elements along an axis.

NaN is greater than all numbers, so it comes last, and first in descending order; complex numbers are ordered by their
real, then by their imaginary parts. Every sort is stable. Tangents are moved as the values are. Names and semantics
are the Array API standard's, then NumPy's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from effects.arguments import choice, flag, integer, integers, natural, sequence
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, convert
from effects.errors import ArgumentError, OutOfBoundsError
from effects.functions.indexing import taking
from effects.functions.manipulation import movement
from effects.operations.creation import Iota
from effects.operations.sorting import Order, Sort, TopK
from effects.program.chain import perform
from effects.types import dtypes, shapes
from effects.types.dtypes import i64

type Algorithm = Literal["quicksort", "mergesort", "heapsort", "stable"]


def _sorted(
    function: str, x: ArrayLike, axis: int | None, descending: bool, stable: bool | None, kind: Algorithm | None = None
) -> tuple[Array, int, bool]:
    """The arguments of a sort: the array, the axis as a position, and True for descending order; every sort is
    stable.
    """
    array = as_array(x, function, "x")
    if stable is not True and stable is not None:
        flag(function, "stable", stable)
    if kind is not None:
        choice(function, "kind", kind, Algorithm)
    array, at = movement.along_axis(function, array, axis)
    return array, at, descending is not False and flag(function, "descending", descending)


def positions(x: Array, axis: int) -> Array[i64]:
    """0, 1, 2, … along `axis`, in the shape of x."""
    return perform(Iota(x.aval.shape, dtypes.int64, axis))


def sort(
    x: Like[DT],
    /,
    axis: int | None = -1,
    kind: Algorithm | None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> Array[DT]:
    """x with its elements in ascending order along `axis` (None: of all elements), or in descending order.

    Equal elements, such as the two zeros, keep their order, whatever `stable` and `kind`, a name of NumPy's, say.
    Special cases: NaN is greater than all numbers.

    >>> import effects as fx
    >>> fx.sort(fx.asarray([3, 1, 2])), fx.sort(fx.asarray([3, 1, 2]), descending=True)
    (Array([1, 2, 3], int64), Array([3, 2, 1], int64))
    """
    array, at, down = _sorted("sort", x, axis, descending, stable, kind)
    return perform(Sort(1, at, down, (array,)))[0]


def sort_complex(x: ArrayLike, /) -> Array:
    """x in ascending order along its last axis, as complex numbers: by real, then by imaginary parts.

    >>> import effects as fx
    >>> fx.sort_complex(fx.asarray([3, 1, 2]))
    Array([1.+0.j, 2.+0.j, 3.+0.j], complex128)
    """
    ordered = sort(as_array(x, "sort_complex", "x"))
    dtype = ordered.aval.dtype
    if issubclass(dtype, dtypes.Complex):
        return ordered
    short = issubclass(dtype, dtypes.Integer) and dtype.itemsize < 4
    return convert(ordered, dtypes.complex64 if short else dtypes.complex128)


def argsort(
    x: ArrayLike,
    /,
    axis: int | None = -1,
    kind: Algorithm | None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> Array[i64]:
    """The positions of the elements of x in the order that `sort` gives, as int64; of equal ones the first is first.

    >>> import effects as fx
    >>> fx.argsort(fx.asarray([3, 1, 2]))
    Array([1, 2, 0], int64)
    """
    array, at, down = _sorted("argsort", x, axis, descending, stable, kind)
    return perform(Order(at, down, (array,)))


def sort_together(
    xs: Sequence[ArrayLike], /, *, num_keys: int = 1, axis: int = -1, descending: bool = False
) -> tuple[Array, ...]:
    """Arrays of one shape moved together along `axis`, so that the first `num_keys` of them are in order.

    The second of them decides where the first is equal, and so on. With `descending` the greatest come first. Elements
    that are equal in all keys keep their order.

    >>> import effects as fx
    >>> fx.sort_together([fx.asarray([2, 1, 2]), fx.asarray([7.0, 8.0, 6.0])])
    (Array([1, 2, 2], int64), Array([8., 7., 6.], float64))
    """
    arrays = _arrays("sort_together", "xs", xs)
    count = integer("sort_together", "num_keys", num_keys)
    if not 1 <= count <= len(arrays):
        raise ArgumentError(f"sort_together: num_keys must be at least 1 and at most {len(arrays)}, got {count}")
    at = shapes.normalize_axis("sort_together", arrays[0].aval.shape, axis)
    return perform(Sort(count, at, flag("sort_together", "descending", descending), tuple(arrays)))


def _arrays(function: str, argument: str, values: object) -> list[Array]:
    if isinstance(values, Array | np.ndarray) and values.ndim:
        values = movement.unstack(as_array(values, function, argument))
    entries = sequence(function, argument, values, "arrays")
    if not entries:
        raise ArgumentError(f"{function}: {argument} must have at least one array")
    return [as_array(value, function, f"{argument}[{i}]") for i, value in enumerate(entries)]


def lexsort(keys: Sequence[ArrayLike] | ArrayLike, /, axis: int = -1) -> Array[i64]:
    """The positions that sort by several keys of one shape along `axis`: by the last key, then by the one before it.

    Of an array the keys are its rows.

    >>> import effects as fx
    >>> fx.lexsort([fx.asarray([9, 7, 8]), fx.asarray([1, 0, 1])])
    Array([1, 2, 0], int64)
    """
    arrays = _arrays("lexsort", "keys", keys)
    at = shapes.normalize_axis("lexsort", arrays[0].aval.shape, axis)
    return perform(Order(at, False, tuple(arrays[::-1])))


def top_k(x: Like[DT], k: int, /, *, axis: int = -1) -> tuple[Array[DT], Array[i64]]:
    """The k greatest elements along `axis` in descending order, and their positions; the first of equals come first.

    Special cases: NaN is greater than all numbers, and real zeros come out without a sign. Raises ShapeError when there
    are not as many.

    >>> import effects as fx
    >>> fx.top_k(fx.asarray([3.0, 1.0, 2.0]), 2)
    (Array([3., 2.], float64), Array([0, 2], int64))
    """
    array = as_array(x, "top_k", "x")
    count = natural("top_k", "k", k)
    at = shapes.normalize_axis("top_k", array.aval.shape, axis)
    line = movement.moveaxis(array, at, -1)
    if issubclass(line.aval.dtype, dtypes.Complex):
        shapes.top_k(line.aval.shape, count)
        order = movement.slice_axis(perform(Order(line.aval.ndim - 1, True, (line,))), line.aval.ndim - 1, 0, count)
        values, places = taking.take_along_axis(line, order), order
    else:
        values, places = perform(TopK(count, line))
    return movement.moveaxis(values, -1, at), movement.moveaxis(places, -1, at)


def partition(x: Like[DT], /, kth: int | Sequence[int], axis: int | None = -1) -> Array[DT]:
    """x with the elements that sorting puts at the positions `kth` there, none greater before, none less behind.

    All of the others are in order here, too.

    >>> import effects as fx
    >>> fx.partition(fx.asarray([3, 1, 2]), 1)[1]
    Array(2, int64)
    """
    array, at, _ = _sorted("partition", x, axis, False, None)
    _check_places("partition", array, at, kth)
    return perform(Sort(1, at, False, (array,)))[0]


def argpartition(x: ArrayLike, /, kth: int | Sequence[int], axis: int | None = -1) -> Array[i64]:
    """The positions of the elements of x in the order that `partition` gives.

    >>> import effects as fx
    >>> fx.argpartition(fx.asarray([3, 1, 2]), 0)[0]
    Array(1, int64)
    """
    array, at, _ = _sorted("argpartition", x, axis, False, None)
    _check_places("argpartition", array, at, kth)
    return perform(Order(at, False, (array,)))


def _check_places(function: str, x: Array, axis: int, kth: int | Sequence[int]) -> None:
    size = x.aval.shape[axis]
    for place in integers(function, "kth", kth):
        if not -size <= place < size:
            raise OutOfBoundsError(f"{function}: kth = {place} is out of bounds for axis {axis} of {x.aval}")

"""Searches for the positions of elements: where a condition holds, in a sorted array, among others.

The number of results depends on values. Eagerly it is counted; where values are unknown, `size` is the number of
positions in the result, which is cut off or filled. Names and semantics are the Array API standard's, then NumPy's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import numpy as np

from effects.arguments import LARGEST, choice, flag, integer, natural
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, convert, promote_pair, promoted, scalar
from effects.errors import ArgumentError, ConcretizationError, ShapeError
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, logic, unary
from effects.functions.indexing import taking
from effects.functions.indexing.value_dependent import outside_of_tracing
from effects.functions.manipulation import movement
from effects.functions.ordering import sorting
from effects.operations.elementwise import Select
from effects.operations.gathering import Bounds, Gather, Scatter, ScatterKind
from effects.operations.sorting import Insertion, Nonzero
from effects.program.chain import perform
from effects.runtime.memory_errors import memory_errors
from effects.types import dtypes
from effects.types.dtypes import bool_, i64
from effects.types.signatures.pairs import Choice

type Side = Literal["left", "right"]
_SPREAD: Final = 8
"""Largest range of integers, relative to the number of elements, for a table."""
_TABLE_FROM: Final = 1000
"""Number of elements from which a table replaces sorting."""


def count_of(function: str, mask: Array, size: int | None, read: Mapping[str, Array]) -> int:
    """Number of positions in the result: `size`, else that of nonzero elements of `mask`, computed from `read`."""
    if size is not None:
        return natural(function, "size", size)
    known = mask.known()
    if known is None:
        argument, array = min(read.items(), key=lambda named: named[1].known() is not None)
        raise ConcretizationError(
            f"{function}: the size of the result depends on values of {argument}, which must be known: "
            f"{array.unknown_reason()}; give size=, the most that there can be"
        )
    return int(np.count_nonzero(known.fetch()))


def flatnonzero(x: ArrayLike, /, *, size: int | None = None, fill_value: int = 0) -> Array[i64]:
    """The positions in row-major order of the elements that are not zero.

    `size` says how many, where values are not known; what is left over is `fill_value`.

    >>> import effects as fx
    >>> fx.flatnonzero(fx.asarray([0, 5, 0, 7])), fx.flatnonzero(fx.asarray([0, 5, 0, 7]), size=3, fill_value=-1)
    (Array([1, 3], int64), Array([ 1,  3, -1], int64))
    """
    array = as_array(x, "flatnonzero", "x")
    return _nonzero("flatnonzero", "x", array, size, _position("flatnonzero", fill_value), True)[0]


def _position(function: str, fill_value: object) -> int:
    value = integer(function, "fill_value", fill_value)
    if not -LARGEST <= value <= LARGEST:
        raise ArgumentError(f"{function}: fill_value must be an int64, got {value}")
    return value


def nonzero(x: ArrayLike, /, *, size: int | None = None, fill_value: int = 0) -> tuple[Array[i64], ...]:
    """For each axis the positions along it of the elements that are not zero, in row-major order.

    `size` says how many, where values are not known; what is left over is `fill_value`. Raises ShapeError for rank 0.

    >>> import effects as fx
    >>> fx.nonzero(fx.asarray([[0, 5], [7, 0]]))
    (Array([0, 1], int64), Array([1, 0], int64))
    """
    return _nonzero("nonzero", "x", as_array(x, "nonzero", "x"), size, _position("nonzero", fill_value))


@outside_of_tracing
def _nonzero(
    function: str, argument: str, array: Array, size: int | None, fill: int, flat: bool = False
) -> tuple[Array, ...]:
    count = count_of(function, array, size, {argument: array})
    if flat:
        array = movement.reshape(array, (-1,))
    if not array.aval.ndim:
        raise ShapeError(f"{function}: {argument} must have at least one axis, got {array.aval}")
    return perform(Nonzero(count, fill, array.aval.ndim, array))


@Choice
def where(
    condition: ArrayLike,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    /,
    *,
    size: int | None = None,
    fill_value: int = 0,
) -> Array | tuple[Array[i64], ...]:
    """x where `condition` holds, else y, element by element, all three broadcast together.

    Of `condition` alone it gives the positions where that holds, one array for each axis: `nonzero(condition)`, where
    `size` says how many, if values are not known, and what is left over is `fill_value`.

    >>> import effects as fx
    >>> fx.where(True, 1, 2.5), fx.where(fx.asarray([0.0, 3.0, 4.0]) > 1)
    (Array(1., float64), (Array([1, 2], int64),))
    """
    if x is not None and y is not None:
        if size is not None:
            raise ArgumentError("where: size is for positions, of condition alone; with x and y the shape is known")
        a, b = promote_pair("where", x, y)
        return perform(Select(logic.truth("where", condition, "condition"), a, b))
    if x is not None or y is not None:
        raise ArgumentError(
            f"where: condition comes alone, or with both x and y; {'x' if x is None else 'y'} was not given"
        )
    mask = logic.truth("where", condition, "condition")
    return _nonzero("where", "condition", mask, size, _position("where", fill_value))


def argwhere(x: ArrayLike, /, *, size: int | None = None, fill_value: int = 0) -> Array[i64]:
    """The positions of the elements that are not zero, one in each row; as `nonzero`.

    >>> import effects as fx
    >>> fx.argwhere(fx.asarray([[0, 5], [7, 0]]))
    Array([[0, 1],
           [1, 0]], int64)
    """
    array = as_array(x, "argwhere", "x")
    fill = _position("argwhere", fill_value)
    if not array.aval.ndim:
        return creation.zeros((count_of("argwhere", array, size, {"x": array}), 0), dtype=dtypes.int64)
    return movement.stack(_nonzero("argwhere", "x", array, size, fill), axis=1)


def searchsorted(x1: ArrayLike, x2: ArrayLike, /, side: Side = "left", sorter: ArrayLike | None = None) -> Array[i64]:
    """Indices at which the elements of x2 are to be inserted into the vector x1, which is in ascending order, so that
    it stays so.

    Before those that are equal if `side` is "left", behind them if it is "right". With `sorter` x1 is in any order, and
    x1[sorter] in ascending order. Special cases: NaN is greater than all numbers.

    >>> import effects as fx
    >>> (fx.searchsorted(fx.asarray([1, 3, 5]), fx.asarray([0, 3, 6])),
    ...  fx.searchsorted(fx.asarray([1, 3, 5]), 3, side="right"))
    (Array([0, 1, 3], int64), Array(2, int64))
    """
    line, values = promoted("searchsorted", x1=x1, x2=x2)
    if line.aval.ndim != 1:
        raise ShapeError(f"searchsorted: x1 must be a vector, got {line.aval}")
    before = choice("searchsorted", "side", side, Side) == "left"
    if sorter is not None:
        order = as_array(sorter, "searchsorted", "sorter")
        if order.aval.shape != line.aval.shape or not issubclass(order.aval.dtype, dtypes.Integer):
            raise ShapeError(
                f"searchsorted: sorter must be a vector of integers, one for each of {line.aval.shape[0]} elements of "
                f"x1, got {order.aval}"
            )
        taking.check_known("searchsorted: sorter", line.aval.shape, (0,), (order,))
        line = taking.take(line, order, axis=0)
    return insertion(line, values, before)


def insertion(line: Array, values: Array, before: bool) -> Array:
    """Number of elements of the sorted vector `line` less than each of `values`, or not greater unless `before`."""
    return perform(Insertion(before, 0, line, values))


def comes_before(x: Array, y: Array) -> Array:
    """x < y, NaN being greater than all numbers."""
    if not issubclass(x.aval.dtype, dtypes.Inexact):
        return x < y if x.aval.dtype is not dtypes.bool_ else logic.logical_and(unary.bitwise_invert(x), y)
    return logic.logical_or(x < y, logic.logical_and(unary.isnan(y), unary.bitwise_invert(unary.isnan(x))))


def digitize(x: ArrayLike, /, bins: ArrayLike, right: bool = False) -> Array[i64]:
    """The bin of each element of x: i where bins[i - 1] <= x < bins[i], or bins[i - 1] < x <= bins[i] if `right`.

    The edges `bins` ascend or descend, which is refused where they are known to do neither; where they descend, the
    inequalities turn round.

    >>> import effects as fx
    >>> fx.digitize(fx.asarray([0.2, 6.4, 3.0]), fx.asarray([0.0, 1.0, 2.5, 4.0]))
    Array([1, 4, 3], int64)
    """
    closed = flag("digitize", "right", right)
    values, edges = promoted("digitize", x=x, bins=bins)
    if edges.aval.ndim != 1:
        raise ShapeError(f"digitize: bins must be a vector, got {edges.aval}")
    n = edges.aval.shape[0]
    rising = insertion(edges, values, closed)
    if n < 2:
        return rising
    known = edges.known()
    if known is not None:
        line = known.fetch()
        with memory_errors:
            if (line[:-1] <= line[1:]).all() or np.array_equal(line, ascending := np.sort(line), equal_nan=True):
                return rising
            descending = np.array_equal(line[::-1], ascending, equal_nan=True)
        if not descending:
            raise ArgumentError(f"digitize: bins must ascend or descend, got {edges.aval} that does neither")
    falling = scalar(n, dtypes.int64) - insertion(movement.flip(edges), values, closed)
    descends = comes_before(movement.slice_axis(edges, 0, n - 1, n)[0], movement.slice_axis(edges, 0, 0, 1)[0])
    return logic.where(descends, falling, rising)


def isin(x1: ArrayLike, x2: ArrayLike, /, assume_unique: bool = False, invert: bool = False) -> Array[bool_]:
    """Test each element of x1 for being among those of x2; with `invert`, for not being.

    `assume_unique`, that no element is there twice, changes nothing. Special cases: NaN is among nothing.

    >>> import effects as fx
    >>> fx.isin(fx.asarray([1, 2, 3]), fx.asarray([3, 1]))
    Array([ True, False,  True], bool)
    """
    flag("isin", "assume_unique", assume_unique)
    no = flag("isin", "invert", invert)
    arrays = as_array(x1, "isin", "x1"), as_array(x2, "isin", "x2")
    elements, others = promoted("isin", x1=x1, x2=x2)
    mixed = {x.aval.dtype for x in arrays} == {dtypes.int64, dtypes.uint64}
    if mixed:  # floats cannot hold all of them: bits are compared, where those of a negative number mean another one
        elements, others = [convert(x, dtypes.uint64) for x in arrays]
    mask = _by_table(movement.reshape(others, (-1,)), elements)
    if mask is None:
        mask = among(sorting.sort(others, None), elements)
    if mixed:
        mask = logic.logical_and(mask, convert(elements, dtypes.int64) >= 0)
    return unary.bitwise_invert(mask) if no else mask


def _by_table(others: Array, elements: Array) -> Array[bool_] | None:
    """Test each element for being among many known integers, by a table; None if their range is too large."""
    known = others.known() if issubclass(others.aval.dtype, dtypes.Integer) and others.aval.size > _TABLE_FROM else None
    if known is None:
        return None
    values = known.fetch()
    first, last = int(values.min()), int(values.max())
    if last - first >= _SPREAD * (values.size + elements.aval.size):
        return None
    start = scalar(first % 2**64, dtypes.uint64)  # smaller ones wrap around to the greatest
    own, places = [convert(x, dtypes.uint64) - start for x in (others, elements)]
    none = movement.broadcast_to(scalar(False, dtypes.bool_), (last - first + 1,))
    every = movement.broadcast_to(scalar(True, dtypes.bool_), own.aval.shape)
    table = perform(Scatter(ScatterKind.SET, (0,), 0, 0, Bounds.DROP, none, every, (own,), False))
    return perform(Gather((0,), 0, 0, Bounds.DROP, 0, table, (places,)))


def among(line: Array, elements: Array) -> Array[bool_]:
    """Test each element for being in the sorted vector `line`."""
    n = line.aval.shape[0]
    if not n:
        return movement.broadcast_to(scalar(False, dtypes.bool_), elements.aval.shape)
    place = arithmetic.minimum(insertion(line, elements, True), n - 1)
    return perform(Gather((0,), 0, 0, Bounds.CLIP, 0, line, (place,))) == elements

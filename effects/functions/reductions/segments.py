"""Reductions of segments, which are elements with the same number, and counts of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from effects.arguments import flag, natural
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.promotion import as_array, constant_like, convert, inexact, integral, scalar
from effects.errors import ArgumentError, ConcretizationError, DTypeError, ShapeError
from effects.functions.elementwise import logic
from effects.functions.manipulation import movement
from effects.operations.gathering import Bounds, Scatter, ScatterKind
from effects.operations.reduction import ReduceKind, identity
from effects.program.chain import perform
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.types.signatures.becoming import Integers, W

_STARTS = {
    ScatterKind.ADD: ReduceKind.SUM,
    ScatterKind.MUL: ReduceKind.PROD,
    ScatterKind.MAX: ReduceKind.MAX,
    ScatterKind.MIN: ReduceKind.MIN,
}


def _segments(
    kind: ScatterKind, function: str, data: ArrayLike, segment_ids: Integers[W], num_segments: int | None, ordered: bool
) -> Array:
    array, ids = as_array(data, function, "data"), integral(function, segment_ids, "segment_ids")
    rank = ids.aval.ndim
    if not rank or array.aval.shape[:rank] != ids.aval.shape:
        raise ShapeError(
            f"{function}: segment_ids must have the first axes of data, {shapes.show(array.aval.shape)}, got {ids.aval}"
        )
    if issubclass(array.aval.dtype, dtypes.Complex) and _STARTS[kind] in (ReduceKind.MAX, ReduceKind.MIN):
        raise DTypeError(f"{function}: complex numbers are not compared, got {array.aval}")
    promises = flag(function, "indices_are_sorted", ordered)
    ends = None
    if num_segments is None:
        ends = _ends(ids)
        count = _number(function, ids, ends, "segment_ids", "num_segments")
    else:
        count = natural(function, "num_segments", num_segments)
    return _folded(kind, array, ids, ends, count, promises)


def _folded(
    kind: ScatterKind, data: Array, ids: Array, ends: tuple[int, int] | None, count: int, promises: bool = False
) -> Array:
    """The folds of segments whose numbers lie between `ends`, if these are known."""
    start = constant_like(identity(_STARTS[kind], data.aval.dtype), data)
    begin = movement.broadcast_to(start, (count, *data.aval.shape[ids.aval.ndim :]))
    if not count or not data.aval.size:
        return begin
    bounds = Bounds.DROP
    if ends is not None and ends[0] >= 0 and ends[1] < count:
        bounds = Bounds.CHECKED
    elif not issubclass(ids.aval.dtype, dtypes.Unsigned):  # negative ones count from the end elsewhere
        ids = logic.where(
            ids < 0, count, ids if count <= np.iinfo(ids.aval.dtype.dtype).max else convert(ids, dtypes.int64)
        )
    return perform(Scatter(kind, (0,), 0, 0, bounds, begin, data, (ids,), False, promises))


def _ends(numbers: Array) -> tuple[int, int] | None:
    """The least and the greatest of known numbers; 0 and -1 if there are none."""
    known = numbers.known()
    if known is None:
        return None
    values = known.fetch()
    return (int(values.min()), int(values.max())) if values.size else (0, -1)


def _number(function: str, numbers: Array, ends: tuple[int, int] | None, argument: str, size: str) -> int:
    """The number of segments, one more than the greatest segment."""
    if ends is None:
        raise ConcretizationError(
            f"{function}: the size of the result depends on values of {argument}, which must be known: "
            f"{numbers.unknown_reason()}; give {size}="
        )
    return ends[1] + 1


def segment_sum(
    data: Like[DT], segment_ids: Integers[W], /, num_segments: int | None = None, *, indices_are_sorted: bool = False
) -> Array[DT]:
    """out[s] = Σ data[i] over the i with segment_ids[i] = s, 0 of nothing; what is in no segment is left out.

    There are `num_segments`, which must be given where the numbers are not known. `indices_are_sorted` promises that
    they ascend. Narrow floats are added in float32 and rounded once.

    >>> import effects as fx
    >>> fx.segment_sum(fx.asarray([1.0, 2.0, 4.0]), fx.asarray([0, 2, 0]))
    Array([5., 0., 2.], float64)
    """
    return _segments(ScatterKind.ADD, "segment_sum", data, segment_ids, num_segments, indices_are_sorted)


def segment_prod(
    data: Like[DT], segment_ids: Integers[W], /, num_segments: int | None = None, *, indices_are_sorted: bool = False
) -> Array[DT]:
    """The products of segments, 1 of nothing; as `segment_sum`.

    >>> import effects as fx
    >>> fx.segment_prod(fx.asarray([3.0, 2.0, 4.0]), fx.asarray([0, 2, 0]))
    Array([12.,  1.,  2.], float64)
    """
    return _segments(ScatterKind.MUL, "segment_prod", data, segment_ids, num_segments, indices_are_sorted)


def segment_max(
    data: Like[DT], segment_ids: Integers[W], /, num_segments: int | None = None, *, indices_are_sorted: bool = False
) -> Array[DT]:
    """The greatest of each segment, -∞ or the least number of nothing; as `segment_sum`.

    >>> import effects as fx
    >>> fx.segment_max(fx.asarray([1.0, 2.0, 4.0]), fx.asarray([0, 2, 0]))
    Array([  4., -inf,   2.], float64)
    """
    return _segments(ScatterKind.MAX, "segment_max", data, segment_ids, num_segments, indices_are_sorted)


def segment_min(
    data: Like[DT], segment_ids: Integers[W], /, num_segments: int | None = None, *, indices_are_sorted: bool = False
) -> Array[DT]:
    """The least of each segment, ∞ or the greatest number of nothing; as `segment_sum`.

    >>> import effects as fx
    >>> fx.segment_min(fx.asarray([1.0, 2.0, 4.0]), fx.asarray([0, 2, 0]))
    Array([ 1., inf,  2.], float64)
    """
    return _segments(ScatterKind.MIN, "segment_min", data, segment_ids, num_segments, indices_are_sorted)


def bincount(
    x: Integers[W], /, weights: ArrayLike | None = None, minlength: int = 0, *, length: int | None = None
) -> Array:
    """Number of occurrences of each of 0, 1, 2, … in the vector of integers x, or the sum of their `weights`.

    The result goes to the greatest number, `minlength` at least; it is of `length`, which leaves out greater numbers
    and must be given where they are not known. Negative numbers are an error, left out where they are not known.

    >>> import effects as fx
    >>> fx.bincount(fx.asarray([1, 3, 1]))
    Array([0, 2, 0, 1], int64)
    """
    numbers = integral("bincount", x)
    if numbers.aval.ndim != 1:
        raise ShapeError(f"bincount: x must be a vector, got {numbers.aval}")
    least = natural("bincount", "minlength", minlength)
    ends = _ends(numbers)
    if ends is not None and ends[0] < 0:
        raise ArgumentError(f"bincount: x must not be negative, got {ends[0]}")
    if length is None:
        size = max(_number("bincount", numbers, ends, "x", "length"), least)
    else:
        size = natural("bincount", "length", length)
    if weights is None:
        counting = dtypes.int32 if numbers.aval.size < 2**31 else dtypes.int64  # takes half the memory
        ones = movement.broadcast_to(scalar(1, counting), numbers.aval.shape)
        return convert(_folded(ScatterKind.ADD, ones, numbers, ends, size), dtypes.int64)
    counted = inexact("bincount", weights, "weights")
    if counted.aval.shape != numbers.aval.shape:
        raise ShapeError(f"bincount: weights must have the shape of x, {numbers.aval}, got {counted.aval}")
    return _folded(ScatterKind.ADD, counted, numbers, ends, size)

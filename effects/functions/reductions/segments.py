"""Folds of what belongs together by a number: sums over segments, and how often numbers occur."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from effects.arguments import flag, natural
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, constant_like, convert, inexact, scalar
from effects.errors import ArgumentError, ConcretizationError, DTypeError, ShapeError
from effects.functions.elementwise import logic
from effects.functions.manipulation import movement
from effects.operations.gathering import Bounds, Scatter, ScatterKind
from effects.operations.reduction import ReduceKind, identity
from effects.program.chain import perform
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike, Like
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
    array, ids = as_array(data, function, "data"), as_array(segment_ids, function, "segment_ids")
    if not issubclass(ids.aval.dtype, dtypes.Integer):
        raise DTypeError(f"{function}: segment_ids must be integers, got {ids.aval}")
    rank = ids.aval.ndim
    if not rank or array.aval.shape[:rank] != ids.aval.shape:
        raise ShapeError(
            f"{function}: segment_ids must have the first axes of data, {shapes.show(array.aval.shape)}, got {ids.aval}"
        )
    if issubclass(array.aval.dtype, dtypes.Complex) and _STARTS[kind] in (ReduceKind.MAX, ReduceKind.MIN):
        raise DTypeError(f"{function}: complex numbers are not compared, got {array.aval}")
    promises = flag(function, "indices_are_sorted", ordered)
    if num_segments is None:
        count = _most(function, ids, "segment_ids", "num_segments") + 1
    else:
        count = natural(function, "num_segments", num_segments)
    start = constant_like(identity(_STARTS[kind], array.aval.dtype), array)
    begin = movement.broadcast_to(start, (count, *array.aval.shape[rank:]))
    if not count or not array.aval.size:
        return begin
    return perform(Scatter(kind, (0,), 0, 0, Bounds.DROP, begin, array, (_places(ids, count),), False, promises))


def _places(ids: Array, count: int) -> Array:
    """The numbers of segments, none of which is negative: elsewhere these count from the end. Narrow ones stay so."""
    dtype = ids.aval.dtype
    if issubclass(dtype, dtypes.Unsigned):
        return ids
    return logic.where(ids < 0, count, ids if count <= np.iinfo(dtype.dtype).max else convert(ids, dtypes.int64))


def _most(function: str, numbers: Array, argument: str, size: str) -> int:
    """The greatest of some numbers, which must be known; -1 of none."""
    known = numbers.known()
    if known is None:
        raise ConcretizationError(
            f"{function}: the size of the result depends on values of {argument}, which must be known: "
            f"{numbers.unknown_reason()}; give {size}="
        )
    values = known.fetch()
    return int(values.max()) if values.size else -1


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
    numbers = as_array(x, "bincount", "x")
    if numbers.aval.ndim != 1:
        raise ShapeError(f"bincount: x must be a vector, got {numbers.aval}")
    if not issubclass(numbers.aval.dtype, dtypes.Integer):
        raise DTypeError(f"bincount: x must be of integers, got {numbers.aval}")
    least = natural("bincount", "minlength", minlength)
    known = numbers.known()
    if known is not None and known.aval.size and int(known.fetch().min()) < 0:
        raise ArgumentError(f"bincount: x must not be negative, got {int(known.fetch().min())}")
    if length is None:
        size = max(_most("bincount", numbers, "x", "length") + 1, least)
    else:
        size = natural("bincount", "length", length)
    if weights is None:
        counting = dtypes.int32 if numbers.aval.size < 2**31 else dtypes.int64  # which takes half the memory
        ones = movement.broadcast_to(scalar(1, counting), numbers.aval.shape)
        return convert(segment_sum(ones, numbers, size), dtypes.int64)
    counted = inexact("bincount", weights, "weights")
    if counted.aval.shape != numbers.aval.shape:
        raise ShapeError(f"bincount: weights must have the shape of x, {numbers.aval}, got {counted.aval}")
    return segment_sum(counted, numbers, size)

"""Rectangular parts that begin at positions computed by the program.

Negative positions count from the end of their axis; then all are clamped so that the part is within the bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from effects.arguments import counted, flag, integer, natural
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.promotion import as_array, as_type, convert, scalar
from effects.errors import DTypeError, ShapeError
from effects.functions.elementwise import logic
from effects.functions.manipulation import movement
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice
from effects.program.chain import perform
from effects.types import dtypes, promotion, shapes
from effects.types.dtypes import DType

if TYPE_CHECKING:
    from effects.arrays.operators import DT

type Starts = Sequence[SupportsIndex | Array] | Array | np.ndarray[tuple[int, ...], np.dtype[np.integer]]

_POSITIONS = frozenset({dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64})


def _starts(function: str, starts: Starts, shape: tuple[int, ...]) -> tuple[Array, ...]:
    """One integer scalar per axis, all of one dtype, counted from the beginning of the axis."""
    entries: Sequence[object]
    rank = len(shape)
    if isinstance(starts, Array | np.ndarray):
        vector = as_array(starts, function, "starts")
        if vector.aval.shape != (rank,):
            raise ShapeError(f"{function}: starts must have one entry per axis, shape [{rank}], got {vector.aval}")
        entries = movement.unstack(vector)
    elif isinstance(starts, Iterable):
        entries = tuple(starts)
    else:
        entries = (starts,)
    if len(entries) != rank:
        raise ShapeError(
            f"{function}: starts has {counted(len(entries), 'entry', 'entries')} for an array of rank {rank}"
        )
    arrays = [e for e in entries if isinstance(e, Array)]
    dtypes_found = {a.aval.dtype for a in arrays}
    for a in arrays:
        if a.aval.shape or not issubclass(a.aval.dtype, dtypes.Integer):
            raise DTypeError(f"{function}: starts must be integers, got {a.aval}")
    dtype: type[DType] = dtypes_found.pop() if len(dtypes_found) == 1 and dtypes_found <= _POSITIONS else dtypes.int64
    if max(shape, default=0) > np.iinfo(dtype.dtype).max:
        dtype = dtypes.int64
    return tuple([_start(function, start, size, dtype) for start, size in zip(entries, shape, strict=True)])


def _start(function: str, start: object, size: int, dtype: type[DType]) -> Array:
    """A position counted from the beginning of an axis of this size; the program clamps it to the bounds."""
    if isinstance(start, Array) and start.known() is not start:
        position = convert(start, dtype)
        return position if issubclass(dtype, dtypes.Unsigned) else logic.where(position < 0, position + size, position)
    known = integer(function, "an entry of starts", start)
    return scalar(min(max(known + size if known < 0 else known, 0), np.iinfo(dtype.dtype).max), dtype)


def dynamic_slice(x: Like[DT], starts: Starts, sizes: Sequence[int], /) -> Array[DT]:
    """The part of x of shape `sizes` that begins at `starts`, clamped so that the part lies within x.

    `starts` are integers, one per axis: Python ints, integer scalars, or one integer vector; negative ones count from
    the end of the axis. Raises ShapeError when `sizes` does not fit x.

    >>> import effects as fx
    >>> fx.dynamic_slice(fx.arange(5), (4,), (2,)), fx.dynamic_slice(fx.arange(5), (-4,), (2,))
    (Array([3, 4], int64), Array([1, 2], int64))
    """
    array = as_array(x, "dynamic_slice", "x")
    shape = shapes.static_shape("dynamic_slice", sizes, "sizes")
    shapes.dynamic_slice(array.aval.shape, shape)
    return perform(DynamicSlice(shape, array, _starts("dynamic_slice", starts, array.aval.shape)))


def dynamic_update_slice(x: Like[DT], update: ArrayLike, starts: Starts, /) -> Array[DT]:
    """x with `update` written over the part that begins at `starts`, clamped so that it lies within x.

    Negative ones count from the end of the axis.

    `update` has the rank of x and is nowhere greater; it takes the dtype of x, which must be able to hold it.

    >>> import effects as fx
    >>> fx.dynamic_update_slice(fx.zeros(3), fx.ones(2), (1,))
    Array([0., 1., 1.], float64)
    """
    array = as_array(x, "dynamic_update_slice", "x")
    new = fitting("dynamic_update_slice", update, array)
    shapes.dynamic_update_slice(array.aval.shape, new.aval.shape)
    return perform(DynamicUpdateSlice(array, new, _starts("dynamic_update_slice", starts, array.aval.shape)))


def fitting(function: str, update: object, x: Array, argument: str = "update") -> Array:
    """Values to write to `x`, converted to its dtype; raises DTypeError if it cannot hold them."""
    dtype = x.aval.dtype
    new = as_array(update, function, argument)
    aval = new.aval
    joint = promotion.promote_weak(dtype, aval.dtype) if aval.weak_type else promotion.promote(dtype, aval.dtype)
    if joint is not dtype:
        raise DTypeError(f"{function}: x is {dtype} and cannot hold {argument}, which is {aval}; convert with astype")
    return as_type(update, dtype, x.aval.weak_type, function, argument)


def dynamic_slice_in_dim(x: Like[DT], start: SupportsIndex | Array, size: int, /, *, axis: int = 0) -> Array[DT]:
    """`size` positions of one axis, beginning at `start` (from the end if negative, clamped), all of the others.

    >>> import effects as fx
    >>> fx.dynamic_slice_in_dim(fx.arange(5), 1, 2)
    Array([1, 2], int64)
    """
    array = as_array(x, "dynamic_slice_in_dim", "x")
    shape = array.aval.shape
    at = shapes.normalize_axis("dynamic_slice_in_dim", shape, axis)
    start = _position("dynamic_slice_in_dim", "start", start)
    size = natural("dynamic_slice_in_dim", "size", size)
    return dynamic_slice(array, _along(len(shape), at, start), (*shape[:at], size, *shape[at + 1 :]))


def _position(function: str, argument: str, value: object) -> int | Array:
    """An integer scalar, known or not."""
    if isinstance(value, Array) and not value.aval.ndim and issubclass(value.aval.dtype, dtypes.Integer):
        return value
    return integer(function, argument, value)


def _along(rank: int, axis: int, start: SupportsIndex | Array) -> list[SupportsIndex | Array]:
    return [start if i == axis else 0 for i in range(rank)]


def dynamic_index_in_dim(
    x: Like[DT], index: SupportsIndex | Array, /, *, axis: int = 0, keepdims: bool = True
) -> Array[DT]:
    """The part of x at one position of `axis` (from the end if negative, clamped), kept with size 1 if `keepdims`.

    >>> import effects as fx
    >>> fx.dynamic_index_in_dim(fx.arange(5), -1, keepdims=False)
    Array(4, int64)
    """
    keepdims = flag("dynamic_index_in_dim", "keepdims", keepdims)
    part = dynamic_slice_in_dim(x, _position("dynamic_index_in_dim", "index", index), 1, axis=axis)
    return part if keepdims else movement.squeeze(part, axis)


def dynamic_update_slice_in_dim(
    x: Like[DT], update: ArrayLike, start: SupportsIndex | Array, /, *, axis: int = 0
) -> Array[DT]:
    """x with `update` written over it from position `start` of `axis` (from the end if negative, clamped).

    >>> import effects as fx
    >>> fx.dynamic_update_slice_in_dim(fx.zeros(3), fx.ones(1), 1)
    Array([0., 1., 0.], float64)
    """
    array = as_array(x, "dynamic_update_slice_in_dim", "x")
    at = shapes.normalize_axis("dynamic_update_slice_in_dim", array.aval.shape, axis)
    start = _position("dynamic_update_slice_in_dim", "start", start)
    return dynamic_update_slice(array, update, _along(array.aval.ndim, at, start))


def dynamic_update_index_in_dim(
    x: Like[DT], update: ArrayLike, index: SupportsIndex | Array, /, *, axis: int = 0
) -> Array[DT]:
    """x with `update`, which has no such axis or one of size 1, at one position of `axis` (as `dynamic_index_in_dim`).

    >>> import effects as fx
    >>> fx.dynamic_update_index_in_dim(fx.zeros(3), 1.0, 1)
    Array([0., 1., 0.], float64)
    """
    array = as_array(x, "dynamic_update_index_in_dim", "x")
    new = fitting("dynamic_update_index_in_dim", update, array)
    if new.aval.ndim == array.aval.ndim - 1:
        at = shapes.normalize_axis("dynamic_update_index_in_dim", array.aval.shape, axis)
        new = movement.expand_dims(new, axis=at)
    return dynamic_update_slice_in_dim(array, new, _position("dynamic_update_index_in_dim", "index", index), axis=axis)

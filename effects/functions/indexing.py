"""Indexing: what `x[key]` means, and rectangular parts that begin at positions computed by the program.

A key of ints, slices, None and Ellipsis is static. An integer scalar whose value is not known yet (a traced one) is
dynamic: it is clamped to the bounds, where a static one raises ShapeError.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from types import EllipsisType
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from effects.arguments import flag, integer, natural, shown
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, as_type, constant_like, convert, scalar
from effects.errors import ArgumentError, ConcretizationError, DTypeError, EffaxError, ShapeError, UnhashableError
from effects.functions import logic, movement
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from effects.operations.movement import Flip, Reshape
from effects.program.chain import perform
from effects.runtime.caches import memoised
from effects.types import dtypes, shapes
from effects.types.dtypes import DType

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike, Like
    from effects.arrays.operators import DT
    from effects.types.shapes import Ints

type Entry = SupportsIndex | slice | EllipsisType | Array | None
type Index = Entry | tuple[Entry, ...]
type Starts = Sequence[SupportsIndex | Array] | Array | np.ndarray[tuple[int, ...], np.dtype[np.integer]]

_EXACT = frozenset({int, slice, type(None), EllipsisType})
_POSITIONS = frozenset({dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64})


@partial(memoised, typed=True)
def _plan(shape: Ints, key: tuple[object, ...]) -> tuple[tuple[Ints, Ints, Ints] | None, Ints, Ints | None]:
    """What `x[key]` needs: the bounds of a slice, the axes to flip, the shape to give the result; None for nothing."""
    recipe = shapes.basic_index(shape, key)  # type: ignore[arg-type]  # the caller has checked the entries' types
    part = shapes.strided_slice(shape, recipe.starts, recipe.limits, recipe.strides)
    bounds = None if part == shape else (recipe.starts, recipe.limits, recipe.strides)
    return bounds, recipe.flipped, None if recipe.shape == part else recipe.shape


def getitem(x: Like[DT], key: Index, /) -> Array[DT]:
    """x[key]: an int drops its axis, a slice shortens it, None adds an axis of size 1, Ellipsis stands for the rest.

    Negative ints count from the end. An integer scalar whose value is not known yet takes a position too; out of bounds
    it is clamped, where a known one raises ShapeError. Raises ArgumentError for masks and arrays of indices.

    >>> from effects.functions import creation, sequences
    >>> getitem(sequences.arange(5), slice(None, None, -2))
    Array([4, 2, 0], int64)
    """
    array = as_array(x, "getitem", "x")
    entries = key if type(key) is tuple else (key,)
    if not _EXACT.issuperset(map(type, entries)):
        entries = tuple([_entry(e) for e in entries])
        if not _EXACT.issuperset(map(type, entries)):
            return _getitem_dynamic(array, entries)
    plan = None
    try:
        plan = _plan(array.aval.shape, entries)
    except TypeError as error:  # a slice whose bounds are arrays cannot be looked up
        if isinstance(error, EffaxError) and not isinstance(error, UnhashableError | ConcretizationError):
            raise
    if plan is None:
        plan = _plan(array.aval.shape, tuple([_static_slice(e) if isinstance(e, slice) else e for e in entries]))
    bounds, flipped, shape = plan
    if bounds is not None:
        array = perform(Slice(*bounds, array))
    if flipped:
        array = perform(Flip(flipped, array))
    return array if shape is None else perform(Reshape(shape, array))


def _static_slice(entry: slice) -> slice:
    """A slice of Python ints."""
    return slice(*[None if b is None else _bound(b) for b in (entry.start, entry.stop, entry.step)])


def _bound(bound: object) -> int:
    if isinstance(bound, Array) and bound.known() is None:
        raise ConcretizationError(
            f"getitem: the bounds of a slice decide the shape of the result, so their values must be known; one is "
            f"{bound.unknown_reason()}. Use dynamic_slice(x, starts, sizes) for a part of static size"
        )
    return integer("getitem", "a bound of a slice", bound)


def _entry(entry: object) -> int | slice | EllipsisType | Array | None:
    if isinstance(entry, bool | np.bool_):
        raise ArgumentError(f"getitem: {entry} is not an index; masks choose with where(mask, x, y)")
    if isinstance(entry, np.ndarray) and entry.ndim:
        entry = as_array(entry, "getitem", "an index")
    if isinstance(entry, Array):
        aval = entry.aval
        if aval.dtype is dtypes.bool_:
            raise ArgumentError(
                f"getitem: an index is a mask, {aval}; the size of the result would depend on its values: "
                "choose with where(mask, x, y)"
            )
        if aval.ndim or not issubclass(aval.dtype, dtypes.Integer):
            raise ArgumentError(
                f"getitem: an index must be an int, a slice, None, Ellipsis or an integer scalar, got {aval}; "
                "for several positions stack([x[i] for i in ...]) or use a one-hot matrix product"
            )
        known = entry.known()
        return entry if known is None else int(known.fetch().item())
    if entry is None or isinstance(entry, slice | EllipsisType):
        return entry
    if isinstance(entry, list):
        raise ArgumentError(
            f"getitem: a list is not an index, got {shown(entry)}; for several positions stack([x[i] for i in ...])"
        )
    return integer("getitem", "an index", entry)


def _getitem_dynamic(x: Array, entries: tuple[int | slice | EllipsisType | Array | None, ...]) -> Array:
    """One dynamic slice at all positions, static and not; then the steps of slices, and one reshape."""
    shape = x.aval.shape
    static = [slice(None) if isinstance(e, Array) else _static_slice(e) if isinstance(e, slice) else e for e in entries]
    recipe = shapes.basic_index(shape, tuple(static))
    used = [e for e in entries if e is not None and e is not ...]
    hidden = [slice(None)] * (len(shape) - len(used))
    at = next((i for i, e in enumerate(entries) if e is ...), len(entries))
    aligned = [*entries[:at], *hidden, *entries[at + 1 :]]
    per_axis = [e for e in aligned if e is not None]
    starts = [
        _wrapped(e, n) if isinstance(e, Array) else start
        for e, n, start in zip(per_axis, shape, recipe.starts, strict=True)
    ]
    sizes = [
        1 if isinstance(e, Array) else limit - start
        for e, start, limit in zip(per_axis, recipe.starts, recipe.limits, strict=True)
    ]
    part = dynamic_slice(x, starts, sizes)
    if any([step != 1 for step in recipe.strides]):
        strides = [1 if isinstance(e, Array) else step for e, step in zip(per_axis, recipe.strides, strict=True)]
        part = perform(Slice((0,) * len(sizes), tuple(sizes), tuple(strides), part))
    if recipe.flipped:
        part = perform(Flip(recipe.flipped, part))
    dims = zip([e for e in aligned if not isinstance(e, int)], recipe.shape, strict=True)
    return movement.reshape(part, tuple([d for e, d in dims if not isinstance(e, Array)]))


def _wrapped(index: Array, n: int) -> Array:
    """`index`, counted from the end where it is negative."""
    if issubclass(index.aval.dtype, dtypes.Unsigned):
        return index
    if index.aval.dtype not in _POSITIONS:
        index = convert(index, dtypes.int64)
    return logic.where(index < constant_like(0, index), index + constant_like(n, index), index)


def _starts(function: str, starts: Starts, rank: int) -> tuple[Array, ...]:
    """One integer scalar per axis, all of one dtype."""
    given: Sequence[object]
    if isinstance(starts, Array | np.ndarray):
        vector = as_array(starts, function, "starts")
        if vector.aval.shape != (rank,):
            raise ShapeError(f"{function}: starts must have one entry per axis, shape [{rank}], got {vector.aval}")
        given = movement.unstack(vector)
    elif isinstance(starts, Iterable):
        given = tuple(starts)
    else:
        given = (starts,)
    if len(given) != rank:
        raise ShapeError(f"{function}: starts has {len(given)} entries for an array of rank {rank}")
    arrays = [e for e in given if isinstance(e, Array)]
    found = {a.aval.dtype for a in arrays}
    for a in arrays:
        if a.aval.shape or not issubclass(a.aval.dtype, dtypes.Integer):
            raise DTypeError(f"{function}: starts must be integers, got {a.aval}")
    dtype: type[DType] = found.pop() if len(found) == 1 and found <= _POSITIONS else dtypes.int64
    return tuple([convert(e, dtype) if isinstance(e, Array) else _static_start(function, e, dtype) for e in given])


def _static_start(function: str, start: object, dtype: type[DType]) -> Array:
    position = integer(function, "an entry of starts", start)
    return scalar(min(max(position, 0), np.iinfo(dtype.dtype).max), dtype)  # the program clamps it to the bounds


def dynamic_slice(x: Like[DT], starts: Starts, sizes: Sequence[int], /) -> Array[DT]:
    """The part of x of shape `sizes` that begins at `starts`, clamped so that the part lies within x.

    `starts` are integers, one per axis: Python ints, integer scalars, or one integer vector; negative ones are clamped
    to 0. Raises ShapeError when `sizes` does not fit x.

    >>> from effects.functions import creation, sequences
    >>> dynamic_slice(sequences.arange(5), (4,), (2,))
    Array([3, 4], int64)
    """
    array = as_array(x, "dynamic_slice", "x")
    shape = shapes.static_shape("dynamic_slice", sizes, "sizes")
    shapes.dynamic_slice(array.aval.shape, shape)
    return perform(DynamicSlice(shape, array, _starts("dynamic_slice", starts, len(shape))))


def dynamic_update_slice(x: Like[DT], update: ArrayLike, starts: Starts, /) -> Array[DT]:
    """x with `update` written over the part that begins at `starts`, clamped so that it lies within x.

    `update` has the rank of x and is nowhere greater; it takes the dtype of x, which must be able to hold it.

    >>> from effects.functions import creation, sequences
    >>> dynamic_update_slice(creation.zeros(3), creation.ones(2), (1,))
    Array([0., 1., 1.], float64)
    """
    array = as_array(x, "dynamic_update_slice", "x")
    new = _fitting("dynamic_update_slice", update, array)
    shapes.dynamic_update_slice(array.aval.shape, new.aval.shape)
    return perform(DynamicUpdateSlice(array, new, _starts("dynamic_update_slice", starts, array.aval.ndim)))


def _fitting(function: str, update: ArrayLike, x: Array) -> Array:
    dtype = x.aval.dtype
    new = as_array(update, function, "update")
    given = new.aval
    joint = dtypes.promote_weak(dtype, given.dtype) if given.weak_type else dtypes.promote(dtype, given.dtype)
    if joint is not dtype:
        raise DTypeError(f"{function}: x is {dtype} and cannot hold update, which is {given}; convert with astype")
    return as_type(update, dtype, x.aval.weak_type, function, "update")


def dynamic_slice_in_dim(x: Like[DT], start: SupportsIndex | Array, size: int, /, *, axis: int = 0) -> Array[DT]:
    """`size` positions of one axis, beginning at `start` (clamped), all of the others.

    >>> from effects.functions import creation, sequences
    >>> dynamic_slice_in_dim(sequences.arange(5), 1, 2)
    Array([1, 2], int64)
    """
    array = as_array(x, "dynamic_slice_in_dim", "x")
    shape = array.aval.shape
    at = shapes.normalize_axis("dynamic_slice_in_dim", shape, axis)
    start = _position("dynamic_slice_in_dim", "start", start)
    size = natural("dynamic_slice_in_dim", "size", size)
    return dynamic_slice(array, _along(len(shape), at, start), (*shape[:at], size, *shape[at + 1 :]))


def _position(function: str, argument: str, given: object) -> int | Array:
    """An integer scalar, known or not."""
    if isinstance(given, Array) and not given.aval.ndim and issubclass(given.aval.dtype, dtypes.Integer):
        return given
    return integer(function, argument, given)


def _along(rank: int, axis: int, start: SupportsIndex | Array) -> list[SupportsIndex | Array]:
    return [start if i == axis else 0 for i in range(rank)]


def dynamic_index_in_dim(
    x: Like[DT], index: SupportsIndex | Array, /, *, axis: int = 0, keepdims: bool = True
) -> Array[DT]:
    """The part of x at one position (clamped) of `axis`, which stays with size 1 if `keepdims`.

    >>> from effects.functions import creation, sequences
    >>> dynamic_index_in_dim(sequences.arange(5), 3, keepdims=False)
    Array(3, int64)
    """
    keepdims = flag("dynamic_index_in_dim", "keepdims", keepdims)
    part = dynamic_slice_in_dim(x, _position("dynamic_index_in_dim", "index", index), 1, axis=axis)
    return part if keepdims else movement.squeeze(part, axis)


def dynamic_update_slice_in_dim(
    x: Like[DT], update: ArrayLike, start: SupportsIndex | Array, /, *, axis: int = 0
) -> Array[DT]:
    """x with `update` written over it from position `start` (clamped) of `axis`.

    >>> from effects.functions import creation, sequences
    >>> dynamic_update_slice_in_dim(creation.zeros(3), creation.ones(1), 1)
    Array([0., 1., 0.], float64)
    """
    array = as_array(x, "dynamic_update_slice_in_dim", "x")
    at = shapes.normalize_axis("dynamic_update_slice_in_dim", array.aval.shape, axis)
    start = _position("dynamic_update_slice_in_dim", "start", start)
    return dynamic_update_slice(array, update, _along(array.aval.ndim, at, start))


def dynamic_update_index_in_dim(
    x: Like[DT], update: ArrayLike, index: SupportsIndex | Array, /, *, axis: int = 0
) -> Array[DT]:
    """x with `update`, which has no such axis or one of size 1, written at one position (clamped) of `axis`.

    >>> from effects.functions import creation, sequences
    >>> dynamic_update_index_in_dim(creation.zeros(3), 1.0, 1)
    Array([0., 1., 0.], float64)
    """
    array = as_array(x, "dynamic_update_index_in_dim", "x")
    new = _fitting("dynamic_update_index_in_dim", update, array)
    if new.aval.ndim == array.aval.ndim - 1:
        at = shapes.normalize_axis("dynamic_update_index_in_dim", array.aval.shape, axis)
        new = movement.expand_dims(new, axis=at)
    return dynamic_update_slice_in_dim(array, new, _position("dynamic_update_index_in_dim", "index", index), axis=axis)

"""Elements added, dropped, turned around: NumPy's functions that are made of slices and of `concat`.

Counts and positions are static. Names and semantics are NumPy's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from effects.arguments import LARGEST, integer, integers, one_or_several, refusal
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, constant_like, convert
from effects.errors import ConcretizationError, OutOfBoundsError, ShapeError
from effects.functions import movement, repetition
from effects.types import shapes

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike, Like, Order
    from effects.arrays.operators import DT

type Where = int | slice | Sequence[int] | Array


def _places(function: str, argument: str, where: object, n: int, last: int) -> np.ndarray:
    """Static positions along an axis of n, of a number, a slice, a sequence or a mask; negative ones from the end."""
    if isinstance(where, slice):
        return np.arange(n)[where]
    if _is_mask(where):
        if isinstance(where, Array) and where.known() is None:
            raise ConcretizationError(
                f"{function}: {argument} must be known, since its values decide the shape of the result; it is "
                f"{where.unknown_reason()}. Choose with where(mask, x, y), which keeps the shape"
            )
        mask = np.asarray(where)
        if mask.shape != (n,):
            raise ShapeError(f"{function}: a mask as {argument} must have shape [{n}], got {list(mask.shape)}")
        return np.flatnonzero(mask)
    found = integers(function, argument, where)
    for place in found:
        if not -n <= place <= last:
            raise OutOfBoundsError(f"{function}: {argument} {place} is out of bounds for an axis of size {n}")
    return np.asarray([place + n if place < 0 else place for place in found], dtype=np.int64)


def _is_mask(where: object) -> bool:
    if isinstance(where, np.ndarray | Array):
        return where.dtype == bool
    return isinstance(where, list | tuple) and len(where) > 0 and all([isinstance(entry, bool) for entry in where])


def insert(x: Like[DT], /, obj: Where, values: ArrayLike, axis: int | None = None) -> Array[DT]:
    """x with `values` before the positions `obj` of `axis` (None flattens x), which are static, in the dtype of x.

    One position takes all of `values`; several take one each, or what broadcasts to that.

    >>> insert(np.arange(4), 1, 9), insert(np.arange(4), [1, 3], np.array([8, 9]))
    (Array([0, 9, 1, 2, 3], int64), Array([0, 8, 1, 2, 9, 3], int64))
    """
    array = as_array(x, "insert", "x")
    if axis is None:
        array, axis = movement.reshape(array, (-1,)), 0
    own = array.aval.shape
    at = shapes.normalize_axis("insert", own, axis)
    n = own[at]
    places = _places("insert", "obj", obj, n, n)
    new = convert(as_array(values, "insert", "values"), array.aval.dtype)
    if isinstance(one_or_several("insert", "obj", obj) if not isinstance(obj, slice) else (), int):
        new = movement.reshape(new, (1,) * (len(own) - new.aval.ndim) + new.aval.shape)
        new = movement.moveaxis(new, 0, at)
        count = new.aval.shape[at]
        new = movement.broadcast_to(new, (*own[:at], count, *own[at + 1 :]))
        place = int(places[0])
        parts = [movement.cut(array, at, 0, place), new, movement.cut(array, at, place, n)]
        return movement.concat(parts, axis=at)
    order = np.argsort(places, kind="stable")
    new = movement.broadcast_to(new, (*own[:at], len(places), *own[at + 1 :]))
    ends = [0, *[int(p) for p in places[order]], n]
    parts = []
    for i, (start, stop) in enumerate(pairwise(ends)):
        parts.append(movement.cut(array, at, start, stop))
        if i < len(order):
            parts.append(movement.cut(new, at, int(order[i]), int(order[i]) + 1))
    return movement.concat(parts, axis=at)


def delete(x: Like[DT], /, obj: Where, axis: int | None = None) -> Array[DT]:
    """x without the positions `obj` of `axis` (None flattens x), which are static.

    >>> delete(np.arange(5), [1, 3]), delete(np.arange(5), slice(1, None))
    (Array([0, 2, 4], int64), Array([0], int64))
    """
    array = as_array(x, "delete", "x")
    if axis is None:
        array, axis = movement.reshape(array, (-1,)), 0
    at = shapes.normalize_axis("delete", array.aval.shape, axis)
    n = array.aval.shape[at]
    dropped = sorted({int(p) for p in _places("delete", "obj", obj, n, n - 1)})
    starts, stops = [0, *[p + 1 for p in dropped]], [*dropped, n]
    kept = [movement.cut(array, at, start, stop) for start, stop in zip(starts, stops, strict=True) if start < stop]
    return movement.concat(kept, axis=at) if kept else movement.cut(array, at, 0, 0)


def resize(x: Like[DT], /, new_shape: int | tuple[int, ...]) -> Array[DT]:
    """The elements of x in row-major order, again and again, until `new_shape` is full; zeros where x has none.

    >>> resize(np.arange(3), (2, 4))
    Array([[0, 1, 2, 0],
           [1, 2, 0, 1]], int64)
    """
    array = movement.reshape(as_array(x, "resize", "x"), (-1,))
    shape = shapes.static_shape("resize", new_shape, "new_shape")
    count = math.prod(shape)
    if count * array.aval.dtype.itemsize > LARGEST:
        raise ShapeError(f"resize: new_shape {shapes.show(shape)} is of more elements than an array can have")
    n = array.aval.size
    if not n:
        return movement.broadcast_to(constant_like(0, array), shape)
    return movement.reshape(movement.cut(repetition.tile(array, -(-count // n)), 0, 0, count), shape)


def ravel(x: Like[DT], /, order: Order = "C") -> Array[DT]:
    """All elements in row-major order, as a vector; with `order` "F" in column-major order.

    >>> import effects as fx
    >>> ravel(fx.ones((2, 2)))
    Array([1., 1., 1., 1.], float64)
    """
    return movement.reshape(as_array(x, "ravel", "x"), (-1,), order=order)


def rollaxis(x: Like[DT], /, axis: int, start: int = 0) -> Array[DT]:
    """x with one axis moved before the axis that stands at `start`.

    >>> import effects as fx
    >>> rollaxis(fx.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    array = as_array(x, "rollaxis", "x")
    rank = array.aval.ndim
    at = shapes.normalize_axis("rollaxis", array.aval.shape, axis)
    before = integer("rollaxis", "start", start)
    before += rank if before < 0 else 0
    if not 0 <= before <= rank:
        raise OutOfBoundsError(f"rollaxis: start {start} is out of bounds for rank {rank}")
    return movement.moveaxis(array, at, before - (at < before))


def rot90(x: Like[DT], /, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array[DT]:
    """x turned by k quarters from the first of `axes` towards the second.

    >>> rot90(np.array([[1, 2], [3, 4]]))
    Array([[2, 4],
           [1, 3]], int64)
    """
    array = as_array(x, "rot90", "x")
    pair = integers("rot90", "axes", axes)
    places = [shapes.normalize_axis("rot90", array.aval.shape, a) for a in pair]
    if len(set(places)) != 2 or len(places) != 2:
        raise refusal("rot90", "axes", "two different axes", axes)
    a, b = places
    turns = integer("rot90", "k", k) % 4
    if turns == 0:
        return array
    if turns == 2:
        return movement.flip(array, (a, b))
    if turns == 1:
        return movement.swapaxes(movement.flip(array, b), a, b)
    return movement.flip(movement.swapaxes(array, a, b), b)


def _flipped(function: str, x: Like[DT], axis: int) -> Array[DT]:
    array = as_array(x, function, "x")
    if array.aval.ndim <= axis:
        raise ShapeError(f"{function}: x needs rank >= {axis + 1}, got {array.aval}")
    return movement.flip(array, axis)


def fliplr(x: Like[DT], /) -> Array[DT]:
    """The second axis reversed.

    >>> fliplr(np.array([[1, 2], [3, 4]]))
    Array([[2, 1],
           [4, 3]], int64)
    """
    return _flipped("fliplr", x, 1)


def flipud(x: Like[DT], /) -> Array[DT]:
    """The first axis reversed.

    >>> flipud(np.array([[1, 2], [3, 4]]))
    Array([[3, 4],
           [1, 2]], int64)
    """
    return _flipped("flipud", x, 0)

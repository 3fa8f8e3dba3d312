"""Elements inserted, deleted and trimmed. Names and semantics are NumPy's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np

from effects.arguments import LARGEST, choice, integers, one_or_several
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, constant_like, convert
from effects.errors import ConcretizationError, OutOfBoundsError, ShapeError
from effects.functions.manipulation import movement, repetition
from effects.functions.reductions.reduction import Axes
from effects.operations.indexing import Slice
from effects.program.chain import perform
from effects.types import shapes

type Ends = Literal["f", "b", "fb", "bf", "F", "B", "FB", "BF"]


def trim_zeros(x: Like[DT], /, trim: Ends = "fb", axis: Axes = None) -> Array[DT]:
    """x without the zeros at its ends: the front one ("f"), the back one ("b"), or both, of the given axes or of all.

    Where the zeros are must be known; otherwise cut with a slice.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.trim_zeros(np.array([0, 0, 3, 0, 4, 0])), fx.trim_zeros(np.array([0, 3, 0]), "f")
    (Array([3, 0, 4], int64), Array([3, 0], int64))
    """
    array = as_array(x, "trim_zeros", "x")
    ends = choice("trim_zeros", "trim", trim, Ends)
    shape = array.aval.shape
    axes = shapes.normalize_axes("trim_zeros", shape, shapes.as_axes("trim_zeros", axis))
    known = array.known()
    if known is None:
        raise ConcretizationError(
            "trim_zeros: x must be known, since its values decide the shape of the result; it is "
            f"{array.unknown_reason()}. Write x[start:stop]"
        )
    if not shape:
        return array
    places = np.nonzero(known.fetch())
    starts, stops = [0] * len(shape), list(shape)
    for a in axes:
        if not places[a].size:
            starts[a] = stops[a] = 0
            continue
        starts[a] = int(places[a].min()) if "f" in ends.lower() else 0
        stops[a] = int(places[a].max()) + 1 if "b" in ends.lower() else shape[a]
    return perform(Slice(tuple(starts), tuple(stops), (1,) * len(shape), array))


type Where = int | slice | Sequence[int] | Array


def _places(function: str, argument: str, where: object, n: int, last: int) -> np.ndarray:
    """Static positions along an axis of size n, of a number, a slice, a sequence or a mask; none is negative."""
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
    positions = integers(function, argument, where)
    for place in positions:
        if not -n <= place <= last:
            raise OutOfBoundsError(f"{function}: {argument} {place} is out of bounds for an axis of size {n}")
    return np.asarray([place + n if place < 0 else place for place in positions], dtype=np.int64)


def _is_mask(where: object) -> bool:
    if isinstance(where, np.ndarray | Array):
        return where.dtype == bool
    return isinstance(where, list | tuple) and len(where) > 0 and all([isinstance(entry, bool) for entry in where])


def insert(x: Like[DT], /, obj: Where, values: ArrayLike, axis: int | None = None) -> Array[DT]:
    """x with `values` before the positions `obj` of `axis` (None flattens x), which are static, in the dtype of x.

    One position takes all of `values`; several take one each, or what broadcasts to that.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.insert(np.arange(4), 1, 9), fx.insert(np.arange(4), [1, 3], np.array([8, 9]))
    (Array([0, 9, 1, 2, 3], int64), Array([0, 8, 1, 2, 9, 3], int64))
    """
    array, at = movement.along_axis("insert", as_array(x, "insert", "x"), axis)
    own = array.aval.shape
    n = own[at]
    places = _places("insert", "obj", obj, n, n)
    new = convert(as_array(values, "insert", "values"), array.aval.dtype)
    if isinstance(one_or_several("insert", "obj", obj) if not isinstance(obj, slice) else (), int):
        new = movement.reshape(new, (1,) * (len(own) - new.aval.ndim) + new.aval.shape)
        new = movement.moveaxis(new, 0, at)
        count = new.aval.shape[at]
        new = movement.broadcast_to(new, (*own[:at], count, *own[at + 1 :]))
        place = int(places[0])
        parts = [movement.slice_axis(array, at, 0, place), new, movement.slice_axis(array, at, place, n)]
        return movement.concat(parts, axis=at)
    order = np.argsort(places, kind="stable")
    new = movement.broadcast_to(new, (*own[:at], len(places), *own[at + 1 :]))
    ends = [0, *[int(p) for p in places[order]], n]
    parts = []
    for i, (start, stop) in enumerate(pairwise(ends)):
        parts.append(movement.slice_axis(array, at, start, stop))
        if i < len(order):
            parts.append(movement.slice_axis(new, at, int(order[i]), int(order[i]) + 1))
    return movement.concat(parts, axis=at)


def delete(x: Like[DT], /, obj: Where, axis: int | None = None) -> Array[DT]:
    """x without the positions `obj` of `axis` (None flattens x), which are static; integers may be of any shape.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.delete(np.arange(5), [1, 3]), fx.delete(np.arange(5), slice(1, None))
    (Array([0, 2, 4], int64), Array([0], int64))
    """
    array, at = movement.along_axis("delete", as_array(x, "delete", "x"), axis)
    n = array.aval.shape[at]
    nested = isinstance(obj, list) and any([isinstance(entry, list) for entry in obj])
    positions = as_array(obj, "delete", "obj") if nested else obj
    where = np.asarray(positions).ravel() if isinstance(positions, np.ndarray | Array) and not _is_mask(obj) else obj
    dropped = sorted({int(p) for p in _places("delete", "obj", where, n, n - 1)})
    starts, stops = [0, *[p + 1 for p in dropped]], [*dropped, n]
    pieces = [
        movement.slice_axis(array, at, start, stop) for start, stop in zip(starts, stops, strict=True) if start < stop
    ]
    return movement.concat(pieces, axis=at) if pieces else movement.slice_axis(array, at, 0, 0)


def resize(x: Like[DT], /, new_shape: int | tuple[int, ...]) -> Array[DT]:
    """The elements of x in row-major order, again and again, until `new_shape` is full; zeros where x has none.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.resize(np.arange(3), (2, 4))
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
    return movement.reshape(movement.slice_axis(repetition.tile(array, -(-count // n)), 0, 0, count), shape)

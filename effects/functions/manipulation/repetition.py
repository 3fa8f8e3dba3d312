"""Copies of elements: of whole arrays side by side, and of each element by its count.

Names and semantics are the Array API standard's, then NumPy's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Never, SupportsIndex

import numpy as np

from effects.arguments import LARGEST, MOST_AXES, natural, refusal
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.concrete import from_host
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, convert
from effects.errors import ArgumentError, ConcretizationError, ShapeError
from effects.functions.elementwise import arithmetic
from effects.functions.indexing.keys import listed
from effects.functions.manipulation import movement
from effects.functions.ordering import searching
from effects.functions.reductions import cumulative
from effects.operations.creation import Iota
from effects.operations.gathering import Bounds, Gather
from effects.operations.movement import Broadcast
from effects.program.chain import perform
from effects.runtime.memory_errors import memory_errors
from effects.types import dtypes, shapes
from effects.types.avals import ShapedArray

type Counts = SupportsIndex | Sequence[SupportsIndex] | Array


def tile(x: Like[DT], /, reps: int | tuple[int, ...], *more: Never) -> Array[DT]:
    """x side by side with itself, `reps[i]` times along axis i; missing axes and counts are 1, in front.

    >>> import effects as fx
    >>> fx.tile(fx.arange(2), 2)
    Array([0, 1, 0, 1], int64)
    """
    movement.check_one_tuple("tile", reps, more)
    array = as_array(x, "tile", "x")
    counts = shapes.static_shape("tile", reps, "reps")
    shape = array.aval.shape
    rank = max(len(counts), len(shape))
    counts = (1,) * (rank - len(counts)) + counts
    sizes = (1,) * (rank - len(shape)) + shape
    pairs = tuple([n for pair in zip(counts, sizes, strict=True) for n in pair])
    dims = tuple(range(2 * (rank - len(shape)) + 1, 2 * rank, 2))
    repeated = array if set(counts) <= {1} else perform(Broadcast(pairs, dims, array))
    return movement.reshape(repeated, tuple([c * n for c, n in zip(counts, sizes, strict=True)]))


def repeat(x: Like[DT], /, repeats: Counts, axis: int | None = None, *, size: int | None = None) -> Array[DT]:
    """Each element `repeats` times along `axis`, or as often as a vector of counts says; None flattens x first.

    Counts decide how many elements there are. Where their values are not known, `size` says how many: more are cut off,
    and for what is left over the last element is repeated.

    >>> import effects as fx
    >>> fx.repeat(fx.arange(2), 2), fx.repeat(fx.arange(3), fx.asarray([2, 0, 1]))
    (Array([0, 0, 1, 1], int64), Array([0, 0, 2], int64))
    """
    array, at = movement.along_axis("repeat", as_array(x, "repeat", "x"), axis)
    shape = array.aval.shape
    n = shape[at]
    if size is None and (type(repeats) is int or not _several(repeats)):
        count = natural("repeat", "repeats", repeats)
        dims = tuple([i for i in range(len(shape) + 1) if i != at + 1])
        repeated = perform(Broadcast((*shape[: at + 1], count, *shape[at + 1 :]), dims, array))
        return movement.reshape(repeated, (*shape[:at], n * count, *shape[at + 1 :]))
    counts = _counts(repeats, n)
    known = counts.known()
    if known is not None and np.any(known.host < 0):
        raise ArgumentError(f"repeat: repeats must not be negative, got {int(known.host.min())}")
    if size is not None:
        places = _places(counts, array.aval, at, natural("repeat", "size", size))
    elif known is not None:
        with memory_errors:
            places = from_host(np.repeat(np.arange(n), np.broadcast_to(known.host, (n,)).astype(np.int64)))
    else:
        raise ConcretizationError(
            f"repeat: the size of the result depends on the values of repeats, which must be known: "
            f"{counts.unknown_reason()}; give size=, the most that there can be"
        )
    return perform(Gather((at,), 0, at, Bounds.CLIP, 0, array, (places,)))


def _several(repeats: object) -> bool:
    return isinstance(repeats, list | tuple | range) or getattr(repeats, "ndim", 0) > 0


def _counts(repeats: Counts, n: int) -> Array:
    """Number of repetitions of each of `n` elements; one number counts for all."""
    value = listed("repeat", repeats, "repeats") if isinstance(repeats, list | tuple | range) else repeats
    counts = as_array(value, "repeat", "repeats")
    if not issubclass(counts.aval.dtype, dtypes.Integer):
        raise refusal("repeat", "repeats", "an int or a vector of integers", repeats)
    if counts.aval.shape not in ((), (1,), (n,)):
        raise ShapeError(
            f"repeat: repeats must be an int, or have one count for each of {n} elements, got {counts.aval}"
        )
    return counts


def _places(counts: Array, aval: ShapedArray, axis: int, size: int) -> Array:
    """Index along `axis` of the element that each of `size` elements is a copy of."""
    n = aval.shape[axis]
    if size and not n:
        raise ShapeError(f"repeat: x has no elements along axis {axis} to make {size} of, got {aval}")
    ends = cumulative.cumsum(movement.broadcast_to(convert(counts, dtypes.int64), (n,)))
    places = searching.insertion(ends, perform(Iota((size,), dtypes.int64, 0)), before=False)
    return arithmetic.minimum(places, max(n - 1, 0))


def broadcast_arrays(*arrays: ArrayLike) -> tuple[Array, ...]:
    """The arrays repeated so that all have their common shape.

    >>> import effects as fx
    >>> [a.shape for a in fx.broadcast_arrays(fx.zeros((2, 1)), fx.zeros(3))]
    [(2, 3), (2, 3)]
    """
    inputs = [as_array(a, "broadcast_arrays", f"arrays[{i}]") for i, a in enumerate(arrays)]
    shape = shapes.broadcast_all([a.aval.shape for a in inputs])
    return tuple([movement.broadcast_to(a, shape) for a in inputs])


def broadcast_shapes(*shapes_: int | tuple[int, ...]) -> tuple[int, ...]:
    """The shape that arrays of these shapes have together.

    >>> import effects as fx
    >>> fx.broadcast_shapes((2, 1), 3)
    (2, 3)
    """
    static_shapes = [shapes.static_shape("broadcast_shapes", s, f"shapes_[{i}]") for i, s in enumerate(shapes_)]
    for i, sizes in enumerate(static_shapes):
        if len(sizes) > MOST_AXES or math.prod([size or 1 for size in sizes]) > LARGEST:
            raise ShapeError(
                f"broadcast_shapes: shapes_[{i}] {shapes.show(sizes)} is not a shape that an array can have"
            )
    return shapes.broadcast_all(static_shapes)

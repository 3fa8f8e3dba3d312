"""Arrays computed from positions: grids of indices, and sequences of powers.

Sizes are static. Names and semantics are NumPy's.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from effects.arguments import LARGEST, choice, flag, integers, natural, sequence
from effects.arrays.array import Array, ArrayLike, Order
from effects.arrays.promotion import as_array, convert, integral
from effects.errors import OutOfBoundsError, ShapeError
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, logic
from effects.functions.indexing.taking import Choosable
from effects.functions.manipulation import movement
from effects.operations.movement import Broadcast
from effects.program.chain import perform
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.types.dtypes import DTypeLike, i64
    from effects.types.signatures.becoming import Integers, W


@overload
def indices(dimensions: tuple[int, ...], dtype: DTypeLike = int, sparse: Literal[False] = False) -> Array: ...


@overload
def indices(dimensions: tuple[int, ...], dtype: DTypeLike = int, *, sparse: Literal[True]) -> tuple[Array, ...]: ...


def indices(dimensions: tuple[int, ...], dtype: DTypeLike = int, sparse: bool = False) -> Array | tuple[Array, ...]:
    """The positions along each axis of a grid, stacked along a first axis; with `sparse` a tuple that broadcasts.

    >>> import effects as fx
    >>> fx.indices((2, 2))[0]
    Array([[0, 0],
           [1, 1]], int64)
    """
    shape = shapes.static_shape("indices", dimensions, "dimensions")
    target = dtypes.as_dtype(dtype)
    dense = not flag("indices", "sparse", sparse)
    parts = [
        creation.iota(target, shape if dense else tuple([n if i == a else 1 for i, n in enumerate(shape)]), a)
        for a in range(len(shape))
    ]
    if not dense:
        return tuple(parts)
    return movement.stack(parts) if parts else creation.zeros((0,), dtype=target)


def ix_(*sequences_: ArrayLike) -> tuple[Array, ...]:
    """Vectors as axes of a grid: x[ix_(rows, columns)] is x at all pairs of these. Known masks give where they hold.

    >>> import effects as fx
    >>> import numpy as np
    >>> [a.shape for a in fx.ix_(np.array([0, 2]), np.array([1]))]
    [(2, 1), (1, 1)]
    """
    out = []
    for i, entries in enumerate(sequences_):
        vector = as_array(entries, "ix_", f"sequences_[{i}]")
        if vector.aval.ndim != 1:
            raise ShapeError(f"ix_: sequences_[{i}] must have rank 1, got {vector.aval}")
        if vector.aval.dtype is dtypes.bool_:
            vector = creation.asarray(np.flatnonzero(np.asarray(vector)))
        out.append(movement.reshape(vector, tuple([-1 if j == i else 1 for j in range(len(sequences_))])))
    return tuple(out)


def _grid_sizes(function: str, argument: str, sizes_given: object, order: object) -> list[tuple[int, int]]:
    """The axes of a grid and their sizes, the slowest first."""
    sizes = integers(function, argument, sizes_given)
    for size in sizes:
        natural(function, f"a size of {argument}", size)
    if math.prod(sizes) > LARGEST:
        raise ShapeError(f"{function}: {argument} {shapes.show(sizes)} has more positions than int64 can count")
    pairs = list(enumerate(sizes))
    return pairs if choice(function, "order", order, Order) == "C" else pairs[::-1]


def ravel_multi_index(
    multi_index: tuple[ArrayLike, ...], /, dims: tuple[int, ...], mode: Choosable = "raise", order: Order = "C"
) -> Array[i64]:
    """Positions in row-major order (column-major with order "F") of positions along each axis of an array.

    Known positions out of bounds are refused, or with `mode` "wrap" or "clip" brought inside, as unknown ones always
    are ("clip").

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.ravel_multi_index((np.array([0, 1]), np.array([2, 0])), (2, 3))
    Array([2, 3], int64)
    """
    axes = _grid_sizes("ravel_multi_index", "dims", dims, order)
    how = choice("ravel_multi_index", "mode", mode, Choosable)
    places = sequence("ravel_multi_index", "multi_index", multi_index, "arrays")
    if len(places) != len(axes):
        raise ShapeError(f"ravel_multi_index: multi_index must have an array for each of {len(axes)} dims")
    total = creation.asarray(0)
    for axis, size in axes:
        place = convert(integral("ravel_multi_index", places[axis], f"multi_index[{axis}]"), dtypes.int64)
        known = place.known()
        if how == "wrap":
            place = arithmetic.remainder(place, size)
        elif (
            how == "raise" and known is not None and bool(np.any((np.asarray(known) < 0) | (np.asarray(known) >= size)))
        ):
            raise OutOfBoundsError(f"ravel_multi_index: multi_index {place} is out of bounds for a size of {size}")
        else:
            place = logic.clip(place, 0, max(size - 1, 0))
        total = total * size + place
    return total


def unravel_index(indices: Integers[W], /, shape: tuple[int, ...], order: Order = "C") -> tuple[Array[i64], ...]:
    """Positions along each axis of an array of this shape, of positions in row-major order (column-major with "F").

    Known positions out of bounds are refused; unknown ones are clipped.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.unravel_index(np.array([2, 3]), (2, 3))
    (Array([0, 1], int64), Array([2, 0], int64))
    """
    axes = _grid_sizes("unravel_index", "shape", shape, order)
    sizes = [size for _, size in sorted(axes)]
    rest = convert(integral("unravel_index", indices, "indices"), dtypes.int64)
    count, known = math.prod(sizes), rest.known()
    if known is not None and bool(np.any((np.asarray(known) < 0) | (np.asarray(known) >= count))):
        raise OutOfBoundsError(f"unravel_index: indices {rest} are out of bounds for shape {shapes.show(sizes)}")
    rest = logic.clip(rest, 0, max(count - 1, 0))
    out: dict[int, Array] = {}
    for axis, size in axes[::-1]:
        out[axis] = arithmetic.remainder(rest, size)
        rest = arithmetic.floor_divide(rest, size)
    return tuple([out[axis] for axis in range(len(axes))])


type Indexing = Literal["xy", "ij"]


def meshgrid(*arrays: ArrayLike, indexing: Indexing = "xy", sparse: bool = False) -> tuple[Array, ...]:
    """The coordinates of the grid whose axes are the given vectors, one array of the grid's shape for each.

    With `indexing` "ij" axis i of the grid is vector i; with "xy" the first two are exchanged. With `sparse` arrays
    keep size 1 along the axes of the others, beside which they broadcast.

    >>> import effects as fx
    >>> [a.shape for a in fx.meshgrid(fx.arange(2), fx.arange(3))]
    [(3, 2), (3, 2)]
    """
    choice("meshgrid", "indexing", indexing, Indexing)
    sparse = flag("meshgrid", "sparse", sparse)
    vectors = [as_array(a, "meshgrid", f"arrays[{i}]") for i, a in enumerate(arrays)]
    for i, a in enumerate(vectors):
        if a.aval.ndim > 1:
            raise ShapeError(f"meshgrid: arrays[{i}] must have rank 0 or 1, got {a.aval}")
    places = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        places[:2] = [1, 0]
    if sparse:
        grid = [
            movement.reshape(a, tuple([-1 if i == place else 1 for i in range(len(vectors))]))
            for a, place in zip(vectors, places, strict=True)
        ]
        return tuple(grid)
    shape = [0] * len(vectors)
    for a, place in zip(vectors, places, strict=True):
        shape[place] = a.aval.size
    grid = [
        perform(Broadcast(tuple(shape), (place,), movement.reshape(a, (-1,))))
        for a, place in zip(vectors, places, strict=True)
    ]
    return tuple(grid)

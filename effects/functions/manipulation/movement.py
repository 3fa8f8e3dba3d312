"""Functions that move elements without changing them: shape, order, joining, repetition, padding.

Shapes, axes and counts are static: Python ints or tuples of them. Names and semantics are the Array API standard's,
then NumPy's. A call that would change nothing returns its argument. Functions composed of these (`split`, `tile`,
`roll`, …) are in other files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Never, SupportsIndex

from effects.arguments import choice, entries, flag, integer, integers, refusal
from effects.arrays.array import Array, ArrayLike, Like, Order
from effects.arrays.promotion import as_array, common_type, convert
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.operations.elementwise import Convert
from effects.operations.indexing import Slice
from effects.operations.movement import Broadcast, Concat, Flip, PermuteDims, Reshape
from effects.program.chain import perform
from effects.runtime.caches import memoised
from effects.types import dtypes, shapes
from effects.types.dtypes import DType, DTypeLike, as_dtype
from effects.types.signatures.joining import Joined, Stacked

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.types.shapes import Ints

type Axes = int | tuple[int, ...] | None
type Sizes = SupportsIndex | Sequence[SupportsIndex]

_ROWS: Final = "C"
"""The order "C", compared by identity, since users may pass anything; `choice` compares other values."""


def reshape(x: Like[DT], /, shape: Sizes, *more: Never, order: Order = _ROWS, copy: bool | None = None) -> Array[DT]:
    """The elements of x in row-major order as an array of `shape`, of which one dimension may be -1 (what is left).

    With `order` "F" they are taken and put in column-major order: the first index runs fastest. Arrays are immutable,
    so `copy` changes nothing. Raises ShapeError when the number of elements differs.

    >>> import effects as fx
    >>> fx.reshape(fx.arange(6), (2, -1))
    Array([[0, 1, 2],
           [3, 4, 5]], int64)
    """
    if more:
        check_one_tuple("reshape", shape, more)
    array = as_array(x, "reshape", "x")
    if copy is not None:
        flag("reshape", "copy", copy)
    own = array.aval.shape
    if own is shape and order is _ROWS:
        return array
    target = _target(own, integers("reshape", "shape", shape))
    if order is not _ROWS and choice("reshape", "order", order, Order) == "F":
        return permute_dims(reshape(permute_dims(array), target[::-1]))
    return array if target == own else perform(Reshape(target, array))


_target: Callable[[Ints, Ints], Ints] = memoised(shapes.reshape)
"""The shape that `reshape` gives, with the size for -1."""


@memoised
def _permutation(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...] | None:
    """`axes` without negative ones; None when they change nothing."""
    perm = shapes.normalize_perm("permute_dims", shape, axes)
    return None if perm == tuple(range(len(shape))) else perm


def permute_dims(x: Like[DT], /, axes: tuple[int, ...] | None = None, *more: Never) -> Array[DT]:
    """Axis i of the result is axis `axes[i]` of x; None reverses the axes.

    >>> import effects as fx
    >>> fx.permute_dims(fx.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    if more:
        check_one_tuple("permute_dims", axes, more)
    array = as_array(x, "permute_dims", "x")
    if axes is None:
        return _permuted(array, tuple(range(array.aval.ndim))[::-1])
    return _permuted(array, integers("permute_dims", "axes", axes))


def _permuted(x: Array[DT], axes: Ints) -> Array[DT]:
    perm = _permutation(x.aval.shape, axes)
    return x if perm is None else perform(PermuteDims(perm, x))


def matrix_transpose(x: Like[DT], /) -> Array[DT]:
    """The last two axes swapped. Raises ShapeError below rank 2.

    >>> import effects as fx
    >>> fx.matrix_transpose(fx.zeros((2, 3, 4))).shape
    (2, 4, 3)
    """
    array = as_array(x, "matrix_transpose", "x")
    shapes.matrix_transpose(array.aval.shape)
    n = array.aval.ndim
    return _permuted(array, (*range(n - 2), n - 1, n - 2))


def swapaxes(x: Like[DT], /, axis1: int, axis2: int) -> Array[DT]:
    """Two axes exchanged.

    >>> import effects as fx
    >>> fx.swapaxes(fx.zeros((2, 3, 4)), 0, -1).shape
    (4, 3, 2)
    """
    array = as_array(x, "swapaxes", "x")
    return permute_dims(array, shapes.swapaxes_perm(array.aval.shape, axis1, axis2))


_moved = memoised(shapes.moveaxis_perm)


def moveaxis(x: Like[DT], /, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Array[DT]:
    """The axes `source` moved to the positions `destination`; the others keep their order.

    >>> import effects as fx
    >>> fx.moveaxis(fx.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    array = as_array(x, "moveaxis", "x")
    to = integers("moveaxis", "destination", destination)
    return _permuted(array, _moved(array.aval.shape, integers("moveaxis", "source", source), to))


def squeeze(x: Like[DT], /, axis: Axes = None, *more: Never) -> Array[DT]:
    """x without the axes `axis`, each of size 1; None drops every axis of size 1.

    >>> import effects as fx
    >>> fx.squeeze(fx.zeros((1, 3, 1)), 0).shape
    (3, 1)
    """
    check_one_tuple("squeeze", axis, more)
    array = as_array(x, "squeeze", "x")
    return reshape(array, shapes.squeeze(array.aval.shape, shapes.as_axes("squeeze", axis)))


def expand_dims(x: Like[DT], /, axis: int | tuple[int, ...] = 0, *more: Never) -> Array[DT]:
    """x with axes of size 1 at the positions `axis` of the result.

    >>> import effects as fx
    >>> fx.expand_dims(fx.zeros((2, 3)), axis=-1).shape
    (2, 3, 1)
    """
    check_one_tuple("expand_dims", axis, more)
    array = as_array(x, "expand_dims", "x")
    places = shapes.as_axes("expand_dims", axis)
    if places is None:
        raise refusal("expand_dims", "axis", "an int or a tuple of ints", None)
    return reshape(array, shapes.expand_dims(array.aval.shape, places))


@memoised
def _spread(shape: Ints, target: Ints) -> tuple[Ints, Ints]:
    """The shape that `broadcast_to` gives, and the positions of the axes of `shape` in it."""
    sizes = shapes.static_shape("broadcast_to", target)
    return shapes.broadcast_to(shape, sizes), tuple(range(len(sizes) - len(shape), len(sizes)))


def broadcast_to(x: Like[DT], /, shape: Sizes, *more: Never) -> Array[DT]:
    """x repeated along axes of size 1 and along new leading axes, so that it has `shape`.

    >>> import effects as fx
    >>> fx.broadcast_to(fx.arange(3), (2, 3))
    Array([[0, 1, 2],
           [0, 1, 2]], int64)
    """
    if more:
        check_one_tuple("broadcast_to", shape, more)
    array = as_array(x, "broadcast_to", "x")
    own = array.aval.shape
    if own is shape:
        return array
    target, dims = _spread(own, integers("broadcast_to", "shape", shape))
    return array if own == target else perform(Broadcast(target, dims, array))


def check_one_sequence(function: str, more: tuple[object, ...]) -> None:
    """Refuse arrays as separate arguments."""
    if more:
        raise ArgumentError(f"{function} takes a sequence of arrays: write [x, y]")


def check_one_tuple(function: str, first: object, more: tuple[object, ...]) -> None:
    """Refuse sizes or axes as separate arguments."""
    if more:
        raise ArgumentError(f"{function} takes one tuple: write {(*entries(first), *more)}")


def of_one_dtype(function: str, arrays: object, axis: object = None, dtype: DTypeLike | None = None) -> list[Array]:
    """A sequence of arrays in their common dtype, or in `dtype`."""
    if isinstance(axis, Array) and isinstance(arrays, Array) and not issubclass(axis.aval.dtype, dtypes.Integer):
        check_one_sequence(function, (axis,))
    if (
        not isinstance(arrays, Iterable)
        or isinstance(arrays, str | bytes | dict)
        or getattr(arrays, "shape", None) == ()
    ):
        raise refusal(function, "arrays", "a sequence of arrays", arrays)
    converted = [as_array(a, function, f"arrays[{i}]") for i, a in enumerate(arrays)]
    if not converted:
        raise ShapeError(f"{function}: needs at least one array")
    if dtype is not None:
        return [_joined_as(a, as_dtype(dtype), function, i) for i, a in enumerate(converted)]
    first = converted[0].aval.dtype
    if all([a.aval.dtype is first for a in converted]):
        return converted
    dtype, weak = common_type([a.aval for a in converted])
    return [convert(a, dtype, weak) for a in converted]


def _joined_as(x: Array, dtype: type[DType], function: str, i: int) -> Array:
    own = x.aval.dtype
    if own.rank > dtype.rank or (issubclass(own, dtypes.Signed) and issubclass(dtype, dtypes.Unsigned)):
        raise DTypeError(f"{function}: dtype {dtype} cannot hold arrays[{i}], {x.aval}; convert it with astype")
    return x if own is dtype else perform(Convert(dtype, False, x))


def along_axis(function: str, x: Array, axis: int | None) -> tuple[Array, int]:
    """x and the position of `axis`; for None the flattened x, and 0."""
    if axis is None:
        return x if x.aval.ndim == 1 else reshape(x, (-1,)), 0
    return x, shapes.normalize_axis(function, x.aval.shape, axis)


@Joined
def concat(arrays: Sequence[ArrayLike], /, axis: int | None = 0, *, dtype: DTypeLike | None = None) -> Array:
    """The arrays one after the other along `axis` (None: all flattened), in their common dtype or in `dtype`.

    Raises ShapeError when they differ in another axis, DTypeError where `dtype` is of a lesser kind than theirs.

    >>> import effects as fx
    >>> fx.concat([fx.arange(2), fx.ones(1)])
    Array([0., 1., 1.], float64)
    """
    inputs = of_one_dtype("concat", arrays, axis, dtype)
    if axis is None:
        inputs, axis = [reshape(a, (-1,)) for a in inputs], 0
    if isinstance(arrays, Array) and arrays.ndim == 1:
        raise refusal("concat", "arrays", "a list of arrays, [x, y]", arrays)
    at = shapes.normalize_axis("concat", inputs[0].aval.shape, axis)
    return inputs[0] if len(inputs) == 1 else perform(Concat(at, tuple(inputs)))


@Stacked
def stack(arrays: Sequence[ArrayLike], /, axis: int = 0, *, dtype: DTypeLike | None = None) -> Array:
    """The arrays, of one shape, along a new axis at the position `axis` of the result; dtypes as in `concat`.

    >>> import effects as fx
    >>> fx.stack([fx.arange(2), fx.arange(2)], axis=1)
    Array([[0, 0],
           [1, 1]], int64)
    """
    inputs = of_one_dtype("stack", arrays, axis, dtype)
    axis = integer("stack", "axis", axis)
    shape = shapes.stack([a.aval.shape for a in inputs], axis)
    at = shapes.normalize_axis("stack", shape, axis)
    part = (*shape[:at], 1, *shape[at + 1 :])
    rows = [reshape(a, part) for a in inputs]
    return rows[0] if len(rows) == 1 else perform(Concat(at, tuple(rows)))


def slice_axis(x: Array, axis: int, start: int, stop: int) -> Array:
    """The elements at positions from `start` to before `stop` of one axis."""
    shape = x.aval.shape
    if start == 0 and stop == shape[axis]:
        return x
    starts = (0,) * axis + (start,) + (0,) * (len(shape) - axis - 1)
    return perform(Slice(starts, (*shape[:axis], stop, *shape[axis + 1 :]), (1,) * len(shape), x))


def unstack(x: Like[DT], /, axis: int = 0) -> tuple[Array[DT], ...]:
    """The parts of x at each position of `axis`, which they do not have.

    >>> import effects as fx
    >>> fx.unstack(fx.arange(3))[2]
    Array(2, int64)
    """
    array = as_array(x, "unstack", "x")
    return tuple(parts(array, shapes.normalize_axis("unstack", array.aval.shape, axis)))


def parts(x: Array[DT], axis: int) -> Iterator[Array[DT]]:
    """The results of `unstack`, each computed when it is needed."""
    shape = x.aval.shape
    rest = (*shape[:axis], *shape[axis + 1 :])
    for i in range(shape[axis]):
        yield perform(Reshape(rest, slice_axis(x, axis, i, i + 1)))


def flip(x: Like[DT], /, axis: Axes = None) -> Array[DT]:
    """The order of the elements along `axis` (None: all axes) reversed.

    >>> import effects as fx
    >>> fx.flip(fx.arange(3))
    Array([2, 1, 0], int64)
    """
    array = as_array(x, "flip", "x")
    shape = array.aval.shape
    axes = tuple([a for a in shapes.normalize_axes("flip", shape, shapes.as_axes("flip", axis)) if shape[a] > 1])
    return perform(Flip(axes, array)) if axes else array

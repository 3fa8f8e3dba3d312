"""Reductions: sums, products, extremes, truth, and the positions of extremes.

`axis` is None (all axes), an int or a tuple of ints, negative ones counted from the end; with `keepdims` the folded
axes stay, of size 1. The bools `where`, which broadcast to the shape of x, select the elements that count: the others
have no part in the result or its derivative. Names and semantics are the Array API standard's, then NumPy's.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from effects.arguments import flag, integer
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, constant_like, convert, to_dtype
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.functions.elementwise import arithmetic, logic, unary
from effects.functions.indexing import slicing
from effects.functions.manipulation import movement
from effects.functions.ordering import lexicographic
from effects.operations.reduction import ArgReduce, ArgReduceKind, Reduce, ReduceKind, identity
from effects.program.chain import perform
from effects.runtime.caches import memoised
from effects.types import dtypes, shapes
from effects.types.dtypes import DType, DTypeLike
from effects.types.signatures.reduction import Accumulation, Count, Extreme, Position, Truth

if TYPE_CHECKING:
    from effects.types.dtypes import DTypeLike, bool_, i64
    from effects.types.signatures.becoming import Mask

type Axes = int | tuple[int, ...] | None

_OF_TWO: Final = {
    "all": "x & y",
    "any": "x | y",
    "max": "maximum(x, y)",
    "min": "minimum(x, y)",
    "prod": "x * y",
    "sum": "x + y",
}
"""Advice for a second argument that is no axis."""

_positions = memoised(shapes.normalize_axes, typed=True)


def axes_of(function: str, x: Array, axis: Axes) -> tuple[int, ...]:
    """The axes as sorted positions."""
    if axis is not None and type(axis) is not int:
        try:
            axis = shapes.as_axes(function, axis)
        except ArgumentError as error:
            if function not in _OF_TWO or (isinstance(axis, float) and x.aval.ndim):
                raise
            raise ArgumentError(f"{error.message}; of two arrays write {_OF_TWO[function]}") from None
    return _positions(function, x.aval.shape, axis)


def fold(kind: ReduceKind, function: str, x: Array, axis: Axes, keepdims: bool) -> Array:
    """x folded over `axis`, in its own dtype."""
    if keepdims is not False and keepdims is not True:
        keepdims = flag(function, "keepdims", keepdims)
    axes = axes_of(function, x, axis)
    return perform(Reduce(kind, axes, x, keepdims)) if axes else x


def count(function: str, x: Array, axis: Axes) -> int:
    """Number of elements of x that are reduced into each element of the result."""
    return math.prod([x.aval.shape[a] for a in axes_of(function, x, axis)])


def included(function: str, x: Array, where: Mask) -> Array:
    """`where` as bools that broadcast to the shape of x."""
    mask = as_array(where, function, "where")
    if mask.aval.dtype is not dtypes.bool_:
        raise DTypeError(f"{function}: where must be of bools, got {mask.aval}; compare it, as in where=mask != 0")
    sizes, shape = mask.aval.shape, x.aval.shape
    if len(sizes) > len(shape) or builtins.any([n not in (1, m) for n, m in zip(sizes[::-1], shape[::-1])]):
        raise ShapeError(f"{function}: where, {mask.aval}, does not broadcast to the shape of x, {x.aval}")
    return mask


def restricted(function: str, x: Array, where: Mask, otherwise: complex) -> Array:
    """x, with `otherwise` for elements that do not count."""
    return x if where is True else logic.where(included(function, x, where), x, constant_like(otherwise, x))


_COMBINED: Final[dict[ReduceKind, Callable[[Array, Array], Array]]] = {
    ReduceKind.AND: logic.logical_and,
    ReduceKind.MAX: arithmetic.maximum,
    ReduceKind.MIN: arithmetic.minimum,
    ReduceKind.OR: logic.logical_or,
    ReduceKind.PROD: arithmetic.multiply,
    ReduceKind.SUM: arithmetic.add,
}


def _begun(kind: ReduceKind, function: str, x: Array, initial: ArrayLike) -> Array:
    """The reduced array with one more element, `initial`."""
    first = slicing.fitting(function, initial, x, "initial")
    if first.aval.ndim:
        raise ShapeError(f"{function}: initial must be a scalar, got {first.aval}")
    return _COMBINED[kind](first, x)


def wide(dtype: type[DType]) -> type[DType]:
    """Dtype in which the integers of `dtype` are added and multiplied; floats unchanged."""
    if dtype is dtypes.bool_ or issubclass(dtype, dtypes.Signed):
        return dtypes.int64
    return dtypes.uint64 if issubclass(dtype, dtypes.Unsigned) else dtype


def _accumulated(
    kind: ReduceKind,
    function: str,
    x: ArrayLike,
    axis: Axes,
    dtype: DTypeLike | None,
    keepdims: bool,
    initial: ArrayLike | None,
    where: Mask,
) -> Array:
    array = as_array(x, function, "x")
    own = array.aval.dtype
    if dtype is not None:
        array = to_dtype(array, dtype, function, "x")
        if array.aval.dtype is dtypes.bool_:
            kind = ReduceKind.OR if kind is ReduceKind.SUM else ReduceKind.AND
    elif not issubclass(own, dtypes.Inexact):
        array = convert(array, wide(own), array.aval.weak_type)
    if where is not True:
        array = restricted(function, array, where, identity(kind, array.aval.dtype))
    out = fold(kind, function, array, axis, keepdims)
    return out if initial is None else _begun(kind, function, out, initial)


@Accumulation
def sum(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: Mask = True,
) -> Array:
    """Σ x[i] over `axis`, 0 of nothing; with `initial` added, and only of the elements that `where` holds for.

    Bools and integers are added in int64 (uint64 for unsigned ones), floating point in its own dtype; in `dtype` when
    it is given. Narrow floats are added in float32 and the sum is rounded once; long sums are added in parts, so that
    the error does not grow with the length. Raises ShapeError for an axis out of bounds.

    >>> import effects as fx
    >>> (fx.sum(fx.asarray([[1, 2], [3, 4]]), axis=1),
    ...  fx.sum(fx.asarray([1, 2, 3]), where=fx.asarray([True, False, True])))
    (Array([3, 7], int64), Array(4, int64))
    """
    return _accumulated(ReduceKind.SUM, "sum", x, axis, dtype, keepdims, initial, where)


@Accumulation
def prod(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: Mask = True,
) -> Array:
    """Π x[i] over `axis`, 1 of nothing; dtypes, `initial` and `where` as in `sum`.

    >>> import effects as fx
    >>> fx.prod(fx.asarray([2, 3, 4]))
    Array(24, int64)
    """
    return _accumulated(ReduceKind.PROD, "prod", x, axis, dtype, keepdims, initial, where)


def _extreme(
    kind: ReduceKind, function: str, x: ArrayLike, axis: Axes, keepdims: bool, initial: ArrayLike | None, where: Mask
) -> Array:
    array = as_array(x, function, "x")
    aval = array.aval
    if initial is None:
        if where is not True:
            raise ArgumentError(
                f"{function}: where may leave out all elements, and the {function} of none is not defined; give "
                "initial=, too"
            )
        if not aval.size and not count(function, array, axis):
            raise ShapeError(
                f"{function}: shape {shapes.show(aval.shape)} has no elements over axis {axis} to choose from; give "
                "initial="
            )
    if aval.dtype is dtypes.bool_:
        kind = ReduceKind.OR if kind is ReduceKind.MAX else ReduceKind.AND
    if lexicographic.is_complex(array):
        return _of_complex(kind, function, array, axis, keepdims, initial, where)
    if where is not True:
        array = restricted(function, array, where, identity(kind, aval.dtype))
    out = fold(kind, function, array, axis, keepdims)
    return out if initial is None else _begun(kind, function, out, initial)


def _of_complex(
    kind: ReduceKind, function: str, x: Array, axis: Axes, keepdims: bool, initial: ArrayLike | None, where: Mask
) -> Array:
    """The extreme of complex numbers; `initial` replaces elements that do not count."""
    axes, keep = axes_of(function, x, axis), flag(function, "keepdims", keepdims)
    shape = shapes.reduce(function, x.aval.shape, axes, keep)
    if initial is None:
        return lexicographic.extreme(kind, x, axes, keep) if x.aval.size else movement.reshape(x, shape)
    first = slicing.fitting(function, initial, x, "initial")
    if where is not True:
        x = logic.where(included(function, x, where), x, first)
    if not x.aval.size:
        return movement.broadcast_to(first, shape)
    return _begun(kind, function, lexicographic.extreme(kind, x, axes, keep), first)


@Extreme
def max(
    x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, initial: ArrayLike | None = None, where: Mask = True
) -> Array:
    """The greatest element over `axis`, and of `initial`; NaN when there is one.

    `where`, which says what to choose from, takes an `initial`. Complex numbers are ordered as by `sort`, and the first
    of equals has the derivative. Raises ShapeError when there are no elements to choose from.

    >>> import effects as fx
    >>> (fx.max(fx.asarray([[1, 5], [7, 2]]), axis=0),
    ...  fx.max(fx.asarray([1, 5]), initial=0, where=fx.asarray([True, False])))
    (Array([7, 5], int64), Array(1, int64))
    """
    return _extreme(ReduceKind.MAX, "max", x, axis, keepdims, initial, where)


@Extreme
def min(
    x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, initial: ArrayLike | None = None, where: Mask = True
) -> Array:
    """The least element over `axis`, and of `initial`; NaN when there is one. Raises what `max` raises.

    >>> import effects as fx
    >>> fx.min(fx.asarray([[1, 5], [7, 2]]), axis=0)
    Array([1, 2], int64)
    """
    return _extreme(ReduceKind.MIN, "min", x, axis, keepdims, initial, where)


def _truth(kind: ReduceKind, function: str, x: ArrayLike, axis: Axes, keepdims: bool, where: Mask) -> Array:
    bools = unary.astype(as_array(x, function, "x"), dtypes.bool_)
    return fold(kind, function, restricted(function, bools, where, kind is ReduceKind.AND), axis, keepdims)


@Truth
def any(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, where: Mask = True) -> Array[bool_]:
    """Test for any nonzero element over `axis`, among those where `where` is True; False for no elements.

    >>> import effects as fx
    >>> fx.any(fx.asarray([0.0, 2.0]))
    Array(True, bool)
    """
    return _truth(ReduceKind.OR, "any", x, axis, keepdims, where)


@Truth
def all(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, where: Mask = True) -> Array[bool_]:
    """Test for all elements being nonzero over `axis`, among those where `where` is True; True for no elements.

    >>> import effects as fx
    >>> fx.all(fx.asarray([0.0, 2.0]))
    Array(False, bool)
    """
    return _truth(ReduceKind.AND, "all", x, axis, keepdims, where)


@Count
def count_nonzero(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array[i64]:
    """Number of nonzero elements over `axis`, as int64.

    >>> import effects as fx
    >>> fx.count_nonzero(fx.asarray([0.0, 2.0, 3.0]))
    Array(2, int64)
    """
    bools = unary.astype(as_array(x, "count_nonzero", "x"), dtypes.bool_)
    return fold(ReduceKind.SUM, "count_nonzero", convert(bools, dtypes.int64), axis, keepdims)


def _position(kind: ArgReduceKind, function: str, x: ArrayLike, axis: int | None, keepdims: bool) -> Array:
    array = as_array(x, function, "x")
    shape = array.aval.shape
    axis = None if axis is None else integer(function, "axis", axis)
    keepdims = flag(function, "keepdims", keepdims)
    kept_shape = shapes.argreduce(function, shape, axis, True)
    array, at = movement.along_axis(function, array, axis)
    of_complex = lexicographic.is_complex(array)
    index = lexicographic.position(kind, array, at) if of_complex else perform(ArgReduce(kind, at, array))
    return movement.reshape(index, kept_shape) if keepdims else index


@Position
def argmax(x: ArrayLike, /, axis: int | None = None, *, keepdims: bool = False) -> Array[i64]:
    """The position of the greatest element along `axis` (None: in row-major order), as int64; the first of equals.

    The first NaN when there is one. Raises ShapeError when there are no elements to choose from.

    >>> import effects as fx
    >>> fx.argmax(fx.asarray([[1, 5], [7, 2]])), fx.argmax(fx.asarray([[1, 5], [7, 2]]), axis=1)
    (Array(2, int64), Array([1, 0], int64))
    """
    return _position(ArgReduceKind.ARGMAX, "argmax", x, axis, keepdims)


@Position
def argmin(x: ArrayLike, /, axis: int | None = None, *, keepdims: bool = False) -> Array[i64]:
    """The position of the least element along `axis`; as in `argmax`.

    >>> import effects as fx
    >>> fx.argmin(fx.asarray([[1, 5], [7, 2]])), fx.argmin(fx.asarray([[1, 5], [7, 2]]), axis=1)
    (Array(0, int64), Array([0, 1], int64))
    """
    return _position(ArgReduceKind.ARGMIN, "argmin", x, axis, keepdims)

"""Cumulative operations along an axis: sums, products and extremes of prefixes.

Names and semantics are the Array API standard's, then NumPy's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from effects.arguments import flag
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.promotion import as_array, constant_like, convert, inexact, to_dtype
from effects.errors import ArgumentError, DTypeError
from effects.functions.manipulation import movement
from effects.functions.ordering import lexicographic
from effects.functions.reductions.reduction import wide
from effects.operations.cumulative import Cumulative, CumulativeKind
from effects.operations.elementwise import BinaryKind
from effects.program.chain import perform
from effects.types import dtypes, shapes
from effects.types.signatures.reduction import Accumulating, Running

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.types.dtypes import DTypeLike
    from effects.types.signatures.becoming import AsFloats


def _totals(function: str, x: object, dtype: DTypeLike | None) -> Array:
    """x in the dtype in which its elements are added and multiplied."""
    array = as_array(x, function, "x")
    own = array.aval.dtype
    if dtype is not None:
        array = to_dtype(array, dtype, function, "x")
        if array.aval.dtype is dtypes.bool_:
            raise DTypeError(
                f"{function}: dtype must be one of numbers, got bool; cummax of integers gives a running any"
            )
        return array
    return array if issubclass(own, dtypes.Inexact) else convert(array, wide(own), array.aval.weak_type)


def _along(kind: CumulativeKind, function: str, x: Array, axis: int | None, reverse: bool = False) -> Array:
    """The cumulative operation along `axis`; None means all elements in row-major order."""
    line, at = movement.along_axis(function, x, axis)
    return perform(Cumulative(kind, at, line, reverse))


def _cumulative(
    kind: CumulativeKind, function: str, x: object, axis: int | None, dtype: DTypeLike | None, include_initial: bool
) -> Array:
    array = _totals(function, x, dtype)
    initial = flag(function, "include_initial", include_initial)
    if axis is None:
        if array.aval.ndim != 1:
            raise ArgumentError(f"{function}: axis must be given unless x is of rank 1, got {array.aval}")
        axis = 0
    result = _along(kind, function, array, axis)
    if not initial:
        return result
    at = shapes.normalize_axis(function, result.aval.shape, axis)
    first = constant_like(1 if kind is CumulativeKind.PROD else 0, result)
    shape = result.aval.shape
    return movement.concat([movement.broadcast_to(first, (*shape[:at], 1, *shape[at + 1 :])), result], axis=at)


@Accumulating
def cumulative_sum(
    x: ArrayLike, /, *, axis: int | None = None, dtype: DTypeLike | None = None, include_initial: bool = False
) -> Array:
    """x₀, x₀ + x₁, … along `axis`, which may be left out for vectors; with `include_initial` a 0 comes first.

    Bools and integers are added in int64 (uint64 for unsigned ones), floating point in its own dtype; in `dtype` when
    it is given. Narrow floats are added in float32 and every sum is rounded once.

    >>> import effects as fx
    >>> fx.cumulative_sum(fx.asarray([1, 2, 3])), fx.cumulative_sum(fx.asarray([1, 2, 3]), include_initial=True)
    (Array([1, 3, 6], int64), Array([0, 1, 3, 6], int64))
    """
    return _cumulative(CumulativeKind.SUM, "cumulative_sum", x, axis, dtype, include_initial)


@Accumulating
def cumulative_prod(
    x: ArrayLike, /, *, axis: int | None = None, dtype: DTypeLike | None = None, include_initial: bool = False
) -> Array:
    """x₀, x₀ · x₁, … along `axis`; with `include_initial` a 1 comes first. Axes and dtypes as in `cumulative_sum`.

    >>> import effects as fx
    >>> fx.cumulative_prod(fx.asarray([1, 2, 3]))
    Array([1, 2, 6], int64)
    """
    return _cumulative(CumulativeKind.PROD, "cumulative_prod", x, axis, dtype, include_initial)


@Running
def cumsum(x: ArrayLike, /, axis: int | None = None, dtype: DTypeLike | None = None, *, reverse: bool = False) -> Array:
    """x₀, x₀ + x₁, … along `axis`, in row-major order of all elements if it is None, from the end if `reverse`.

    Dtypes as in `cumulative_sum`.

    >>> import effects as fx
    >>> fx.cumsum(fx.asarray([[1, 2], [3, 4]]))
    Array([ 1,  3,  6, 10], int64)
    """
    return _along(CumulativeKind.SUM, "cumsum", _totals("cumsum", x, dtype), axis, flag("cumsum", "reverse", reverse))


@Running
def cumprod(
    x: ArrayLike, /, axis: int | None = None, dtype: DTypeLike | None = None, *, reverse: bool = False
) -> Array:
    """x₀, x₀ · x₁, … along `axis`, in row-major order of all elements if it is None, from the end if `reverse`.

    Dtypes as in `cumulative_sum`. Its derivative is exact where elements are zero, too.

    >>> import effects as fx
    >>> fx.cumprod(fx.asarray([[1, 2], [3, 4]]), axis=0)
    Array([[1, 2],
           [3, 8]], int64)
    """
    return _along(
        CumulativeKind.PROD, "cumprod", _totals("cumprod", x, dtype), axis, flag("cumprod", "reverse", reverse)
    )


def cummax(x: Like[DT], /, axis: int | None = None, *, reverse: bool = False) -> Array[DT]:
    """The greatest element so far along `axis` (None: in row-major order), from the end if `reverse`; NaN from one on.

    Where equal elements are the greatest, each has its share of the derivative, the first one of complex numbers.

    >>> import effects as fx
    >>> fx.cummax(fx.asarray([3, 1, 4, 1, 5]))
    Array([3, 3, 4, 4, 5], int64)
    """
    return _extreme(CumulativeKind.MAX, "cummax", x, axis, reverse)


def cummin(x: Like[DT], /, axis: int | None = None, *, reverse: bool = False) -> Array[DT]:
    """The least element so far along `axis`; as in `cummax`.

    >>> import effects as fx
    >>> fx.cummin(fx.asarray([3, 1, 4, 1, 5]), reverse=True)
    Array([1, 1, 1, 1, 5], int64)
    """
    return _extreme(CumulativeKind.MIN, "cummin", x, axis, reverse)


def _extreme(kind: CumulativeKind, function: str, x: Like[DT], axis: int | None, reverse: bool) -> Array[DT]:
    array = as_array(x, function, "x")
    backwards = flag(function, "reverse", reverse)
    if lexicographic.is_complex(array):
        line, at = movement.along_axis(function, array, axis)
        choose = BinaryKind.MAX if kind is CumulativeKind.MAX else BinaryKind.MIN
        return lexicographic.running(choose, line, at, backwards)
    numbers = convert(array, dtypes.uint8) if array.aval.dtype is dtypes.bool_ else array
    return convert(_along(kind, function, numbers, axis, backwards), array.aval.dtype)


def cumlogsumexp(x: AsFloats[DT], /, axis: int | None = None, *, reverse: bool = False) -> Array[DT]:
    """log Σ exp of the elements so far along `axis` (None: in row-major order), without overflow in between.

    It begins at the end if `reverse`. Integers become the default float. Raises DTypeError for complex numbers.

    >>> import effects as fx
    >>> fx.cumlogsumexp(fx.asarray([1000.0, 1000.0]))
    Array([1000.        , 1000.69314718], float64)
    """
    array = inexact("cumlogsumexp", x)
    return _along(CumulativeKind.LOGSUMEXP, "cumlogsumexp", array, axis, flag("cumlogsumexp", "reverse", reverse))

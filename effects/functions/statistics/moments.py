"""Functions of the mean: `mean`, `var`, `std`. Names and semantics are the Array API standard's, then NumPy's.

`axis`, `keepdims` and `where` are those of `sum`; `dtype`, a floating one, is that of the computation and the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from effects.arguments import flag, number
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import constant_like, convert, inexact, rounded_once, to_dtype
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.functions.elementwise import logic, transcendental, unary
from effects.functions.indexing import slicing
from effects.functions.manipulation import movement
from effects.functions.reductions import reduction
from effects.operations.reduction import ReduceKind
from effects.types import dtypes, shapes
from effects.types.signatures.spread import Mean, Spread

if TYPE_CHECKING:
    from effects.functions.reductions.reduction import Axes
    from effects.types.dtypes import DTypeLike
    from effects.types.signatures.becoming import Mask


def in_floats(function: str, x: object, dtype: DTypeLike | None) -> Array:
    """x as floating point, in `dtype` if it is given."""
    array = inexact(function, x)
    if dtype is None:
        return array
    array = to_dtype(array, dtype, function, "x")
    if not dtypes.is_inexact(array.aval.dtype):
        raise DTypeError(f"{function}: dtype must be floating, got {array.aval.dtype}; round the result and convert it")
    return array


def mean_of(function: str, x: Array, axis: Axes, keepdims: bool, where: Mask) -> Array:
    """The mean of floating point, in its own dtype."""
    total = reduction.fold(ReduceKind.SUM, function, reduction.restricted(function, x, where, 0), axis, keepdims)
    return total / _number(function, x, axis, keepdims, where, total)


def _number(function: str, x: Array, axis: Axes, keepdims: bool, where: Mask, like: Array) -> Array:
    """Number of elements reduced into each element of a result, in the dtype of `like`."""
    if where is True:
        return constant_like(reduction.count(function, x, axis), like)
    counted = convert(reduction.included(function, x, where), dtypes.int64)
    ones = movement.broadcast_to(counted, x.aval.shape)
    return convert(reduction.fold(ReduceKind.SUM, function, ones, axis, keepdims), like.aval.dtype)


@Mean
def mean(
    x: ArrayLike, /, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: bool = False, where: Mask = True
) -> Array:
    """Σ x[i] / n over `axis`; NaN of nothing.

    Integers become the default float. Narrow floats are added in float32 and given back in their own dtype.

    >>> import effects as fx
    >>> (fx.mean(fx.asarray([1, 2, 4, 5])),
    ...  fx.mean(fx.asarray([1, 2, 4, 5]), where=fx.asarray([True, False, True, False])))
    (Array(3., float64), Array(2.5, float64))
    """
    return rounded_once(lambda x: mean_of("mean", x, axis, keepdims, where), in_floats("mean", x, dtype))


def freedom(function: str, correction: float, ddof: float | None) -> float:
    """The correction that is subtracted from the number of elements, passed by either of its names."""
    lost = number(function, "correction", correction)
    also = 0.0 if ddof is None else number(function, "ddof", ddof)
    if lost and also:
        raise ArgumentError(f"{function}: correction and ddof are the same, and both were given")
    return lost or also


def var_of(
    function: str,
    x: Array,
    axis: Axes,
    lost: float,
    keepdims: bool,
    where: Mask,
    mean: ArrayLike | None,
    of_nothing: float = 0.0,
) -> Array:
    """The variance of floating point, in its own dtype; where n <= `lost`, squares are divided by `of_nothing`."""
    keep = flag(function, "keepdims", keepdims)
    middle = mean_of(function, x, axis, True, where) if mean is None else _checked_mean(function, x, axis, mean)
    centred = reduction.restricted(function, x - middle, where, 0)
    squares = unary.square(unary.real(centred))
    if issubclass(x.aval.dtype, dtypes.Complex):
        squares = squares + unary.square(unary.imag(centred))
    total = reduction.fold(ReduceKind.SUM, function, squares, axis, keep)
    rest = _number(function, x, axis, keep, where, total)
    if where is True:
        known = reduction.count(function, x, axis) - lost
        return total / constant_like(known if known > 0 else of_nothing, total)
    freedom_left = rest - constant_like(lost, total)
    return total / logic.where(freedom_left > constant_like(0, total), freedom_left, constant_like(of_nothing, total))


def _checked_mean(function: str, x: Array, axis: Axes, mean: ArrayLike) -> Array:
    """The mean that was computed before, with `keepdims`."""
    middle = slicing.fitting(function, mean, x, "mean")
    axes = reduction.axes_of(function, x, axis)
    shape = tuple([1 if i in axes else n for i, n in enumerate(x.aval.shape)])
    if middle.aval.shape not in (shape, ()):
        raise ShapeError(
            f"{function}: mean must have the shape {shapes.show(shape)} that mean(x, axis=axis, keepdims=True) has, "
            f"got {middle.aval}"
        )
    return middle


@Spread
def var(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    correction: float = 0.0,
    keepdims: bool = False,
    where: Mask = True,
    mean: ArrayLike | None = None,
    ddof: float | None = None,
) -> Array:
    """Σ |x[i] - mean(x)|² / (n - correction) over `axis`; real also for complex numbers.

    `correction` 1 estimates the variance of the population that x is a sample of; `ddof` is NumPy's name of it. Dtypes
    as in `mean`; NaN or ∞ when n - correction is not positive. `mean` is the mean where it was computed before, with
    `keepdims`.

    >>> import effects as fx
    >>> fx.var(fx.asarray([1.0, 2.0, 3.0]), correction=1)
    Array(1., float64)
    """
    lost, array = freedom("var", correction, ddof), in_floats("var", x, dtype)
    return rounded_once(lambda x: var_of("var", x, axis, lost, keepdims, where, mean), array)


@Spread
def std(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    correction: float = 0.0,
    keepdims: bool = False,
    where: Mask = True,
    mean: ArrayLike | None = None,
    ddof: float | None = None,
) -> Array:
    """√var(x): the standard deviation over `axis`; arguments as in `var`.

    >>> import effects as fx
    >>> fx.std(fx.asarray([1.0, 3.0]))
    Array(1., float64)
    """
    lost, array = freedom("std", correction, ddof), in_floats("std", x, dtype)
    return rounded_once(lambda x: transcendental.sqrt(var_of("std", x, axis, lost, keepdims, where, mean)), array)

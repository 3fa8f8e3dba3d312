"""Functions that fold axes away: sums, products, extremes, statistics.

`axis` is None (all axes), an int or a tuple of ints, negative ones counted from the end; with `keepdims` the folded
axes stay, of size 1. Names and semantics are the Array API standard's, then NumPy's.
"""

from __future__ import annotations

import builtins
import math
from typing import TYPE_CHECKING

from effects.arguments import flag, integer, number
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, constant_like, convert, inexact, rounded_once, to_dtype
from effects.errors import ArgumentError, ShapeError
from effects.functions import arithmetic, elementwise, logic, movement, transcendental
from effects.operations.reduction import ArgReduce, ArgReduceKind, Reduce, ReduceKind
from effects.program.chain import perform
from effects.runtime.caches import memoised
from effects.types import dtypes, shapes
from effects.types.dtypes import DType
from effects.types.signatures.reduction import Accumulation, Count, Extreme, Mean, Normalised, Position, Spread, Truth

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike
    from effects.types.dtypes import DTypeLike

type Axes = int | tuple[int, ...] | None

_positions = memoised(shapes.normalize_axes, typed=True)


def _axes(function: str, x: Array, axis: Axes) -> tuple[int, ...]:
    """The axes as sorted positions."""
    if axis is not None and type(axis) is not int:
        axis = shapes.as_axes(function, axis)
    return _positions(function, x.aval.shape, axis)


def _fold(kind: ReduceKind, function: str, x: Array, axis: Axes, keepdims: bool) -> Array:
    if keepdims is not False and keepdims is not True:
        keepdims = flag(function, "keepdims", keepdims)
    axes = _axes(function, x, axis)
    return perform(Reduce(kind, axes, x, keepdims)) if axes else x


def _count(function: str, x: Array, axis: Axes) -> int:
    """How many elements of x each element of the result is folded from."""
    return math.prod([x.aval.shape[a] for a in _axes(function, x, axis)])


def wide(dtype: type[DType]) -> type[DType]:
    """What the integers of `dtype` are added and multiplied in; floats themselves."""
    if dtype is dtypes.bool_ or issubclass(dtype, dtypes.Signed):
        return dtypes.int64
    return dtypes.uint64 if issubclass(dtype, dtypes.Unsigned) else dtype


def _accumulated(
    kind: ReduceKind, function: str, x: ArrayLike, axis: Axes, dtype: DTypeLike | None, keepdims: bool
) -> Array:
    array = as_array(x, function, "x")
    own = array.aval.dtype
    if dtype is not None:
        array = to_dtype(array, dtype, function, "x")
        if array.aval.dtype is dtypes.bool_:
            kind = ReduceKind.OR if kind is ReduceKind.SUM else ReduceKind.AND
    elif not issubclass(own, dtypes.Inexact):
        array = convert(array, wide(own), array.aval.weak_type)
    return _fold(kind, function, array, axis, keepdims)


@Accumulation
def sum(x: ArrayLike, /, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: bool = False) -> Array:
    """Σ x[i] over `axis`, 0 of nothing.

    Bools and integers are added in int64 (uint64 for unsigned ones), floating point in its own dtype; in `dtype` when
    it is given. Narrow floats are added in float32 and the sum is rounded once; long sums are added in parts, so that
    the error does not grow with the length. Raises ShapeError for an axis out of bounds.

    >>> from effects.functions.creation import asarray
    >>> sum(asarray([[1, 2], [3, 4]]), axis=1)
    Array([3, 7], int64)
    """
    return _accumulated(ReduceKind.SUM, "sum", x, axis, dtype, keepdims)


@Accumulation
def prod(x: ArrayLike, /, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: bool = False) -> Array:
    """Π x[i] over `axis`, 1 of nothing; dtypes as in `sum`.

    >>> from effects.functions.creation import asarray
    >>> prod(asarray([2, 3, 4]))
    Array(24, int64)
    """
    return _accumulated(ReduceKind.PROD, "prod", x, axis, dtype, keepdims)


def _extreme(kind: ReduceKind, function: str, x: ArrayLike, axis: Axes, keepdims: bool) -> Array:
    array = as_array(x, function, "x")
    aval = array.aval
    if not aval.size and not _count(function, array, axis):
        raise ShapeError(f"{function}: shape {shapes.show(aval.shape)} has no elements over axis {axis} to choose from")
    if aval.dtype is dtypes.bool_:
        kind = ReduceKind.OR if kind is ReduceKind.MAX else ReduceKind.AND
    return _fold(kind, function, array, axis, keepdims)


@Extreme
def max(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """The greatest element over `axis`; NaN when there is one.

    Raises ShapeError when there are no elements to choose from, DTypeError for complex numbers.

    >>> from effects.functions.creation import asarray
    >>> max(asarray([[1, 5], [7, 2]]), axis=0)
    Array([7, 5], int64)
    """
    return _extreme(ReduceKind.MAX, "max", x, axis, keepdims)


@Extreme
def min(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """The least element over `axis`; NaN when there is one. Errors as in `max`.

    >>> from effects.functions.creation import asarray
    >>> min(asarray([[1, 5], [7, 2]]), axis=0)
    Array([1, 2], int64)
    """
    return _extreme(ReduceKind.MIN, "min", x, axis, keepdims)


@Truth
def any(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Whether any element over `axis` is not zero; False of nothing.

    >>> from effects.functions.creation import asarray
    >>> any(asarray([0.0, 2.0]))
    Array(True, bool)
    """
    array = as_array(x, "any", "x")
    return _fold(ReduceKind.OR, "any", elementwise.astype(array, dtypes.bool_), axis, keepdims)


@Truth
def all(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Whether every element over `axis` is not zero; True of nothing.

    >>> from effects.functions.creation import asarray
    >>> all(asarray([0.0, 2.0]))
    Array(False, bool)
    """
    array = as_array(x, "all", "x")
    return _fold(ReduceKind.AND, "all", elementwise.astype(array, dtypes.bool_), axis, keepdims)


@Count
def count_nonzero(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """How many elements over `axis` are not zero, as int64.

    >>> from effects.functions.creation import asarray
    >>> count_nonzero(asarray([0.0, 2.0, 3.0]))
    Array(2, int64)
    """
    array = elementwise.astype(as_array(x, "count_nonzero", "x"), dtypes.bool_)
    return _accumulated(ReduceKind.SUM, "count_nonzero", array, axis, None, keepdims)


@Mean
def mean(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Σ x[i] / n over `axis`; NaN of nothing.

    Integers become the default float. Narrow floats are added in float32 and given back in their own dtype.

    >>> from effects.functions.creation import asarray
    >>> mean(asarray([1, 2, 4, 5]))
    Array(3., float64)
    """
    return rounded_once(lambda x: _mean("mean", x, axis, keepdims), inexact("mean", x))


def _mean(function: str, x: Array, axis: Axes, keepdims: bool) -> Array:
    total = _fold(ReduceKind.SUM, function, x, axis, keepdims)
    return total / constant_like(_count(function, x, axis), total)


def _freedom(function: str, correction: float, ddof: float | None) -> float:
    """What is taken off the number of elements, by either of its names."""
    if ddof is None:
        return number(function, "correction", correction)
    if correction:
        raise ArgumentError(f"{function}: correction and ddof are the same, and both were given")
    return number(function, "ddof", ddof)


@Spread
def var(
    x: ArrayLike, /, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False, ddof: float | None = None
) -> Array:
    """Σ |x[i] - mean(x)|² / (n - correction) over `axis`; real also for complex numbers.

    `correction` 1 estimates the variance of the population that x is a sample of. Dtypes as in `mean`; NaN or ∞ when
    n - correction is not positive. `ddof` is NumPy's name of `correction`.

    >>> from effects.functions.creation import asarray
    >>> var(asarray([1.0, 2.0, 3.0]), correction=1)
    Array(1., float64)
    """
    return rounded_once(lambda x: _var("var", x, axis, _freedom("var", correction, ddof), keepdims), inexact("var", x))


def _var(function: str, x: Array, axis: Axes, correction: float, keepdims: bool) -> Array:
    keepdims = flag(function, "keepdims", keepdims)
    centred = x - _mean(function, x, axis, True)
    if issubclass(x.aval.dtype, dtypes.Complex):
        squares = elementwise.square(elementwise.real(centred)) + elementwise.square(elementwise.imag(centred))
    else:
        squares = elementwise.square(centred)
    total = _fold(ReduceKind.SUM, function, squares, axis, keepdims)
    freedom = _count(function, x, axis) - correction
    return total / constant_like(builtins.max(freedom, 0), total)


@Spread
def std(
    x: ArrayLike, /, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False, ddof: float | None = None
) -> Array:
    """√var(x): the standard deviation over `axis`; arguments as in `var`.

    >>> from effects.functions.creation import asarray
    >>> std(asarray([1.0, 3.0]))
    Array(1., float64)
    """
    array = inexact("std", x)
    return rounded_once(
        lambda x: transcendental.sqrt(_var("std", x, axis, _freedom("std", correction, ddof), keepdims)), array
    )


def _position(kind: ArgReduceKind, function: str, x: ArrayLike, axis: int | None, keepdims: bool) -> Array:
    array = as_array(x, function, "x")
    shape = array.aval.shape
    axis = None if axis is None else integer(function, "axis", axis)
    keepdims = flag(function, "keepdims", keepdims)
    kept = shapes.argreduce(function, shape, axis, True)
    if axis is None:
        found = perform(ArgReduce(kind, 0, movement.reshape(array, (-1,))))
    else:
        found = perform(ArgReduce(kind, shapes.normalize_axis(function, shape, axis), array))
    return movement.reshape(found, kept) if keepdims else found


@Position
def argmax(x: ArrayLike, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """The position of the greatest element along `axis` (None: in row-major order), as int64; the first of equals.

    The first NaN when there is one. Raises ShapeError when there are no elements to choose from.

    >>> from effects.functions.creation import asarray
    >>> argmax(asarray([[1, 5], [7, 2]])), argmax(asarray([[1, 5], [7, 2]]), axis=1)
    (Array(2, int64), Array([1, 0], int64))
    """
    return _position(ArgReduceKind.ARGMAX, "argmax", x, axis, keepdims)


@Position
def argmin(x: ArrayLike, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """The position of the least element along `axis`; as in `argmax`.

    >>> from effects.functions.creation import asarray
    >>> argmin(asarray([[1, 5], [7, 2]])), argmin(asarray([[1, 5], [7, 2]]), axis=1)
    (Array(0, int64), Array([0, 1], int64))
    """
    return _position(ArgReduceKind.ARGMIN, "argmin", x, axis, keepdims)


def _shift(function: str, x: Array, axis: Axes) -> Array:
    """The greatest element over `axis` where it is finite, else 0: what to subtract before `exp`."""
    greatest = max(elementwise.real(x), axis=axis, keepdims=True)
    return logic.where(elementwise.isfinite(greatest), greatest, constant_like(0, greatest))


@Mean
def logsumexp(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """log Σ exp(x[i]) over `axis`, without overflow in between; its derivative is `softmax`.

    Special cases: -∞ of nothing and of nothing but -∞, where the derivative is 0.

    >>> from effects.functions.creation import asarray
    >>> logsumexp(asarray([1000.0, 1000.0]))
    Array(1000.69314718, float64)
    """
    return rounded_once(lambda x: _logsumexp(x, axis, keepdims), inexact("logsumexp", x))


def _logsumexp(x: Array, axis: Axes, keepdims: bool) -> Array:
    keepdims = flag("logsumexp", "keepdims", keepdims)
    if not x.aval.size:
        return transcendental.log(_fold(ReduceKind.SUM, "logsumexp", x, axis, keepdims))
    shift = _shift("logsumexp", x, axis)
    total = _fold(ReduceKind.SUM, "logsumexp", transcendental.exp(x - shift), axis, True)
    nothing = total == constant_like(0, total)  # the logarithm's derivative there would be ∞ · 0
    safe = logic.where(nothing, constant_like(1, total), total)
    result = arithmetic.add(transcendental.log(safe), logic.where(nothing, constant_like(-math.inf, shift), shift))
    if keepdims:
        return result
    return movement.squeeze(result, _axes("logsumexp", x, axis))


@Normalised
def softmax(x: ArrayLike, /, axis: Axes = -1) -> Array:
    """exp(x[i]) / Σ exp(x[j]) over `axis`, without overflow in between; NaN where there is nothing but -∞.

    >>> from effects.functions.creation import asarray
    >>> softmax(asarray([0.0, 0.0]))
    Array([0.5, 0.5], float64)
    """
    return rounded_once(lambda x: _softmax(x, axis), inexact("softmax", x))


def _softmax(x: Array, axis: Axes) -> Array:
    if not x.aval.size:
        return x
    powers = transcendental.exp(x - _shift("softmax", x, axis))
    return powers / _fold(ReduceKind.SUM, "softmax", powers, axis, True)


@Normalised
def log_softmax(x: ArrayLike, /, axis: Axes = -1) -> Array:
    """x[i] - log Σ exp(x[j]) over `axis`: the logarithm of `softmax`, exact also where that underflows.

    >>> from effects.functions.creation import asarray
    >>> log_softmax(asarray([0.0, 1000.0]))
    Array([-1000.,     0.], float64)
    """
    return rounded_once(lambda x: _log_softmax(x, axis), inexact("log_softmax", x))


def _log_softmax(x: Array, axis: Axes) -> Array:
    if not x.aval.size:
        return x
    centred = x - _shift("log_softmax", x, axis)
    return centred - transcendental.log(_fold(ReduceKind.SUM, "log_softmax", transcendental.exp(centred), axis, True))

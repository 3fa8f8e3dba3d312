"""Reductions that leave out NaN, as NumPy's of these names.

`axis` and `keepdims` are those of the functions that they are named after. Integers have no NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from effects.arguments import flag, number
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, constant_like, inexact, rounded_once
from effects.errors import ShapeError
from effects.functions import cumulative, elementwise, logic, reduction, transcendental
from effects.types import dtypes

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike
    from effects.functions.reduction import Axes
    from effects.types.dtypes import DTypeLike


def _without(function: str, x: ArrayLike, value: float) -> tuple[Array, Array | None]:
    """x with `value` in place of NaN, and where that was; None where there cannot be any."""
    array = as_array(x, function, "x")
    if not issubclass(array.aval.dtype, dtypes.Inexact):
        return array, None
    missing = elementwise.isnan(array)
    return logic.where(missing, constant_like(value, array), array), missing


def nansum(x: ArrayLike, /, axis: Axes = None, dtype: DTypeLike | None = None, keepdims: bool = False) -> Array:
    """The sum over `axis` of what is no NaN, 0 where nothing else is; dtypes as in `sum`.

    >>> from effects.functions.creation import asarray
    >>> nansum(asarray([1.0, float("nan"), 2.0]))
    Array(3., float64)
    """
    return reduction.sum(_without("nansum", x, 0)[0], axis=axis, dtype=dtype, keepdims=keepdims)


def nanprod(x: ArrayLike, /, axis: Axes = None, dtype: DTypeLike | None = None, keepdims: bool = False) -> Array:
    """The product over `axis` of what is no NaN, 1 where nothing else is; dtypes as in `sum`.

    >>> from effects.functions.creation import asarray
    >>> nanprod(asarray([3.0, float("nan"), 2.0]))
    Array(6., float64)
    """
    return reduction.prod(_without("nanprod", x, 1)[0], axis=axis, dtype=dtype, keepdims=keepdims)


def nancumsum(x: ArrayLike, /, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
    """The sums so far along `axis` of what is no NaN; as `cumsum`.

    >>> from effects.functions.creation import asarray
    >>> nancumsum(asarray([1.0, float("nan"), 2.0]))
    Array([1., 1., 3.], float64)
    """
    return cumulative.cumsum(_without("nancumsum", x, 0)[0], axis, dtype)


def nancumprod(x: ArrayLike, /, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
    """The products so far along `axis` of what is no NaN; as `cumprod`.

    >>> from effects.functions.creation import asarray
    >>> nancumprod(asarray([3.0, float("nan"), 2.0]))
    Array([3., 3., 6.], float64)
    """
    return cumulative.cumprod(_without("nancumprod", x, 1)[0], axis, dtype)


def _extreme(
    function: str, fold: Callable[..., Array], x: ArrayLike, value: float, axis: Axes, keepdims: bool
) -> Array:
    array, missing = _without(function, x, value)
    if missing is None:
        return fold(array, axis=axis, keepdims=keepdims)
    out = fold(array, axis=axis, keepdims=keepdims)
    return logic.where(reduction.all(missing, axis=axis, keepdims=keepdims), constant_like(math.nan, out), out)


def nanmax(x: ArrayLike, /, axis: Axes = None, keepdims: bool = False) -> Array:
    """The greatest over `axis` of what is no NaN; NaN where nothing else is. Errors as in `max`.

    >>> from effects.functions.creation import asarray
    >>> nanmax(asarray([1.0, float("nan"), 2.0]))
    Array(2., float64)
    """
    return _extreme("nanmax", reduction.max, x, -math.inf, axis, keepdims)


def nanmin(x: ArrayLike, /, axis: Axes = None, keepdims: bool = False) -> Array:
    """The least over `axis` of what is no NaN; NaN where nothing else is. Errors as in `min`.

    >>> from effects.functions.creation import asarray
    >>> nanmin(asarray([1.0, float("nan"), 2.0]))
    Array(1., float64)
    """
    return _extreme("nanmin", reduction.min, x, math.inf, axis, keepdims)


def _position(
    function: str, find: Callable[..., Array], x: ArrayLike, value: float, axis: int | None, keepdims: bool
) -> Array:
    array, missing = _without(function, x, value)
    empty = None if missing is None else reduction.any(reduction.all(missing, axis=axis)).known()
    if empty is not None and empty:
        raise ShapeError(f"{function}: x, {array.aval}, has nothing but NaN along axis {axis}")
    return find(array, axis=axis, keepdims=keepdims)


def nanargmax(x: ArrayLike, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """The position of what `nanmax` gives; an error where there is nothing but NaN, compiled the first position.

    >>> from effects.functions.creation import asarray
    >>> nanargmax(asarray([1.0, float("nan"), 2.0]))
    Array(2, int64)
    """
    return _position("nanargmax", reduction.argmax, x, -math.inf, axis, keepdims)


def nanargmin(x: ArrayLike, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """The position of what `nanmin` gives; as in `nanargmax`.

    >>> from effects.functions.creation import asarray
    >>> nanargmin(asarray([1.0, float("nan"), 2.0]))
    Array(0, int64)
    """
    return _position("nanargmin", reduction.argmin, x, math.inf, axis, keepdims)


def _mean(x: Array, axis: Axes, keepdims: bool) -> tuple[Array, Array]:
    """The mean of what is no NaN, and how much that is."""
    missing = elementwise.isnan(x)
    total = reduction.sum(logic.where(missing, constant_like(0, x), x), axis=axis, keepdims=keepdims)
    ones = logic.where(missing, constant_like(0, x), constant_like(1, x))
    present = reduction.sum(ones, axis=axis, keepdims=keepdims)
    return total / present, present


def nanmean(x: ArrayLike, /, axis: Axes = None, keepdims: bool = False) -> Array:
    """The mean over `axis` of what is no NaN; NaN where nothing else is. Dtypes as in `mean`.

    >>> from effects.functions.creation import asarray
    >>> nanmean(asarray([1.0, float("nan"), 2.0]))
    Array(1.5, float64)
    """
    return rounded_once(lambda x: _mean(x, axis, keepdims)[0], inexact("nanmean", x))


def _var(function: str, x: Array, axis: Axes, correction: float, keepdims: bool) -> Array:
    freedom, keepdims = number(function, "correction", correction), flag(function, "keepdims", keepdims)
    mean, present = _mean(x, axis, True)
    zero = constant_like(0, x)
    centred = logic.where(elementwise.isnan(x), zero, x - mean)
    squares = elementwise.square(elementwise.real(centred))
    if issubclass(x.aval.dtype, dtypes.Complex):
        squares = squares + elementwise.square(elementwise.imag(centred))
    total = reduction.sum(squares, axis=axis, keepdims=True)
    rest = elementwise.real(present) - constant_like(freedom, total)
    out = total / logic.where(rest > constant_like(0, rest), rest, constant_like(math.nan, rest))
    return out if keepdims else reduction.sum(out, axis=axis)


def nanvar(x: ArrayLike, /, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False) -> Array:
    """The variance over `axis` of what is no NaN; NaN where there is not more of that than `correction`. As `var`.

    >>> from effects.functions.creation import asarray
    >>> nanvar(asarray([1.0, float("nan"), 3.0]))
    Array(1., float64)
    """
    return rounded_once(lambda x: _var("nanvar", x, axis, correction, keepdims), inexact("nanvar", x))


def nanstd(x: ArrayLike, /, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False) -> Array:
    """√nanvar(x), the standard deviation over `axis` of what is no NaN.

    >>> from effects.functions.creation import asarray
    >>> nanstd(asarray([1.0, float("nan"), 3.0]))
    Array(1., float64)
    """
    array = inexact("nanstd", x)
    return rounded_once(lambda x: transcendental.sqrt(_var("nanstd", x, axis, correction, keepdims)), array)

"""Reductions that leave out NaN, as NumPy's of these names.

`axis`, `keepdims`, `initial` and `where` are those of the functions without `nan` in their names. Integers have no NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, overload

from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.promotion import as_array, constant_like, rounded_once
from effects.errors import ShapeError
from effects.functions.elementwise import logic, transcendental, unary
from effects.functions.reductions import cumulative, reduction
from effects.functions.statistics import moments
from effects.operations.reduction import ReduceKind, identity
from effects.types import dtypes
from effects.types.signatures.reduction import NumPyAccumulation, Running
from effects.types.signatures.spread import Spread

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.functions.reductions.reduction import Axes
    from effects.types.dtypes import DType, DTypeLike, ForeignDType, i64
    from effects.types.signatures.becoming import AsFloats, Mask


def _without(function: str, x: object, kind: ReduceKind) -> tuple[Array, Array | None]:
    """x with the identity of the fold in place of NaN, and the mask of NaN; None for dtypes without NaN."""
    array = as_array(x, function, "x")
    dtype = array.aval.dtype
    if not issubclass(dtype, dtypes.Inexact):
        return array, None
    missing = unary.isnan(array)
    return logic.where(missing, constant_like(identity(kind, dtypes.real_of(dtype)), array), array), missing


@NumPyAccumulation
def nansum(
    x: ArrayLike,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    *,
    initial: ArrayLike | None = None,
    where: Mask = True,
) -> Array:
    """The sum over `axis` of what is no NaN, 0 where nothing else is; dtypes as in `sum`.

    >>> import effects as fx
    >>> fx.nansum(fx.asarray([1.0, float("nan"), 2.0]))
    Array(3., float64)
    """
    array = _without("nansum", x, ReduceKind.SUM)[0]
    return reduction.sum(array, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


@NumPyAccumulation
def nanprod(
    x: ArrayLike,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    *,
    initial: ArrayLike | None = None,
    where: Mask = True,
) -> Array:
    """The product over `axis` of what is no NaN, 1 where nothing else is; dtypes as in `sum`.

    >>> import effects as fx
    >>> fx.nanprod(fx.asarray([3.0, float("nan"), 2.0]))
    Array(6., float64)
    """
    array = _without("nanprod", x, ReduceKind.PROD)[0]
    return reduction.prod(array, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


@Running
def nancumsum(
    x: ArrayLike, /, axis: int | None = None, dtype: DTypeLike | None = None, *, reverse: bool = False
) -> Array:
    """The sums so far along `axis` of what is no NaN; as `cumsum`.

    >>> import effects as fx
    >>> fx.nancumsum(fx.asarray([1.0, float("nan"), 2.0]))
    Array([1., 1., 3.], float64)
    """
    return cumulative.cumsum(_without("nancumsum", x, ReduceKind.SUM)[0], axis, dtype, reverse=reverse)


@Running
def nancumprod(
    x: ArrayLike, /, axis: int | None = None, dtype: DTypeLike | None = None, *, reverse: bool = False
) -> Array:
    """The products so far along `axis` of what is no NaN; as `cumprod`.

    >>> import effects as fx
    >>> fx.nancumprod(fx.asarray([3.0, float("nan"), 2.0]))
    Array([3., 3., 6.], float64)
    """
    return cumulative.cumprod(_without("nancumprod", x, ReduceKind.PROD)[0], axis, dtype, reverse=reverse)


def _extreme(
    function: str,
    fold: Callable[..., Array],
    x: ArrayLike,
    kind: ReduceKind,
    axis: Axes,
    keepdims: bool,
    initial: ArrayLike | None,
    where: Mask,
) -> Array:
    array, missing = _without(function, x, kind)
    out = fold(array, axis=axis, keepdims=keepdims, initial=initial, where=where)
    if missing is None or initial is not None:
        return out
    return logic.where(reduction.all(missing, axis=axis, keepdims=keepdims), constant_like(math.nan, out), out)


def nanmax(
    x: Like[DT], /, axis: Axes = None, keepdims: bool = False, *, initial: ArrayLike | None = None, where: Mask = True
) -> Array[DT]:
    """The greatest over `axis` of what is no NaN; NaN where nothing else is. Raises what `max` raises.

    >>> import effects as fx
    >>> fx.nanmax(fx.asarray([1.0, float("nan"), 2.0]))
    Array(2., float64)
    """
    return _extreme("nanmax", reduction.max, x, ReduceKind.MAX, axis, keepdims, initial, where)


def nanmin(
    x: Like[DT], /, axis: Axes = None, keepdims: bool = False, *, initial: ArrayLike | None = None, where: Mask = True
) -> Array[DT]:
    """The least over `axis` of what is no NaN; NaN where nothing else is. Raises what `min` raises.

    >>> import effects as fx
    >>> fx.nanmin(fx.asarray([1.0, float("nan"), 2.0]))
    Array(1., float64)
    """
    return _extreme("nanmin", reduction.min, x, ReduceKind.MIN, axis, keepdims, initial, where)


def _position(
    function: str, find: Callable[..., Array], x: ArrayLike, kind: ReduceKind, axis: int | None, keepdims: bool
) -> Array:
    array, missing = _without(function, x, kind)
    empty = None if missing is None else reduction.any(reduction.all(missing, axis=axis)).known()
    if empty is not None and empty:
        raise ShapeError(f"{function}: x, {array.aval}, has only NaN along axis {axis}")
    return find(array, axis=axis, keepdims=keepdims)


def nanargmax(x: ArrayLike, /, axis: int | None = None, *, keepdims: bool = False) -> Array[i64]:
    """The position of what `nanmax` gives; an error where there is nothing but NaN, compiled the first position.

    >>> import effects as fx
    >>> fx.nanargmax(fx.asarray([1.0, float("nan"), 2.0]))
    Array(2, int64)
    """
    return _position("nanargmax", reduction.argmax, x, ReduceKind.MAX, axis, keepdims)


def nanargmin(x: ArrayLike, /, axis: int | None = None, *, keepdims: bool = False) -> Array[i64]:
    """The position of what `nanmin` gives; as in `nanargmax`.

    >>> import effects as fx
    >>> fx.nanargmin(fx.asarray([1.0, float("nan"), 2.0]))
    Array(0, int64)
    """
    return _position("nanargmin", reduction.argmin, x, ReduceKind.MIN, axis, keepdims)


def _present(function: str, x: Array, where: Mask) -> Array:
    """Mask of the elements that count and are not NaN."""
    present = unary.bitwise_invert(unary.isnan(x))
    return present if where is True else logic.logical_and(reduction.included(function, x, where), present)


@overload
def nanmean(
    x: AsFloats[DT], /, axis: Axes = None, keepdims: bool = False, *, dtype: None = None, where: Mask = True
) -> Array[DT]: ...
@overload
def nanmean[D: DType](
    x: ArrayLike, /, axis: Axes = None, keepdims: bool = False, *, dtype: type[D] | ForeignDType, where: Mask = True
) -> Array[D]: ...
def nanmean(
    x: ArrayLike | AsFloats[DT],
    /,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    dtype: DTypeLike | None = None,
    where: Mask = True,
) -> Array:
    """The mean over `axis` of what is no NaN; NaN where nothing else is. Dtypes as in `mean`.

    >>> import effects as fx
    >>> fx.nanmean(fx.asarray([1.0, float("nan"), 2.0]))
    Array(1.5, float64)
    """
    return rounded_once(
        lambda x: moments.mean_of("nanmean", x, axis, keepdims, _present("nanmean", x, where)),
        moments.in_floats("nanmean", x, dtype),
    )


@Spread
def nanvar(
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
    """The variance over `axis` of what is no NaN; NaN where there is not more of that than `correction`. As `var`.

    >>> import effects as fx
    >>> fx.nanvar(fx.asarray([1.0, float("nan"), 3.0])), fx.nanvar(fx.asarray([1.0, float("nan"), 3.0]), ddof=1)
    (Array(1., float64), Array(2., float64))
    """
    lost, array = moments.freedom("nanvar", correction, ddof), moments.in_floats("nanvar", x, dtype)
    return rounded_once(lambda x: _var("nanvar", x, axis, lost, keepdims, where, mean), array)


def _var(
    function: str, x: Array, axis: Axes, lost: float, keepdims: bool, where: Mask, mean: ArrayLike | None
) -> Array:
    return moments.var_of(function, x, axis, lost, keepdims, _present(function, x, where), mean, math.nan)


@Spread
def nanstd(
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
    """√nanvar(x), the standard deviation over `axis` of what is no NaN.

    >>> import effects as fx
    >>> fx.nanstd(fx.asarray([1.0, float("nan"), 3.0]))
    Array(1., float64)
    """
    lost, array = moments.freedom("nanstd", correction, ddof), moments.in_floats("nanstd", x, dtype)
    return rounded_once(lambda x: transcendental.sqrt(_var("nanstd", x, axis, lost, keepdims, where, mean)), array)

"""Quantiles: values that a share of the elements is below, as NumPy's of these names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from effects.arguments import choice, flag, shown
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, constant_like, convert, inexact, rounded_once
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.functions.elementwise import arithmetic, logic, unary
from effects.functions.indexing import taking
from effects.functions.manipulation import movement
from effects.functions.ordering import sorting
from effects.functions.reductions import cumulative, reduction
from effects.functions.statistics import covariance
from effects.functions.statistics.quantile_methods import Method, known_spots, spots
from effects.operations.sorting import Ranked, Sort
from effects.program.chain import perform
from effects.types import dtypes, shapes
from effects.types.signatures.reduction import Quantile

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.functions.reductions.reduction import Axes
    from effects.types.signatures.becoming import AsFloats


type Ends = tuple[Array, Array, Array, Array]

_OF_ELEMENTS: Final = ("closest_observation", "higher", "inverted_cdf", "lower", "nearest")
"""The methods whose results are elements, in their own dtype."""
_SELECTED: Final = 8
"""Largest number of quantiles that are selected without sorting."""
_MIDDLE: Final = ("median", "nanmedian")
"""Functions whose result may be the mean of two elements, which is infinite if one of them is."""


def _quantile(
    function: str,
    x: object,
    q: ArrayLike,
    axis: Axes,
    method: Method,
    keepdims: bool,
    percent: bool,
    omit: bool,
    weights: ArrayLike | None = None,
) -> Array:
    choice(function, "method", method, Method)
    array = as_array(x, function, "x") if method in _OF_ELEMENTS else inexact(function, x)
    if issubclass(array.aval.dtype, dtypes.Complex) and function not in _MIDDLE:
        raise DTypeError(f"{function}: complex numbers have no quantiles but the median, got {array.aval}")
    keep = flag(function, "keepdims", keepdims)
    quantiles = as_array(q, function, "q")
    if issubclass(quantiles.aval.dtype, dtypes.Complex):
        raise DTypeError(f"{function}: q must be real, got {quantiles.aval}")
    known, greatest = quantiles.known(), 100 if percent else 1
    if known is not None and not ((known.fetch() >= 0) & (known.fetch() <= greatest)).all():
        raise ArgumentError(f"{function}: q must be in [0, {greatest}], got {shown(q)}")
    axes = shapes.normalize_axes(function, array.aval.shape, shapes.as_axes(function, axis))
    shape = array.aval.shape
    rest = tuple([n for i, n in enumerate(shape) if i not in axes])
    line = _lines(array, axes)
    if not line.aval.shape[-1]:
        raise ShapeError(f"{function}: x, {array.aval}, has no elements over axis {axis}")
    if weights is None:
        middle = function in _MIDDLE
        out = rounded_once(lambda line: _between(_ends(line, quantiles, percent, method, omit), omit, middle), line)
    elif method == "inverted_cdf":
        of_line = _lines(_weights(function, array, weights, axis), axes)
        out = _weighted(line, of_line, _shares(quantiles, percent), omit)
    else:
        raise ArgumentError(f"{function}: weights need method 'inverted_cdf', got {method!r}")
    tail = tuple([1 if i in axes else n for i, n in enumerate(shape)]) if keep else rest
    return movement.reshape(movement.moveaxis(out, -1, 0), (*quantiles.aval.shape, *tail))


def _lines(x: Array, axes: tuple[int, ...]) -> Array:
    """x with these axes joined into one, the last."""
    shape = x.aval.shape
    rest = [i for i in range(len(shape)) if i not in axes]
    line = movement.permute_dims(x, (*rest, *axes))
    return movement.reshape(line, (*[shape[i] for i in rest], math.prod([shape[i] for i in axes])))


def _weights(function: str, x: Array, weights: ArrayLike, axis: Axes) -> Array:
    array = as_array(weights, function, "weights")
    if issubclass(array.aval.dtype, dtypes.Complex):
        raise DTypeError(f"{function}: weights must be real, got {array.aval}")
    known = array.known()
    if known is not None and not (known.fetch() >= 0).all():
        raise ArgumentError(f"{function}: weights must not be negative, or NaN")
    return covariance.along(function, convert(array, dtypes.float64), x.aval.shape, axis)


def _weighted(line: Array, weights: Array, q: Array, omit: bool) -> Array:
    """The first elements along the last axis up to which the weights add up to a share q."""
    floating = issubclass(line.aval.dtype, dtypes.Floating)
    if floating and omit:
        weights = logic.where(unary.isnan(line), constant_like(0, weights), weights)
    axis, size = line.aval.ndim - 1, line.aval.shape[-1]
    ordered, share = perform(Sort(1, axis, False, (line, weights)))
    so_far = cumulative.cumsum(share, axis)
    so_far = so_far / movement.slice_axis(so_far, axis, size - 1, size)
    # Elements without weight are not chosen for q = 0.
    so_far = logic.where(so_far == 0, constant_like(-1, so_far), so_far)
    below = movement.expand_dims(so_far, axis=-1) < q
    index = arithmetic.minimum(reduction.sum(below, axis=axis), size - 1)
    quantile = taking.take_along_axis(ordered, index, -1)
    if omit or not floating:
        return quantile
    greatest = movement.slice_axis(ordered, axis, size - 1, size)
    return logic.where(unary.isnan(greatest), greatest, quantile)


def _shares(q: Array, percent: bool) -> Array:
    shares = movement.reshape(convert(q, dtypes.float64), (-1,))
    return shares / 100 if percent else shares


def _few(q: Array, percent: bool) -> tuple[float, ...] | None:
    """The shares as Python numbers if they are known and few; else None."""
    known = q.known()
    if known is None or q._varies or q.aval.size > _SELECTED:
        return None
    numbers = known.fetch().astype(np.float64).ravel()
    return tuple((numbers / 100 if percent else numbers).tolist())


def _present(line: Array) -> int | None:
    """Number of elements along the last axis that are not NaN, if it is known and the same in all lines."""
    known = line.known() if issubclass(line.aval.dtype, dtypes.Inexact) else None
    if known is None:
        return None
    host = known.fetch()
    counts = np.count_nonzero(host == host, axis=-1)  # noqa: PLR0124  # which NaN is not
    return int(counts.flat[0]) if counts.size and (counts == counts.flat[0]).all() else None


def _ends(line: Array, q: Array, percent: bool, method: Method, omit: bool) -> Ends:
    """The elements between which quantiles lie, the share of the way to the second, and the greatest element of all."""
    last, size = line.aval.ndim - 1, line.aval.shape[-1]
    count = _present(line) if omit else size
    ranks = None if count is None else _few(q, percent)
    if count is not None and ranks is not None:  # only these elements are selected
        n = len(ranks)
        below, above, beyond = known_spots(ranks, count, method)
        elements = perform(Ranked((*below, *above, size - 1), line))
        low, high = movement.slice_axis(elements, last, 0, n), movement.slice_axis(elements, last, n, 2 * n)
        return (low, high, beyond, movement.slice_axis(elements, last, 2 * n, 2 * n + 1))
    ordered, shares = sorting.sort(line), _shares(q, percent)
    number: Array = constant_like(size, shares)
    if omit and issubclass(line.aval.dtype, dtypes.Inexact):
        number = reduction.sum(unary.bitwise_invert(unary.isnan(line)), axis=-1, keepdims=True)
        number = convert(number, dtypes.float64)
    *places, beyond = spots(shares, number, method)
    shape = (*line.aval.shape[:-1], q.aval.size)
    low, high = [
        taking.take_along_axis(ordered, movement.broadcast_to(unary.astype(p, dtypes.int64), shape), -1) for p in places
    ]
    if issubclass(line.aval.dtype, dtypes.Inexact):  # zeros are of one sign, as in `Ranked`
        low, high = low + constant_like(0, low), high + constant_like(0, high)
    return (low, high, beyond, movement.slice_axis(ordered, last, size - 1, size))


def _between(ends: Ends, omit: bool, middle: bool) -> Array:
    """The quantiles between elements, along the last axis."""
    low, high, beyond, greatest = ends
    if not issubclass(low.aval.dtype, dtypes.Inexact):
        return low
    if middle:
        mixed = (low + high) / 2
    else:
        weight, step = convert(beyond, low.aval.dtype), high - low
        mixed = logic.where(beyond < 0.5, low + step * weight, high - step * (1 - weight))
    quantile = logic.where(logic.logical_or(low == high, beyond == 0), low, mixed)  # also where these are infinite
    if omit:  # if there is nothing else, the elements themselves are NaN
        return quantile
    return logic.where(unary.isnan(greatest), greatest, quantile)


@Quantile
def quantile(
    x: ArrayLike,
    /,
    q: ArrayLike,
    axis: Axes = None,
    *,
    method: Method = "linear",
    keepdims: bool = False,
    weights: ArrayLike | None = None,
) -> Array:
    """The values over `axis` that a share `q` (from 0 to 1) of the elements is below; NaN where there is one.

    The axes of `q` come first in the result. `method` says what is given where that is between two elements: one of
    NumPy's names, such as "linear", "lower", "higher", "nearest", "midpoint", "median_unbiased". With `weights`, of
    the shape of x or along one axis, q is a share of these: method "inverted_cdf" gives the first element that has it.

    >>> import effects as fx
    >>> fx.quantile(fx.asarray([1.0, 2.0, 4.0]), fx.asarray([0.5, 0.75]))
    Array([2., 3.], float64)
    """
    return _quantile("quantile", x, q, axis, method, keepdims, False, False, weights)


@Quantile
def percentile(
    x: ArrayLike,
    /,
    q: ArrayLike,
    axis: Axes = None,
    *,
    method: Method = "linear",
    keepdims: bool = False,
    weights: ArrayLike | None = None,
) -> Array:
    """The values over `axis` that `q` in a hundred elements are below; as `quantile`.

    >>> import effects as fx
    >>> fx.percentile(fx.asarray([1.0, 2.0, 4.0]), 75)
    Array(3., float64)
    """
    return _quantile("percentile", x, q, axis, method, keepdims, True, False, weights)


def median(x: AsFloats[DT], /, axis: Axes = None, *, keepdims: bool = False) -> Array[DT]:
    """The element over `axis` that is in the middle, or the mean of the two that are; NaN where there is one.

    >>> import effects as fx
    >>> fx.median(fx.asarray([4.0, 1.0, 2.0]))
    Array(2., float64)
    """
    return _quantile("median", x, 0.5, axis, "linear", keepdims, False, False)


@Quantile
def nanquantile(
    x: ArrayLike,
    /,
    q: ArrayLike,
    axis: Axes = None,
    *,
    method: Method = "linear",
    keepdims: bool = False,
    weights: ArrayLike | None = None,
) -> Array:
    """The quantiles of what is no NaN, NaN where nothing else is; as `quantile`.

    >>> import effects as fx
    >>> fx.nanquantile(fx.asarray([1.0, float("nan"), 2.0]), 0.5)
    Array(1.5, float64)
    """
    return _quantile("nanquantile", x, q, axis, method, keepdims, False, True, weights)


@Quantile
def nanpercentile(
    x: ArrayLike,
    /,
    q: ArrayLike,
    axis: Axes = None,
    *,
    method: Method = "linear",
    keepdims: bool = False,
    weights: ArrayLike | None = None,
) -> Array:
    """The percentiles of what is no NaN; as `nanquantile`.

    >>> import effects as fx
    >>> fx.nanpercentile(fx.asarray([1.0, float("nan"), 2.0]), 50)
    Array(1.5, float64)
    """
    return _quantile("nanpercentile", x, q, axis, method, keepdims, True, True, weights)


def nanmedian(x: AsFloats[DT], /, axis: Axes = None, *, keepdims: bool = False) -> Array[DT]:
    """The median of what is no NaN; as `nanquantile`.

    >>> import effects as fx
    >>> fx.nanmedian(fx.asarray([1.0, float("nan"), 2.0]))
    Array(1.5, float64)
    """
    return _quantile("nanmedian", x, 0.5, axis, "linear", keepdims, False, True)

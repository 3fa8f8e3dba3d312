"""Arrays with more around them: `pad`, in all of NumPy's modes. Widths are static."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, SupportsIndex

import numpy as np
import numpy.typing as npt

import handlers
from effects.arguments import choice, entries, integer, integers, shown
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, as_type, convert
from effects.errors import ArgumentError, OutOfBoundsError, ShapeError
from effects.functions.creation import creation
from effects.functions.elementwise import logic, unary
from effects.functions.indexing import taking
from effects.functions.manipulation import movement
from effects.functions.reductions import reduction
from effects.functions.statistics import moments, quantiles
from effects.operations.movement import Pad
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.avals import ShapedArray

type Width = SupportsIndex | Sequence[SupportsIndex]
type Widths = Width | Sequence[Sequence[SupportsIndex]] | Mapping[int, Width]
type Values = ArrayLike | Sequence[ArrayLike] | Sequence[Sequence[ArrayLike]]
type Fill = Callable[[Array, tuple[int, int], int, dict[str, Any]], Array]
type _Around = Callable[[Array, int, int, int], tuple[Array, Array]]
"""Function from an axis and two widths to the arrays before and after an array along that axis."""

type Mode = Literal[
    "constant", "edge", "empty", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric", "wrap"
]
_KEYWORDS: Final[dict[str, tuple[str, ...]]] = {
    "constant": ("constant_values",),
    "edge": (),
    "empty": (),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "median": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
    "wrap": (),
}


def pad(
    x: Like[DT],
    /,
    pad_width: Widths,
    mode: Mode | Fill = "constant",
    *,
    constant_values: Values | None = None,
    end_values: Values | None = None,
    stat_length: Widths | None = None,
    reflect_type: Literal["even", "odd"] | None = None,
) -> Array[DT]:
    """x with `pad_width` elements around it: at both ends of every axis (an int), before and after every axis (a
    pair), before and after each axis (one pair per axis), or by axis (a dictionary).

    | `mode` | what is there |
    | --- | --- |
    | "constant" | `constant_values` (0), for which there are the same forms as for widths |
    | "edge" | the element at the edge |
    | "linear_ramp" | what leads from `end_values` (0) to the edge in equal steps |
    | "maximum", "mean", "median", "minimum" | of the first or last `stat_length` elements, else of all |
    | "reflect", "symmetric" | x mirrored, without or with the edge; by `reflect_type` "odd" twice the edge less that |
    | "wrap" | x again |
    | "empty" | anything: zeros |
    | a function | what it gives of each line along an axis with zeros around it, `f(line, (before, after), axis, {})` |

    Where several meet in a corner, that of the last axis is there. Integers are rounded. Raises ShapeError where x has
    nothing to go on from.

    >>> import effects as fx
    >>> fx.pad(fx.arange(2), (1, 2), constant_values=7), fx.pad(fx.asarray([1, 2, 4]), 2, mode="reflect")
    (Array([7, 0, 1, 7, 7], int64), Array([4, 2, 1, 2, 4, 2, 1], int64))
    """
    array = as_array(x, "pad", "x")
    widths = _widths(pad_width, array.aval.ndim)
    options: dict[str, object] = {"constant_values": constant_values, "end_values": end_values}
    options |= {"stat_length": stat_length, "reflect_type": reflect_type}
    if callable(mode) and not isinstance(mode, type):
        _check_keywords("a function", (), options)
        return _by_function(array, widths, mode)
    kind = choice("pad", "mode", mode, Mode)
    _check_keywords(repr(kind), _KEYWORDS[kind], options)
    if kind in ("constant", "empty"):
        return _constant(array, widths, 0 if constant_values is None else constant_values)
    around = _around(kind, array.aval, end_values, stat_length, reflect_type)
    for axis, (before, after) in enumerate(widths):
        if before or after:
            if not array.aval.shape[axis]:
                raise ShapeError(f"pad: x, {array.aval}, has nothing along axis {axis} that mode {mode!r} goes on from")
            left, right = around[axis](array, axis, before, after)
            array = movement.concat([left, array, right], axis=axis)
    return array


def _check_keywords(mode: str, accepted: tuple[str, ...], options: dict[str, object]) -> None:
    for name, value in options.items():
        if value is not None and name not in accepted:
            raise ArgumentError(f"pad: {name} has no meaning for mode {mode}, got {shown(value)}")


def _pairs(argument: str, pairs_like: object, rank: int) -> list[tuple[Any, ...]]:
    """A pair for each axis, from one entry for all ends, one pair for all axes, or a pair for each."""
    rows = entries(pairs_like) if getattr(pairs_like, "ndim", 1) < 2 else tuple(pairs_like)  # type: ignore[arg-type]  # it has rank 2
    nested = any([isinstance(row, tuple | list) or getattr(row, "ndim", 0) for row in rows])
    pairs = [entries(row) for row in rows] if nested else [rows]
    pairs = pairs * rank if len(pairs) == 1 else pairs
    if len(pairs) != rank or {len(pair) for pair in pairs} not in ({1}, {2}, set()):
        raise ShapeError(f"pad: {argument} {shown(pairs_like)} does not fit an array of rank {rank}")
    return [(pair[0], pair[-1]) for pair in pairs]


def _widths(pad_width: object, rank: int) -> list[tuple[int, int]]:
    if isinstance(pad_width, Mapping):
        pairs = [(0, 0)] * rank
        for key, width in pad_width.items():
            axis = integer("pad", "an axis of pad_width", key)
            if not -rank <= axis < rank:
                raise OutOfBoundsError(f"pad: pad_width has axis {axis}, which an array of rank {rank} does not have")
            pairs[axis] = _pairs("pad_width", width, 1)[0]
    else:
        pairs = _pairs("pad_width", pad_width, rank)
    widths = [integers("pad", "pad_width", pair) for pair in pairs]
    if min([width for pair in widths for width in pair], default=0) < 0:
        raise ShapeError(f"pad: pad_width must not be negative, got {shown(pad_width)}; cut with x[start:stop]")
    return [(before, after) for before, after in widths]


def _constant(x: Array, widths: Sequence[tuple[int, int]], constant: object) -> Array:
    aval = x.aval
    if isinstance(constant, tuple | list) or (isinstance(constant, Array | np.ndarray) and constant.ndim):
        for axis, (ends, values) in enumerate(zip(widths, _ends("constant_values", constant, aval), strict=True)):
            for width, value in zip(((ends[0], 0, 0), (0, ends[1], 0)), values, strict=True):
                x = _padded(x, [width if i == axis else (0, 0, 0) for i in range(aval.ndim)], value)
        return x
    return _padded(x, [(low, high, 0) for low, high in widths], _scalar("constant_values", constant, aval))


def _ends(argument: str, end_values: object, aval: ShapedArray) -> list[tuple[Array, Array]]:
    """The values at both ends of each axis, in the dtype of the array."""
    return [
        (_scalar(argument, before, aval), _scalar(argument, after, aval))
        for before, after in _pairs(argument, end_values, aval.ndim)
    ]


def _scalar(argument: str, value: Any, aval: ShapedArray) -> Array:
    scalar_array = as_type(value, aval.dtype, aval.weak_type, "pad", argument)
    if scalar_array.aval.shape:
        raise ShapeError(f"pad: {argument} must be a scalar, or one for each end, got {scalar_array.aval}")
    return scalar_array


def _padded(x: Array, config: Sequence[tuple[int, int, int]], value: Array) -> Array:
    return perform(Pad(tuple(config), x, value)) if any(map(any, config)) else x


def _around(
    mode: str, aval: ShapedArray, end_values: object, stat_length: object, reflect_type: object
) -> list[_Around]:
    """Function that makes the padding of a mode, for each axis."""
    if mode == "linear_ramp":
        return [_ramps(*ends) for ends in _ends("end_values", 0 if end_values is None else end_values, aval)]
    if mode in _STATISTICS:
        lengths = [(None, None)] * aval.ndim if stat_length is None else _lengths(stat_length, aval.ndim)
        return [_statistics(_STATISTICS[mode], *pair) for pair in lengths]
    odd = reflect_type is not None and choice("pad", "reflect_type", reflect_type, ("even", "odd")) == "odd"
    return [_odd(mode) if odd else _copies(mode)] * aval.ndim


def _lengths(stat_length: object, rank: int) -> list[tuple[int | None, int | None]]:
    lengths = [integers("pad", "stat_length", pair) for pair in _pairs("stat_length", stat_length, rank)]
    if min([length for pair in lengths for length in pair], default=1) < 1:
        raise ArgumentError(f"pad: stat_length must be positive, got {shown(stat_length)}")
    return [(before, after) for before, after in lengths]


def _rounded(x: Array, dtype: type[dtypes.DType]) -> Array:
    """x in this dtype, rounded to the nearest integer for integers."""
    return unary.astype(unary.round(x) if issubclass(dtype, dtypes.Integer) else x, dtype)


def _ramps(first: Array, last: Array) -> _Around:
    def around(x: Array, axis: int, before: int, after: int) -> tuple[Array, Array]:
        n = x.aval.shape[axis]
        left = _ramp(first, movement.slice_axis(x, axis, 0, 1), axis, before)
        return left, movement.flip(_ramp(last, movement.slice_axis(x, axis, n - 1, n), axis, after), axis=axis)

    return around


def _ramp(end: Array, edge: Array, axis: int, width: int) -> Array:
    """Values in equal steps from `end`, `width` of which lead to the edge."""
    dtype = edge.aval.dtype
    if not dtypes.is_inexact(dtype):
        end, edge = convert(end, dtypes.float64), convert(edge, dtypes.float64)
    steps = creation.iota(edge.aval.dtype, tuple([width if i == axis else 1 for i in range(edge.aval.ndim)]), axis)
    ramp = steps * ((edge - end) / max(width, 1)) + end
    return unary.astype(unary.floor(ramp) if issubclass(dtype, dtypes.Integer) else ramp, dtype)


_STATISTICS: Final[dict[str, Callable[[Array, int], Array]]] = {
    "maximum": lambda x, axis: reduction.max(x, axis=axis, keepdims=True),
    "mean": lambda x, axis: moments.mean(x, axis=axis, keepdims=True),
    "median": lambda x, axis: quantiles.median(x, axis=axis, keepdims=True),
    "minimum": lambda x, axis: reduction.min(x, axis=axis, keepdims=True),
}


def _statistics(fold: Callable[[Array, int], Array], first: int | None, last: int | None) -> _Around:
    def around(x: Array, axis: int, before: int, after: int) -> tuple[Array, Array]:
        n, shape = x.aval.shape[axis], x.aval.shape
        lengths = [n if length is None else min(length, n) for length in (first, last)]
        parts = movement.slice_axis(x, axis, 0, lengths[0]), movement.slice_axis(x, axis, n - lengths[1], n)
        left, right = [
            movement.broadcast_to(_rounded(fold(part, axis), x.aval.dtype), (*shape[:axis], width, *shape[axis + 1 :]))
            for part, width in zip(parts, (before, after), strict=True)
        ]
        return left, right

    return around


def _source(mode: str, at: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.int64]:
    """The positions of elements that are repeated at positions outside."""
    if mode == "edge" or n == 1:
        return np.clip(at, 0, n - 1)
    if mode == "wrap":
        return at % n
    edges = 0 if mode == "reflect" else 1
    back = at % (2 * (n - 1 + edges))
    return np.minimum(back, 2 * (n - 1) + edges - back)


def _copied_parts(x: Array, axis: int, positions: npt.NDArray[np.int64]) -> Array:
    """x at positions along an axis: a slice if they are consecutive."""
    steps = set(np.diff(positions).tolist())
    if len(positions) and steps in ({1}, {-1}, set()):
        part = movement.slice_axis(x, axis, int(positions.min()), int(positions.max()) + 1)
        return movement.flip(part, axis=axis) if steps == {-1} else part
    if steps == {0}:
        shape = x.aval.shape
        part = movement.slice_axis(x, axis, int(positions[0]), int(positions[0]) + 1)
        return movement.broadcast_to(part, (*shape[:axis], len(positions), *shape[axis + 1 :]))
    return taking.take(x, positions, axis=axis)


def _copies(mode: str) -> _Around:
    def around(x: Array, axis: int, before: int, after: int) -> tuple[Array, Array]:
        n = x.aval.shape[axis]
        left, right = [_source(mode, at, n) for at in (np.arange(-before, 0), np.arange(n, n + after))]
        return _copied_parts(x, axis, left), _copied_parts(x, axis, right)

    return around


def _odd(mode: str) -> _Around:
    """Odd reflection at the edge: f(edge + k) = 2 f(edge) - f(edge - k)."""

    def beyond(x: Array, axis: int, start: int, stop: int) -> Array:
        """f at the positions from `start`, which is not negative, to `stop`."""
        n = x.aval.shape[axis]
        at = np.arange(start, stop)
        source = _source(mode, at, n)
        period = max(2 * (n - 1) if mode == "reflect" else 2 * n, 1)
        part, last = _copied_parts(x, axis, source), movement.slice_axis(x, axis, n - 1, n)
        column = tuple([-1 if i == axis else 1 for i in range(x.aval.ndim)])
        mirrored = creation.asarray((at % period != source).reshape(column))
        part = logic.where(mirrored, last + last - part, part)
        turns = at // period
        if n == 1 or not turns.any():
            return part
        rise = last - movement.slice_axis(x, axis, 0, 1)
        return part + creation.asarray((2 * turns).reshape(column), dtype=x.aval.dtype) * rise

    def around(x: Array, axis: int, before: int, after: int) -> tuple[Array, Array]:
        n, skipped = x.aval.shape[axis], int(mode == "reflect")
        first = movement.slice_axis(x, axis, 0, 1)
        left = movement.flip(first + first - beyond(x, axis, skipped, skipped + before), axis=axis)
        return left, beyond(x, axis, n, n + after)

    return around


def _by_function(x: Array, widths: Sequence[tuple[int, int]], fill: Fill) -> Array:
    """x padded by a user's function of lines, along one axis after the other."""

    def filled(line: Array, ends: tuple[int, int], axis: int) -> Array:
        result: object = fill(line, ends, axis, {})
        if isinstance(result, Array) and (result.aval.shape, result.aval.dtype) == (line.aval.shape, line.aval.dtype):
            return result
        raise ArgumentError(
            f"pad: the function of mode must return the line that it is given, {line.aval}, with its ends "
            f"written by line.at[:n].set(…), got {result.aval if isinstance(result, Array) else shown(result)}"
        )

    x = _constant(x, widths, 0)
    for axis, ends in enumerate(widths):
        x = handlers.apply_along_axis(filled, axis, x, ends, axis)
    return x

"""Differences of neighbours, slopes, and areas under curves.

Names and semantics are the Array API standard's, then NumPy's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from effects.arguments import integer, integers, natural
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.promotion import as_array, constant_like, convert, inexact, rounded_once
from effects.errors import ArgumentError, ShapeError
from effects.functions.elementwise import arithmetic
from effects.functions.manipulation import movement
from effects.functions.reductions import reduction
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.types.signatures.becoming import AsFloats


def diff(
    x: Like[DT], /, n: int = 1, axis: int = -1, prepend: ArrayLike | None = None, append: ArrayLike | None = None
) -> Array[DT]:
    """x[i + 1] - x[i] along `axis`, taken n times; of bools, whether neighbours differ.

    `prepend` and `append` are joined to x before: arrays of its rank, or numbers, which stand for one element. With
    n = 0 it is x itself.

    >>> import effects as fx
    >>> fx.diff(fx.asarray([1, 4, 9])), fx.diff(fx.asarray([1, 4, 9]), n=2)
    (Array([3, 5], int64), Array([2], int64))
    """
    array: Array = as_array(x, "diff", "x")
    times = natural("diff", "n", n)
    at = shapes.normalize_axis("diff", array.aval.shape, axis)
    ends = [
        None if end is None else _end(array, at, as_array(end, "diff", name), name)
        for name, end in (("prepend", prepend), ("append", append))
    ]
    parts = [part for part in (ends[0], array, ends[1]) if part is not None]
    array = movement.concat(parts, axis=at) if len(parts) > 1 and times else array
    for _ in range(min(times, array.aval.shape[at])):
        size = array.aval.shape[at]
        after, before = (
            movement.slice_axis(array, at, min(1, size), size),
            movement.slice_axis(array, at, 0, max(size - 1, 0)),
        )
        array = after != before if array.aval.dtype is dtypes.bool_ else after - before
    result: Array = array
    return result


def _end(x: Array, axis: int, end: Array, name: str) -> Array:
    if not end.aval.ndim:
        shape = x.aval.shape
        return movement.broadcast_to(end, (*shape[:axis], 1, *shape[axis + 1 :]))
    if end.aval.ndim != x.aval.ndim:
        raise ShapeError(f"diff: {name} must have the rank of x, {x.aval}, or rank 0, got {end.aval}")
    return end


def ediff1d(x: Like[DT], /, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None) -> Array[DT]:
    """x[i + 1] - x[i] over all elements in row-major order, between `to_begin` and `to_end`.

    >>> import effects as fx
    >>> fx.ediff1d(fx.asarray([1, 4, 9]), to_end=0)
    Array([3, 5, 0], int64)
    """
    flat = movement.reshape(as_array(x, "ediff1d", "x"), (-1,))
    if flat.aval.dtype is dtypes.bool_:
        raise ArgumentError(f"ediff1d: x must be of numbers, got {flat.aval}; convert it with astype")
    inner = diff(flat)
    parts = [
        None if end is None else movement.reshape(as_array(end, "ediff1d", name), (-1,)).astype(inner.aval.dtype)
        for name, end in (("to_begin", to_begin), ("to_end", to_end))
    ]
    joined = [part for part in (parts[0], inner, parts[1]) if part is not None]
    return movement.concat(joined) if len(joined) > 1 else inner


def gradient(
    f: ArrayLike, /, *spacing: ArrayLike, axis: int | tuple[int, ...] | None = None, edge_order: int = 1
) -> Array | tuple[Array, ...]:
    """The slopes of samples along each of `axis` (None: all): an array for one axis, a tuple of them for several.

    Inside by central differences, at the ends by one-sided ones of the first or second `edge_order`. `spacing` is 1, a
    number for all axes, or one for each axis: a number, or the places of the samples in ascending order.

    >>> import effects as fx
    >>> fx.gradient(fx.asarray([1.0, 2.0, 4.0, 7.0]))
    Array([1. , 1.5, 2.5, 3. ], float64)
    """
    array = inexact("gradient", f, "f")
    shape = array.aval.shape
    order = integer("gradient", "edge_order", edge_order)
    if order not in (1, 2):
        raise ArgumentError(f"gradient: edge_order must be 1 or 2, got {order}")
    several = None if axis is None else integers("gradient", "axis", axis)
    axes = range(len(shape)) if several is None else [shapes.normalize_axis("gradient", shape, a) for a in several]
    steps = [as_array(step, "gradient", f"spacing[{i}]") for i, step in enumerate(spacing)]
    if len(steps) not in (0, 1, len(axes)) or (len(steps) == 1 < len(axes) and steps[0].aval.ndim):
        raise ArgumentError(
            f"gradient: spacing must be a number, or one for each of {len(axes)} axes, got {len(steps)}"
        )
    steps = steps or [constant_like(1, array)]
    steps = steps * len(axes) if len(steps) == 1 else steps
    slopes = tuple([_slope(array, at, step, order) for at, step in zip(axes, steps, strict=True)])
    return slopes[0] if len(slopes) == 1 else slopes


def _slope(f: Array, axis: int, step: Array, order: int) -> Array:
    n = f.aval.shape[axis]
    if n < order + 1:
        raise ShapeError(f"gradient: f must have at least {order + 1} elements along axis {axis}, got {f.aval}")
    if step.aval.ndim == 0:
        widths = movement.broadcast_to(step, (n - 1,))
    elif step.aval.shape == (n,):
        widths = diff(step)
    else:
        raise ShapeError(f"gradient: the spacing of axis {axis} must be a number or of shape [{n}], got {step.aval}")
    f, widths = arithmetic.inexact_pair("gradient", f, widths)
    along = (n - 1, *(1,) * (f.aval.ndim - axis - 1))
    slopes = diff(f, axis=axis) / movement.reshape(widths, along)

    def part(x: Array, start: int, stop: int) -> Array:
        return movement.slice_axis(x, axis, start, stop)

    def width(start: int, stop: int) -> Array:
        return movement.reshape(movement.slice_axis(widths, 0, start, stop), (stop - start, *along[1:]))

    before, after = width(0, n - 2), width(1, n - 1)
    if step.aval.ndim:
        inner = (part(slopes, 0, n - 2) * after + part(slopes, 1, n - 1) * before) / (before + after)
    else:  # the element between has no part in it, even if it is NaN
        inner = (part(f, 2, n) - part(f, 0, n - 2)) / (before + after)
    first, last = part(slopes, 0, 1), part(slopes, n - 2, n - 1)
    if order == 2:
        first = first - (part(slopes, 1, 2) - first) * width(0, 1) / (width(0, 1) + width(1, 2))
        near, end = width(n - 3, n - 2), width(n - 2, n - 1)
        last = last + (last - part(slopes, n - 3, n - 2)) * end / (near + end)
    return movement.concat([first, inner, last], axis=axis)


def trapezoid(y: AsFloats[DT], /, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1) -> Array[DT]:
    """The area under samples along `axis`, by straight lines between them: at the places x, or `dx` apart.

    An array `dx` is of the widths between neighbours, or broadcasts to them.

    >>> import effects as fx
    >>> (fx.trapezoid(fx.asarray([1.0, 2.0, 3.0])),
    ...  fx.trapezoid(fx.asarray([1.0, 2.0, 3.0]), x=fx.asarray([4.0, 6.0, 8.0])))
    (Array(4., float64), Array(8., float64))
    """
    array = inexact("trapezoid", y, "y")
    shape = array.aval.shape
    at = shapes.normalize_axis("trapezoid", shape, axis)
    n = shape[at]
    widths = as_array(dx, "trapezoid", "dx")
    if x is not None:
        places = as_array(x, "trapezoid", "x")
        if not dtypes.is_inexact(places.aval.dtype):  # unsigned integers have no differences
            places = convert(places, array.aval.dtype)
        if places.aval.ndim == 1:
            places = movement.reshape(places, (-1, *(1,) * (len(shape) - at - 1)))
        if not -places.aval.ndim <= at - len(shape) or places.aval.shape[at - len(shape)] != n:
            raise ShapeError(f"trapezoid: x must have {n} elements along axis {at} of y, got {places.aval}")
        widths = diff(places, axis=at - len(shape))
    of_pairs = (*shape[:at], max(n - 1, 0), *shape[at + 1 :])
    shapes.broadcast_named("trapezoid", {"pairs of y": of_pairs, "dx": widths.aval.shape})

    def area(y: Array, widths: Array) -> Array:
        pairs = movement.slice_axis(y, at, min(1, n), n) + movement.slice_axis(y, at, 0, max(n - 1, 0))
        return reduction.sum(arithmetic.multiply(pairs, widths) / 2, axis=at - len(shape))

    return rounded_once(
        area, *arithmetic.inexact_pair("trapezoid", array, widths, ("y", "x" if x is not None else "dx"))
    )

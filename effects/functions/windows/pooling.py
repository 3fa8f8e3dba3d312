"""Folds over windows that move along the axes, as in pooling, also by a user's function.

For a user's function there is a strided slice for each element of a window, so a window should be small.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, overload

from effects.arguments import check_callable, flag, sequence
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, as_type, constant_like
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.functions.manipulation import movement
from effects.functions.reductions.reduction import Axes
from effects.functions.windows.layout import Padding, explicit_padding, positive
from effects.operations.indexing import Slice
from effects.operations.movement import Pad
from effects.operations.pooling import ReduceWindow, WindowKind
from effects.program.chain import perform
from effects.types import dtypes, shapes
from effects.types.shapes import Ints, Window, cuts, dilated

type Sizes = int | tuple[int, ...]
type Arrays = tuple[Array, ...]


def window_of(
    function: str, x: Array, sizes: object, strides: object, padding: object, dilation: object
) -> tuple[Ints, Window]:
    """The sizes of a window over all axes of `x`, and its layout, from the user's arguments."""
    shape = x.aval.shape
    rank = len(shape)
    wide = positive(function, "window", sizes, rank)
    steps = positive(function, "strides", strides, rank)
    holes = positive(function, "dilation", dilation, rank)
    reaches = tuple([dilated(size, hole) for size, hole in zip(wide, holes, strict=True)])
    around = explicit_padding(function, padding, shape, reaches, steps)
    for n, reach, pair in zip(shape, reaches, around, strict=True):
        if n + sum(pair) < reach > 1:
            raise ShapeError(f"{function}: the window spans {shapes.show(reaches)}, more than there is of x, {x.aval}")
    return wide, Window(steps, around, (1,) * rank, holes)


def elements_under_window(x: Array, fill: complex, sizes: Ints, window: Window) -> list[Array]:
    """For each element of a window, the elements of `x` under it at all places; `fill` is between and around `x`."""
    counts = shapes.pool("reduce_window", x.aval.shape, sizes, window)
    config = tuple([(*pair, d - 1) for pair, d in zip(window.padding, window.x_dilation, strict=True)])
    if any([entry != (0, 0, 0) for entry in config]):
        x = perform(Pad(config, x, constant_like(fill, x)))
    return [perform(Slice(start, limit, window.strides, x)) for start, limit in cuts(sizes, window, counts)]


def _window(kind: WindowKind, x: ArrayLike, sizes: Sizes, strides: Sizes, padding: Padding, dilation: Sizes) -> Array:
    function = kind.value
    array = as_array(x, function, "x")
    dtype = array.aval.dtype
    ordered = kind is WindowKind.MAX or kind is WindowKind.MIN
    if dtype is dtypes.bool_ or (issubclass(dtype, dtypes.Complex) and ordered):
        raise DTypeError(f"{function}: x must be of real numbers, got {array.aval}; convert it with astype")
    return perform(ReduceWindow(kind, *window_of(function, array, sizes, strides, padding, dilation), array))


def window_sum(
    x: Like[DT], /, window: Sizes, strides: Sizes = 1, padding: Padding = "valid", *, dilation: Sizes = 1
) -> Array[DT]:
    """The sums of the elements under a window of the sizes `window`, which moves by `strides` along every axis.

    `padding` is "valid" (the window stays inside), "same" (as many places as the size over the stride, rounded up; what
    is odd goes behind, with "same_lower" before) or how far the window goes beyond both ends: a number, or for each
    axis a number or a pair; negative ones cut. Nothing is added there. `dilation` is how far apart the elements of the
    window are. A single number holds for every axis. Dtypes stay; narrow floats are added in float32.

    >>> import effects as fx
    >>> fx.window_sum(fx.asarray([1.0, 2.0, 4.0, 8.0]), 2, 2)
    Array([ 3., 12.], float64)
    """
    return _window(WindowKind.SUM, x, window, strides, padding, dilation)


def window_prod(
    x: Like[DT], /, window: Sizes, strides: Sizes = 1, padding: Padding = "valid", *, dilation: Sizes = 1
) -> Array[DT]:
    """The products of the elements under a window; as `window_sum`. The derivative is exact at zeros.

    >>> import effects as fx
    >>> fx.window_prod(fx.asarray([1.0, 2.0, 4.0, 3.0]), 2)
    Array([ 2.,  8., 12.], float64)
    """
    return _window(WindowKind.PROD, x, window, strides, padding, dilation)


def window_max(
    x: Like[DT], /, window: Sizes, strides: Sizes = 1, padding: Padding = "valid", *, dilation: Sizes = 1
) -> Array[DT]:
    """The greatest of the elements under a window; as `window_sum`, and NaN where there is one.

    Equal ones share the derivative. Where there is nothing it is the least value of the dtype.

    >>> import effects as fx
    >>> fx.window_max(fx.asarray([1.0, 2.0, 4.0, 3.0]), 2, 2)
    Array([2., 4.], float64)
    """
    return _window(WindowKind.MAX, x, window, strides, padding, dilation)


def window_min(
    x: Like[DT], /, window: Sizes, strides: Sizes = 1, padding: Padding = "valid", *, dilation: Sizes = 1
) -> Array[DT]:
    """The least of the elements under a window; as `window_max`.

    >>> import effects as fx
    >>> fx.window_min(fx.asarray([1.0, 2.0, 4.0, 3.0]), 2, 2)
    Array([1., 3.], float64)
    """
    return _window(WindowKind.MIN, x, window, strides, padding, dilation)


type Fold = Callable[[list[Array], list[Array]], list[Array]]


def _of_one(function: str, fn: Callable[[Array, Array], Array]) -> Fold:
    return lambda a, b: [as_array(fn(a[0], b[0]), function, "the result of fn")]


def _of_several(fn: Callable[[Arrays, Arrays], Arrays], count: int) -> Fold:
    def fold(a: list[Array], b: list[Array]) -> list[Array]:
        results = sequence("reduce", "the result of fn", fn(tuple(a), tuple(b)), "arrays")
        if len(results) != count:
            raise ArgumentError(f"reduce: fn must return {count} arrays, as x has, got {len(results)}")
        return [as_array(out, "reduce", "a result of fn") for out in results]

    return fold


def _like(function: str, fold: Fold, a: list[Array], b: list[Array]) -> list[Array]:
    """fold(a, b), which must have the structure and types of a."""
    outs = fold(a, b)
    for out, x in zip(outs, a, strict=True):
        if out.aval.shape != x.aval.shape or out.aval.dtype is not x.aval.dtype:
            raise DTypeError(f"{function}: fn must return what it takes, {x.aval}, and gives {out.aval}")
    return outs


def _halved(function: str, fold: Fold, xs: list[Array], starts: list[Array]) -> list[Array]:
    """Arrays of one shape folded along their first axis, by halves."""
    while (n := xs[0].aval.shape[0]) > 1:
        half = n // 2
        first, second = [[movement.slice_axis(x, 0, i, i + half) for x in xs] for i in (0, half)]
        folded = _like(function, fold, first, second)
        odd = [movement.slice_axis(x, 0, 2 * half, n) for x in xs]
        xs = [movement.concat(parts) for parts in zip(folded, odd, strict=True)] if n % 2 else folded
    begin = [movement.broadcast_to(start, x.aval.shape[1:]) for start, x in zip(starts, xs, strict=True)]
    return begin if not n else _like(function, fold, begin, [movement.reshape(x, x.aval.shape[1:]) for x in xs])


@overload
def reduce(
    x: Like[DT], init: ArrayLike, fn: Callable[[Array, Array], Array], /, *, axis: Axes = None, keepdims: bool = False
) -> Array[DT]: ...
@overload
def reduce(
    x: tuple[ArrayLike, ...],
    init: tuple[ArrayLike, ...],
    fn: Callable[[Arrays, Arrays], Arrays],
    /,
    *,
    axis: Axes = None,
    keepdims: bool = False,
) -> Arrays: ...
def reduce(
    x: ArrayLike | tuple[ArrayLike, ...],
    init: ArrayLike | tuple[ArrayLike, ...],
    fn: Callable[[Array, Array], Array] | Callable[[Arrays, Arrays], Arrays],
    /,
    *,
    axis: Axes = None,
    keepdims: bool = False,
) -> Array | Arrays:
    """init ∘ x₀ ∘ x₁ ∘ … over `axis`, for an associative and commutative `fn(a, b)` = a ∘ b of arrays of one shape.

    `fn` combines element by element, and about log₂ n calls of it do the work of n. `init`, a number of the dtype of x,
    is folded in once. Of a tuple of arrays of one shape, `init` is a tuple of numbers, and `fn` takes and gives tuples.

    >>> import effects as fx
    >>> fx.reduce(fx.asarray([3, 1, 2]), 0, fx.maximum)
    Array(3, int64)
    >>> later = lambda a, b: tuple([fx.where(a[0] >= b[0], i, j) for i, j in zip(a, b)])
    >>> fx.reduce((fx.asarray([3, 7, 2]), fx.arange(3)), (0, 0), later)
    (Array(7, int64), Array(1, int64))
    """
    several = isinstance(x, tuple)
    items: tuple[ArrayLike, ...] = x if isinstance(x, tuple) else (x,)
    inits: object = init if several else (init,)
    if not items:
        raise ArgumentError("reduce: x must be an array, or a tuple of at least one, got ()")
    if not isinstance(inits, tuple) or len(inits) != len(items):
        raise ArgumentError(
            f"reduce: init must be a tuple of as many numbers as x has arrays, {len(items)}, got {init}"
        )
    check_callable("reduce", fn, "fn")
    keep = flag("reduce", "keepdims", keepdims)
    arrays = [as_array(item, "reduce", "x") for item in items]
    starts = [_start("reduce", number, array) for number, array in zip(inits, arrays, strict=True)]
    shape = arrays[0].aval.shape
    for array in arrays:
        if array.aval.shape != shape:
            raise ShapeError(f"reduce: the arrays of x must have one shape, got {arrays[0].aval} and {array.aval}")
    axes = shapes.normalize_axes("reduce", shape, shapes.as_axes("reduce", axis))
    rest = tuple([i for i in range(len(shape)) if i not in axes])
    sizes = (math.prod([shape[i] for i in axes]), *[shape[i] for i in rest])
    lines = [movement.reshape(movement.permute_dims(array, (*axes, *rest)), sizes) for array in arrays]
    fold: Any = fn  # the overloads have its type
    outs = _halved("reduce", _of_several(fold, len(items)) if several else _of_one("reduce", fold), lines, starts)
    if keep:
        outs = [movement.reshape(out, shapes.reduce("reduce", shape, axes, True)) for out in outs]
    return tuple(outs) if several else outs[0]


def _start(function: str, init: ArrayLike, x: Array) -> Array:
    initial = as_array(init, function, "init")
    if initial.aval.ndim:
        raise ShapeError(f"{function}: init must be of rank 0, got {initial.aval}")
    start = as_type(init, x.aval.dtype, False, function, "init")
    first, second = initial.known(), start.known()
    if first is not None and second is not None and not dtypes.is_inexact(x.aval.dtype):
        number = first.fetch().item()
        if number != second.fetch().item():
            raise ArgumentError(f"{function}: init must be a number of {x.aval.dtype}, as x has, got {number}")
    return start


def reduce_window(
    x: Like[DT],
    init: float,
    fn: Callable[[Array, Array], Array],
    /,
    window: Sizes,
    strides: Sizes = 1,
    padding: Padding = "valid",
    *,
    dilation: Sizes = 1,
    x_dilation: Sizes = 1,
) -> Array[DT]:
    """The elements under a window folded by `fn`, as `reduce` does; windows are those of `window_sum`.

    `init`, a number, is folded in once for each window, and is what lies beyond the ends: one that changes nothing. It
    lies between the elements, too, where `x_dilation` takes them apart.

    >>> import effects as fx
    >>> fx.reduce_window(fx.asarray([1, 5, 2, 4]), 1, fx.multiply, 2)
    Array([ 5, 10,  8], int64)
    """
    array = as_array(x, "reduce_window", "x")
    check_callable("reduce_window", fn, "fn")
    start = _start("reduce_window", init, array)
    known = start.known()
    if known is None or start._varies:
        raise ArgumentError("reduce_window: init must be known, and without a derivative: a Python number")
    number = known.fetch().item()
    holes = positive("reduce_window", "x_dilation", x_dilation, array.aval.ndim)
    if max(holes, default=1) > 1:
        array = perform(Pad(tuple([(0, 0, hole - 1) for hole in holes]), array, constant_like(number, array)))
    parts = elements_under_window(array, number, *window_of("reduce_window", array, window, strides, padding, dilation))
    return _halved("reduce_window", _of_one("reduce_window", fn), [movement.stack(parts)], [start])[0]

"""Pooling: each position of a window that moves along the spatial axes of images becomes one element."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from effects.arguments import flag, refusal
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, inexact, rounded_once
from effects.errors import DTypeError, ShapeError
from effects.functions.creation import creation
from effects.functions.windows.layout import Padding, explicit_padding, positive
from effects.functions.windows.pooling import window_of
from effects.operations.pooling import ReduceWindow, WindowKind
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.shapes import Ints, Window, dilated


def max_pool(
    x: ArrayLike,
    /,
    window: int | Sequence[int],
    *,
    strides: int | Sequence[int] | None = None,
    padding: Padding = "valid",
    dilation: int | Sequence[int] = 1,
    dimension_numbers: str | None = None,
) -> Array:
    """The greatest element under a window, at each of its places; NaN where there is one.

    `dimension_numbers` names each axis of x by a letter: N for the batch, C for the features, others for the spatial
    axes along which the window moves: "NHWC". None means that batch and features come first.

    `window` are its sizes, `strides` its steps (None: its sizes, so that windows touch), `dilation` the distances of
    its elements: a number for all spatial axes, or one for each. `padding` is how far it extends beyond the ends:
    "valid" (not at all), "same" (as many places as the size over the stride, rounded up), or a number or a pair
    (before, after) for each spatial axis. Padding has no elements: a window wholly outside gives -∞ (the least
    integer). Equal greatest elements share the derivative.

    Raises ShapeError where axes or sizes do not fit, ArgumentError for sizes below 1, DTypeError for bools and complex
    numbers.

    >>> import effects as fx
    >>> fx.nn.max_pool(fx.asarray([[[1.0, 5.0, 2.0, 3.0]]]), 2)
    Array([[[5., 3.]]], float64)
    """
    array = as_array(x, "max_pool", "x")
    dtype = array.aval.dtype
    if dtype is dtypes.bool_ or issubclass(dtype, dtypes.Complex):
        raise DTypeError(f"max_pool: x must be of real numbers, got {array.aval}; convert it with astype")
    over = _over("max_pool", array, window, strides, padding, dilation, dimension_numbers)
    return perform(ReduceWindow(WindowKind.MAX, *over, array))


def avg_pool(
    x: ArrayLike,
    /,
    window: int | Sequence[int],
    *,
    strides: int | Sequence[int] | None = None,
    padding: Padding = "valid",
    dilation: int | Sequence[int] = 1,
    dimension_numbers: str | None = None,
    count_include_pad: bool = True,
) -> Array:
    """The mean of the elements under a window, at each of its places; arguments as in `max_pool`.

    Beyond the ends there are zeros, which are not counted where `count_include_pad` is false; then the mean of nothing
    is NaN. Integers become the default float; narrow floats are added in float32 and rounded once.

    >>> import effects as fx
    >>> fx.nn.avg_pool(fx.asarray([[[1.0, 5.0, 2.0]]]), 2, strides=1)
    Array([[[3. , 3.5]]], float64)
    >>> fx.nn.avg_pool(fx.asarray([[[1.0, 5.0, 2.0]]]), 2, padding=((1, 0),), count_include_pad=False)
    Array([[[1. , 3.5]]], float64)
    """
    counted = flag("avg_pool", "count_include_pad", count_include_pad)
    array = inexact("avg_pool", x)
    sizes, over = _over("avg_pool", array, window, strides, padding, dilation, dimension_numbers)

    def f(x: Array) -> Array:
        total = perform(ReduceWindow(WindowKind.SUM, sizes, over, x))
        if counted:
            return total / math.prod(sizes)
        count = _counts(x.aval.shape, sizes, over, total.aval.shape)
        return total / creation.asarray(count, dtype=total.aval.dtype)

    return rounded_once(f, array)


def _counts(shape: Ints, sizes: Ints, over: Window, places: Ints) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Number of elements of an array of this shape under the window, at each of its positions; broadcasts to these."""
    total = np.ones((1,) * len(shape), np.int64)
    for axis, (n, k, count, step, (before, _), hole) in enumerate(
        zip(shape, sizes, places, over.strides, over.padding, over.kernel_dilation, strict=True)
    ):
        if k > 1 or before:
            at = np.arange(count)[:, None] * step - before + np.arange(k) * hole
            inside = ((at >= 0) & (at < n)).sum(1)
            total = total * inside.reshape([-1 if i == axis else 1 for i in range(len(shape))])
    return total


def _over(
    function: str, x: Array, window: object, strides: object, padding: object, dilation: object, numbers: object
) -> tuple[Ints, Window]:
    """The window over all axes of x, from its sizes along the spatial ones."""
    spatial = _spatial(function, x, numbers)
    shape, n = x.aval.shape, len(spatial)
    sizes = positive(function, "window", window, n)
    steps = sizes if strides is None else positive(function, "strides", strides, n)
    holes = positive(function, "dilation", dilation, n)
    reaches = [dilated(size, hole) for size, hole in zip(sizes, holes, strict=True)]
    around = explicit_padding(function, padding, [shape[axis] for axis in spatial], reaches, steps)

    def everywhere[T](entries: Sequence[T], otherwise: T) -> tuple[T, ...]:
        placed = dict(zip(spatial, entries, strict=True))
        return tuple([placed.get(axis, otherwise) for axis in range(len(shape))])

    return window_of(
        function, x, everywhere(sizes, 1), everywhere(steps, 1), everywhere(around, (0, 0)), everywhere(holes, 1)
    )


def _spatial(function: str, x: Array, numbers: object) -> Ints:
    """The spatial axes, in the order of their letters."""
    rank = x.aval.ndim
    if rank < 3:
        raise ShapeError(
            f"{function}: x must have a batch, features and spatial axes, got {x.aval}; add those that it lacks, "
            "as x[None, None]"
        )
    if numbers is None:
        return tuple(range(2, rank))
    if not isinstance(numbers, str) or len(set(numbers)) != len(numbers) or not {"N", "C"} <= set(numbers):
        raise refusal(function, "dimension_numbers", "a letter for each axis, N, C and others, such as 'NHWC'", numbers)
    if len(numbers) != rank:
        raise ShapeError(f"{function}: dimension_numbers {numbers!r} has {len(numbers)} letters for {x.aval}")
    return tuple([axis for axis, letter in enumerate(numbers) if letter not in "NC"])

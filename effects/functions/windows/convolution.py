"""Convolutions over any number of spatial axes, in any layout, and their transposes.

Operands are promoted to one dtype, which the result has. Narrow floats are multiplied and added in float32 and rounded
once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from effects.arguments import choice, natural, refusal
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import multiplied_in, promote_pair
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.functions.windows.convolution_transposes import by_operand, regrouped
from effects.functions.windows.layout import Padding, checked_integer, explicit_padding, per_axis, positive
from effects.operations.contraction import Precision
from effects.operations.convolution import Convolution
from effects.program.chain import perform
from effects.runtime.caches import memoised
from effects.types import dtypes, shapes
from effects.types.dtypes import DTypeLike
from effects.types.shapes import Ints, Layout, Window, dilated
from effects.types.signatures.convolution import Conv, ConvTranspose

type DimensionNumbers = tuple[str, str, str]

_FIRST: Final = ("NC", "OI", "NC")
_ARGUMENTS: Final = ("x", "the kernel", "the result")
_MEANING: Final = {"NC": "batch and features", "OI": "the features of the result and those of x"}


@Conv
def conv(
    x: ArrayLike,
    kernel: ArrayLike,
    /,
    *,
    strides: int | Sequence[int] = 1,
    padding: Padding = "valid",
    x_dilation: int | Sequence[int] = 1,
    kernel_dilation: int | Sequence[int] = 1,
    feature_groups: int = 1,
    batch_groups: int = 1,
    dimension_numbers: DimensionNumbers | None = None,
    preferred_element_type: DTypeLike | None = None,
    precision: Precision = "default",
) -> Array:
    """Products of the kernel and the part of x under it, summed, at every place of the kernel; it is not flipped.

    `dimension_numbers` names the axes of x, of the kernel and of the result by a letter each: N is the batch, C the
    features, O and I the kernel's features of the result and of x, the other letters are the spatial axes:
    `("NHWC", "HWIO", "NHWC")`. None means batch, features, spatial axes: `("NCHW", "OIHW", "NCHW")` for rank 4.

    `strides` are the kernel's steps, `x_dilation` and `kernel_dilation` the distances of their elements, between which
    zeros are put: a number for all spatial axes, or one for each in the order of x. `padding` is how many zeros are put
    around x: "valid" none, "same" as many as give ⌈size / stride⌉ places (an odd one after x, with "same_lower" before
    it), a number, or for each spatial axis a number or a pair (before, after), negative to cut. With `feature_groups` n
    the features of x, and of the result, are n groups that do not see each other, and the kernel takes the features of
    one; with `batch_groups` n group i of the batch is what group i of the results sees.

    With `preferred_element_type` products and sums are of that dtype, and so is the result. `precision` is how
    accelerators multiply float32: "default" is their fastest way, "highest" that of a CPU.

    Raises ShapeError where ranks, features or groups do not fit, DTypeError for bools, ArgumentError for dimension
    numbers that name no layout.

    >>> import effects as fx
    >>> fx.conv(fx.asarray([[[1, 2, 3, 4]]]), fx.asarray([[[1, 10]]]), padding="same")
    Array([[[21, 32, 43,  4]]], int64)
    """
    a, b = _operands("conv", x, kernel, preferred_element_type)
    layout = _layout("conv", a, dimension_numbers)
    n = len(layout.x) - 2
    (groups,) = positive("conv", "feature_groups", feature_groups, 1)
    (batches,) = positive("conv", "batch_groups", batch_groups, 1)
    window = Window(
        positive("conv", "strides", strides, n),
        (),
        positive("conv", "x_dilation", x_dilation, n),
        positive("conv", "kernel_dilation", kernel_dilation, n),
    )
    if groups > 1 < batches:
        raise ArgumentError("conv: only one of feature_groups and batch_groups may be more than 1")
    if a.aval.shape[layout.x[0]] % batches:
        raise ShapeError(f"conv: the batch of x, {a.aval}, axis {layout.x[0]}, is not {batches} equal groups")
    sizes, reaches = _reaches(a, layout.x, window.x_dilation), _reaches(b, layout.kernel, window.kernel_dilation)
    around = explicit_padding("conv", padding, sizes, reaches, window.strides)
    if any([size > 0 and size + sum(pair) < reach for size, pair, reach in zip(sizes, around, reaches, strict=True)]):
        default = "; without dimension_numbers, x is [batch, features, …] and the kernel [results, features, …]"
        raise ShapeError(
            f"conv: the kernel spans {shapes.show(tuple(reaches))}, more than there is of x, {a.aval}, with its padding"
            + default * (dimension_numbers is None)
        )
    # A group of the batch becomes a group of features of a smaller batch.
    a = regrouped(a, layout.x[0], layout.x[1], batches)
    exact = _precision("conv", precision)
    return perform(Convolution(window._replace(padding=around), layout, groups * batches, a, b, exact))


def _reaches(x: Array, axes: Ints, dilations: Ints) -> list[int]:
    return [dilated(x.aval.shape[axis], d) for axis, d in zip(axes[2:], dilations, strict=True)]


@ConvTranspose
def conv_transpose(
    x: ArrayLike,
    kernel: ArrayLike,
    /,
    *,
    strides: int | Sequence[int] = 1,
    padding: Padding = "valid",
    output_padding: int | Sequence[int] = 0,
    kernel_dilation: int | Sequence[int] = 1,
    feature_groups: int = 1,
    dimension_numbers: DimensionNumbers | None = None,
    preferred_element_type: DTypeLike | None = None,
    precision: Precision = "default",
) -> Array:
    """The transpose of `conv` with the same kernel and arguments: from what that gives to what that takes.

    So the kernel's axis O goes with the features of x, and I with those of the result; `dimension_numbers` names the
    axes of x, of the kernel and of the result here, None means as in `conv`.

    A spatial axis of size n becomes one of size n · stride by "same" and by "valid", which adds what the kernel (with
    its dilation) is longer than the stride, and of (n - 1) · stride + kernel - before - after by numbers. With
    `output_padding` it is longer by as much: `conv` takes several sizes to n, of which this is else the least.

    Raises what `conv` raises.

    >>> import effects as fx
    >>> fx.conv_transpose(fx.asarray([[[1, 2]]]), fx.asarray([[[1, 10, 100]]]), strides=2)
    Array([[[  1,  10, 102,  20, 200]]], int64)
    """
    function = "conv_transpose"
    ct, b = _operands(function, x, kernel, preferred_element_type)
    transposed = _layout(function, ct, dimension_numbers)
    layout = Layout(transposed.out, transposed.kernel, transposed.x)  # the layout of the convolution from x's gradient
    n = len(layout.x) - 2
    (groups,) = positive(function, "feature_groups", feature_groups, 1)
    steps = positive(function, "strides", strides, n)
    of_kernel = positive(function, "kernel_dilation", kernel_dilation, n)
    longer = [
        natural(function, "output_padding", checked_integer(function, "output_padding", more))
        for more in per_axis(function, "output_padding", output_padding, n)
    ]
    reaches = _reaches(b, layout.kernel, of_kernel)
    places = [ct.aval.shape[axis] for axis in layout.out[2:]]
    if isinstance(padding, str):
        gap = [max(r - s, 0) if padding.lower() == "valid" else 0 for r, s in zip(reaches, steps, strict=True)]
        sizes = [size * s + more for size, s, more in zip(places, steps, gap, strict=True)]
        around = explicit_padding(function, padding, sizes, reaches, steps)
    else:
        around = explicit_padding(function, padding, places, reaches, steps)
        sizes = [
            max((size - 1) * s + r - before - after, 0)
            for size, s, r, (before, after) in zip(places, steps, reaches, around, strict=True)
        ]
    result_shape = [0] * len(layout.x)
    result_shape[layout.x[0]] = ct.aval.shape[layout.out[0]]
    result_shape[layout.x[1]] = b.aval.shape[layout.kernel[1]] * groups
    for axis, size, more in zip(layout.x[2:], sizes, longer, strict=True):
        result_shape[axis] = size + more
    features, takes = ct.aval.shape[layout.out[1]], b.aval.shape[layout.kernel[0]]
    if features != takes or takes % groups:
        raise ShapeError(
            f"{function}: x, {ct.aval}, has {features} features in {groups} groups, "
            f"and the kernel, {b.aval}, takes {takes}"
        )
    window = Window(steps, around, (1,) * n, of_kernel)
    return by_operand(
        Convolution(window, layout, groups, ct, b, _precision(function, precision)), ct, b, tuple(result_shape)
    )


def _operands(function: str, x: ArrayLike, kernel: ArrayLike, dtype: DTypeLike | None) -> tuple[Array, Array]:
    a, b = promote_pair(function, x, kernel, ("x", "kernel"))
    if dtype is not None:
        a, b = multiplied_in(a, dtype, function, "x"), multiplied_in(b, dtype, function, "kernel")
    if a.aval.dtype is dtypes.bool_:
        raise DTypeError(f"{function} takes numbers, got {a.aval} and {b.aval}; convert with astype")
    if a.aval.ndim != b.aval.ndim or a.aval.ndim < 2:
        raise ShapeError(
            f"{function}: x and kernel must have the same rank: batch, features and as many spatial axes, "
            f"got {a.aval} and {b.aval}"
        )
    return a, b


def _layout(function: str, x: Array, numbers: DimensionNumbers | None) -> Layout:
    rank = x.aval.ndim
    if numbers is None:
        return Layout(*[tuple(range(rank))] * 3)
    texts: object = numbers
    if not isinstance(texts, tuple | list) or len(texts) != 3 or not all([isinstance(text, str) for text in texts]):
        raise refusal(function, "dimension_numbers", "three strings such as ('NCHW', 'OIHW', 'NCHW')", numbers)
    return _named(function, tuple(texts), rank)


@memoised
def _named(function: str, numbers: tuple[str, ...], rank: int) -> Layout:
    spatial = ""
    for argument, text, first in zip(_ARGUMENTS, numbers, _FIRST, strict=True):
        subject = f"{function}: dimension_numbers {numbers}: {text!r} of {argument}"
        if len(text) != rank:
            raise ShapeError(f"{subject} has {len(text)} letters for {rank} axes")
        if len(set(text)) != rank:
            twice = next(letter for letter in text if text.count(letter) > 1)
            raise ShapeError(f"{subject} has {twice!r} twice")
        if not set(first) <= set(text):
            raise ShapeError(f"{subject} must have {' and '.join(first)}, of {_MEANING[first]}")
        rest = "".join([letter for letter in text if letter not in first])
        if spatial and set(rest) != set(spatial):
            raise ShapeError(f"{subject} must have the spatial axes {spatial!r}, as {numbers[0]!r} of x, got {rest!r}")
        spatial = spatial or rest
    return Layout(
        *[
            tuple([text.index(letter) for letter in first + spatial])
            for text, first in zip(numbers, _FIRST, strict=True)
        ]
    )


def _precision(function: str, value: Precision) -> Precision:
    choice(function, "precision", value, Precision)
    return value

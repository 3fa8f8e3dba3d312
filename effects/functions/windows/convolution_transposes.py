"""The two transposes of a convolution, which are convolutions, and the axes that groups and lanes share with features.

Functions, derivatives and batching use them; arguments are not checked here.
"""

from __future__ import annotations

from collections.abc import Sequence

from effects.arrays.array import Array
from effects.functions.creation import creation
from effects.functions.manipulation import movement
from effects.operations.convolution import Convolution
from effects.operations.movement import Flip
from effects.program.chain import perform
from effects.types.shapes import Ints, Layout, Window, dilated


def merge_axis(x: Array, axis: int, into: int) -> Array:
    """`x` with `axis` as the outer part of the axis `into`; axes are counted before."""
    at = into - 1 if axis < into else into
    moved = movement.moveaxis(x, axis, at)
    shape = moved.aval.shape
    return movement.reshape(moved, (*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :]))


def split_axis(x: Array, axis: int, count: int) -> Array:
    """`x` with `axis` as two axes, the outer one of size `count`, which is not 0."""
    shape = x.aval.shape
    return movement.reshape(x, (*shape[:axis], count, shape[axis] // count, *shape[axis + 1 :]))


def regrouped(x: Array, source: int, target: int, count: int) -> Array:
    """`x` with `count` groups moved from the axis `source` to the outer part of the axis `target`."""
    if count == 1:
        return x
    return merge_axis(split_axis(x, source, count), source, target + 1 if target > source else target)


def backwards(window: Window, sizes: Sequence[int], shape: Sequence[int], places: Sequence[int]) -> Window:
    """The window, of these `sizes`, of the transposed convolution, from an element for each place to this `shape`.

    Place s and element p of the dilated operand are connected by the window's element k with s · stride + k · dilation
    = p + padding: in the reversed window, stride and dilation of the operand are exchanged.
    """
    padding = []
    for size, n, count, stride, (before, _), x_dilation, dilation in zip(sizes, shape, places, *window, strict=True):
        reach = dilated(size, dilation)
        first = reach - 1 - before
        padding.append((first, dilated(n, x_dilation) - 1 + reach - first - dilated(count, stride)))
    return Window(window.x_dilation, tuple(padding), window.strides, window.kernel_dilation)


def by_operand(op: Convolution[Array], ct: Array, kernel: Array, shape: Ints) -> Array:
    """The cotangent of `x`, of this shape, for the cotangent `ct` of the result.

    It is the convolution of `ct` with the reversed kernel.
    """
    if not (ct.aval.size and kernel.aval.size and 0 not in shape):
        return creation.zeros(shape, dtype=ct.aval.dtype)
    window, layout = op.window, op.layout
    out_features, in_features, *spatial = layout.kernel
    turned = regrouped(perform(Flip(tuple(spatial), kernel)), out_features, in_features, op.groups)
    back = backwards(
        window,
        [kernel.aval.shape[axis] for axis in spatial],
        [shape[axis] for axis in layout.x[2:]],
        [ct.aval.shape[axis] for axis in layout.out[2:]],
    )
    places = Layout(layout.out, (in_features, out_features, *spatial), layout.x)
    return perform(Convolution(back, places, op.groups, ct, turned, op.precision))


def by_kernel(op: Convolution[Array], x: Array, ct: Array, shape: Ints) -> Array:
    """The cotangent of the kernel, of this shape, for the cotangent `ct` of the result.

    It is the convolution of `x` with `ct` as the kernel: sums are over batch and places, and the features of `x` take
    the place of the batch.
    """
    if not (ct.aval.size and x.aval.size and 0 not in shape):
        return creation.zeros(shape, dtype=ct.aval.dtype)
    window, layout = op.window, op.layout
    batch, features, *spatial = layout.x
    padding = []
    for axis, k_axis, out_axis, stride, (before, _), x_dilation, kernel_dilation in zip(
        spatial, layout.kernel[2:], layout.out[2:], *window, strict=True
    ):
        needed = dilated(shape[k_axis], kernel_dilation) - 1 + dilated(ct.aval.shape[out_axis], stride)
        padding.append((before, needed - before - dilated(x.aval.shape[axis], x_dilation)))
    over = Window(window.kernel_dilation, tuple(padding), window.x_dilation, window.strides)
    out_batch, out_features, *out_spatial = layout.out
    features_out, features_in, *of_kernel = layout.kernel
    places = Layout(
        (features, batch, *spatial), (out_features, out_batch, *out_spatial), (features_in, features_out, *of_kernel)
    )
    return perform(Convolution(over, places, op.groups, regrouped(x, features, batch, op.groups), ct, op.precision))

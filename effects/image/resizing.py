"""Resizing: along each axis every new element is a weighted mean of the old ones around its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

import effects as fx
from effects.arguments import choice, flag
from effects.arrays.promotion import as_array, inexact, rounded_once
from effects.errors import ShapeError
from effects.runtime.memory_errors import memory_errors
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike
    from effects.types.signatures.creation import Sizes

    type Weights = npt.NDArray[np.float64]

type ResizeMethod = Literal["nearest", "linear", "cubic", "lanczos3"]


def resize(image: ArrayLike, /, shape: Sizes, method: ResizeMethod, antialias: bool = True) -> Array:
    """The image with another size along each axis: a resampled array of the shape `shape`.

    `shape` has the sizes of all axes, those of batches and channels too. Element i of n along an axis that had m
    elements lies at the position (i + 1/2) · m / n - 1/2 among these, and is a mean of elements near it, with weights
    by the `method`: "nearest" takes the element there, "linear" weighs two, "cubic" four by Keys' cubic polynomials (A
    = -1/2), and "lanczos3" six by Lanczos' windowed sine. Weights of elements beyond the ends are left out. With
    `antialias` a kernel is m / n times as wide along an axis that becomes shorter.

    Integers become the default float unless the method is "nearest"; narrow floats are computed in float32. The numbers
    are jax's, and the function is linear. Raises ShapeError for a shape of another rank, and where an axis without
    elements is to have some.

    >>> import effects as fx
    >>> fx.image.resize(fx.asarray([0.0, 4.0, 8.0]), (6,), "linear")
    Array([0., 1., 3., 5., 7., 8.], float64)
    >>> fx.image.resize(fx.asarray([[1, 2], [3, 4]]), (2, 4), "nearest")
    Array([[1, 1, 2, 2],
           [3, 3, 4, 4]], int64)
    """
    kind, smooth = choice("resize", "method", method, ResizeMethod), flag("resize", "antialias", antialias)
    array = as_array(image, "resize", "image") if kind == "nearest" else inexact("resize", image, "image")
    sizes, old = shapes.static_shape("resize", shape), array.aval.shape
    if len(sizes) != len(old):
        raise ShapeError(
            f"resize: shape must have a size for each axis of image, {array.aval}, got {shapes.show(sizes)}"
        )
    axes = [i for i, (m, n) in enumerate(zip(old, sizes, strict=True)) if m != n]
    for axis in axes:
        if not old[axis]:
            raise ShapeError(f"resize: axis {axis} of image, {array.aval}, has no elements to make {sizes[axis]} of")
    axes.sort(key=lambda axis: sizes[axis] / old[axis])  # what becomes smaller first
    if kind == "nearest":
        for axis in axes:
            with memory_errors:
                places = (2 * np.arange(sizes[axis]) + 1) * old[axis] // (2 * sizes[axis])
            array = fx.take(array, places, axis=axis)
        return array

    def f(x: Array) -> Array:
        real = dtypes.real_of(x.aval.dtype).dtype
        for axis in axes:
            with memory_errors:
                weights = _weights(old[axis], sizes[axis], _KERNELS[kind], smooth).astype(real)
            ends = fx.einsum("...i,ij->...j", fx.moveaxis(x, axis, -1), weights, precision="highest")
            x = fx.moveaxis(ends, -1, axis)
        return x

    return rounded_once(f, array)


def _weights(m: int, n: int, kernel: Callable[[Weights], Weights], antialias: bool) -> Weights:
    """Weights [m, n] of m elements in n, whose sum is 1 for each of these."""
    step = m / max(n, 1)
    centres = (np.arange(n) + 0.5) * step - 0.5
    distances: Weights = abs(centres - np.arange(m, dtype=np.float64)[:, None])
    weights = kernel(distances / max(step, 1.0) if antialias else distances)
    return weights / weights.sum(axis=0)


def _cubic(x: Weights) -> Weights:
    near, far = ((1.5 * x - 2.5) * x) * x + 1, ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0))


_KERNELS: Final[dict[str, Callable[[Any], Weights]]] = {
    "linear": lambda x: np.maximum(1 - x, 0),
    "cubic": _cubic,
    "lanczos3": lambda x: np.where(x <= 3, np.sinc(x) * np.sinc(x / 3), 0),
}

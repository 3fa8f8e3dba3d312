"""Parts of layers: normalisation over groups of axes, and dropout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import effects as fx
from effects.arguments import natural, number, refusal
from effects.arrays.promotion import constant_like, inexact, rounded_once
from effects.errors import ShapeError
from effects.nn.activations import real_floats
from effects.types import shapes

if TYPE_CHECKING:
    from effects.arrays.array import Array
    from effects.arrays.operators import DT
    from effects.functions.reductions.reduction import Axes
    from effects.random.keys import Key
    from effects.types.signatures.becoming import AsFloats


def rms_norm(x: AsFloats[DT], /, axis: Axes = -1, epsilon: float = 1e-6) -> Array[DT]:
    """x / √(mean x² + epsilon) over `axis`. A learned scale is a factor of the result.

    Narrow floats are computed in float32. Source: Zhang and Sennrich, Root mean square layer normalization, 2019.

    >>> import effects as fx
    >>> fx.nn.rms_norm(fx.asarray([3.0, 4.0]), epsilon=0.0) * fx.sqrt(12.5)
    Array([3., 4.], float64)
    """
    least = number("rms_norm", "epsilon", epsilon)

    def f(x: Array) -> Array:
        power = fx.mean(fx.square(x), axis=axis, keepdims=True)
        return x * fx.rsqrt(power + constant_like(least, power))

    return rounded_once(f, real_floats("rms_norm", x))


def group_norm(x: AsFloats[DT], /, groups: int, epsilon: float = 1e-5) -> Array[DT]:
    """x of shape [N, *places, C] brought to mean 0 and variance 1 over the places and each of `groups` parts of C.

    Raises ShapeError unless `groups` divides C. With one group for each channel it is instance normalisation. Source:
    Wu and He, Group normalization, 2018.

    >>> import effects as fx
    >>> fx.nn.group_norm(fx.asarray([[[1.0, 10.0], [3.0, 30.0]]]), 2, epsilon=0.0)
    Array([[[-1., -1.],
            [ 1.,  1.]]], float64)
    """
    array, parts = real_floats("group_norm", x), natural("group_norm", "groups", groups)
    shape = array.aval.shape
    if len(shape) < 2 or not parts or shape[-1] % parts:
        raise ShapeError(f"group_norm: {parts} groups do not divide the last axis of x, {array.aval}")
    split = fx.reshape(array, (*shape[:-1], parts, shape[-1] // parts))
    normal = fx.nn.standardize(split, axis=(*range(1, len(shape) - 1), len(shape)), epsilon=epsilon)
    return fx.reshape(normal, shape)


def dropout(key: Key, x: AsFloats[DT], /, rate: float) -> Array[DT]:
    """x with a share `rate` of its elements 0, drawn by the key, and the others divided by 1 - rate.

    The mean stays. Raises ArgumentError unless rate is at least 0 and less than 1. Source: Srivastava et al. 2014.

    >>> import effects as fx
    >>> fx.nn.dropout(fx.random.key(0), fx.ones(6), 0.5)
    Array([2., 2., 0., 0., 0., 2.], float64)
    """
    array, share = inexact("dropout", x), number("dropout", "rate", rate)
    if not 0 <= share < 1:
        raise refusal("dropout", "rate", "at least 0 and less than 1", rate)
    mask = fx.random.bernoulli(key, 1 - share, shapes.static_shape("dropout", array.aval.shape))
    return fx.where(mask, rounded_once(lambda y: y / (1 - share), array), constant_like(0, array))

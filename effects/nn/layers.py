"""Parts of layers: normalisation over axes, groups of channels and batches, and dropout."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import effects as fx
from effects.arguments import at_least, flag, natural, number, refusal
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, at_least_single, constant_like, convert, inexact, rounded_once
from effects.errors import ArgumentError, ShapeError
from effects.nn.activations import real_floats
from effects.random.keys import Key
from effects.types import shapes

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.functions.reductions.reduction import Axes
    from effects.types.signatures.becoming import AsFloats, Mask, Real


class BatchStatistics(NamedTuple):
    """Mean and variance of each channel, as they have been over the batches so far."""

    mean: Array
    variance: Array


def standardize(
    x: AsFloats[DT],
    /,
    axis: Axes = -1,
    mean: Real | None = None,
    variance: Real | None = None,
    epsilon: float = 1e-5,
    where: Mask = True,
) -> Array[DT]:
    """(x - mean) / √(variance + epsilon), of the mean and variance of x over `axis` where they are not said.

    The variance is the mean of (x - mean)². Only elements whose `where` is True count, even if others are infinite; all
    are standardised. A learned scale is a factor of the result, so a layer norm is `standardize(x) * scale + bias`.
    Narrow floats are computed in float32. Raises ShapeError unless mean, variance and mask broadcast to the shape of x,
    ArgumentError for a negative epsilon.

    Special cases: 0 where squares overflow, in float32 from 1e19 on (to scale by the greatest element would take
    another pass over x); with epsilon 0, ±∞ where they underflow, and NaN at the mean.

    >>> import effects as fx
    >>> fx.nn.standardize(fx.asarray([1.0, 3.0]), epsilon=0.0)
    Array([-1.,  1.], float64)
    """
    array, least = real_floats("standardize", x), at_least("standardize", "epsilon", epsilon)
    centre, spread = [
        None if value is None else _broadcast("standardize", name, value, array)
        for name, value in (("mean", mean), ("variance", variance))
    ]

    def f(x: Array) -> Array:
        middle = fx.mean(x, axis=axis, keepdims=True, where=where) if centre is None else centre
        centred = x - middle
        if spread is not None:
            return centred * fx.rsqrt(spread + least)
        if where is True:
            return centred * fx.rsqrt(fx.mean(fx.square(centred), axis=axis, keepdims=True) + least)
        counted = as_array(where, "standardize", "where")
        apart = fx.logical_not(fx.logical_or(counted, fx.isfinite(x)))  # 0 · ∞ in derivatives of others would be NaN
        centred = fx.where(apart, constant_like(0, x), x) - middle
        variance = fx.mean(fx.square(centred), axis=axis, keepdims=True, where=where)
        return fx.where(apart, x, centred * fx.rsqrt(variance + least))

    return rounded_once(f, array)


def _broadcast(function: str, argument: str, value: Real, x: Array) -> Array:
    """The argument as an array of real numbers that broadcasts to the shape of x, in the dtype of computation."""
    array = real_floats(function, value, argument)
    shape = (1,) * (x.aval.ndim - array.aval.ndim) + array.aval.shape
    if len(shape) != x.aval.ndim or any([d not in (1, e) for d, e in zip(shape, x.aval.shape, strict=True)]):
        raise ShapeError(f"{function}: {argument}, {array.aval}, does not broadcast to x, {x.aval}")
    return convert(array, at_least_single(x).aval.dtype)


def rms_norm(x: AsFloats[DT], /, axis: Axes = -1, epsilon: float = 1e-6) -> Array[DT]:
    """x / √(mean x² + epsilon) over `axis`. A learned scale is a factor of the result.

    Narrow floats are computed in float32. Special cases: where squares overflow or underflow as of `standardize`.
    Source: Zhang and Sennrich, Root mean square layer normalization, 2019.

    >>> import effects as fx
    >>> fx.nn.rms_norm(fx.asarray([3.0, 4.0]), epsilon=0.0) * fx.sqrt(12.5)
    Array([3., 4.], float64)
    """
    least = at_least("rms_norm", "epsilon", epsilon)

    def f(x: Array) -> Array:
        power = fx.mean(fx.square(x), axis=axis, keepdims=True)
        return x * fx.rsqrt(power + constant_like(least, power))

    return rounded_once(f, real_floats("rms_norm", x))


def group_norm(x: AsFloats[DT], /, groups: int, epsilon: float = 1e-5) -> Array[DT]:
    """x of shape [N, *places, C] brought to mean 0 and variance 1 over the places and each of `groups` parts of C.

    The quotient is by √(variance + epsilon). With one group for each channel it is instance normalisation. Raises
    ShapeError unless `groups` divides C. Source: Wu and He, Group normalization, 2018.

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


def batch_norm(
    x: AsFloats[DT], statistics: BatchStatistics, /, training: bool, decay: float = 0.9, epsilon: float = 1e-5
) -> tuple[Array[DT], BatchStatistics]:
    """x of shape [*batch, C] brought to mean 0 and variance 1 for each of C channels, and the statistics afterwards.

    The quotient is by √(variance + epsilon). In training the mean and variance are those of x over all axes but the
    last, and statistics become decay · statistics + (1 - decay) · those of x, in their own dtype; in evaluation they
    are the statistics, which stay. The first are `BatchStatistics(zeros(C), ones(C))`. The variance is that of the
    elements, without a correction.

    Raises ShapeError unless both statistics are [C], and in training for a batch without elements. Source: Ioffe and
    Szegedy, Batch normalization, 2015.

    >>> import effects as fx
    >>> before = fx.nn.BatchStatistics(fx.zeros(2), fx.ones(2))
    >>> x = fx.asarray([[1.0, 10.0], [3.0, 30.0]])
    >>> y, after = fx.nn.batch_norm(x, before, training=True)
    >>> y.round(3)
    Array([[-1., -1.],
           [ 1.,  1.]], float64)
    >>> after
    BatchStatistics(mean=Array([0.2, 2. ], float64), variance=Array([ 1. , 10.9], float64))
    """
    name = "batch_norm"
    array, learns, kept = real_floats(name, x), flag(name, "training", training), number(name, "decay", decay)
    at_least(name, "epsilon", epsilon)
    if not 0 <= kept <= 1:
        raise refusal(name, "decay", "from 0 to 1", decay)
    if not isinstance(statistics, BatchStatistics):
        raise refusal(name, "statistics", "BatchStatistics(mean, variance)", statistics)
    mean, variance = [real_floats(name, s, f"statistics.{field}") for field, s in statistics._asdict().items()]
    channels = array.aval.shape[-1:]
    if not channels or not mean.aval.shape == variance.aval.shape == channels:
        raise ShapeError(
            f"{name}: x is {array.aval}, and statistics are {mean.aval} and {variance.aval}, not one for each channel"
        )
    if not learns:
        return fx.nn.standardize(array, -1, mean, variance, epsilon), BatchStatistics(mean, variance)
    if array.aval.ndim < 2 or not array.aval.size:
        raise ShapeError(f"{name}: x must have elements besides the channels to learn from, got {array.aval}")
    wide, axes = at_least_single(array), tuple(range(array.aval.ndim - 1))
    own = BatchStatistics(fx.mean(wide, axis=axes), fx.var(wide, axis=axes))
    after = [
        kept * running + (1 - kept) * convert(now, running.aval.dtype)
        for running, now in zip((mean, variance), own, strict=True)
    ]
    return fx.nn.standardize(array, axes, *own, epsilon), BatchStatistics(*after)


def dropout(key: Key, x: AsFloats[DT], /, rate: float) -> Array[DT]:
    """x with a share `rate` of its elements 0, drawn by the key, and the others divided by 1 - rate.

    The mean is preserved. Raises ArgumentError unless rate is at least 0 and less than 1. Source: Srivastava et al.
    2014.

    >>> import effects as fx
    >>> fx.nn.dropout(fx.random.key(0), fx.ones(6), 0.5)
    Array([2., 2., 0., 0., 0., 2.], float64)
    """
    if any([isinstance(value, Key) for value in (x, rate)]):
        raise ArgumentError("dropout: the key comes first; write dropout(key, x, rate)")
    array, share = inexact("dropout", x), number("dropout", "rate", rate)
    if not 0 <= share < 1:
        raise refusal("dropout", "rate", "at least 0 and less than 1", rate)
    mask = fx.random.bernoulli(key, 1 - share, shapes.static_shape("dropout", array.aval.shape))
    return fx.where(mask, rounded_once(lambda y: y / (1 - share), array), constant_like(0, array))

"""Functions of sums of exponentials, without intermediate overflow: `logsumexp`, `softmax`, `log_softmax`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import handlers
from effects.arguments import flag
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import constant_like, convert, inexact, rounded_once
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.manipulation import movement
from effects.functions.reductions import reduction
from effects.operations.reduction import ReduceKind
from effects.types import dtypes, shapes
from effects.types.signatures.reduction import Normalised
from effects.types.signatures.spread import Logarithm

if TYPE_CHECKING:
    from effects.functions.reductions.reduction import Axes
    from effects.types.signatures.becoming import Mask


def _shift(x: Array, axis: Axes) -> Array:
    """The greatest element over `axis` if it is finite, else 0, to be subtracted before `exp`.

    It is a constant of derivatives, since no result depends on it.
    """
    greatest = reduction.max(unary.real(handlers.stop_gradient(x)), axis=axis, keepdims=True)
    return logic.where(unary.isfinite(greatest), greatest, constant_like(0, greatest))


def _counted(function: str, x: Array, where: Mask) -> Array:
    """x with -∞, whose exponential is 0, for elements that do not count."""
    return reduction.restricted(function, x, where, -math.inf)


@Logarithm
def logsumexp(
    x: ArrayLike,
    /,
    axis: Axes = None,
    b: ArrayLike | None = None,
    *,
    keepdims: bool = False,
    return_sign: bool = False,
    where: Mask = True,
) -> Array | tuple[Array, Array]:
    """log Σ exp(x[i]) over `axis`, without overflow in between; its derivative is `softmax`.

    With weights it is log Σ b[i] exp(x[i]), and NaN if the sum is negative; with `return_sign` the result is a pair,
    the logarithm of the sum's absolute value and its sign. For complex numbers it is the principal value, as in SciPy;
    then the sign is a number of absolute value 1. Only elements whose `where` is True count. Special cases: -∞ for no
    elements and for only -∞, with derivative 0.

    >>> import effects as fx
    >>> fx.logsumexp(fx.asarray([1000.0, 1000.0]))
    Array(1000.69314718, float64)
    >>> fx.logsumexp(fx.asarray([1000.0, 999.0]), b=fx.asarray([-1.0, 1.0]), return_sign=True)
    (Array(999.54132485, float64), Array(-1., float64))
    """
    keep, signed = flag("logsumexp", "keepdims", keepdims), flag("logsumexp", "return_sign", return_sign)
    if b is None:
        arrays = [inexact("logsumexp", x)]
    else:
        arrays = list(arithmetic.inexact_pair("logsumexp", x, b, ("x", "b")))
        shape = shapes.broadcast_named("logsumexp", {"x": arrays[0].aval.shape, "b": arrays[1].aval.shape})
        arrays = [movement.broadcast_to(v, shape) for v in arrays]
    dtype = arrays[0].aval.dtype
    if dtype in dtypes.NARROW:
        arrays = [convert(v, dtypes.float32) for v in arrays]
    weights = reduction.restricted("logsumexp", arrays[1], where, 0) if b is not None else None
    size, sign = _logsumexp(_counted("logsumexp", arrays[0], where), weights, axis, keep, signed)
    return (convert(size, dtypes.real_of(dtype)), convert(sign, dtype)) if signed else convert(size, dtype)


def _logsumexp(x: Array, b: Array | None, axis: Axes, keepdims: bool, signed: bool) -> tuple[Array, Array]:
    """The logarithm and the sign of the sum; the sign is meaningful only if `signed`."""
    if not x.aval.size:
        total = reduction.fold(ReduceKind.SUM, "logsumexp", x, axis, keepdims)
        return transcendental.log(total), total
    shift = _shift(x if b is None else logic.where(b == 0, constant_like(-math.inf, x), x), axis)
    power = x - shift
    if b is not None:  # elements of weight 0 may be the greatest, and ∞ · 0 is NaN
        limit = constant_like(math.log(np.finfo(power.aval.dtype.dtype).max) - 1, power)
        power = logic.where((b == 0) & (unary.real(power) > unary.real(limit)), limit, power)
    powers = transcendental.exp(power) if b is None else b * transcendental.exp(power)
    total = reduction.fold(ReduceKind.SUM, "logsumexp", powers, axis, True)
    is_zero = total == constant_like(0, total)  # the logarithm's derivative there would be ∞ · 0
    size = unary.abs(total) if signed else total
    safe = logic.where(is_zero, constant_like(1, size), size)
    result = arithmetic.add(transcendental.log(safe), logic.where(is_zero, constant_like(-math.inf, shift), shift))
    sign = unary.sign(total) if signed else total
    if keepdims:
        return result, sign
    axes = reduction.axes_of("logsumexp", x, axis)
    return movement.squeeze(result, axes), movement.squeeze(sign, axes)


@Normalised
def softmax(x: ArrayLike, /, axis: Axes = -1, *, where: Mask = True) -> Array:
    """exp(x[i]) / Σ exp(x[j]) over `axis`, without overflow in between; NaN where there is nothing but -∞.

    Elements whose `where` is False are left out: there the result is 0 with derivative 0, also if all are left out.

    >>> import effects as fx
    >>> fx.softmax(fx.asarray([0.0, 0.0])), fx.softmax(fx.asarray([0.0, 0.0]), where=fx.asarray([True, False]))
    (Array([0.5, 0.5], float64), Array([1., 0.], float64))
    """
    return rounded_once(
        lambda x: _softmax(_counted("softmax", x, where), axis, where is not True), inexact("softmax", x)
    )


def _total(function: str, powers: Array, axis: Axes, some: bool) -> Array:
    """The sum of the powers; with `some`, 1 where no element counts, so that quotients are 0 there."""
    total = reduction.fold(ReduceKind.SUM, function, powers, axis, True)
    if not some:
        return total
    return logic.where(logic.equal(total, constant_like(0, total)), constant_like(1, total), total)


def _softmax(x: Array, axis: Axes, some: bool) -> Array:
    if not x.aval.size:
        return x
    powers = transcendental.exp(x - _shift(x, axis))
    total = _total("softmax", powers, axis, some)
    return powers * arithmetic.divide(constant_like(1, total), total)  # one division for all: the sum is 1 or more


@Normalised
def log_softmax(x: ArrayLike, /, axis: Axes = -1, *, where: Mask = True) -> Array:
    """x[i] - log Σ exp(x[j]) over `axis`: the logarithm of `softmax`, exact also where that underflows.

    Elements whose `where` is False are left out: there the result is -∞ with derivative 0.

    >>> import effects as fx
    >>> fx.log_softmax(fx.asarray([0.0, 1000.0]))
    Array([-1000.,     0.], float64)
    """

    def of_array(x: Array) -> Array:
        counted = _counted("log_softmax", x, where)
        return _counted("log_softmax", _log_softmax(counted, axis, where is not True), where)

    return rounded_once(of_array, inexact("log_softmax", x))


def _log_softmax(x: Array, axis: Axes, some: bool) -> Array:
    if not x.aval.size:
        return x
    centred = x - _shift(x, axis)
    return centred - transcendental.log(_total("log_softmax", transcendental.exp(centred), axis, some))

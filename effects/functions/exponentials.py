"""Sums of exponentials and what is made of them: `logsumexp`, `softmax`, `log_softmax`, without overflow in between."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from effects.arguments import flag
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, inexact, rounded_once
from effects.functions import arithmetic, elementwise, logic, movement, reduction, transcendental
from effects.operations.reduction import ReduceKind
from effects.types.signatures.exponentials import Normalised
from effects.types.signatures.spread import Logarithm

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike
    from effects.functions.reduction import Axes, Mask


def _shift(function: str, x: Array, axis: Axes) -> Array:
    """The greatest element over `axis` where it is finite, else 0: what to subtract before `exp`."""
    greatest = reduction.max(elementwise.real(x), axis=axis, keepdims=True)
    return logic.where(elementwise.isfinite(greatest), greatest, constant_like(0, greatest))


def _counted(function: str, x: Array, where: Mask) -> Array:
    """x with -∞, whose exponential is nothing, for what does not count."""
    return reduction.restricted(function, x, where, -math.inf)


@Logarithm
def logsumexp(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, where: Mask = True) -> Array:
    """log Σ exp(x[i]) over `axis`, without overflow in between; its derivative is `softmax`.

    Only the elements count that `where` holds for. Special cases: -∞ of nothing and of nothing but -∞, where the
    derivative is 0.

    >>> from effects.functions.creation import asarray
    >>> logsumexp(asarray([1000.0, 1000.0]))
    Array(1000.69314718, float64)
    """
    return rounded_once(lambda x: _logsumexp(_counted("logsumexp", x, where), axis, keepdims), inexact("logsumexp", x))


def _logsumexp(x: Array, axis: Axes, keepdims: bool) -> Array:
    keepdims = flag("logsumexp", "keepdims", keepdims)
    if not x.aval.size:
        return transcendental.log(reduction.fold(ReduceKind.SUM, "logsumexp", x, axis, keepdims))
    shift = _shift("logsumexp", x, axis)
    total = reduction.fold(ReduceKind.SUM, "logsumexp", transcendental.exp(x - shift), axis, True)
    nothing = total == constant_like(0, total)  # the logarithm's derivative there would be ∞ · 0
    safe = logic.where(nothing, constant_like(1, total), total)
    result = arithmetic.add(transcendental.log(safe), logic.where(nothing, constant_like(-math.inf, shift), shift))
    if keepdims:
        return result
    return movement.squeeze(result, reduction.axes_of("logsumexp", x, axis))


@Normalised
def softmax(x: ArrayLike, /, axis: Axes = -1, *, where: Mask = True) -> Array:
    """exp(x[i]) / Σ exp(x[j]) over `axis`, without overflow in between; NaN where there is nothing but -∞.

    Elements for which `where` does not hold are left out: there the result is 0, and so is the derivative, also where
    it holds for none.

    >>> from effects.functions.creation import asarray
    >>> softmax(asarray([0.0, 0.0])), softmax(asarray([0.0, 0.0]), where=asarray([True, False]))
    (Array([0.5, 0.5], float64), Array([1., 0.], float64))
    """
    return rounded_once(
        lambda x: _softmax(_counted("softmax", x, where), axis, where is not True), inexact("softmax", x)
    )


def _total(function: str, powers: Array, axis: Axes, some: bool) -> Array:
    """The sum of the powers; with `some` 1 where there is none, so that what is left out is 0 there, too."""
    total = reduction.fold(ReduceKind.SUM, function, powers, axis, True)
    if not some:
        return total
    return logic.where(logic.equal(total, constant_like(0, total)), constant_like(1, total), total)


def _softmax(x: Array, axis: Axes, some: bool) -> Array:
    if not x.aval.size:
        return x
    powers = transcendental.exp(x - _shift("softmax", x, axis))
    return powers / _total("softmax", powers, axis, some)


@Normalised
def log_softmax(x: ArrayLike, /, axis: Axes = -1, *, where: Mask = True) -> Array:
    """x[i] - log Σ exp(x[j]) over `axis`: the logarithm of `softmax`, exact also where that underflows.

    Elements for which `where` does not hold are left out: there the result is -∞, and the derivative 0.

    >>> from effects.functions.creation import asarray
    >>> log_softmax(asarray([0.0, 1000.0]))
    Array([-1000.,     0.], float64)
    """

    def found(x: Array) -> Array:
        counted = _counted("log_softmax", x, where)
        return _counted("log_softmax", _log_softmax(counted, axis, where is not True), where)

    return rounded_once(found, inexact("log_softmax", x))


def _log_softmax(x: Array, axis: Axes, some: bool) -> Array:
    if not x.aval.size:
        return x
    centred = x - _shift("log_softmax", x, axis)
    return centred - transcendental.log(_total("log_softmax", transcendental.exp(centred), axis, some))

"""Activations without exponentials; and logarithms of what is less than one, and of means."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import effects as fx
from effects.arguments import at_least
from effects.arrays.promotion import as_array, at_least_single, constant_like, convert, inexact, rounded_once
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.nn.activations import between, real_floats
from effects.types import dtypes
from effects.types.signatures.elementwise import Floats

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike
    from effects.arrays.operators import DT, Sh
    from effects.functions.reductions.reduction import Axes
    from effects.types.signatures.becoming import AsFloats, AsFloatsOf, Mask


def squareplus(x: AsFloatsOf[DT, Sh], /, b: float = 4.0) -> Array[DT, Sh]:
    """(x + √(x² + b)) / 2, without cancellation: a smooth `relu` without exponentials.

    Special cases: -∞ gives 0 with derivative 0, ∞ gives ∞ with derivative 1. Source: Barron, Squareplus, 2021.

    >>> import effects as fx
    >>> fx.nn.squareplus(fx.asarray([-1.5, 0.0, 1.5]))
    Array([0.5, 1. , 2. ], float64)
    """
    width = at_least("squareplus", "b", b)

    def f(x: Array) -> Array:
        infinite = fx.isinf(x)
        size = fx.hypot(fx.where(infinite, constant_like(0, x), x), math.sqrt(width))
        below = fx.where(fx.logical_or(x >= 0, size == 0), constant_like(1, x), size - x)
        finite = fx.where(x < 0, width / (2 * below), x / 2 + size / 2)
        return fx.where(infinite, fx.nn.relu(x), finite)

    return rounded_once(f, real_floats("squareplus", x))


@Floats
def soft_sign(x: ArrayLike, /) -> Array:
    """x / (1 + |x|). Special cases: ±∞ give ±1 with derivative 0.

    >>> import effects as fx
    >>> fx.nn.soft_sign(fx.asarray([-1.0, 3.0, fx.inf]))
    Array([-0.5 ,  0.75,  1.  ], float64)
    """

    return rounded_once(_soft_sign, real_floats("soft_sign", x))


@with_derivatives(lambda y, x: fx.square(1 / (1 + fx.where(x > 0, x, -x))))
def _soft_sign(x: Array) -> Array:
    infinite = fx.isinf(x)
    return fx.where(infinite, fx.sign(x), x / (1 + abs(fx.where(infinite, constant_like(0, x), x))))


@Floats
def sparse_plus(x: ArrayLike, /) -> Array:
    """0 up to -1, x from 1 on, and (x + 1)² / 4 in between: the integral of `sparse_sigmoid`.

    Source: Martins and Astudillo, From softmax to sparsemax, 2016, as a loss of two classes.

    >>> import effects as fx
    >>> fx.nn.sparse_plus(fx.asarray([-2.0, 0.0, 2.0]))
    Array([0.  , 0.25, 2.  ], float64)
    """

    def f(x: Array) -> Array:
        middle = fx.square(between(x, -1.0, 1.0) + 1) / 4
        return fx.where(x <= -1, constant_like(0, x), fx.where(x >= 1, x, middle))

    return rounded_once(f, real_floats("sparse_plus", x))


@Floats
def sparse_sigmoid(x: ArrayLike, /) -> Array:
    """(x + 1) / 2 between -1 and 1, else 0 or 1. The derivative at ±1 is 0.

    >>> import effects as fx
    >>> fx.nn.sparse_sigmoid(fx.asarray([-2.0, 0.5]))
    Array([0.  , 0.75], float64)
    """
    return rounded_once(lambda x: between(x, -1.0, 1.0) / 2 + 0.5, real_floats("sparse_sigmoid", x))


@Floats
def log1mexp(x: ArrayLike, /) -> Array:
    """log(1 - e⁻ˣ) for x ≥ 0, without cancellation; -∞ at 0, NaN below.

    Source: Mächler, Accurately computing log(1 - exp(-|a|)), 2012.

    >>> import effects as fx
    >>> fx.nn.log1mexp(fx.asarray([1e-20, 1.0, 50.0]))
    Array([-4.60517019e+01, -4.58675145e-01, -1.92874985e-22], float64)
    """

    def f(x: Array) -> Array:
        near = x < math.log(2)
        one = constant_like(1, x)
        far = fx.log1p(-fx.exp(-fx.where(near, one, x)))
        return fx.where(near, fx.log(-fx.expm1(-fx.where(near, x, one))), far)

    return rounded_once(f, real_floats("log1mexp", x))


def logmeanexp(x: AsFloats[DT], /, axis: Axes = None, *, keepdims: bool = False, where: Mask = True) -> Array[DT]:
    """log of the mean of eˣ over `axis`, without overflow: `logsumexp` less the log of the number of elements.

    Only elements whose `where` is True count.

    Special cases: NaN where there are none.

    >>> import effects as fx
    >>> fx.nn.logmeanexp(fx.asarray([1000.0, 1000.0]))
    Array(1000., float64)
    """
    array = inexact("logmeanexp", x)
    dtype, array = array.aval.dtype, at_least_single(array)
    total = fx.nn.logsumexp(array, axis, keepdims=keepdims, where=where)
    counted = fx.broadcast_to(as_array(where, "logmeanexp", "where"), array.aval.shape)
    count = fx.sum(counted, axis=axis, keepdims=keepdims, dtype=dtypes.float64)
    mean = total - convert(fx.log(fx.where(count > 0, count, 1.0)), total.aval.dtype)
    return convert(fx.where(count > 0, mean, fx.nan), dtype)

"""Activations: elementwise functions with their limits, and the limits of their derivatives, at ±∞.

At NaN derivatives are NaN. Where x itself would pass them on as 1, |x| stands for x > 0, and a `clip` between bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from effects.arguments import finite, flag, refusal
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, constant_like, inexact, rounded_once
from effects.errors import DTypeError, ShapeError
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.manipulation import movement
from effects.operations.elementwise import Unary, UnaryKind
from effects.program.chain import perform
from effects.runtime.names import named
from effects.types import dtypes, shapes
from effects.types.signatures.elementwise import Floats, Keeping

if TYPE_CHECKING:
    from effects.arrays.operators import DT, Sh
    from effects.types.signatures.becoming import AsFloats, AsFloatsOf

# What self-normalising networks scale by, of Klambauer et al.: the fixed point is mean 0 and variance 1.
_SELU_ALPHA: Final = 1.6732632423543772
_SELU_SCALE: Final = 1.0507009873554805
_FAR: Final = 800.0
"""Size of arguments beyond which the logistic function is 0 or 1 in every dtype."""


def real_floats(function: str, x: object, argument: str = "x") -> Array:
    """x as floats. Raises DTypeError for complex numbers."""
    array = inexact(function, x, argument)
    if issubclass(array.aval.dtype, dtypes.Complex):
        raise DTypeError(f"{function} takes real numbers, got {'' if argument == 'x' else argument + ', '}{array.aval}")
    return array


def _below(x: Array, bound: float, value: Array | float, otherwise: Array) -> Array:
    """`value` where x is up to `bound`, else `otherwise`; NaN stays."""
    return logic.where(logic.less_equal(x, constant_like(bound, x)), value, otherwise)


def _within(f: Callable[[Array], Array], x: Array, far: float) -> Array:
    """f(x), which is 0 below -far and x above far; `f` is not evaluated there, where it would multiply 0 and ∞."""
    beyond = logic.greater(unary.abs(x), constant_like(far, x))
    zero = constant_like(0, x)
    inside = f(logic.where(beyond, zero, x))
    return logic.where(beyond, logic.where(logic.greater(x, zero), x, zero), inside)


@Keeping
def relu(x: ArrayLike, /) -> Array:
    """x where it is positive, else 0. The derivative at 0 is 0.

    >>> import effects as fx
    >>> fx.nn.relu(fx.asarray([-1.0, 2.0]))
    Array([0., 2.], float64)
    """
    array = as_array(x, "relu", "x")
    if issubclass(array.aval.dtype, dtypes.Complex):
        raise DTypeError(f"relu takes real numbers, got {array.aval}")
    return _below(array, 0, constant_like(0, array), unary.abs(array))


@Floats
def relu6(x: ArrayLike, /) -> Array:
    """x clipped to [0, 6]. The derivative at 0 and 6 is 0.

    >>> import effects as fx
    >>> fx.nn.relu6(fx.asarray([-1.0, 2.0, 7.0]))
    Array([0., 2., 6.], float64)
    """
    return between(real_floats("relu6", x), 0.0, 6.0)


@Floats
def hard_tanh(x: ArrayLike, /) -> Array:
    """x clipped to [-1, 1]. The derivative at ±1 is 0.

    >>> import effects as fx
    >>> fx.nn.hard_tanh(fx.asarray([-3.0, 0.5]))
    Array([-1. ,  0.5], float64)
    """
    return between(real_floats("hard_tanh", x), -1.0, 1.0)


def between(x: Array, low: float, high: float) -> Array:
    """x between these, else the nearer of them, with derivative 0 there."""
    bottom, top = constant_like(low, x), constant_like(high, x)
    return _below(x, low, bottom, logic.where(logic.greater_equal(x, top), top, logic.clip(x, bottom, top)))


@Floats
def hard_sigmoid(x: ArrayLike, /) -> Array:
    """x / 6 + 1 / 2 between -3 and 3, else 0 or 1.

    >>> import effects as fx
    >>> fx.nn.hard_sigmoid(fx.asarray([-4.0, 0.0, 1.5]))
    Array([0.  , 0.5 , 0.75], float64)
    """
    return rounded_once(lambda x: between(x, -3.0, 3.0) / 6.0 + 0.5, real_floats("hard_sigmoid", x))


@Floats
def hard_silu(x: ArrayLike, /) -> Array:
    """x · hard_sigmoid(x), which is 0 up to -3 and x from 3 on.

    >>> import effects as fx
    >>> fx.nn.hard_silu(fx.asarray([-4.0, 1.5, 4.0]))
    Array([0.   , 1.125, 4.   ], float64)
    """

    def f(x: Array) -> Array:
        inner = between(x, -3.0, 3.0)
        middle = inner * (inner + 3.0) / 6.0
        return _below(x, -3.0, constant_like(0, x), logic.where(logic.greater_equal(x, constant_like(3, x)), x, middle))

    return rounded_once(f, real_floats("hard_silu", x))


def leaky_relu(x: AsFloatsOf[DT, Sh], /, negative_slope: float = 0.01) -> Array[DT, Sh]:
    """x where it is positive, else `negative_slope` · x; the derivative at 0 is `negative_slope`.

    >>> import effects as fx
    >>> fx.nn.leaky_relu(fx.asarray([-1.0, 2.0]))
    Array([-0.01,  2.  ], float64)
    """
    slope = finite("leaky_relu", "negative_slope", negative_slope)

    def f(x: Array) -> Array:
        below = x * constant_like(slope, x) if slope else constant_like(0, x)  # 0 · ∞ is no limit
        return _below(x, 0, below, unary.abs(x))

    return rounded_once(f, real_floats("leaky_relu", x))


def _exponential(x: Array, scale: float, alpha: float, width: float) -> Array:
    """scale · x above 0, scale · alpha · (exp(x / width) - 1) up to it, where alone the exponential is taken."""
    zero = constant_like(0, x)
    below = logic.where(logic.greater(x, zero), zero, x)
    curve = transcendental.expm1(below if width == 1 else below / width)
    above = unary.abs(x)
    return _below(x, 0, curve * (scale * alpha), above if scale == 1 else above * scale)


def elu(x: AsFloatsOf[DT, Sh], /, alpha: float = 1.0) -> Array[DT, Sh]:
    """x where it is positive, else alpha · (eˣ - 1).

    >>> import effects as fx
    >>> fx.nn.elu(fx.asarray([-1.0, 2.0]))
    Array([-0.63212056,  2.        ], float64)
    """
    a = finite("elu", "alpha", alpha)
    return rounded_once(lambda x: _exponential(x, 1, a, 1), real_floats("elu", x))


@Floats
def selu(x: ArrayLike, /) -> Array:
    """`elu` scaled so that activations keep mean 0 and variance 1 from layer to layer.

    >>> import effects as fx
    >>> fx.nn.selu(fx.asarray([-1.0, 2.0]))
    Array([-1.11133074,  2.10140197], float64)
    """
    return rounded_once(lambda x: _exponential(x, _SELU_SCALE, _SELU_ALPHA, 1), real_floats("selu", x))


def celu(x: AsFloatsOf[DT, Sh], /, alpha: float = 1.0) -> Array[DT, Sh]:
    """x where it is positive, else alpha · (exp(x / alpha) - 1), which has no kink.

    >>> import effects as fx
    >>> fx.nn.celu(fx.asarray([-1.0, 2.0]), 2.0)
    Array([-0.78693868,  2.        ], float64)
    """
    a = finite("celu", "alpha", alpha)
    if not a:
        raise refusal("celu", "alpha", "another number than 0, at which it is relu(x)", alpha)
    return rounded_once(lambda x: _exponential(x, 1, a, a), real_floats("celu", x))


@Floats
def sigmoid(x: ArrayLike, /) -> Array:
    """1 / (1 + e⁻ˣ): `logistic`.

    >>> import effects as fx
    >>> fx.nn.sigmoid(fx.asarray([0.0, 2.0]))
    Array([0.5       , 0.88079708], float64)
    """
    return transcendental.logistic(real_floats("sigmoid", x))


@Floats
def softplus(x: ArrayLike, /) -> Array:
    """log(1 + eˣ), without overflow in between.

    >>> import effects as fx
    >>> fx.nn.softplus(fx.asarray([0.0, 1000.0]))
    Array([6.93147181e-01, 1.00000000e+03], float64)
    """
    array = real_floats("softplus", x)
    return arithmetic.logaddexp(array, constant_like(0, array))


@Floats
def log_sigmoid(x: ArrayLike, /) -> Array:
    """log(sigmoid(x)), exact also where that underflows.

    >>> import effects as fx
    >>> fx.nn.log_sigmoid(fx.asarray([0.0, -1000.0]))
    Array([-6.93147181e-01, -1.00000000e+03], float64)
    """
    return unary.negative(softplus(unary.negative(real_floats("log_sigmoid", x))))


def _silu(x: Array) -> Array:
    return _within(lambda x: x * transcendental.logistic(x), x, _FAR)


@Floats
def silu(x: ArrayLike, /) -> Array:
    """x · sigmoid(x), also called swish.

    Special cases: -∞ gives 0 with derivative 0, ∞ gives ∞ with derivative 1.

    >>> import effects as fx
    >>> fx.nn.silu(fx.asarray([-1.0, 2.0]))
    Array([-0.26894142,  1.76159416], float64)
    """
    return rounded_once(_silu, real_floats("silu", x))


swish = named(silu, "swish")


@Floats
def mish(x: ArrayLike, /) -> Array:
    """x · tanh(softplus(x)); limits as of `silu`.

    >>> import effects as fx
    >>> fx.nn.mish(fx.asarray([-1.0, 2.0]))
    Array([-0.30340146,  1.94395896], float64)
    """

    def f(x: Array) -> Array:
        return x * transcendental.tanh(arithmetic.logaddexp(x, constant_like(0, x)))

    return rounded_once(lambda x: _within(f, x, _FAR), real_floats("mish", x))


def gelu(x: AsFloatsOf[DT, Sh], /, approximate: bool = False) -> Array[DT, Sh]:
    """x · Φ(x), with the normal distribution's Φ; `approximate` replaces it by a hyperbolic tangent.

    The exact form is exact also for negative x. Limits as of `silu`.

    >>> import effects as fx
    >>> fx.nn.gelu(fx.asarray([-1.0, 2.0])), fx.nn.gelu(fx.asarray([-1.0, 2.0]), approximate=True)
    (Array([-0.15865525,  1.95449974], float64), Array([-0.15880801,  1.95459769], float64))
    """

    def exact(x: Array) -> Array:
        return x * perform(Unary(UnaryKind.ERFC, x * -math.sqrt(0.5))) * 0.5

    def by_tanh(x: Array) -> Array:  # (1 + tanh(y)) / 2 = logistic(2y)
        return x * transcendental.logistic((x + x * x * x * 0.044715) * (2 * math.sqrt(2 / math.pi)))

    f = by_tanh if flag("gelu", "approximate", approximate) else exact
    return rounded_once(lambda x: _within(f, x, 40.0), real_floats("gelu", x))


def glu(x: AsFloats[DT], /, axis: int = -1) -> Array[DT]:
    """The first half along `axis`, times the sigmoid of the second. Raises ShapeError for an odd size.

    >>> import effects as fx
    >>> fx.nn.glu(fx.asarray([1.0, 2.0, 0.0, 1.0]))
    Array([0.5       , 1.46211716], float64)
    """
    array = real_floats("glu", x)
    at = shapes.normalize_axis("glu", array.aval.shape, axis)
    n = array.aval.shape[at]
    if n % 2:
        raise ShapeError(f"glu: the size of axis {axis} must be even, got {array.aval}")

    def f(x: Array) -> Array:
        return movement.slice_axis(x, at, 0, n // 2) * transcendental.logistic(movement.slice_axis(x, at, n // 2, n))

    return rounded_once(f, array)

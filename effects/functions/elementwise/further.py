"""NumPy's further elementwise functions: parts, remainders, angles, replacement of NaN.

They are composed of other functions here. Names and semantics are NumPy's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, overload

import numpy as np

from effects.arguments import flag, number
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.promotion import (
    as_array,
    as_type,
    constant_like,
    convert,
    inexact,
    promote_pair,
    real,
    rounded_once,
)
from effects.errors import ArgumentError, ConcretizationError, DTypeError
from effects.functions import data_types
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.elementwise.series import polynomial
from effects.functions.manipulation import movement
from effects.functions.reductions import cumulative, differences
from effects.types import dtypes, shapes
from effects.types.signatures.elementwise import Floats
from effects.types.signatures.pairs import Arithmetic, Division, Quotient

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.types.dtypes import DType
    from effects.types.signatures.becoming import AsFloats, AsRealFloats, HasIntegers


@Floats
def fabs(x: ArrayLike, /) -> Array:
    """|x| as a float, for each element. Complex numbers are refused.

    >>> import effects as fx
    >>> fx.fabs(-3)
    Array(3., float64)
    """
    return unary.abs(real("fabs", x))


@Floats
def rint(x: ArrayLike, /) -> Array:
    """The nearest integer as a float, halves to the even one, for each element.

    >>> import effects as fx
    >>> fx.rint(2.5)
    Array(2., float64)
    """
    return unary.round(inexact("rint", x))


@Floats
def deg2rad(x: ArrayLike, /) -> Array:
    """x · π / 180: an angle in degrees as radians.

    >>> import effects as fx
    >>> fx.deg2rad(180.0)
    Array(3.14159265, float64)
    """
    return _times(math.pi / 180, real("deg2rad", x))


@Floats
def rad2deg(x: ArrayLike, /) -> Array:
    """x · 180 / π: an angle in radians as degrees.

    >>> import effects as fx
    >>> fx.rad2deg(fx.pi)
    Array(180., float64)
    """
    return _times(180 / math.pi, real("rad2deg", x))


def _times(factor: float, x: Array) -> Array:
    """A multiple of x: narrow floats need not hold the factor."""
    return rounded_once(lambda x: x * constant_like(factor, x), x)


def _ignoring_nan(function: str, x: ArrayLike, y: ArrayLike, choose: Callable[[Array, Array], Array]) -> Array:
    a, b = promote_pair(function, x, y)
    if not dtypes.is_inexact(a.aval.dtype):
        return choose(a, b)
    return choose(logic.where(unary.isnan(a), b, a), logic.where(unary.isnan(b), a, b))


@Arithmetic
def fmax(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The greater of x and y; where one is NaN, the other. Complex numbers are ordered as by `sort`.

    >>> import effects as fx
    >>> fx.fmax(1.0, float("nan"))
    Array(1., float64)
    """
    return _ignoring_nan("fmax", x, y, arithmetic.maximum)


@Arithmetic
def fmin(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The lesser of x and y; where one is NaN, the other. Complex numbers are ordered as by `sort`.

    >>> import effects as fx
    >>> fx.fmin(1.0, float("nan"))
    Array(1., float64)
    """
    return _ignoring_nan("fmin", x, y, arithmetic.minimum)


@Quotient
def fmod(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The remainder of x / y with the sign of x: x - y trunc(x / y). For y = 0 it is NaN, x for integers.

    >>> import effects as fx
    >>> fx.fmod(-7, 3), fx.fmod(5.5, -2.0)
    (Array(-1, int64), Array(1.5, float64))
    """
    a, b = promote_pair("fmod", x, y)
    if dtypes.is_inexact(a.aval.dtype):
        return arithmetic.copysign(arithmetic.remainder(unary.abs(a), unary.abs(b)), a)
    rest, zero = arithmetic.remainder(a, b), constant_like(0, a)
    return logic.where((rest != zero) & ((rest < zero) != (a < zero)) & (b != zero), rest - b, rest)


def divmod(x: ArrayLike, y: ArrayLike, /) -> tuple[Array, Array]:
    """⌊x / y⌋ and what remains: `floor_divide` and `remainder`.

    >>> import effects as fx
    >>> fx.divmod(-7, 2)
    (Array(-4, int64), Array(1, int64))
    """
    a, b = promote_pair("divmod", x, y)
    return arithmetic.floor_divide(a, b), arithmetic.remainder(a, b)


def float_power(x: ArrayLike, y: ArrayLike, /) -> Array:
    """xʸ as float64, or as complex128.

    >>> import effects as fx
    >>> fx.float_power(2, -1)
    Array(0.5, float64)
    """
    a, b = promote_pair("float_power", x, y)
    wide = dtypes.complex128 if issubclass(a.aval.dtype, dtypes.Complex) else dtypes.float64
    return arithmetic.pow(as_type(a, wide, False, "float_power", "x"), as_type(b, wide, False, "float_power", "y"))


@Division
def logaddexp2(x: ArrayLike, y: ArrayLike, /) -> Array:
    """log₂(2ˣ + 2ʸ) without overflow in between; of complex numbers the principal value, as `logaddexp`.

    >>> import effects as fx
    >>> fx.logaddexp2(3.0, 3.0)
    Array(4., float64)
    """
    to_base_2 = partial(arithmetic.log_of_sum, power=transcendental.exp2, scale=math.log(2))
    return rounded_once(to_base_2, *arithmetic.inexact_pair("logaddexp2", x, y))


@Division
def heaviside(x: ArrayLike, y: ArrayLike, /) -> Array:
    """0 where x is negative, 1 where it is positive, y where it is 0, NaN where it is NaN.

    >>> import effects as fx
    >>> fx.heaviside(0.0, 0.5)
    Array(0.5, float64)
    """
    a, b = arithmetic.inexact_pair("heaviside", x, y)
    zero, one = constant_like(0, a), constant_like(1, a)
    step = logic.where(a < zero, zero, logic.where(a > zero, one, b))
    return logic.where(unary.isnan(a), constant_like(math.nan, a), step)


@Floats
def sinc(x: ArrayLike, /) -> Array:
    """sin(πx) / (πx), for each element; 1 at 0.

    >>> import effects as fx
    >>> fx.sinc(0.0), fx.sinc(0.5)
    (Array(1., float64), Array(0.63661977, float64))
    """
    return rounded_once(_sinc, inexact("sinc", x))


_SINC: Final = [(-1) ** k / math.factorial(2 * k + 1) for k in range(12, -1, -1)]


"""Coefficients of sin(t) / t in powers of t², used near 0, where derivatives of the quotient cancel."""


def _sinc(x: Array) -> Array:
    at = x * constant_like(math.pi, x)
    near = unary.abs(at) < 1
    inside, outside = logic.where(near, at, constant_like(0, at)), logic.where(near, constant_like(1, at), at)
    return logic.where(near, polynomial(inside * inside, _SINC), transcendental.sin(outside) / outside)


def angle(z: AsRealFloats[DT], /, deg: bool = False) -> Array[DT]:
    """The angle of a complex number, in (-π, π]; in degrees with `deg`.

    >>> import effects as fx
    >>> fx.angle(1j, deg=True)
    Array(90., float64)
    """
    array = inexact("angle", z, "z")
    turned = arithmetic.atan2(unary.imag(array), unary.real(array))
    return rad2deg(turned) if flag("angle", "deg", deg) else turned


def nan_to_num(
    x: Like[DT], /, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Array[DT]:
    """x with `nan` in place of NaN, and `posinf` and `neginf` in place of infinities.

    By default these are the greatest and the least finite number. Arrays are immutable, so `copy` changes nothing.

    >>> import effects as fx
    >>> fx.nan_to_num(float("nan")), fx.nan_to_num(-fx.inf, neginf=-9.0)
    (Array(0., float64), Array(-9., float64))
    """
    flag("nan_to_num", "copy", copy)
    array = as_array(x, "nan_to_num", "x")
    dtype = array.aval.dtype
    if not dtypes.is_inexact(dtype):
        return array
    if issubclass(dtype, dtypes.Complex):
        parts = [nan_to_num(part(array), copy, nan, posinf, neginf) for part in (unary.real, unary.imag)]
        return arithmetic.complex(*parts)
    largest = data_types.finfo(dtype).max
    above = largest if posinf is None else number("nan_to_num", "posinf", posinf)
    below = -largest if neginf is None else number("nan_to_num", "neginf", neginf)
    missing = number("nan_to_num", "nan", nan)
    infinite = unary.isinf(array)
    zero = constant_like(0, array)
    out = logic.where(unary.isnan(array), constant_like(missing, array), array)
    out = logic.where(infinite & (array > zero), constant_like(above, array), out)
    return logic.where(infinite & (array < zero), constant_like(below, array), out)


@overload
def unwrap[D: DType](
    p: HasIntegers[D], /, discont: float | None = None, axis: int = -1, *, period: int
) -> Array[D]: ...


@overload
def unwrap(
    p: AsFloats[DT], /, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi
) -> Array[DT]: ...


def unwrap(
    p: HasIntegers[DType] | AsFloats[DT],
    /,
    discont: float | None = None,
    axis: int = -1,
    *,
    period: float = 2 * math.pi,
) -> Array:
    """p with multiples of `period` added along `axis`, so that neighbours differ by at most half of it.

    Differences less than `discont` stay as they are. Signed integers stay integers where the period is one.

    >>> import effects as fx
    >>> fx.unwrap(fx.asarray([0.0, 3.0, 2.0, 1.0]), period=4.0)
    Array([ 0., -1., -2., -3.], float64)
    >>> fx.unwrap(fx.asarray([0, 3, 2, 1]), period=4)
    Array([ 0, -1, -2, -3], int64)
    """
    array = as_array(p, "unwrap", "p")
    full = number("unwrap", "period", period)
    if not full > 0:
        raise ArgumentError(f"unwrap: period must be positive, got {full}")
    integral = isinstance(full, int) and not dtypes.is_inexact(array.aval.dtype)
    if integral and not issubclass(array.aval.dtype, dtypes.Signed):
        raise DTypeError(
            f"unwrap: p must be of floats or signed integers, got {array.aval}; convert it with astype, or write the "
            "period as a float"
        )
    if integral and full > data_types.iinfo(array.aval.dtype).max:
        raise ArgumentError(f"unwrap: period must fit {array.aval.dtype.name}, the dtype of p, got {full}; convert p")
    half: float = full // 2 if integral else full / 2
    threshold = full / 2 if discont is None else max(number("unwrap", "discont", discont), full / 2)
    array = array if integral else inexact("unwrap", array, "p")
    at = shapes.normalize_axis("unwrap", array.aval.shape, axis)
    steps = differences.diff(array, axis=at)
    middle, zero = constant_like(half, array), constant_like(0, steps)
    near = arithmetic.remainder(steps + middle, constant_like(full, array)) - middle
    if not (integral and full % 2):  # then half a period up and half a period down are the same
        near = logic.where((near == unary.negative(middle)) & (steps > zero), middle, near)
    size = unary.abs(steps)
    size = convert(size, dtypes.float64) if integral else size  # a kept value may be no integer, or above all integers
    moved = logic.where(size < constant_like(threshold, size), zero, near - steps)
    n = array.aval.shape[at]
    rest = movement.slice_axis(array, at, min(1, n), n) + cumulative.cumsum(moved, at)
    return unary.astype(
        movement.concat([movement.slice_axis(array, at, 0, min(1, n)), rest], axis=at), array.aval.dtype
    )


def real_if_close(x: ArrayLike, /, tol: float = 100) -> Array:
    """The real part of x where every imaginary part is less than `tol` times the spacing of floats at 1, else x.

    A `tol` of at most 1 is the bound itself. Complex values must be known, since they decide the dtype.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.real_if_close(np.array([2 + 1e-15j])), fx.real_if_close(np.array([2 + 1e-3j]))
    (Array([2.], float64), Array([2.+0.001j], complex128))
    """
    array = as_array(x, "real_if_close", "x")
    bound = number("real_if_close", "tol", tol)
    if not issubclass(array.aval.dtype, dtypes.Complex):
        return array
    known = array.known()
    if known is None:
        raise ConcretizationError(
            f"real_if_close: x must be known, since its values decide the dtype of the result; it is "
            f"{array.unknown_reason()}. Write real(x)"
        )
    least = bound * data_types.finfo(array.aval.dtype).eps if bound > 1 else bound
    return unary.real(array) if (np.abs(known.fetch().imag) < least).all() else array

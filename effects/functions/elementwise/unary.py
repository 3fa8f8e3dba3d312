"""Functions of one argument that keep to arithmetic: signs, rounding, the parts of complex numbers, classification.

Names and semantics are the Array API standard's, then NumPy's. The argument is an array or a Python number.
"""

from __future__ import annotations

import builtins
import math
from typing import TYPE_CHECKING

import numpy as np

from effects.arguments import flag, integer
from effects.arrays.array import Array, ArrayLike
from effects.arrays.concrete import DeviceLike, on_device
from effects.arrays.promotion import as_array, constant_like, convert, inexact, rounded_once, scalar
from effects.errors import ArgumentError
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, logic
from effects.operations.elementwise import Convert, Unary, UnaryKind
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.signatures.elementwise import Conversion, Floats, Keeping, Predicate, Rounding
from effects.types.signatures.fractions import Absolute

if TYPE_CHECKING:
    from effects.arrays.operators import DT, Sh
    from effects.types.dtypes import DTypeLike, bool_
    from effects.types.signatures.becoming import AsBits, AsReals


@Keeping
def negative(x: ArrayLike, /) -> Array:
    """-x, for each element. Unsigned integers wrap; bools are refused.

    >>> import effects as fx
    >>> fx.negative(3)
    Array(-3, int64)
    """
    return perform(Unary(UnaryKind.NEG, as_array(x, "negative", "x")))


@Keeping
def positive(x: ArrayLike, /) -> Array:
    """x itself, as an array.

    >>> import effects as fx
    >>> fx.positive(3)
    Array(3, int64)
    """
    return as_array(x, "positive", "x")


@Absolute
def abs(x: ArrayLike, /) -> Array:
    """|x|, for each element; real also for complex numbers. The least signed integer wraps to itself.

    >>> import effects as fx
    >>> fx.abs(3 + 4j)
    Array(5., float64)
    """
    array = as_array(x, "abs", "x")
    if array.aval.dtype is dtypes.bool_ or issubclass(array.aval.dtype, dtypes.Unsigned):
        return array
    return perform(Unary(UnaryKind.ABS, array))


absolute = abs
"""The function `abs`, by its other name."""


@Keeping
def sign(x: ArrayLike, /) -> Array:
    """-1, 0 or 1 by the sign of x, for each element; x / |x| for complex numbers, NaN for NaN.

    >>> import effects as fx
    >>> fx.sign(-3.0)
    Array(-1., float64)
    """
    array = as_array(x, "sign", "x")
    return perform(Unary(UnaryKind.SIGN, array))


@Keeping
def square(x: ArrayLike, /) -> Array:
    """x², for each element.

    >>> import effects as fx
    >>> fx.square(3.0)
    Array(9., float64)
    """
    array = as_array(x, "square", "x")
    return array * array


@Floats
def reciprocal(x: ArrayLike, /) -> Array:
    """1 / x, for each element; ±0 gives ±∞.

    >>> import effects as fx
    >>> fx.reciprocal(4.0)
    Array(0.25, float64)
    """
    array = inexact("reciprocal", x)
    return constant_like(1, array) / array


def _rounding(kind: UnaryKind, name: str, x: ArrayLike) -> Array:
    array = as_array(x, name, "x")
    if not dtypes.is_inexact(array.aval.dtype):
        return array
    return perform(Unary(kind, array))


@Keeping
def ceil(x: ArrayLike, /) -> Array:
    """The least integer that is not less than x, for each element, in the same dtype.

    >>> import effects as fx
    >>> fx.ceil(1.2)
    Array(2., float64)
    """
    return _rounding(UnaryKind.CEIL, "ceil", x)


@Keeping
def floor(x: ArrayLike, /) -> Array:
    """The greatest integer that is not greater than x, for each element, in the same dtype.

    >>> import effects as fx
    >>> fx.floor(1.8)
    Array(1., float64)
    """
    return _rounding(UnaryKind.FLOOR, "floor", x)


@Keeping
def trunc(x: ArrayLike, /) -> Array:
    """The integer part of x, rounded toward zero, for each element, in the same dtype.

    >>> import effects as fx
    >>> fx.trunc(-1.8)
    Array(-1., float64)
    """
    return _rounding(UnaryKind.TRUNC, "trunc", x)


@Rounding
def round(x: ArrayLike, /, decimals: int = 0) -> Array:
    """The nearest integer, halves to the even one, for each element, in the same dtype; complex by parts.

    With `decimals` the nearest multiple of 10⁻ᵈ, which may be tens or hundreds (-1, -2); of floats the one nearest to
    x · 10ᵈ, as in NumPy. Raises ArgumentError where the dtype does not hold the power of ten.

    >>> import effects as fx
    >>> fx.round(2.5), fx.round(3.14159, 2), fx.round(1250, -2)
    (Array(2., float64), Array(3.14, float64), Array(1200, int64))
    """
    array = as_array(x, "round", "x")
    places = integer("round", "decimals", decimals)
    if issubclass(array.aval.dtype, dtypes.Complex):
        return arithmetic.complex(round(real(array), places), round(imag(array), places))
    if places == 0 or (places > 0 and not dtypes.is_inexact(array.aval.dtype)):
        return _rounding(UnaryKind.ROUND, "round", array)
    if dtypes.is_inexact(array.aval.dtype):
        return rounded_once(lambda a: _rounded(a, places), array)
    return _rounded_whole(array, -places)


def _power_of_ten(places: int, x: Array) -> Array:
    kind = x.aval.dtype.dtype
    greatest = np.iinfo(kind).max if kind.kind in "iu" else float(np.finfo(kind).max)
    power = 10 ** min(places, 400)
    if power > greatest:
        raise ArgumentError(f"round: 10**{places} does not fit {x.aval.dtype}; pass fewer decimals")
    return scalar(power, x.aval.dtype)


def _rounded(x: Array, places: int) -> Array:
    power = _power_of_ten(builtins.abs(places), x)
    scaled = x if places < 0 else x * power
    finite = isfinite(scaled)
    divisor = logic.where(finite, power, constant_like(1, power))  # XLA divides by constants inexactly
    if places < 0:
        return _rounding(UnaryKind.ROUND, "round", x / divisor) * power
    nearest = _rounding(UnaryKind.ROUND, "round", scaled) / divisor
    return logic.where(finite, nearest, _rounding(UnaryKind.ROUND, "round", x))  # larger numbers are integers


def _rounded_whole(x: Array, places: int) -> Array:
    step = _power_of_ten(places, x)
    below = arithmetic.floor_divide(x, step)
    rest = x - below * step
    odd = arithmetic.remainder(below, constant_like(2, x)) != constant_like(0, x)
    up = (rest > step - rest) | ((rest == step - rest) & odd)
    return (below + convert(up, x.aval.dtype)) * step


def real(x: AsReals[DT, Sh], /) -> Array[DT, Sh]:
    """The real part; real numbers themselves.

    >>> import effects as fx
    >>> fx.real(3 + 4j)
    Array(3., float64)
    """
    array = as_array(x, "real", "x")
    return perform(Unary(UnaryKind.REAL, array)) if issubclass(array.aval.dtype, dtypes.Complex) else array


def imag(x: AsReals[DT, Sh], /) -> Array[DT, Sh]:
    """The imaginary part; zeros for real numbers.

    >>> import effects as fx
    >>> fx.imag(3 + 4j)
    Array(4., float64)
    """
    array = as_array(x, "imag", "x")
    if issubclass(array.aval.dtype, dtypes.Complex):
        return perform(Unary(UnaryKind.IMAG, array))
    return creation.zeros_like(array)


@Keeping
def conj(x: ArrayLike, /) -> Array:
    """The complex conjugate; real numbers themselves.

    >>> import effects as fx
    >>> fx.conj(3 + 4j)
    Array(3.-4.j, complex128)
    """
    array = as_array(x, "conj", "x")
    return perform(Unary(UnaryKind.CONJ, array)) if issubclass(array.aval.dtype, dtypes.Complex) else array


def bitwise_invert(x: AsBits[DT, Sh], /) -> Array[DT, Sh]:
    """All bits flipped; `not` for bools.

    >>> import effects as fx
    >>> fx.bitwise_invert(5)
    Array(-6, int64)
    """
    return perform(Unary(UnaryKind.NOT, as_array(x, "bitwise_invert", "x")))


@Predicate
def isfinite(x: ArrayLike, /) -> Array[bool_]:
    """Test each element for being neither infinite nor NaN.

    >>> import effects as fx
    >>> fx.isfinite(1.0)
    Array(True, bool)
    """
    array = as_array(x, "isfinite", "x")
    if issubclass(array.aval.dtype, dtypes.Complex):
        return isfinite(real(array)) & isfinite(imag(array))
    if not dtypes.is_inexact(array.aval.dtype):
        return creation.ones_like(array, dtype=dtypes.bool_)
    return perform(Unary(UnaryKind.IS_FINITE, array))


@Predicate
def isnan(x: ArrayLike, /) -> Array[bool_]:
    """Test each element for NaN.

    >>> import effects as fx
    >>> fx.isnan(1.0)
    Array(False, bool)
    """
    array = as_array(x, "isnan", "x")
    return array != array  # noqa: PLR0124  # a test for NaN


@Predicate
def signbit(x: ArrayLike, /) -> Array[bool_]:
    """True where the sign bit is set: for negative numbers, for -0, and for a NaN with a sign.

    >>> import effects as fx
    >>> fx.signbit(-0.0)
    Array(True, bool)
    """
    array = as_array(x, "signbit", "x")
    if not dtypes.is_inexact(array.aval.dtype):
        return array < constant_like(0, array)
    return perform(Unary(UnaryKind.SIGN_BIT, array))


@Predicate
def isinf(x: ArrayLike, /) -> Array[bool_]:
    """Test each element for being infinite; a complex number is when one of its parts is.

    >>> import effects as fx
    >>> fx.isinf(1.0)
    Array(False, bool)
    """
    array = as_array(x, "isinf", "x")
    if issubclass(array.aval.dtype, dtypes.Complex):
        return isinf(real(array)) | isinf(imag(array))
    if not dtypes.is_inexact(array.aval.dtype):
        return creation.zeros_like(array, dtype=dtypes.bool_)
    return abs(array) == constant_like(math.inf, array)


@Conversion
def astype(x: ArrayLike, /, dtype: DTypeLike, *, copy: bool = True, device: DeviceLike | None = None) -> Array:
    """The same values as `dtype`, moved to `device` if given. Arrays are immutable, so `copy` changes nothing.

    Special cases: float to integer truncates toward zero, saturates, and NaN gives 0; to bool asks for "not zero";
    complex to real drops the imaginary part; narrowing integers wraps.

    >>> import effects as fx
    >>> fx.astype(2.7, "int32")
    Array(2, int32)
    """
    array = as_array(x, "astype", "x")
    target = dtypes.as_dtype(dtype)
    if copy is not True:
        flag("astype", "copy", copy)
    if array.aval.dtype is not target or array.aval.weak_type:
        array = perform(Convert(target, False, array))
    return array if device is None else on_device(array, device)

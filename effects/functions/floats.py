"""What floats are made of: parts, mantissas and exponents, the distance to the next one. Semantics are NumPy's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from effects.arrays.array import Array
from effects.arrays.promotion import as_array, constant_like, convert, inexact
from effects.errors import DTypeError
from effects.functions import arithmetic, elementwise, logic, transcendental
from effects.types import dtypes
from effects.types.signatures.elementwise import Floats

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike
    from effects.arrays.operators import DT
    from effects.types.dtypes import i32
    from effects.types.signatures.becoming import AsFloats


def _real(function: str, x: object, argument: str = "x") -> Array:
    array = inexact(function, x, argument)
    if issubclass(array.aval.dtype, dtypes.Complex):
        raise DTypeError(f"{function}: {argument} must be real, got {array.aval}")
    return array


@Floats
def spacing(x: ArrayLike, /) -> Array:
    """The distance from x to the next float away from 0, with the sign of x; NaN for what is not finite.

    Compiled it is 0 where it is not a normal number.

    >>> spacing(1.0) == 2.0**-52
    Array(True, bool)
    """
    array = _real("spacing", x)
    size = elementwise.abs(array)
    gap = arithmetic.nextafter(size, constant_like(math.inf, size)) - size
    return logic.where(array < constant_like(0, array), elementwise.negative(gap), gap)


def modf(x: AsFloats[DT], /) -> tuple[Array[DT], Array[DT]]:
    """The fraction and the whole part of x, both with its sign.

    >>> modf(-2.5)
    (Array(-0.5, float64), Array(-2., float64))
    """
    array = _real("modf", x)
    whole = elementwise.trunc(array)
    fraction = logic.where(elementwise.isinf(array), constant_like(0, array), array - whole)
    return arithmetic.copysign(fraction, array), whole


def _scaled(x: Array, by: Array) -> Array:
    """x · 2ᵇʸ, of float64, in three factors none of which overflows by itself."""
    limit = constant_like(2200, by)
    by = arithmetic.minimum(arithmetic.maximum(by, elementwise.negative(limit)), limit)
    third = arithmetic.floor_divide(by, constant_like(3, by))
    for part in (third, third, by - third - third):
        x = x * transcendental.exp2(convert(part, dtypes.float64))
    return x


def ldexp(x: AsFloats[DT], i: ArrayLike, /) -> Array[DT]:
    """x · 2ⁱ, rounded once, for integers i.

    >>> ldexp(0.75, 3)
    Array(6., float64)
    """
    array, exponent = _real("ldexp", x), as_array(i, "ldexp", "i")
    if not issubclass(exponent.aval.dtype, dtypes.Integer):
        raise DTypeError(f"ldexp: i must be of integers, got {exponent.aval}")
    wide = _scaled(convert(array, dtypes.float64), convert(exponent, dtypes.int64))
    return convert(wide, array.aval.dtype)


def frexp(x: AsFloats[DT], /) -> tuple[Array[DT], Array[i32]]:
    """The m and e (int32) with x = m · 2ᵉ and 0.5 <= |m| < 1; x and 0 for what is 0 or not finite.

    >>> frexp(6.0)
    (Array(0.75, float64), Array(3, int32))
    """
    array = _real("frexp", x)
    wide = convert(array, dtypes.float64)
    none = (wide == constant_like(0, wide)) | elementwise.bitwise_invert(elementwise.isfinite(wide))
    safe = logic.where(none, constant_like(1, wide), wide)
    exponent = elementwise.astype(elementwise.floor(transcendental.log2(elementwise.abs(safe))), dtypes.int64) + 1
    mantissa = _scaled(safe, elementwise.negative(exponent))
    size = elementwise.abs(mantissa)
    for wrong, factor, step in ((size >= 1.0, 0.5, 1), (size < 0.5, 2.0, -1)):  # the logarithm was rounded
        mantissa = logic.where(wrong, mantissa * factor, mantissa)
        exponent = logic.where(wrong, exponent + step, exponent)
    mantissa = logic.where(none, wide, mantissa)
    exponent = logic.where(none, constant_like(0, exponent), exponent)
    return convert(mantissa, array.aval.dtype), elementwise.astype(exponent, dtypes.int32)

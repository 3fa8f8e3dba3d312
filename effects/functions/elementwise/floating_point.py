"""Functions of the representation of floats, as in NumPy: mantissas, exponents, distances to the next float."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import constant_like, convert, integral, real
from effects.functions import data_types
from effects.functions.elementwise import arithmetic, logic, unary
from effects.operations.elementwise import Binary, BinaryKind
from effects.operations.movement import Bitcast
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.signatures.elementwise import Floats

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.types.dtypes import i32
    from effects.types.signatures.becoming import AsFloats

_FAR: Final = 5000
"""Exponent beyond which a power of two times any number is 0 or infinite."""


def _scale(x: Array, by: Array) -> Array:
    return perform(Binary(BinaryKind.SCALE, x, by))


def _wide(x: Array) -> Array:
    """Narrow floats as float32."""
    return convert(x, dtypes.float32) if x.aval.dtype in dtypes.NARROW else x


def _split(x: Array) -> tuple[Array, Array, Array]:
    """For wide x: m and the integer e with x = m · 2ᵉ, and a normal y of x's sign; x and 0 for ∞ and NaN.

    Comparisons and computations use normal numbers, since XLA takes subnormal ones for zero.
    """
    limits = np.finfo(x.aval.dtype.dtype)
    zero, up = constant_like(0, x), constant_like(int(limits.nmant) + 2, x)
    raising = logic.where(unary.abs(x) < float(limits.tiny), up, zero)
    normal = _scale(x, raising)
    none = (normal == zero) | unary.bitwise_invert(unary.isfinite(x))
    safe = logic.where(none, constant_like(1, x), normal)
    bits = perform(Bitcast(dtypes.int64 if x.aval.dtype is dtypes.float64 else dtypes.int32, unary.abs(safe)))
    exponent = convert(bits >> int(limits.nmant), x.aval.dtype) + int(limits.minexp)
    mantissa = _scale(safe, unary.negative(exponent))
    return logic.where(none, x, mantissa), logic.where(none, zero, exponent - raising), normal


@Floats
def spacing(x: ArrayLike, /) -> Array:
    """The distance from x to the next float away from 0, with the sign of x; NaN for what is not finite.

    >>> import effects as fx
    >>> fx.spacing(1.0) == 2.0**-52
    Array(True, bool)
    """
    array = real("spacing", x)
    limits = data_types.finfo(array.aval.dtype)
    digits, lowest = [round(math.log2(number)) for number in (limits.eps, limits.smallest_normal)]
    wide = _wide(array)
    _, exponent, normal = _split(wide)
    least = constant_like(lowest, wide)
    unit = logic.where(normal == constant_like(0, wide), least, arithmetic.maximum(exponent - 1, least)) + digits
    gap = convert(_scale(constant_like(1, wide), unit), array.aval.dtype)
    size, last = unary.abs(array), constant_like(limits.max, array)
    none = logic.where(size == last, constant_like(math.inf, array), constant_like(math.nan, array))
    gap = logic.where(size < last, gap, none)
    return logic.where(normal < constant_like(0, normal), unary.negative(gap), gap)


def modf(x: AsFloats[DT], /) -> tuple[Array[DT], Array[DT]]:
    """The fraction and the whole part of x, both with its sign.

    >>> import effects as fx
    >>> fx.modf(-2.5)
    (Array(-0.5, float64), Array(-2., float64))
    """
    array = real("modf", x)
    integral = unary.trunc(array)
    rest = logic.where(integral == constant_like(0, array), array, array - integral)
    fraction = logic.where(unary.isinf(array), constant_like(0, array), rest)
    return arithmetic.copysign(fraction, array), integral


def ldexp(x: AsFloats[DT], i: ArrayLike, /) -> Array[DT]:
    """x · 2ⁱ, rounded once, for integers i.

    >>> import effects as fx
    >>> fx.ldexp(0.75, 3)
    Array(6., float64)
    """
    array, exponent = real("ldexp", x), integral("ldexp", i, "i")
    wide = _wide(array)
    limited = logic.clip(convert(exponent, dtypes.float64), -_FAR, _FAR)
    return convert(_scale(wide, convert(limited, wide.aval.dtype)), array.aval.dtype)


def frexp(x: AsFloats[DT], /) -> tuple[Array[DT], Array[i32]]:
    """The m and e (int32) with x = m · 2ᵉ and 0.5 <= |m| < 1; x and 0 for what is 0 or not finite.

    >>> import effects as fx
    >>> fx.frexp(6.0)
    (Array(0.75, float64), Array(3, int32))
    """
    array = real("frexp", x)
    mantissa, exponent, _ = _split(_wide(array))
    return convert(mantissa, array.aval.dtype), unary.astype(exponent, dtypes.int32)

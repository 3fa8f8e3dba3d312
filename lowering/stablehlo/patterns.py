"""Functions of the bits of a float: the sign, the order, the neighbours, and products with powers of two.

XLA's arithmetic and comparisons take subnormal numbers for zero; functions of the bits are right for them, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from effects.operations.elementwise import Binary, Unary
from effects.program.jaxpr import Atom
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.dtypes import Complex, DType, Inexact, real_of
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.scope import TYPES, Scope

_SIGNED: Final[dict[int, type[DType]]] = {1: dtypes.int8, 2: dtypes.int16, 4: dtypes.int32, 8: dtypes.int64}


def pattern_of(aval: ShapedArray) -> ShapedArray:
    """The type of signed integers with as many bits as the floats `aval`."""
    return aval.with_dtype(_SIGNED[aval.dtype.dtype.itemsize])


def counted(x: Value, aval: ShapedArray, scope: Scope) -> Value:
    """Signed integers in the order of the floats `x`."""
    numbers = pattern_of(aval)
    return _turned(scope.bits(x, numbers), numbers, scope)


def uncounted(number: Value, aval: ShapedArray, scope: Scope) -> Value:
    """The floats whose order these integers are."""
    return scope.bits(_turned(number, pattern_of(aval), scope), aval)


def by_bits(x: Value, aval: ShapedArray, out: ShapedArray, scope: Scope, moved: Callable[..., Value]) -> Value:
    """`moved(x)`, on integers where the partitioner may sum floats of devices, since 0 + -0 is 0."""
    if not issubclass(out.dtype, Inexact) or not scope.functions.parted:
        return moved(x, out)
    if issubclass(out.dtype, Complex):
        part = real_of(out.dtype)
        of_x, of_out = aval.with_dtype(part), out.with_dtype(part)
        names = ("stablehlo.real", "stablehlo.imag")
        parts = [by_bits(scope.op(name, TYPES[of_x], (x,)), of_x, of_out, scope, moved) for name in names]
        return scope.op("stablehlo.complex", TYPES[out], parts)
    number = scope.bits(x, pattern_of(aval))
    return scope.bits(moved(number, pattern_of(out)), out)


def _turned(number: Value, numbers: ShapedArray, scope: Scope) -> Value:
    """The bits of floats, with all but the sign inverted below zero; an involution."""
    width = 8 * numbers.dtype.dtype.itemsize
    sign = scope.do("shift_right_arithmetic", number, scope.fill(numbers, width - 1))
    turned = scope.do("and", sign, scope.fill(numbers, 2 ** (width - 1) - 1))
    return scope.do("xor", number, turned)


def negative(x: Value, aval: ShapedArray, scope: Scope) -> Value:
    """Mask of the elements of `x` with a set sign, that of -0 and NaN too."""
    pattern = pattern_of(aval)
    number = scope.bits(x, pattern)
    return compared("LT", number, scope.fill(pattern, 0), pattern, scope)


def sign_bit(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    return negative(x, op.x.aval, scope)


def with_sign(x: Value, y: Value, aval: ShapedArray, scope: Scope) -> Value:
    """The size of `x` with the sign of `y`."""
    pattern = pattern_of(aval)
    lowest = -(2 ** (8 * aval.dtype.dtype.itemsize - 1))
    parts = [
        scope.do("and", scope.bits(v, pattern), scope.fill(pattern, mask))
        for v, mask in ((x, -lowest - 1), (y, lowest))
    ]
    return scope.bits(scope.do("or", *parts), aval)


def copy_sign(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    return with_sign(x, y, out, scope)


def scaling(exponent: Value, aval: ShapedArray, scope: Scope) -> Value:
    """2 to an integer power, if that is a normal number."""
    pattern, limits = pattern_of(aval), np.finfo(aval.dtype.dtype)
    biased = scope.do("add", exponent, scope.fill(aval, 1 - int(limits.minexp)))
    number = scope.op("stablehlo.convert", TYPES[pattern], (biased,))
    places = scope.do("shift_left", number, scope.fill(pattern, int(limits.nmant)))
    return scope.bits(places, aval)


def next_after(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """The next float, by counting with integers: the bits of a float, below zero minus those of its absolute value."""
    pattern = pattern_of(out)
    zero, one, lowest = [scope.fill(pattern, n) for n in (0, 1, -(2 ** (8 * out.dtype.dtype.itemsize - 1)))]

    def turned(number: Value) -> Value:
        """The count of a float from its bits; and the bits from the count."""
        opposite = scope.do("subtract", lowest, number)
        return scope.do("select", compared("LT", number, zero, pattern, scope), opposite, number)

    start, bound = [turned(scope.bits(v, pattern)) for v in (x, y)]
    up, same = [compared(direction, start, bound, pattern, scope) for direction in ("LT", "EQ")]
    step = scope.do("select", up, one, scope.do("negate", one))
    following = turned(scope.do("add", start, step))
    from_below = scope.do(
        "and", compared("EQ", following, zero, pattern, scope), compared("LT", start, zero, pattern, scope)
    )
    following = scope.do("select", from_below, lowest, following)  # the bits of -0
    value = scope.bits(following, out)
    value = scope.do("select", same, y, value)
    nan = scope.do("add", x, y)
    ordered = scope.do("and", compared("EQ", x, x, out, scope), compared("EQ", y, y, out, scope))
    return scope.do("select", ordered, value, nan)


def scaled(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """x · 2ʸ, by shifting the digits of x for the new exponent and rounding half to even."""
    pattern, limits = pattern_of(out), np.finfo(out.dtype.dtype)
    digits, greatest = int(limits.nmant), int(limits.maxexp - limits.minexp + 1)
    lowest, leading, last = -(2 ** (8 * out.dtype.dtype.itemsize - 1)), 1 << digits, 2

    def of(name: str, *values: Value | int) -> Value:
        return scope.do(name, *[scope.fill(pattern, v) if isinstance(v, int) else v for v in values])

    def chosen(direction: str, a: Value, b: int, then: Value | int, otherwise: Value | int) -> Value:
        cases = [scope.fill(pattern, v) if isinstance(v, int) else v for v in (then, otherwise)]
        return scope.do("select", compared(direction, a, scope.fill(pattern, b), pattern, scope), *cases)

    number = scope.bits(x, pattern)
    size = of("and", number, -lowest - 1)
    exponent, fraction = of("shift_right_logical", size, digits), of("and", size, leading - 1)
    short = of("subtract", of("count_leading_zeros", fraction), 8 * out.dtype.dtype.itemsize - 1 - digits)
    subnormal = of("shift_left", fraction, short)
    significand = chosen("EQ", exponent, 0, subnormal, of("or", fraction, leading))
    start = chosen("EQ", exponent, 0, of("subtract", 1, short), exponent)
    limit = scope.fill(out, float(2 * greatest))
    power = scope.op("stablehlo.clamp", TYPES[out], (scope.do("negate", limit), y, limit))
    place = of("add", start, scope.convert(power, pattern))
    lost = of("minimum", of("maximum", of("subtract", 1, place), 0), digits + 2)  # digits below the last one
    wide, far = of("shift_left", significand, last), of("add", lost, last)
    even = of("and", of("shift_right_logical", wide, far), 1)
    half = of("subtract", of("shift_left", 1, of("subtract", far, 1)), 1)
    rounded = of("shift_right_logical", of("add", wide, of("add", half, even)), far)
    base = of("shift_left", of("subtract", of("maximum", place, 1), 1), digits)
    infinite = greatest << digits
    magnitude = chosen("GE", place, greatest, infinite, of("minimum", of("add", base, rounded), infinite))
    signed = of("or", magnitude, of("and", number, lowest))
    kept = chosen("EQ", fraction, 0, chosen("EQ", exponent, 0, number, signed), signed)
    result = chosen("EQ", exponent, greatest, number, kept)
    return scope.bits(result, out)

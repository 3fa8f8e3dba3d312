"""Powers: of floats, by products and a root for known small exponents; of integers, which wrap around."""

from __future__ import annotations

import math
from typing import Final

from effects.operations.elementwise import Binary
from effects.program.jaxpr import Atom, Literal
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.builder import Region
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import below_zero, compared
from lowering.stablehlo.scope import TYPES, Scope

_POWER: Final = "stablehlo.power"
_MOST_OF_FLOATS: Final = 4
"""Largest exponent for which products are right to two units in the last place."""
_EXACT_POWERS: Final = 64
"""XLA's integer power looks at six bits of the exponent."""


def float_power(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """A product, with a square root, if the exponent is a small known multiple of ½; else XLA's power, which takes as
    long as ten exponentials. The root of -0 is 0, and that of -∞ is ∞, as for powers.
    """
    halves = 2 * float(op.y.value.host) if type(op.y) is Literal else math.nan
    if not (halves.is_integer() and 0 < halves <= 2 * _MOST_OF_FLOATS):
        return scope.op(_POWER, TYPES[out], (x, y))
    whole, odd = divmod(int(halves), 2)
    if not odd:
        return _product(x, whole, out, scope)
    infinite = compared("EQ", x, scope.fill(out, -math.inf), out, scope)
    sum_ = scope.do("subtract", scope.fill(out, 0.0), scope.do("negate", x))
    base = scope.do("select", infinite, scope.fill(out, math.inf), sum_)
    root = scope.do("sqrt", base)
    return root if not whole else scope.do("multiply", _product(base, whole, out, scope), root)


def _product(x: Value, factors: int, out: ShapedArray, scope: Scope) -> Value:
    """The product of this number of equal factors."""
    if factors == 1:
        return x
    half = _product(x, factors // 2, out, scope)
    square = scope.do("multiply", half, half)
    return square if factors % 2 == 0 else scope.do("multiply", square, x)


def integer_power(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """XLA's power for exponents from 0 to 63. Larger exponents, whose powers wrap around, take a loop; negative ones
    are handled here, since XLA's result depends on whether it knows the exponent.
    """
    exponent = int(op.y.value.host) if type(op.y) is Literal else None
    if exponent is not None and 0 <= exponent < _EXACT_POWERS:
        return scope.op(_POWER, TYPES[out], (x, y))
    if not issubclass(out.dtype, dtypes.Signed):
        return _wrapping_power(x, y, out, scope)
    negative = below_zero(y, out, scope)
    natural = scope.do("maximum", y, scope.fill(out, 0))
    cases = negative, _reciprocal_power(x, y, out, scope), _wrapping_power(x, natural, out, scope)
    return scope.do("select", *cases)


def _reciprocal_power(x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """1 / x^-y, truncated: 1 or x for 1 and -1, else 0."""
    one, zero = scope.fill(out, 1), scope.fill(out, 0)
    size = scope.do("abs", x)
    odd = compared("EQ", scope.do("and", y, one), one, out, scope)
    unit = scope.do("select", odd, x, one)
    return scope.do("select", compared("EQ", size, one, out, scope), unit, zero)


def _wrapping_power(x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """x^y for exponents that are not negative."""
    power = scope.op(_POWER, TYPES[out], (x, y))
    if out.dtype.dtype.itemsize == 1:  # in one byte six bits of the exponent are enough
        return power
    large = compared("GE", y, scope.fill(out, _EXACT_POWERS), out, scope)
    zero, one = scope.fill(out, 0), scope.fill(out, 1)
    rest = scope.do("select", large, y, zero)
    bit = TYPES[ShapedArray((), dtypes.bool_)]

    def unfinished(v: list[Value]) -> list[Value]:
        false = scope.builder.fill((), dtypes.bool_.dtype, False)
        remains = compared("NE", v[2], zero, out, scope)
        return [scope.builder.reduce("stablehlo.or", bit, remains, false, tuple(range(out.ndim)))]

    def step(v: list[Value]) -> list[Value]:
        result, base, exponent = v
        odd = compared("EQ", scope.do("and", exponent, one), one, out, scope)
        product = scope.do("multiply", result, base)
        return [
            scope.do("select", odd, product, result),
            scope.do("multiply", base, base),
            scope.do("shift_right_logical", exponent, one),
        ]

    carry = [TYPES[out]] * 3
    loop = Region(carry, unfinished), Region(carry, step)
    by_squaring = scope.builder.ops("stablehlo.while", carry, (one, x, rest), None, loop)[0]
    return scope.do("select", large, by_squaring, power)

"""Sums, products, quotients and comparisons in forms that XLA's algebraic simplifier leaves as they are.

The simplifier computes with floats as if they were real numbers: x / (y / z) becomes x · z / y, which may overflow, as
does (x + y) · ½ for x · ½ + y · ½; x / s for many x becomes x · (1 / s), x + 0 is -0 for -0, and |x| ≥ 0 is true for
NaN. Each form here has the exact value of the operation, and LLVM, which follows IEEE 754, compiles it to the
operation's instruction.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from effects.operations.elementwise import Binary, Compare, Unary
from effects.program.jaxpr import Atom, Literal
from effects.types.avals import ShapedArray
from effects.types.dtypes import Floating, Signed, real_of
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.scope import TYPES, Scope


def added(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """x + y, with x + 0 written as 0 - -x, since XLA would return -0 for x = -0."""
    if _constant(op.x, op.y) == 0:
        return scope.do("subtract", y, scope.do("negate", x))
    if _constant(op.y, op.x) == 0:
        return scope.do("subtract", x, scope.do("negate", y))
    return scope.do("add", x, y)


def subtracted(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """x - y, with -0 - x written so that XLA does not take -0 for 0."""
    if _constant(op.x, op.y) == 0:
        x, y = scope.do("negate", y), scope.do("negate", x)
    return scope.do("subtract", x, y)


def multiplied(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """x · y, with x · c written as -0 - -x · c, since XLA takes powers of two out of sums of products.

    Where constants may be sizes, all products with constants are written so.
    """
    any_number = scope.functions.open_sizes
    if _changes(_constant(op.x, op.y), any_number):
        return _negative("stablehlo.multiply", scope.do("negate", x), y, out, scope)
    if _changes(_constant(op.y, op.x), any_number):
        return _negative("stablehlo.multiply", x, scope.do("negate", y), out, scope)
    return scope.do("multiply", x, y)


def divided(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """x / y as -x / -y, since XLA joins nested quotients.

    XLA would invert a divisor that is the same for many x, so it is made to depend on x, by a NaN beside NaN. Constants
    with an ordinary inverse may be inverted; then the quotient is a product, see `multiplied`.
    """
    number = _constant(op.x, op.y)
    if number is not None and _has_inverse(number, out):
        return _negative("stablehlo.divide", scope.do("negate", x), y, out, scope)
    there = compared("EQ", x, x, out, scope)
    divisor = scope.do("select", there, scope.do("negate", y), x)
    return scope.do("divide", scope.do("negate", x), divisor)


def complex_divided(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """x / y of complex numbers, joined from their parts here (see `divided`), since -x / -y has other signs of zeros.

    Products with the inverse of a constant are NaN for infinities, since it has two parts: so a constant is loaded from
    memory.
    """
    part = out.with_dtype(real_of(out.dtype))

    def joined(z: Value) -> Value:
        real, imag = [scope.op(name, TYPES[part], (z,)) for name in ("stablehlo.real", "stablehlo.imag")]
        return scope.op("stablehlo.complex", TYPES[out], (real, opaque(imag, part, scope)))

    number = _constant(op.x, op.y)
    if number is None:
        divisor = joined(y)
    else:
        single = scope.barrier(scope.fill(out.with_shape(()), number))
        divisor = scope.broadcast(single, out, ())
    return scope.do("divide", joined(x), divisor)


def absolute(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    """|x|, for integers as the maximum of x and -x: XLA takes squares, which may wrap around, for positive."""
    return scope.do("maximum", x, scope.do("negate", x))


_MIRRORED: Final = {"GE": "LE", "LE": "GE"}
_BELOW: Final = {(False, True): {"LT": "LE", "GE": "GT"}, (True, False): {"GT": "GE", "LE": "LT"}}
"""The comparison with -1 that replaces one of an integer with 0, by the side of the constant."""


def related(op: Compare[Atom], x: Value, y: Value, aval: ShapedArray, scope: Scope) -> Value:
    """The comparison of x and y.

    XLA takes the signs of squares, absolute values and extremes for known, so x ≥ 0 is written as -x ≤ -0 for floats,
    which may be NaN, and as x > -1 for integers, which may wrap around.
    """
    direction = op.kind.name
    zeros = _is_zero(op.x), _is_zero(op.y)
    below = _BELOW.get(zeros)
    if below is not None and issubclass(aval.dtype, Floating) and direction in _MIRRORED:
        return compared(_MIRRORED[direction], scope.do("negate", x), scope.do("negate", y), aval, scope)
    if below is not None and issubclass(aval.dtype, Signed) and direction in below:
        last = scope.fill(aval, -1)
        x, y = (last, y) if zeros[0] else (x, last)
        return compared(below[direction], x, y, aval, scope)
    return compared(direction, x, y, aval, scope)


def _is_zero(atom: Atom) -> bool:
    return type(atom) is Literal and not atom.value.host


def opaque(x: Value, aval: ShapedArray, scope: Scope) -> Value:
    """x as -0 - -x, for functions that XLA replaces by others if x is a power, a root or a quotient."""
    return scope.do("subtract", scope.fill(aval, -0.0), scope.do("negate", x))


def _constant(beside: Atom, constant: Atom) -> complex | None:
    """The number that `constant` is, if `beside` is none; else None."""
    if type(constant) is not Literal or type(beside) is Literal:
        return None
    number: complex = constant.value.host.item()
    return number


def _changes(factor: complex | None, any_number: bool) -> bool:
    """Return True if XLA may move a factor: a constant power of two, or any but 1 and NaN with `any_number`."""
    if factor is None or factor == 1 or factor != factor:  # noqa: PLR0124  # NaN
        return False
    return any_number or isinstance(factor, complex) or abs(math.frexp(factor)[0]) in (0.0, 0.5, math.inf)


def _has_inverse(number: complex, aval: ShapedArray) -> bool:
    limits = np.finfo(aval.dtype.dtype)
    return bool(number) and limits.tiny <= abs(1 / number) <= limits.max


def _negative(name: str, x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """-0 - f(x, y), a negation that XLA does not recognise."""
    return scope.do("subtract", scope.fill(out, -0.0), scope.op(name, TYPES[out], (x, y)))

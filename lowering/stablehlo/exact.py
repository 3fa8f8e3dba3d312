"""Sums, products, quotients and comparisons in forms that XLA's algebraic simplifier leaves as they are.

It computes with floats as if they were real numbers, where that is cheaper: x / (y / z) is x · z / y, which overflows,
as does (x + y) · ½ for x · ½ + y · ½; x / s for many x is x · (1 / s), x + 0 is -0 for -0, and |x| ≥ 0 holds for NaN.
Each form here has the value of the operation to the bit, and LLVM, which keeps to IEEE 754, makes the instructions of
the operation of it.
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
    """x + 0, which is 0 for -0, as 0 - -x."""
    if _constant(op.x, op.y) == 0:
        return _less(y, negated(x, out, scope), out, scope)
    if _constant(op.y, op.x) == 0:
        return _less(x, negated(y, out, scope), out, scope)
    return scope.do("add", x, y)


def subtracted(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """x - 0, for -0 is 0 to XLA, as -0 - -x."""
    if _constant(op.x, op.y) == 0:
        x, y = negated(y, out, scope), negated(x, out, scope)
    return _less(x, y, out, scope)


def multiplied(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """x · c as -0 - -x · c, for powers of two are taken out of sums of products with them. So are written those with
    all constants where they may be sizes.
    """
    any_number = scope.functions.open_sizes
    if _changes(_constant(op.x, op.y), any_number):
        return _negative("stablehlo.multiply", negated(x, out, scope), y, out, scope)
    if _changes(_constant(op.y, op.x), any_number):
        return _negative("stablehlo.multiply", x, negated(y, out, scope), out, scope)
    return scope.do("multiply", x, y)


def divided(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """-x / -y, for quotients that are divided, or divide, are made one. A divisor that is the same for many x would be
    inverted first: it is one that is NaN beside NaN. Constants are left to be inverted where that is an ordinary
    number; then the quotient is a product, see `multiplied`.
    """
    number = _constant(op.x, op.y)
    if number is not None and _has_inverse(number, out):
        return _negative("stablehlo.divide", negated(x, out, scope), y, out, scope)
    there = compared("EQ", x, x, out, scope)
    divisor = scope.do("select", there, negated(y, out, scope), x)
    return scope.do("divide", negated(x, out, scope), divisor)


def complex_divided(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """x / y of numbers that are put together here, see `divided`: -x / -y has other signs of zeros. The inverse of a
    constant has two parts, so that products with it are NaN for infinities: it lies in memory, as one number.
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
    """The greater one of x and -x, for integers: squares, which wrap around, count as positive."""
    return scope.do("maximum", x, negated(x, out, scope))


_MIRRORED: Final = {"GE": "LE", "LE": "GE"}
_BELOW: Final = {(False, True): {"LT": "LE", "GE": "GT"}, (True, False): {"GT": "GE", "LE": "LT"}}
"""By which of x and y is the constant: the comparisons with 0, and those with -1 that integers pass in their place."""


def related(op: Compare[Atom], x: Value, y: Value, aval: ShapedArray, scope: Scope) -> Value:
    """x and y compared, for which side of 0 squares, sizes and extremes are on is taken to be known: x ≥ 0 as -x ≤ -0
    for floats, which may be NaN, as x > -1 for integers, which wrap around.
    """
    direction = op.kind.name
    zeros = _is_zero(op.x), _is_zero(op.y)
    below = _BELOW.get(zeros)
    if below is not None and issubclass(aval.dtype, Floating) and direction in _MIRRORED:
        return compared(_MIRRORED[direction], negated(x, aval, scope), negated(y, aval, scope), aval, scope)
    if below is not None and issubclass(aval.dtype, Signed) and direction in below:
        last = scope.fill(aval, -1)
        x, y = (last, y) if zeros[0] else (x, last)
        return compared(below[direction], x, y, aval, scope)
    return compared(direction, x, y, aval, scope)


def _is_zero(atom: Atom) -> bool:
    return type(atom) is Literal and not atom.value.host


def opaque(x: Value, aval: ShapedArray, scope: Scope) -> Value:
    """x as -0 - -x, for functions of which XLA makes others where x is a power, a root or a quotient."""
    return _less(scope.fill(aval, -0.0), negated(x, aval, scope), aval, scope)


def negated(x: Value, aval: ShapedArray, scope: Scope) -> Value:
    return scope.do("negate", x)


def _constant(beside: Atom, constant: Atom) -> complex | None:
    """The number that `constant` is, beside an atom that is none."""
    if type(constant) is not Literal or type(beside) is Literal:
        return None
    number: complex = constant.value.host.item()
    return number


def _changes(factor: complex | None, any_number: bool) -> bool:
    """Return True if a factor is a constant, neither 1 nor NaN, whose sign would be another one, and a power of two or
    `any_number`.
    """
    if factor is None or factor == 1 or factor != factor:  # noqa: PLR0124  # what is not NaN
        return False
    return any_number or isinstance(factor, complex) or abs(math.frexp(factor)[0]) in (0.0, 0.5, math.inf)


def _has_inverse(number: complex, aval: ShapedArray) -> bool:
    limits = np.finfo(aval.dtype.dtype)
    return bool(number) and limits.tiny <= abs(1 / number) <= limits.max


def _less(x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    return scope.do("subtract", x, y)


def _negative(name: str, x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """-0 - f(x, y), of which XLA does not know that it is one."""
    return _less(scope.fill(out, -0.0), scope.op(name, TYPES[out], (x, y)), out, scope)

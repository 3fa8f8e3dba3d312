"""Division with a whole quotient, as Python has it: the quotient is rounded down, the rest has the sign of the divisor.

XLA has the quotient of C, which is rounded toward zero, and its rest. Common divisors are computed by a loop of these.
"""

from __future__ import annotations

import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.functions.elementwise import arithmetic, logic, unary
from effects.functions.reductions import reduction
from effects.operations.elementwise import Binary, Unary
from effects.program.jaxpr import Atom, Literal
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import below_zero, bits, compared
from lowering.stablehlo.patterns import with_sign
from lowering.stablehlo.scope import TYPES, Scope


def truncated(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    low, high = [scope.do(name, x) for name in ("floor", "ceil")]
    below = compared("LT", x, scope.fill(out, 0), out, scope)
    return scope.do("select", below, high, low)


def _wrong_sign(rest: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """Mask of the rests that are not zero and do not have the sign of the divisor."""
    zero = scope.fill(out, 0)
    there = compared("NE", rest, zero, out, scope)
    signs = [below_zero(part, out, scope) for part in (rest, y)]
    return scope.do("and", there, scope.do("xor", *signs))


def remainder(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    rest = scope.do("remainder", x, y)
    if issubclass(out.dtype, dtypes.Unsigned):
        return rest
    raised = scope.do("add", rest, y)
    rest = scope.do("select", _wrong_sign(rest, y, out, scope), raised, rest)
    return rest if issubclass(out.dtype, dtypes.Integer) else with_sign(rest, y, out, scope)  # the sign of a zero, too


def truncated_integers(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    return _defined(op, scope.do("divide", x, y), y, out, scope)


def floored_integers(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    quotient = scope.do("divide", x, y)
    if not issubclass(out.dtype, dtypes.Unsigned):
        rest = scope.do("remainder", x, y)
        below = scope.do("subtract", quotient, scope.fill(out, 1))
        quotient = scope.do("select", _wrong_sign(rest, y, out, scope), below, quotient)
    return _defined(op, quotient, y, out, scope)


def _defined(op: Binary[Atom], quotient: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """The quotient, with all bits set for a division by 0, as by XLA, which yet takes x / x for 1."""
    if type(op.y) is Literal and op.y.value.host:
        return quotient
    every = scope.do("not", scope.fill(out, 0))
    undefined = compared("EQ", y, scope.fill(out, 0), out, scope)
    return scope.do("select", undefined, every, quotient)


def floored(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """The quotient rounded down, by subtracting the rest first: then only rounding keeps it from being whole."""
    of = scope.do
    zero, one = scope.fill(out, 0), scope.fill(out, 1)
    rest = of("remainder", x, y)
    quotient = of("divide", of("subtract", x, rest), y)
    low = of("floor", quotient)  # the nearest integer, halves downwards; x + ½ would round large numbers
    above = compared("GT", of("subtract", quotient, low), scope.fill(out, 0.5), out, scope)
    quotient = of("select", above, of("add", low, one), low)
    quotient = of("select", _wrong_sign(rest, y, out, scope), of("subtract", quotient, one), quotient)
    ratio = of("floor", of("divide", x, y))  # has the sign of a zero
    quotient = of("select", compared("EQ", quotient, zero, out, scope), of("multiply", zero, ratio), quotient)
    finite = [scope.op("stablehlo.is_finite", TYPES[bits(out)], (part,)) for part in (rest, y)]
    return of("select", scope.do("and", *finite), quotient, ratio)


def common_divisor(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """Greatest common divisors, by a private function for each shape, whose loop ends when all pairs are done."""
    return scope.call(_divisor, "gcd", [x, y], [out, out])[0]


def _divisor(x: Array, y: Array) -> list[Array]:
    """Greatest common divisors by Euclid's algorithm."""
    zero = constant_like(0, x)

    def step(pair: tuple[Array, Array]) -> tuple[Array, Array]:
        divisor, rest = pair
        done = rest == zero
        left = arithmetic.remainder(divisor, logic.where(done, constant_like(1, rest), rest))
        return logic.where(done, divisor, rest), logic.where(done, zero, left)

    divisor: Array = handlers.while_loop(lambda pair: reduction.any(pair[1] != zero), step, (x, y))[0]
    return [unary.abs(divisor)]

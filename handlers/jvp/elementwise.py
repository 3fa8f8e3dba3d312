"""Derivatives of elementwise operations. Equal operands of `maximum` and `minimum` contribute half of their tangent."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import effects.functions.elementwise.unary as fn
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.functions.elementwise import arithmetic, logic, transcendental
from effects.functions.manipulation import movement
from effects.operations.elementwise import (
    Binary,
    BinaryKind,
    Clamp,
    Compare,
    CompareKind,
    Convert,
    Select,
    Unary,
    UnaryKind,
)
from effects.program.chain import perform
from effects.program.operation import Single
from effects.types import dtypes
from handlers.jvp.rules import RULES, Dual, Pair, Tangent, value_of
from handlers.jvp.unary import clean, minus, tangent, times

_U, _B, _C = UnaryKind, BinaryKind, CompareKind
_DIV, _ADD, _SUB = _B.DIV, _B.ADD, _B.SUB


@RULES.rule(Unary)
def jvp_unary(op: Unary[Dual]) -> Pair:
    x, t = op.x.primal, op.x.tangent
    y = value_of(Unary(op.kind, x))
    return y, None if t is None else tangent(op.kind, x, y, t)


def broadcast_like(t: Array, like: Array) -> Array:
    """A tangent of one operand, broadcast to the shape of the result."""
    return t if t.aval is like.aval or t.aval.shape == like.aval.shape else movement.broadcast_to(t, like.aval.shape)


def add_tangents(a: Tangent, b: Tangent) -> Tangent:
    """The sum of two tangents, absent ones counting as zero."""
    return b if a is None else a if b is None else perform(Binary(_ADD, a, b))


def _of_slopes(x: Dual, y: Dual, by_x: Callable[[], Array], by_y: Callable[[], Array]) -> Tangent:
    """The tangent from the slopes in each operand; the slope in one without a tangent is not computed."""
    return add_tangents(
        None if x.tangent is None else times(x.tangent, by_x()), None if y.tangent is None else times(y.tangent, by_y())
    )


def of_operands(op: Single[Any], *operands: Array) -> Array:
    """The result of `op` on these operands instead of its own."""
    values = iter(operands)
    return perform(op.map(lambda _: next(values)))


def product_rule(op: Single[Dual]) -> Pair:
    """Rule of operations that are linear in each of their two operands."""
    x, y = op.operands
    out = value_of(op.map(lambda dual: dual.primal))
    by_x = None if x.tangent is None else of_operands(op, x.tangent, y.primal)
    return out, add_tangents(by_x, None if y.tangent is None else of_operands(op, x.primal, y.tangent))


@RULES.rule(Binary)
def jvp_binary(op: Binary[Dual]) -> Pair:
    out = value_of(Binary(op.kind, op.x.primal, op.y.primal))
    if op.x.tangent is None and op.y.tangent is None:
        return out, None
    tangent = BINARY[op.kind](op.x, op.y, out)
    return out, None if tangent is None else broadcast_like(tangent, out)


def _jvp_sub(x: Dual, y: Dual, out: Array) -> Tangent:
    if y.tangent is None:
        return x.tangent
    return minus(y.tangent) if x.tangent is None else perform(Binary(_SUB, x.tangent, y.tangent))


def _jvp_mul(x: Dual, y: Dual, out: Array) -> Tangent:
    if x is y and x.tangent is not None:  # a square, whose residual is its operand
        half = times(x.tangent, x.primal)
        return perform(Binary(_ADD, half, half))
    return _of_slopes(x, y, lambda: y.primal, lambda: x.primal)


def _jvp_div(x: Dual, y: Dual, out: Array) -> Tangent:
    # The tangent of the divisor is divided before it meets the quotient: a divisor that is broadcast costs little then,
    # forwards as in the transpose, where the cotangent is summed before it is divided.
    relative = None if y.tangent is None else perform(Binary(_DIV, y.tangent, y.primal))
    if x.tangent is None:
        return None if relative is None else times(minus(relative), out)
    scaled = perform(Binary(_DIV, x.tangent, y.primal))
    return scaled if relative is None else perform(Binary(_SUB, scaled, times(relative, out)))


def _jvp_rem(x: Dual, y: Dual, out: Array) -> Tangent:
    by_x = None if x.tangent is None else x.tangent * clean(out)
    if y.tangent is None:
        return by_x
    multiple = perform(Binary(_DIV, perform(Binary(_SUB, x.primal, out)), y.primal))
    quotient = perform(Unary(_U.ROUND, multiple))  # the quotient itself may have been rounded up to a whole number
    below = perform(Select(_compared(_C.EQ, out, y.primal), constant_like(-1, out), quotient))  # both may be infinite
    return add_tangents(by_x, minus(times(y.tangent, below)))


def _jvp_copy_sign(x: Dual, y: Dual, out: Array) -> Tangent:
    if x.tangent is None:
        return None
    sign = perform(Binary(_B.COPY_SIGN, constant_like(1, x.primal), y.primal))
    return times(x.tangent, times(perform(Unary(_U.SIGN, x.primal)), sign))


def _jvp_pow(x: Dual, y: Dual, out: Array) -> Tangent:
    base, exponent = x.primal, y.primal
    by_base: Tangent = None
    by_exponent: Tangent = None
    if x.tangent is not None:
        one = constant_like(1, exponent)
        flat = (base == 0) & (exponent == 0)  # the slope is 0, but exponent - 1 would make it 0·∞
        by_base = x.tangent * (exponent * arithmetic.pow(base, logic.where(flat, one, exponent - one)))
    if y.tangent is not None:
        zero_base = base == 0
        log_base = transcendental.log(logic.where(zero_base, constant_like(1, base), base))
        positive = exponent if not issubclass(exponent.aval.dtype, dtypes.Complex) else fn.real(exponent)
        by_exponent = y.tangent * logic.where(zero_base & (positive > 0), constant_like(0, out), out * log_base)
    return add_tangents(by_base, by_exponent)


def _compared(kind: CompareKind, x: Array, y: Array) -> Array:
    return perform(Compare(kind, x, y))


def _of_extreme(x: Dual, y: Dual, weight: Array) -> Tangent:
    """The tangent of an extreme to which the first operand contributes with this weight."""
    return _of_slopes(x, y, lambda: weight, lambda: perform(Binary(_SUB, constant_like(1, weight), weight)))


def _along(x: Dual, y: Dual) -> Array:
    return perform(Binary(_B.ALONG, x.primal, y.primal))


def _turn(x: Dual, y: Dual) -> Array:
    return perform(Binary(_B.TURN, x.primal, y.primal))


def _jvp_turn(x: Dual, y: Dual, out: Array) -> Tangent:
    """(q² - p²) · ẋ - 2pq · ẏ for p = x / (x² + y²), with q = y / (x² + y²)."""
    other = _turn(y, x)
    both = times(out, other)
    squares = perform(Binary(_SUB, times(other, other), times(out, out)))
    return _of_slopes(x, y, lambda: squares, lambda: minus(perform(Binary(_ADD, both, both))))


def _jvp_along(x: Dual, y: Dual, out: Array) -> Tangent:
    """The sine of the angle is x / √(x² + y²), and its slope is the cosine, y / √(x² + y²). At the origin it jumps."""
    size = perform(Binary(_B.HYPOT, x.primal, y.primal))
    jumps = _compared(_C.EQ, size, constant_like(0, size))
    size = perform(Select(jumps, constant_like(1, size), size))
    cosine = _along(y, x)
    by_x: Callable[[], Array] = lambda: perform(Binary(_DIV, times(cosine, cosine), size))
    return _of_slopes(x, y, by_x, lambda: minus(perform(Binary(_DIV, times(out, cosine), size))))


def _jvp_complex(x: Dual, y: Dual, out: Array) -> Tangent:
    zero = constant_like(0, x.primal)
    return arithmetic.complex(zero if x.tangent is None else x.tangent, zero if y.tangent is None else y.tangent)


BINARY: Final[dict[BinaryKind, Callable[[Dual, Dual, Array], Tangent]]] = {
    _B.ABOVE: lambda x, y, out: None if x.tangent is None else times(x.tangent, clean(out)),
    _B.ADD: lambda x, y, out: add_tangents(x.tangent, y.tangent),
    _B.ALONG: _jvp_along,
    _B.ATAN2: lambda x, y, out: _of_slopes(x, y, lambda: _turn(y, x), lambda: minus(_turn(x, y))),
    _B.COMPLEX: _jvp_complex,
    _B.COPY_SIGN: _jvp_copy_sign,
    _B.DIV: _jvp_div,
    _B.HYPOT: lambda x, y, out: _of_slopes(x, y, lambda: _along(x, y), lambda: _along(y, x)),
    _B.MAX: lambda x, y, out: _of_extreme(x, y, perform(Binary(_B.SHARE, x.primal, y.primal))),
    _B.MIN: lambda x, y, out: _of_extreme(x, y, perform(Binary(_B.SHARE, y.primal, x.primal))),
    _B.MUL: _jvp_mul,
    _B.NEXT_AFTER: lambda x, y, out: x.tangent,
    _B.POW: _jvp_pow,
    _B.REM: _jvp_rem,
    _B.SCALE: lambda x, y, out: None if x.tangent is None else perform(Binary(_B.SCALE, x.tangent, y.primal)),
    _B.SUB: _jvp_sub,
    _B.TURN: _jvp_turn,
    **dict.fromkeys(
        (_B.AND, _B.FLOOR_DIV, _B.GCD, _B.OR, _B.SHARE, _B.SHIFT_LEFT, _B.SHIFT_RIGHT, _B.THREEFRY, _B.XOR),
        lambda x, y, out: None,
    ),
}


@RULES.rule(Compare)
def jvp_compare(op: Compare[Dual]) -> Pair:
    return perform(Compare(op.kind, op.x.primal, op.y.primal)), None


@RULES.rule(Select)
def jvp_select(op: Select[Dual]) -> Pair:
    pred = op.pred.primal
    out = value_of(Select(pred, op.x.primal, op.y.primal))
    tx, ty = op.x.tangent, op.y.tangent
    if tx is None and ty is None:
        return out, None
    zero = constant_like(0, out)
    tangent = perform(Select(pred, zero if tx is None else tx, zero if ty is None else ty))
    return out, broadcast_like(tangent, out)


@RULES.rule(Clamp)
def jvp_clamp(op: Clamp[Dual]) -> Pair:
    low, x, high = op.low, op.x, op.high
    out = value_of(Clamp(low.primal, x.primal, high.primal))
    if low.tangent is None and x.tangent is None and high.tangent is None:
        return out, None
    zero = constant_like(0, out)
    if low.tangent is None and high.tangent is None and x.tangent is not None:
        bounds = _compared(_C.LE, low.primal, x.primal), _compared(_C.LE, x.primal, high.primal)
        inside = perform(Binary(_B.AND, *bounds))
        outside = perform(Select(_compared(_C.EQ, out, out), zero, constant_like(math.nan, out)))  # a bound may be NaN
        return out, broadcast_like(times(x.tangent, perform(Select(inside, constant_like(1, out), outside))), out)
    above, below = arithmetic.maximum(x.primal, low.primal) > high.primal, x.primal < low.primal
    tangent = logic.where(
        above,
        zero if high.tangent is None else high.tangent,
        logic.where(below, zero if low.tangent is None else low.tangent, zero if x.tangent is None else x.tangent),
    )
    return out, broadcast_like(times(tangent, clean(out)), out)


@RULES.rule(Convert)
def jvp_convert(op: Convert[Dual]) -> Pair:
    out = value_of(Convert(op.dtype, op.weak_type, op.x.primal))
    t = op.x.tangent
    if t is None or not dtypes.is_inexact(op.dtype):
        return out, None
    return out, perform(Convert(op.dtype, op.weak_type, t))

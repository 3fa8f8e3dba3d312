"""The rules of Taylor mode for operations that are linear or multilinear in their operands, and for quotients.

All other operations use their jvp rules. These rules give all derivatives at once, for products by Leibniz's rule.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any, Final

import effects as fx
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.operations import (
    REARRANGING,
    Binary,
    BinaryKind,
    Convolution,
    DotGeneral,
    Fourier,
    ReduceKind,
    UnaryKind,
    WindowKind,
)
from effects.program.chain import perform
from effects.program.operation import Kind, Single
from handlers.jvp.elementwise import add_tangents, broadcast_like, of_operands
from handlers.jvp.rules import Tangent
from handlers.taylor.series import Recurrence, Series


def _series(op: Single[Series], value: Array, recurrence: Recurrence) -> Series:
    return Series(op.operands[0].owner, value.aval, [value], recurrence)


def _linear(op: Single[Series]) -> Series:
    """An operation that is linear in all its operands together: performed on each derivative."""

    def derivative(k: int) -> Tangent:
        if all([v.coefficient(k) is None for v in op.operands]):
            return None
        return perform(op.map(lambda v: v.value(k)))

    return _series(op, perform(op.map(Series.value)), derivative)


def _sum(op: Binary[Series]) -> Series:
    """x + y or x - y, without adding derivatives that are zero."""
    x, y = op.x, op.y
    value = perform(op.map(Series.value))

    def derivative(k: int) -> Tangent:
        a, b = x.coefficient(k), y.coefficient(k)
        if b is None or op.kind is BinaryKind.ADD:
            total = add_tangents(a, b)
        else:
            total = fx.negative(b) if a is None else fx.subtract(a, b)
        return None if total is None else broadcast_like(total, value)

    return _series(op, value, derivative)


def _times(number: int, x: Array) -> Array:
    return x if number == 1 else fx.multiply(constant_like(number, x), x)


def _product(op: Binary[Series] | Convolution[Series] | DotGeneral[Series]) -> Series:
    """(x·y)⁽ᵏ⁾ = Σⱼ C(k, j) x⁽ʲ⁾·y⁽ᵏ⁻ʲ⁾."""
    x, y = op.operands

    def derivative(k: int) -> Tangent:
        total: Tangent = None
        for j in range(k + 1):
            a, b = x.coefficient(j), y.coefficient(k - j)
            if a is not None and b is not None:
                total = add_tangents(total, _times(comb(k, j), of_operands(op, a, b)))
        return total

    return _series(op, perform(op.map(Series.value)), derivative)


def _quotient(op: Binary[Series]) -> Series:
    """z = x/y: z⁽ᵏ⁾ = (x⁽ᵏ⁾ - Σⱼ C(k, j) y⁽ʲ⁾·z⁽ᵏ⁻ʲ⁾) / y for j from 1."""
    x, y = op.x, op.y
    divisor = y.value()

    def derivative(k: int) -> Tangent:
        total = x.coefficient(k)
        for j in range(1, k + 1):
            a, b = y.coefficient(j), z.coefficient(k - j)
            if a is not None and b is not None:
                term = _times(comb(k, j), fx.multiply(a, b))
                total = fx.negative(term) if total is None else fx.subtract(total, term)
        return None if total is None else broadcast_like(fx.divide(total, divisor), z.value())

    z = _series(op, perform(op.map(Series.value)), derivative)
    return z


DIRECT: Final[dict[Kind | type, Callable[[Any], Series]]] = {
    **dict.fromkeys(REARRANGING, _linear),
    **dict.fromkeys((UnaryKind.NEG, UnaryKind.CONJ, UnaryKind.REAL, UnaryKind.IMAG, BinaryKind.COMPLEX), _linear),
    Fourier: _linear,
    ReduceKind.SUM: _linear,
    WindowKind.SUM: _linear,
    BinaryKind.ADD: _sum,
    BinaryKind.SUB: _sum,
    BinaryKind.MUL: _product,
    BinaryKind.DIV: _quotient,
    Convolution: _product,
    DotGeneral: _product,
}
"""The rules, by the kind of an operation or by its class."""

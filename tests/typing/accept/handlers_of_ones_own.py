"""Handlers and operations of a user's own, and matching over operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final, reveal_type

import effects as fx
from effects import (
    Array,
    Carrier,
    CustomOp,
    Handler,
    Operand,
    Operands,
    Operation,
    Performed,
    ShapedArray,
    each_result,
    operation,
    perform,
)
from effects.operations.elementwise import Binary, Compare, Select, Unary
from effects.operations.reduction import Reduce
from effects.types.avals import Typed
from handlers import Batched, Dual, Forward, Linear
from handlers.jvp.rules import Pair
from handlers.vmap.rules import Lanes


class Count(Handler[Array]):
    """Counts operations and lets them pass."""

    sees_all = True

    def __init__(self) -> None:
        self.number = 0

    def constant(self, value: Array, /) -> Array:
        return value

    def interpret(self, op: Operation[Array], /) -> Performed:
        self.number += 1
        reveal_type(perform(op))  # Array[Any, Any] | tuple[Array[Any, Any], ...]
        return perform(op)


@final
class Interval(Carrier):
    """low ≤ x ≤ high."""

    __slots__ = ("high", "low")
    owner: Intervals

    def __init__(self, owner: Intervals, low: Array, high: Array) -> None:
        self.owner, self.low, self.high = owner, low, high

    @property
    def aval(self) -> ShapedArray:
        return self.low.aval


class Intervals(Forward[Interval, bool]):
    def constant(self, value: Array, /) -> Interval:
        return Interval(self, value, value)

    def interpret(self, op: Operation[Interval], /) -> Performed:
        lows, highs = perform(op.map(lambda x: x.low)), perform(op.map(lambda x: x.high))
        return each_result(lambda low, high: Interval(self, low, high), lows, highs)

    def unpack(self, value: Interval, /) -> tuple[tuple[Array, ...], bool]:
        return (value.low, value.high), True

    def pack(self, parts: Sequence[Array], static: bool, /) -> Interval:
        low, high = parts
        return Interval(self, low, high)


@operation
class Sinc[V](CustomOp[V]):
    """sin(rate · x) / x."""

    x: V
    rate: float

    def types(self: Sinc[Typed]) -> ShapedArray:
        return self.x.aval

    def evaluate(self: Sinc[Array]) -> Array:
        reveal_type(self.rate)  # float
        return fx.sin(self.rate * self.x) / self.x

    def jvp(self: Sinc[Dual]) -> Pair:
        x, t = self.x.primal, self.x.tangent
        y = perform(Sinc(x, self.rate))
        return y, None if t is None else t * (fx.cos(x) - y) / x

    def batch(self: Sinc[Batched]) -> Lanes:
        return perform(Sinc(self.x.value, self.rate)), True


@operation
class DivMod[V](CustomOp[V, tuple[Array, Array]]):
    """Quotient and remainder."""

    x: V
    y: V

    def types(self: DivMod[Typed]) -> tuple[ShapedArray, ShapedArray]:
        return self.x.aval, self.y.aval


@operation
class Normal(CustomOp):
    """exp(-rate · x²)."""

    x: Operand
    rate: float

    def types(self) -> ShapedArray:
        return self.x.aval

    def evaluate(self) -> Array:
        return fx.exp(-self.rate * self.x**2)

    def jvp(self) -> Pair:
        y = perform(Normal(self.x.primal, self.rate))
        if self.x.tangent is None:
            return y, None
        return y, -2.0 * self.rate * self.x.primal * self.x.tangent * y

    def transpose(self, cotangent: Array, /) -> tuple[Array | None]:
        return (cotangent if isinstance(self.x, Linear) else None,)

    def batch(self) -> Lanes:
        return perform(Normal(self.x.value, self.rate)), self.x.batched


@operation
class Totals(CustomOp[Array, tuple[Array, Array]]):
    """The sum and the product."""

    xs: Operands

    def types(self) -> tuple[ShapedArray, ShapedArray]:
        return self.xs[0].aval, self.xs[0].aval

    def evaluate(self) -> tuple[Array, Array]:
        return self.xs[0] + self.xs[1], self.xs[0] * self.xs[1]


def performed_without_a_variable(x: Array) -> None:
    reveal_type(perform(Normal(x, 2.0)))  # Array[Any, Any]
    reveal_type(perform(Totals((x, x))))  # tuple[Array[Any, Any], Array[Any, Any]]
    reveal_type(Normal(x, 2.0).rate)  # float
    reveal_type(Normal(x, 2.0).map(lambda v: v.aval))  # CustomOp[ShapedArray, Array[Any, Any]]


def performed(x: Array, y: Array) -> None:
    reveal_type(perform(Sinc(x, 2.0)))  # Array[Any, Any]
    reveal_type(perform(DivMod(x, y)))  # tuple[Array[Any, Any], Array[Any, Any]]
    reveal_type(Sinc(x, 2.0).map(lambda v: v.aval))  # CustomOp[ShapedArray, Array[Any, Any]]


def operands(op: Unary[Dual] | Binary[Dual] | Select[Dual] | Reduce[Dual] | Compare[Dual]) -> tuple[Dual, ...]:
    match op:
        case Unary(kind, x):
            reveal_type(kind)  # UnaryKind
            return (x,)
        case Binary(_, x, y) | Compare(_, x, y):
            return x, y
        case Select(pred, x, y):
            return pred, x, y
        case Reduce(x=x):
            return (x,)


class Random:
    """The capability of drawing numbers."""

    def normal(self, shape: tuple[int, ...]) -> Array[fx.f32]:
        return fx.zeros(shape, dtype=fx.f32)


def with_random[**P, R](f: Callable[[Random], Callable[P, R]]) -> Callable[P, R]:
    return f(Random())


def noisy(rng: Random) -> Callable[[Array], Array]:
    return lambda x: x + rng.normal(x.shape)


def discharged(x: Array) -> None:
    reveal_type(with_random(noisy)(x))  # Array[Any, Any]

"""Wrong handlers and operations of a user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

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
from effects.operations.elementwise import Binary, Select, Unary
from effects.types.avals import Typed
from handlers import Dual, Forward


@final
class Interval(Carrier):
    __slots__ = ("high", "low")
    owner: Forward[Interval, bool]

    def __init__(self, owner: Forward[Interval, bool], low: Array, high: Array) -> None:
        self.owner, self.low, self.high = owner, low, high

    @property
    def aval(self) -> ShapedArray:
        return self.low.aval


class Intervals(Forward[Interval, bool]):
    def constant(self, value: Array, /) -> Array:  # E: Return type "Array[Any, Any]" of "constant" incompatible
        return value

    def interpret(self, op: Operation[Dual], /) -> Performed:  # E: Argument 1 of "interpret" is incompatible
        return perform(op.map(lambda x: x.primal))

    def unpack(self, value: Interval, /) -> tuple[tuple[Array, ...], bool]:
        return (value.low, value.middle), True  # E: "Interval" has no attribute "middle"


class Forgetful(Forward[Array]):
    def constant(self, value: Array, /) -> Array:
        return value

    def interpret(self, op: Operation[Array], /) -> Performed:
        return perform(op)

    def pack(self, parts: Sequence[Array], static: object, /) -> Array:
        return parts[0]


class NoCarrier(Handler[int]):  # E: Type argument "int" of "Handler" must be a subtype of "Array[Any, Any]"
    pass


@operation
class Sinc[V](CustomOp[V]):
    x: V
    rate: float

    def types(self: Sinc[Typed]) -> ShapedArray:
        return self.x.shape  # E: "Typed" has no attribute "shape"

    def evaluate(self: Sinc[Array]) -> Array:
        return fx.sin(self.x) / self.y  # E: "Sinc[Array[Any, Any]]" has no attribute "y"

    def jvp(self: Sinc[Dual]) -> tuple[Array, Array | None]:
        return fx.cos(self.x.value), self.x.tangent  # E: "Dual" has no attribute "value"


@operation
class Normal(CustomOp):
    x: Operand
    rate: float

    def types(self) -> ShapedArray:
        return self.x.shape  # E: Incompatible return value type (got "tuple[int, ...]", expected "ShapedArray")

    def evaluate(self) -> Array:
        return fx.exp(-self.rate * self.y)  # E: "Normal" has no attribute "y"

    def jvp(self) -> tuple[Array, Array | None]:
        return self.x.primal * self.x.tangent, None  # E: an array or a number

    def batch(self) -> tuple[Array, bool]:
        return self.x.lanes, True  # E: "OperandArray" has no attribute "lanes"


@operation
class Totals(CustomOp):
    xs: Operands

    def evaluate(self) -> Array:
        return self.xs.sum()  # E: "tuple[OperandArray, ...]" has no attribute "sum"


def performed_without_a_variable(x: Array) -> None:
    perform(Normal(1, 2.0))  # E: Argument 1 to "Normal" has incompatible type "int"; expected "Array[Any, Any]"
    perform(Normal(x))  # E: Missing positional argument "rate" in call to "Normal"
    perform(Normal(x, "s"))  # E: Argument 2 to "Normal" has incompatible type "str"; expected "float"
    perform(Normal(x, 2.0)).nothing  # E: "Array[Any, Any]" has no attribute "nothing"
    perform(Totals(x))  # E: Argument 1 to "Totals" has incompatible type "Array[Any, Any]"
    Normal(x, 2.0).rate = 3.0  # E: Property "rate" defined in "Normal" is read-only


class Segments(Forward[Interval, bool]):
    def constant(self, value: Array, /) -> Interval:
        return each_result(lambda x: Interval(self, x, x), value)  # E: Incompatible return value type

    def interpret(self, op: Operation[Interval], /) -> Performed:
        lows = perform(op.map(lambda x: x.low))
        if op.name == "neg":
            return each_result(lambda low: Interval(self, low, low, low), lows)  # E: Too many arguments for "Interval"
        if op.name == "add":
            return Interval(self, lows, lows)  # E: Argument 2 to "Interval" has incompatible type
        return each_result(lambda low, high: Interval(self, low, high), lows)  # E: Cannot infer type of lambda


def performed(x: Array, op: Sinc[Array]) -> None:
    Forgetful()  # E: Cannot instantiate abstract class "Forgetful" with abstract attribute "unpack"
    perform(Sinc(1, 2.0))  # E: Argument 1 to "Sinc" has incompatible type "int"
    perform(Sinc(x))  # E: Missing positional argument "rate" in call to "Sinc"
    perform(x)  # E: Argument 1 to "perform" has incompatible type
    perform(Sinc(x.aval, 2.0))  # E: Argument 1 to "Sinc" has incompatible type "ShapedArray"
    perform(Sinc(x, 2.0)).nothing  # E: "Array[Any, Any]" has no attribute "nothing"
    op.rate = 3.0  # E: Property "rate" defined in "Sinc" is read-only
    op.jvp()  # E: Invalid self argument "Sinc[Array[Any, Any]]" to attribute function "jvp"
    with Interval as handler:  # E: "type[Interval]" has no attribute "__enter__"
        pass


def operands(op: Unary[Dual] | Binary[Dual] | Select[Dual]) -> tuple[Dual, ...]:  # E: Missing return statement
    match op:  # E (mypy): Match statement has unhandled case for values of type "Select[Dual]"
        case Unary(_, x):
            return (x,)
        case Binary(_, x, y):
            return x, y


class Random:
    """The capability of drawing numbers."""

    def normal(self, shape: tuple[int, ...]) -> Array[fx.f32]:
        return fx.zeros(shape, dtype=fx.f32)


class Output:
    """The capability of printing."""


def with_random[**P, R](f: Callable[[Random], Callable[P, R]]) -> Callable[P, R]:
    return f(Random())


def dropout(rng: Random, x: Array) -> Array:
    return x * rng.normal(x.shape)


def loud(out: Output) -> Callable[[Array], Array]:
    return lambda x: x


def capabilities(x: Array) -> None:
    dropout(x)  # E: Missing positional argument "x" in call to "dropout"
    fx.vecdot(dropout, x)  # E: Argument 1 to "__call__" of "OfVecDot" has incompatible type "Callable[[Random, Array
    with_random(loud)(x)  # E: Argument 1 to "with_random" has incompatible type

"""Wrong handlers and operations of a user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

import effects as fx
from effects import Array, Carrier, CustomOp, Handler, Operation, ShapedArray, operation, perform
from effects.operations.elementwise import Binary, Select, Unary
from effects.program.chain import Performed
from effects.types.avals import Typed
from handlers import Dual, Forward


@final
class Interval(Carrier):
    __slots__ = ("high", "low")
    owner: Intervals

    def __init__(self, owner: Intervals, low: Array, high: Array) -> None:
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
    match op:  # E: Match statement has unhandled case for values of type "Select[Dual]"
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
    fx.vecdot(dropout, x)  # E: No overload variant of "vecdot" matches argument types "Callable[[Random, Array
    with_random(loud)(x)  # E: Argument 1 to "with_random" has incompatible type

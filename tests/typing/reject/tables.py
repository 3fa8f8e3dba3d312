"""Wrong tables, and wrong calls of functions that are transformed by them."""

# ruff: noqa: RUF012  # a table is written as users do

from typing import NamedTuple

from effects import Array
from effects.operations import BinaryKind, Unary, UnaryKind
from handlers import Parts, Rules, Tabular


class Bounds(NamedTuple):
    lo: float
    hi: float


class Interval(Parts):
    lo: Array
    hi: Array


class Measured(Parts):
    value: Array


def two(op: Unary[Interval], other: int) -> tuple[Array, Array]:
    return op.x.lo, op.x.hi


def foreign(op: Unary[Measured]) -> tuple[Array, Array]:
    return op.x.value, op.x.value


class Intervals(Tabular[Interval, Bounds]):
    rules = {  # E (pyright): is not assignable to
        BinaryKind.MUL: lambda op: (op.x.lo, op.y.hii),  # E (mypy): "Interval" has no attribute "hii"
        BinaryKind.DIV: lambda op: (op.x.lo, op.z.hi),  # E: "AnyOperation[Interval]" has no attribute "z"
        BinaryKind.SUB: lambda op, y: (op.x.lo, y),  # E (mypy): Dict entry 2 has incompatible type
        BinaryKind.MAX: lambda: (1.0, 2.0),  # E (mypy): expected "Any": "Callable[[AnyOperation[Interval]], tuple
        BinaryKind.ADD: lambda op: op.x.lo,  # E (mypy): got "Array[Any, Any]", expected "tuple[object, ...]"
        UnaryKind.SIN: two,  # E (mypy): "UnaryKind": "Callable[[Unary[Interval], int], tuple[Array
    }
    rules |= {UnaryKind.COS: lambda op: (op.x.low, op.x.hi)}  # E: "Interval" has no attribute "low"
    rules |= dict.fromkeys((UnaryKind.TAN, UnaryKind.NOT), lambda op: (op.x.hii, 1))  # E: has no attribute "hii"


class Annotated(Tabular[Interval, Bounds]):
    rules: Rules[Interval] = {  # E (pyright): is not assignable to
        UnaryKind.SIN: lambda op: (op.x.lo, op.x.middle),  # E: "Interval" has no attribute "middle"
        UnaryKind.COS: lambda op, x: (x, x),  # E (mypy): expected "Any": "Callable[[AnyOperation[Interval]], tuple
        UnaryKind.TAN: foreign,  # E (mypy): "Callable[[Unary[Measured]], tuple[Array
    }


def scaled(x: Array, y: Array, *, scale: float = 1.0) -> Array:
    return x * y * scale


def transformed(b: Bounds) -> None:
    Intervals.over(scaled)(b)  # E: No overload variant of "__call__" of "Over" matches argument type
    Intervals.over(scaled)(b, "s")  # E: No overload variant of "__call__" of "Over" matches argument types
    Intervals.over(scaled)(b, b, b)  # E: No overload variant of "__call__" of "Over" matches argument types
    Intervals.over(scaled)(b, b, rate=2.0)  # E: Unexpected keyword argument "rate"
    Intervals.over(scaled)(b, b).low  # E: "Bounds" has no attribute "low"
    Intervals.over(3)  # E: No overload variant of "over" of "Tabular" matches argument type "int"

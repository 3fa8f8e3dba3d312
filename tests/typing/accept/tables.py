"""Handlers given by a table: rules know the carrier, and a function that is transformed keeps its arguments."""

# ruff: noqa: RUF012  # a table is written as users do

from typing import Any, NamedTuple, reveal_type

import effects as fx
from effects import Array
from effects.operations import REARRANGING, Binary, BinaryKind, Reduce, ReduceKind, Reshape, Select, Unary, UnaryKind
from handlers import AnyOperation, Parts, Rule, Rules, Tabular, grad, partwise
from lowering import jit


class Bounds(NamedTuple):
    lo: float
    hi: float


class Interval(Parts):
    lo: Array
    hi: Array


class Measured(Parts):
    value: Array
    unit: str


def wave(op: Unary[Interval]) -> tuple[Array, Array]:
    return op.x.lo, op.x.hi


def select(op: Select[Interval]) -> tuple[Array, ...]:
    return partwise(op)


def either(op: AnyOperation[Interval]) -> tuple[Array, Array]:
    reveal_type(op.y)  # Interval
    reveal_type(op.axes)  # tuple[int, ...]
    return op.x.lo, op.y.hi


class Intervals(Tabular[Interval, Bounds]):
    rules = dict.fromkeys((UnaryKind.EXP, BinaryKind.ADD, *REARRANGING), partwise)
    rules |= {UnaryKind.NEG: lambda op: (-op.x.hi, -op.x.lo), BinaryKind.SUB: lambda op: (op.x.lo, op.y.hi)}
    rules |= {ReduceKind.SUM: lambda op: (op.x.lo.sum(op.axes), op.x.hi.sum(op.axes))}
    rules |= {UnaryKind.SIN: wave, Select: select, BinaryKind.MUL: either}
    rules |= dict.fromkeys((UnaryKind.NEG, UnaryKind.NOT), lambda op: partwise(op)[::-1])


class Annotated(Tabular[Interval, Bounds]):
    rules: Rules[Interval] = {
        UnaryKind.SIN: wave,
        UnaryKind.EXP: partwise,
        UnaryKind.NEG: lambda op: (-op.x.hi, -op.x.lo),
        Reshape: lambda op: (fx.reshape(op.x.lo, op.shape), fx.reshape(op.x.hi, op.shape)),
    }


class Plain(Tabular[Interval]):
    carrier, outside = Interval, Bounds
    rules = {UnaryKind.NEG: lambda op: (-op.x.hi, -op.x.lo), BinaryKind.ADD: partwise}


def of(unit: str) -> Rule[Measured]:
    return lambda op: (fx.perform(op.map(lambda q: q.value)), unit)


class Units(Tabular[Measured]):
    rules = {BinaryKind.ADD: lambda op: (op.x.value + op.y.value, op.x.unit), UnaryKind.SIN: of("m")}
    rules |= {BinaryKind.MUL: of("m²")}


def scaled(x: Array, y: Array, *, scale: float = 1.0) -> Array:
    return x * y * scale


def of_tree(params: dict[str, Array], x: Array, n: int) -> Array:
    return params["w"] * x * n


def pair(x: Array) -> tuple[Array, Array]:
    return x, x


bounded = Intervals.over


def transformed(b: Bounds, a: Array) -> None:
    reveal_type(Intervals.over(scaled)(b, b)._asdict())  # dict[str, Any]
    reveal_type((Intervals.over(scaled)(b, b, scale=2.0).lo, Intervals.over(scaled)(a, 2.0).lo))  # 2 × float
    reveal_type((Intervals.over(scaled)(a, y=a, scale=1.0).hi, bounded(fx.sin)(b).lo))  # 2 × float
    reveal_type((bounded(lambda x: x + 1.0)(b).lo, bounded(grad(scaled))(b, b).lo))  # 2 × float
    reveal_type((bounded(jit(scaled))(b, b).lo, jit(bounded(scaled))(b, b).lo))  # 2 × float
    reveal_type(bounded(of_tree)({"w": b}, b, 3).lo)  # float
    reveal_type((bounded(pair)(b), Plain.over(scaled)(b, b)))  # 2 × Any

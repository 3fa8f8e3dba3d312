"""Interval arithmetic: `interval(f)` takes `Bounds` and gives `Bounds` around every result (up to rounding).

A value is known to lie between two ends. A rule says for each kind of operation between which ends its result lies.

>>> interval(lambda x: fx.sin(x) * x)(Bounds(1.0, 2.0))
Bounds(lo=Array(0.84147098, float64), hi=Array(2., float64))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import effects as fx
from effects import Array, Concrete, HigherOrder, perform
from effects.operations import (
    REARRANGING,
    Binary,
    BinaryKind,
    Compare,
    CompareKind,
    Cond,
    Convert,
    ReduceKind,
    Select,
    Unary,
    UnaryKind,
    While,
)
from handlers import AnyOperation, Parts, Tabular, partwise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

type Ends = tuple[Array, Array]
"""Result of a rule: the lower and the upper end."""


class Bounds(NamedTuple):
    """Value outside the handler, which lies between `lo` and `hi`."""

    lo: Array | float
    hi: Array | float


class Interval(Parts):
    """Carrier: the array inside the handler. A truth value from False to True is undecided."""

    lo: Array
    hi: Array

    def known(self) -> Concrete | None:
        """The value if the ends are the same: Python's `if` may use it."""
        lo, hi = self.lo.known(), self.hi.known()
        return lo if lo is not None and hi is not None and lo.tolist() == hi.tolist() else None


def hull(ends: Sequence[Array]) -> Ends:
    """The least interval that contains all of these."""
    return reduce(fx.minimum, ends), reduce(fx.maximum, ends)


def turned(op: AnyOperation[Interval]) -> Ends:
    """An operation that falls where its operand rises."""
    lo, hi = partwise(op)
    return hi, lo


def corners(op: Binary[Interval]) -> Ends:
    """An operation that rises or falls with either operand: its extremes are among those of the ends."""
    return hull([perform(Binary(op.kind, x, y)) for x in (op.x.lo, op.x.hi) for y in (op.y.lo, op.y.hi)])


def quotient(op: Binary[Interval]) -> Ends:
    """x / y, which is unbounded where y may be zero."""
    lo, hi = corners(op)
    pole = (op.y.lo <= 0) & (op.y.hi >= 0)
    return fx.where(pole, -fx.inf, lo), fx.where(pole, fx.inf, hi)


def comparison(op: Compare[Interval]) -> Ends:
    """From whether it surely holds to whether it possibly does."""
    return hull([perform(Compare(op.kind, x, y)) for x in (op.x.lo, op.x.hi) for y in (op.y.lo, op.y.hi)])


def wave(op: Unary[Interval]) -> Ends:
    """A sine or a cosine: the values at the ends, and the extremes -1 and 1 where the ends enclose one."""
    lo, hi = hull(partwise(op))
    crest = fx.pi / 2 if op.kind is UnaryKind.SIN else 0.0
    return (
        fx.where(encloses(op.x, crest - fx.pi), -1.0, lo),
        fx.where(encloses(op.x, crest), 1.0, hi),
    )


def encloses(x: Interval, point: float) -> Array:
    """True where `point`, or a whole number of turns from it, lies in an interval."""
    turn = 2 * fx.pi
    return fx.floor((x.hi - point) / turn) >= (x.lo - point) / turn


def selection(op: Select[Interval]) -> Ends:
    """The one where the condition surely holds, the other where it surely does not, else the hull of both."""
    first, second = [(fx.where(p, op.x.lo, op.y.lo), fx.where(p, op.x.hi, op.y.hi)) for p in (op.pred.lo, op.pred.hi)]
    return fx.minimum(first[0], second[0]), fx.maximum(first[1], second[1])


def conversion(op: Convert[Interval]) -> Ends:
    """Truth is from "surely not zero" to "possibly not zero"; all other conversions rise."""
    if op.dtype is not fx.bool:
        lo, hi = partwise(op)
        return lo, hi
    return op.x.lo * op.x.hi > 0, fx.maximum(-op.x.lo, op.x.hi) != 0


RISING = (
    *(UnaryKind.EXP, UnaryKind.LOG, UnaryKind.SQRT, UnaryKind.TANH),
    *(BinaryKind.ADD, BinaryKind.MAX, BinaryKind.MIN, BinaryKind.AND, BinaryKind.OR),
    *(ReduceKind.SUM, ReduceKind.MAX, ReduceKind.MIN),
    *REARRANGING,
)
"""Operations that never fall where an operand rises: they take the lower ends to the lower end, the upper ones to the
upper.
"""


class Intervals(Tabular[Interval, Bounds]):
    """Operations on intervals; and the meaning of conditionals and loops whose condition is undecided."""

    rules = dict.fromkeys(RISING, partwise)
    rules |= dict.fromkeys((UnaryKind.NEG, UnaryKind.NOT), turned)
    rules |= dict.fromkeys((BinaryKind.SUB, BinaryKind.MUL), corners)
    rules |= dict.fromkeys((CompareKind.LT, CompareKind.LE, CompareKind.GT, CompareKind.GE), comparison)
    rules |= dict.fromkeys((UnaryKind.SIN, UnaryKind.COS), wave)
    rules |= {BinaryKind.DIV: quotient, Select: selection, Convert: conversion}

    def predicate(self, value: Interval, /) -> Array:
        """A loop continues while its condition surely holds."""
        return value.lo

    def interpret_higher_order(self, op: HigherOrder[Interval], /) -> tuple[Array, ...]:
        if isinstance(op, Cond):
            return self.every_possible_branch(op)
        results = super().interpret_higher_order(op)
        return self.where_it_surely_ended(op, results) if isinstance(op, While) else results

    def every_possible_branch(self, op: Cond[Interval]) -> tuple[Array, ...]:
        """The hull of the results of the branches that may be taken: from the lower end of the index to the upper."""
        index, decided = op.index, op.index.known()
        numbers = range(1 if decided is not None else len(op.branches))
        runs = []
        for number in numbers:
            chosen = fx.clip(fx.asarray(number, index.dtype), index.lo, index.hi)
            runs.append(super().interpret_higher_order(Cond(op.branches, self.make(chosen, chosen), op.operands_)))
        return tuple([self.around(results) for results in zip(*runs, strict=True)])

    def around(self, results: Sequence[Array]) -> Interval:
        """The hull of carriers."""
        intervals = [self.lift(result) for result in results]
        lo, _ = hull([each.lo for each in intervals])
        _, hi = hull([each.hi for each in intervals])
        return self.make(lo, hi)

    def where_it_surely_ended(self, op: While[Interval], results: Sequence[Array]) -> tuple[Array, ...]:
        """The results of a loop. If it may not have ended there, nothing is known about them."""
        (holds,) = self.inside(op.condition, (*op.condition_consts, *results))
        unbounded = []
        for carrier in map(self.lift, results):
            lowest, highest = extremes(carrier.dtype)
            unbounded.append(
                self.make(fx.where(holds.hi, lowest, carrier.lo), fx.where(holds.hi, highest, carrier.hi)),
            )
        return tuple(unbounded)


def extremes(dtype: type[fx.DType]) -> tuple[float, float]:
    """Below and above all values of a dtype."""
    if dtype is fx.bool:
        return False, True
    if fx.isdtype(dtype, "integral"):
        return fx.iinfo(dtype).min, fx.iinfo(dtype).max
    return -fx.inf, fx.inf


interval = Intervals.over


def picture(figure: Figure) -> str:
    """A function, and its proven bounds on 8 and on 64 pieces of the axis."""
    wiggle: Callable[[Array], Array] = lambda x: fx.sin(3 * x) * x - fx.exp(-x * x)
    axes, widths = figure.subplots(), []
    for pieces, alpha in ((8, 0.2), (64, 0.5)):
        ends = fx.linspace(-3.0, 3.0, pieces + 1)
        lo, hi = [np.asarray(end) for end in interval(wiggle)(Bounds(ends[:-1], ends[1:]))]
        axes.stairs(hi, np.asarray(ends), baseline=lo, fill=True, color="C0", alpha=alpha, label=f"{pieces} pieces")
        widths.append((hi - lo).mean())
    x = fx.linspace(-3.0, 3.0, 200)
    axes.plot(np.asarray(x), np.asarray(wiggle(x)), color="C1")
    axes.legend()
    return f"The bounds are {widths[0]:.2f} apart on average with 8 pieces, {widths[1]:.2f} with 64."

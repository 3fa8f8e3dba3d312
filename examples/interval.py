"""Interval arithmetic: `interval(f)` takes `Bounds` and gives `Bounds` around every result (up to rounding)."""

from functools import reduce
from typing import Any, NamedTuple

import effects as fx
from effects import operations as ops
from handlers import AnyOperation, Parts, Tabular, partwise

U, B, C, R = ops.UnaryKind, ops.BinaryKind, ops.CompareKind, ops.ReduceKind
RISING = (U.EXP, U.LOG, U.SQRT, U.TANH, B.ADD, B.MAX, B.MIN, B.AND, B.OR, R.SUM, R.MAX, R.MIN)
truth: Any = lambda x: (x.lo * x.hi > 0, fx.maximum(-x.lo, x.hi) != 0)  # surely, possibly not zero
Bounds = NamedTuple("Bounds", [("lo", Any), ("hi", Any)])  # noqa: UP014


class Interval(Parts):
    lo: fx.Array
    hi: fx.Array  # from False to True a bool is undecided

    def known(self) -> fx.Concrete | None:
        lo, hi = self.lo.known(), self.hi.known()
        return lo if lo is not None and hi is not None and lo.tolist() == hi.tolist() else None


def corners(op: AnyOperation[Interval]) -> tuple[fx.Array, fx.Array]:  # monotone in x and in y, but for poles
    kind: Any = type(op)
    ends = [fx.perform(kind(op.kind, x, y)) for x in (op.x.lo, op.x.hi) for y in (op.y.lo, op.y.hi)]
    lo, hi, pole = reduce(fx.minimum, ends), reduce(fx.maximum, ends), (op.y.lo <= 0) & (op.y.hi >= 0)
    return (fx.where(pole, -fx.inf, lo), fx.where(pole, fx.inf, hi)) if op.kind is B.DIV else (lo, hi)


def wave(op: ops.Unary[Interval]) -> tuple[fx.Array, fx.Array]:  # do the ends enclose a trough, a crest?
    (lo, hi), crest, turn = partwise(op), fx.pi / 2 if op.kind is U.SIN else 0.0, 2 * fx.pi
    low, high = [fx.floor((op.x.hi - c) / turn) >= (op.x.lo - c) / turn for c in (crest - fx.pi, crest)]
    return fx.where(low, -1.0, fx.minimum(lo, hi)), fx.where(high, 1.0, fx.maximum(lo, hi))


def select(op: ops.Select[Interval]) -> tuple[fx.Array, fx.Array]:
    ends = [(fx.where(p, op.x.lo, op.y.lo), fx.where(p, op.x.hi, op.y.hi)) for p in (op.pred.lo, op.pred.hi)]
    return fx.minimum(ends[0][0], ends[1][0]), fx.maximum(ends[0][1], ends[1][1])


class Intervals(Tabular[Interval, Bounds]):
    rules = dict.fromkeys((*RISING, *ops.REARRANGING), partwise)
    rules |= dict.fromkeys((U.NEG, U.NOT), lambda op: partwise(op)[::-1])
    rules |= dict.fromkeys((B.SUB, B.MUL, B.DIV, C.LT, C.LE, C.GT, C.GE), corners)
    rules |= {U.SIN: wave, U.COS: wave, ops.Select: select}
    rules |= {ops.Convert: lambda op: truth(op.x) if op.dtype is fx.bool else partwise(op)}

    def interpret_higher_order(self, op: Any, /) -> tuple[fx.Array, ...]:
        if not isinstance(op, ops.Cond) or op.index.known() is not None:
            return super().interpret_higher_order(op)
        if all(end.known() is not None for end in (op.index.lo, op.index.hi)):
            raise fx.ArgumentError("cond: the condition is undecided: it holds in a part of the interval only")
        at = [self.make(end, end) for end in (op.index.lo, op.index.hi)]
        both: Any = [super().interpret_higher_order(ops.Cond(op.branches, i, op.operands_)) for i in at]
        return tuple([self.make(fx.minimum(a.lo, b.lo), fx.maximum(a.hi, b.hi)) for a, b in zip(*both)])


interval = Intervals.over

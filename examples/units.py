"""Units: `units(f)` computes with quantities, and refuses to add metres to seconds wherever that happens in `f`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import effects as fx
from effects import operations as ops
from handlers import AnyOperation, Parts, Rule, Tabular

U, B, R = ops.UnaryKind, ops.BinaryKind, ops.ReduceKind
SAME = (U.NEG, U.ABS, B.ADD, B.SUB, B.MAX, B.MIN, R.SUM, R.MAX, R.MIN, ops.Convert, *ops.REARRANGING)
PLAIN = (U.EXP, U.LOG, U.SIN, U.COS, U.TANH, U.NOT, B.AND, B.OR, B.POW, R.AND, R.OR)
type Unit = tuple[tuple[str, float], ...] | None  # powers of base units by name; None is a zero's unit: any


@fx.register(static=["unit"])
@dataclass
class Quantity:
    value: Any
    unit: Unit = ()


class Measured(Parts):
    value: fx.Array
    unit: Unit


def giving(unit: Callable[[AnyOperation[Measured]], Unit]) -> Rule[Measured]:
    return lambda op: (fx.perform(op.map(lambda q: q.value)), unit(op))


def times(a: Unit, b: Unit, power: float = 1) -> Unit:
    powers = {n: dict(a or ()).get(n, 0) + dict(b or ()).get(n, 0) * power for n, _ in (a or ()) + (b or ())}
    return None if a is None or b is None else tuple(sorted((n, p) for n, p in powers.items() if p))


def common(what: str, *units: Unit) -> Unit:
    if len(different := sorted({u for u in units if u is not None})) > 1:
        shown = ["·".join(f"{n}^{p:g}" if p != 1 else n for n, p in u) or "a plain number" for u in different]
        raise fx.ArgumentError(f"{what} of different units: {' and '.join(shown)}")
    return different[0] if different else None


class Units(Tabular[Measured, Quantity]):
    augments = True  # the first part is the value that there would be without units
    rules = dict.fromkeys(SAME, giving(lambda op: common(op.name, *[q.unit for q in op.operands])))
    rules |= dict.fromkeys(PLAIN, giving(lambda op: common(op.name, (), *[q.unit for q in op.operands])))
    rules |= dict.fromkeys(ops.CompareKind, giving(lambda op: common(op.name, op.x.unit, op.y.unit) and ()))
    rules |= dict.fromkeys((B.MUL, ops.DotGeneral), giving(lambda op: times(op.x.unit, op.y.unit)))
    rules |= {B.DIV: giving(lambda op: times(op.x.unit, op.y.unit, -1))}
    rules |= {ops.Select: giving(lambda op: common(op.name, op.x.unit, op.y.unit))}

    def constant(self, value: fx.Array, /) -> Measured:
        return Measured(self, value, () if (known := value.known()) is None or known.fetch().any() else None)

    def join(self, a: Any, b: Any, /) -> Any:
        return (common("cond", *a, *b),)


units = Units.over

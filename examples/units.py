"""Units: `units(f)` computes with quantities, and refuses to add metres to seconds wherever that happens in `f`.

The unit is a static field of the carrier: it is known while a program is traced, and costs nothing when it runs.

>>> METRE, SECOND = (("m", 1.0),), (("s", 1.0),)
>>> units(lambda x, t: x / t)(Quantity(6.0, METRE), Quantity(2.0, SECOND))
Quantity(value=Array(3., float64), unit=(('m', 1.0), ('s', -1.0)))
"""

from collections.abc import Callable
from dataclasses import dataclass

import effects as fx
from effects import Array, perform
from effects.operations import (
    REARRANGING,
    BinaryKind,
    CompareKind,
    Convert,
    DotGeneral,
    ReduceKind,
    Select,
    UnaryKind,
)
from handlers import AnyOperation, Parts, Rule, Tabular

type Unit = tuple[tuple[str, float], ...] | None
"""Powers of base units, by name in order. None is the unit of a zero: any."""


@fx.register(static=["unit"])
@dataclass
class Quantity:
    """Value outside the handler: a number, or an array of them, in a unit; () is the unit of plain numbers."""

    value: Array | float
    unit: Unit = ()


class Measured(Parts):
    """Carrier: the array inside the handler."""

    value: Array
    unit: Unit


def product(first: Unit, second: Unit, power: float = 1.0) -> Unit:
    """The unit of a product of one and a power of the other."""
    if first is None or second is None:
        return None
    powers = dict(first)
    for name, exponent in second:
        powers[name] = powers.get(name, 0.0) + exponent * power
    return tuple(sorted((name, exponent) for name, exponent in powers.items() if exponent))


def common(operation: str, *units: Unit) -> Unit:
    """The one unit of values that are added, compared or selected."""
    different = sorted({unit for unit in units if unit is not None})
    if len(different) > 1:
        raise fx.ArgumentError(f"{operation} of different units: {' and '.join(map(shown, different))}")
    return different[0] if different else None


def shown(unit: Unit) -> str:
    """A unit as text: m·s^-1."""
    factors = [name if exponent == 1 else f"{name}^{exponent:g}" for name, exponent in unit or ()]
    return "·".join(factors) or "a plain number"


def giving(unit: Callable[[AnyOperation[Measured]], Unit]) -> Rule[Measured]:
    """The rule of operations that act on values as they do without units, and on units as `unit` says."""
    return lambda op: (perform(op.map(lambda measured: measured.value)), unit(op))


def of_all(op: AnyOperation[Measured]) -> Unit:
    """Operands and result of one unit."""
    return common(op.name, *[operand.unit for operand in op.operands])


def of_plain_numbers(op: AnyOperation[Measured]) -> Unit:
    """Functions of plain numbers: a metre has no sine."""
    return common(op.name, (), *[operand.unit for operand in op.operands])


def of_comparisons(op: AnyOperation[Measured]) -> Unit:
    """Rule of comparisons: both operands have one unit, and the result has none."""
    common(op.name, op.x.unit, op.y.unit)
    return ()


def of_products(op: AnyOperation[Measured]) -> Unit:
    """Units multiply as numbers do."""
    return product(op.x.unit, op.y.unit)


def of_quotients(op: AnyOperation[Measured]) -> Unit:
    """Units divide as numbers do."""
    return product(op.x.unit, op.y.unit, -1.0)


def of_selections(op: AnyOperation[Measured]) -> Unit:
    """Rule of selections: the cases have one unit; the condition has none."""
    return common(op.name, op.x.unit, op.y.unit)


SAME = (
    *(UnaryKind.NEG, UnaryKind.ABS, BinaryKind.ADD, BinaryKind.SUB, BinaryKind.MAX, BinaryKind.MIN),
    *(ReduceKind.SUM, ReduceKind.MAX, ReduceKind.MIN, Convert),
    *REARRANGING,
)
PLAIN = (
    *(UnaryKind.EXP, UnaryKind.LOG, UnaryKind.SIN, UnaryKind.COS, UnaryKind.TANH, UnaryKind.NOT),
    *(BinaryKind.AND, BinaryKind.OR, BinaryKind.POW, ReduceKind.AND, ReduceKind.OR),
)


class Units(Tabular[Measured, Quantity]):
    """Operations on quantities."""

    augments = True  # the first part is the value that there would be without units

    rules = dict.fromkeys(SAME, giving(of_all))
    rules |= dict.fromkeys(PLAIN, giving(of_plain_numbers))
    rules |= dict.fromkeys(CompareKind, giving(of_comparisons))
    rules |= dict.fromkeys((BinaryKind.MUL, DotGeneral), giving(of_products))
    rules |= {BinaryKind.DIV: giving(of_quotients), Select: giving(of_selections)}

    def constant(self, value: Array, /) -> Measured:
        """A value from outside is a plain number; zeros, with which derivatives begin, fit any unit."""
        known = value.known()
        zero = known is not None and not known.fetch().any()
        return Measured(self, value, None if zero else ())

    def join(self, first: tuple[Unit], second: tuple[Unit], /) -> tuple[Unit]:
        """The common unit of a value in two branches, or two steps of a loop."""
        return (common("cond", *first, *second),)


units = Units.over

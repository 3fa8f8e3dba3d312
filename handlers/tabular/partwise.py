"""The rule of operations that act on each part of a carrier separately."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from effects.arrays.array import Array
from effects.program.chain import perform
from effects.program.operation import Multiple, Operation
from handlers.tabular.handler import Parts


def partwise[V: Parts](op: Operation[V]) -> tuple[Array, ...]:
    """The rule of operations that act on every part separately, for carriers that have only arrays.

    >>> from typing import NamedTuple
    >>> import effects as fx
    >>> from effects import Array
    >>> from handlers import Parts, Tabular
    >>> class Ends(NamedTuple):
    ...     lo: float
    ...     hi: float
    >>> class Interval(Parts):
    ...     lo: Array
    ...     hi: Array
    >>> class Intervals(Tabular[Interval, Ends]):
    ...     rules = {fx.operations.UnaryKind.SQRT: partwise}
    >>> Intervals.over(fx.sqrt)(Ends(1.0, 4.0))
    Ends(lo=Array(1., float64), hi=Array(2., float64))
    """
    names = [name for name, _ in op.operands[0].layout]
    parts: Iterable[Any] = [perform(op.map(operator.attrgetter(name))) for name in names]
    return tuple(zip(*parts, strict=True) if isinstance(op, Multiple) else parts)

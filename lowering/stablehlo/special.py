"""Special functions: a private function of the module for each, and for each shape.

Most results are stored in memory: XLA would inline a function again for each use of its result in a loop, and functions
in it for each use of theirs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from effects.arrays.concrete import Concrete
from effects.operations.special import Special
from effects.program.jaxpr import Atom, Literal, Var
from effects.program.operation import HigherOrder
from effects.types.avals import ShapedArray
from handlers.special import programmed
from handlers.special.rows import ROWS
from lowering.stablehlo.context import Value
from lowering.stablehlo.cpu.blocks import by_elements, in_one_memory
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope

_TOGETHER: Final = 2048
"""Number of elements in a loop: few, so that intermediate values lie in a cache, and steps suit all."""


@RULES.rule(Special)
def lower_special(op: Special[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out, row = outs[0].aval, ROWS[op.kind]
    if row.repeats and out.size >= 2 * _TOGETHER and in_one_memory(scope):
        avals = [x.aval.with_shape(() if x.aval.size == 1 else out.shape) for x in op.xs]
        lines = [(_TOGETHER,) if aval.shape else () for aval in avals]
        if _loops(op, lines):
            xs = [
                (scope.broadcast_to(x, aval.shape) if aval.shape else scope.reshape(scope[x], aval), aval)
                for x, aval in zip(op.xs, avals, strict=True)
            ]
            part = out.with_shape((_TOGETHER,))
            return by_elements(xs, _TOGETHER, out, lambda parts, within: _called(op, parts, lines, part, within), scope)
    value = _called(op, [scope[x] for x in op.xs], [x.aval.shape for x in op.xs], out, scope)
    return scope.barrier(value) if row.kept else value


def _called(
    op: Special[Atom], xs: Sequence[Value], shapes: Sequence[tuple[int, ...]], out: ShapedArray, scope: Scope
) -> Value:
    numbers = _numbers(op)
    program, tables = programmed(op, shapes, numbers)
    constants = [scope.builder.constant(table.fetch()) for table in tables if isinstance(table, Concrete)]
    unknown = [x for x, number in zip(xs, numbers, strict=True) if number is None]
    return scope.builder.call(scope.functions.symbol(program, op.name), [TYPES[out]], [*constants, *unknown])[0]


def _loops(op: Special[Atom], shapes: Sequence[tuple[int, ...]]) -> bool:
    """Return True if the program is a loop, with what is known of its operands."""
    program, _ = programmed(op, shapes, _numbers(op))
    return any([isinstance(eqn.op, HigherOrder) for eqn in program.eqns])


def _numbers(op: Special[Atom]) -> tuple[float | None, ...]:
    """The numbers that are known of its operands, where that makes the program shorter."""
    if any(op.orders) or not ROWS[op.kind].repeats:
        return (None,) * len(op.xs)
    return tuple([_number(x) for x in op.xs])


def _number(x: Atom) -> float | None:
    """The number that is written for an operand, if there is one."""
    number = float(x.value.host) if isinstance(x, Literal) else math.nan
    return None if math.isnan(number) else number

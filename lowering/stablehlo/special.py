"""Special functions: a private function of the module for each, and for each shape.

What they give is written to memory: XLA would spell out a function again for each use of its result in a loop, and
those that it is made of for each use of theirs.
"""

from __future__ import annotations

from typing import Final

from effects.arrays.concrete import Concrete
from effects.operations.special import Special, SpecialKind
from effects.program.jaxpr import Atom, Var
from handlers.special import programmed
from lowering.stablehlo.context import Value
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope

_READ_ONCE: Final = (SpecialKind.ERFC, SpecialKind.LOG_NDTR, SpecialKind.NDTR)
"""Those whose derivatives are not made of their values."""


@RULES.rule(Special)
def lower_special(op: Special[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    program, tables = programmed(op)
    numbers = [table.fetch() for table in tables if isinstance(table, Concrete)]
    given = [*map(scope.builder.constant, numbers), *[scope[x] for x in op.xs]]
    found = scope.builder.call(scope.functions.symbol(program, op.name), [TYPES[out]], given)
    return found[0] if op.short and op.kind in _READ_ONCE else scope.barrier(found[0])

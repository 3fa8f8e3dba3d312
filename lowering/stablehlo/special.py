"""Special functions: a private function of the module for each, and for each shape.

What most give is written to memory: XLA would spell out a function again for each use of its result in a loop, and
those that it is made of for each use of theirs.
"""

from __future__ import annotations

from effects.arrays.concrete import Concrete
from effects.operations.special import Special
from effects.program.jaxpr import Atom, Var
from handlers.special import programmed
from handlers.special.rows import ROWS
from lowering.stablehlo.context import Value
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope


@RULES.rule(Special)
def lower_special(op: Special[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    program, tables = programmed(op)
    numbers = [table.fetch() for table in tables if isinstance(table, Concrete)]
    given = [*map(scope.builder.constant, numbers), *[scope[x] for x in op.xs]]
    found = scope.builder.call(scope.functions.symbol(program, op.name), [TYPES[out]], given)
    return scope.barrier(found[0]) if ROWS[op.kind].kept else found[0]

"""Special functions: a private function of the module for each, and for each shape.

What they give is written to memory: XLA would spell out a function again for each use of its result in a loop, and
those that it is made of for each use of theirs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from effects.arrays.concrete import Concrete
from effects.operations.special import Special, SpecialKind
from effects.program.chain import ROOT, installed
from effects.program.jaxpr import Atom, Jaxpr, Var
from effects.runtime.caches import memoised
from effects.types.avals import ShapedArray
from handlers.evaluate.special import computed
from handlers.stage import stage
from lowering.stablehlo.context import Value
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope


@RULES.rule(Special)
def lower_special(op: Special[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    body, tables = _program(op.kind, op.orders, tuple([ShapedArray(x.aval.shape, x.aval.dtype) for x in op.xs]))
    given = [*map(scope.builder.constant, tables), *[scope[x] for x in op.xs]]
    found = scope.builder.call(scope.functions.symbol(body, op.name), [TYPES[out]], given)
    return scope.builder.ops("stablehlo.optimization_barrier", [TYPES[out]], found)[0]


@memoised
def _program(
    kind: SpecialKind, orders: tuple[int, ...], avals: tuple[ShapedArray, ...]
) -> tuple[Jaxpr, tuple[NDArray[np.generic], ...]]:
    """The program, and the tables of numbers that are its first operands."""
    with installed(ROOT):
        body, captured = stage(lambda *xs: [computed(Special(kind, xs, orders))], avals, kind.value)
    tables = [value.known() for value in captured]
    return body, tuple([table.fetch() for table in tables if isinstance(table, Concrete)])

"""Higher-order operations on concrete arrays: calls are compiled, a conditional runs the chosen branch."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.operations.higher_order import Call, Cond
from effects.program.chain import ROOT, Performed, installed
from effects.program.jaxpr import eval_jaxpr
from effects.runtime.cpython.extent import inside
from effects.runtime.cpython.recursion import deeper
from handlers.evaluate.rules import RULES, compiled, refuse_foreign

RULES.rule(Call)(compiled)


@RULES.rule(Cond)
def evaluate_cond(op: Cond[Array]) -> Performed:
    refuse_foreign(op)
    index = min(max(int(op.index.known().fetch()), 0), len(op.branches) - 1)  # type: ignore[union-attr]  # concrete
    return inside((installed(ROOT), deeper()), lambda: tuple(eval_jaxpr(op.branches[index], op.operands_)))

"""Special functions by the programs of `handlers.special`, which are loaded when the first of them is computed."""

from __future__ import annotations

from collections.abc import Hashable
from importlib import import_module
from typing import Any, Final

from effects.arrays.array import Array
from effects.operations.special import Special
from effects.program.chain import ROOT, Performed, installed
from effects.program.jaxpr import Jaxpr, eval_jaxpr
from effects.runtime.caches import RECENT, Cache
from effects.types.avals import ShapedArray
from handlers.evaluate.rules import RULES, refuse_foreign

type Program = tuple[Jaxpr, list[Array]]
_programs: Final[Cache[Hashable, Program]] = Cache(RECENT)


def programmed(op: Special[Any]) -> Program:
    """What an operation means, by other operations, and the tables of numbers that are its first operands.

    Derivatives are taken along a function's program once for all elements of these shapes.
    """
    avals = tuple([ShapedArray(x.aval.shape, x.aval.dtype) for x in op.xs])
    key = (op.kind, op.orders, avals, op.short)
    found = _programs.find(key)
    if found is None:
        with installed(ROOT):
            found = _programs.keep(key, import_module("handlers.special").staged(*key))
    return found


@RULES.rule(Special)
def evaluate_special(op: Special[Array]) -> Performed:
    refuse_foreign(op)
    program, tables = programmed(op)
    with installed(ROOT):
        return eval_jaxpr(program, [*tables, *op.xs])[0]

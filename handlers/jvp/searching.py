"""Places of elements have no derivative."""

from __future__ import annotations

from effects.operations.searching import Insertion, Nonzero
from effects.program.chain import perform
from handlers.jvp.rules import RULES, Dual, Pair, value_of


@RULES.rule(Insertion)
def jvp_insertion(op: Insertion[Dual]) -> Pair:
    return value_of(op.map(lambda x: x.primal)), None


@RULES.rule(Nonzero)
def jvp_nonzero(op: Nonzero[Dual]) -> Pair:
    return perform(op.map(lambda x: x.primal)), (None,) * op.rank

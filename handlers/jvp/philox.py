"""Philox under forward mode: random words have no tangent."""

from __future__ import annotations

from effects.operations.philox import Philox
from effects.program.chain import perform
from handlers.jvp.rules import RULES, Dual, Pair


@RULES.rule(Philox)
def jvp_philox(op: Philox[Dual]) -> Pair:
    return perform(op.map(lambda x: x.primal)), (None,) * 4

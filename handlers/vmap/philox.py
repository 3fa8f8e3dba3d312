"""Batching of Philox, which is elementwise."""

from __future__ import annotations

from effects.operations.philox import Philox
from effects.program.chain import perform
from handlers.vmap.elementwise import alignment
from handlers.vmap.rules import RULES, Batched, Lanes


@RULES.rule(Philox)
def batch_philox(op: Philox[Batched]) -> Lanes:
    return perform(op.map(alignment(op))), (True,) * 4

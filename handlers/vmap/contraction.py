"""Batching of contractions: two batched operands get one more batch axis, a single one gets one more free axis."""

from __future__ import annotations

from effects.functions.manipulation import movement
from effects.operations.contraction import DotGeneral
from effects.program.chain import perform
from handlers.vmap.rules import RULES, Batched, Lanes


def _shifted(axes: tuple[int, ...], batched: bool) -> tuple[int, ...]:
    return tuple([a + 1 for a in axes]) if batched else axes


@RULES.rule(DotGeneral)
def batch_dot_general(op: DotGeneral[Batched]) -> Lanes:
    x, y = op.x, op.y
    contracting = _shifted(op.contracting[0], x.batched), _shifted(op.contracting[1], y.batched)
    batch = _shifted(op.batch[0], x.batched), _shifted(op.batch[1], y.batched)
    if x.batched and y.batched:
        batch = (0, *batch[0]), (0, *batch[1])
        return perform(DotGeneral(contracting, batch, x.value, y.value, op.precision)), True
    out = perform(DotGeneral(contracting, batch, x.value, y.value, op.precision))
    n_batch = len(batch[0])
    lane_axis = n_batch if x.batched else n_batch + x.aval.ndim - n_batch - len(contracting[0])
    return movement.moveaxis(out, lane_axis, 0), True

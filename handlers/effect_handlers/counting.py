"""Loops that count their steps: the number of the step is added to their carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from effects.arrays.array import Array
from effects.arrays.promotion import scalar
from effects.operations.checkpoint import Name
from effects.operations.loops import Scan, While
from effects.program.chain import perform
from effects.program.jaxpr import Jaxpr, eval_jaxpr
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.stage import stage

STEP: Final = "the step of a loop"
"""The label of the operation by which a step of a counted loop names its number."""
_NUMBER: Final = ShapedArray((), dtypes.int64)


def counted(op: Scan[Array] | While[Array]) -> Scan[Array] | While[Array]:
    """The loop with the number of the step as its first carry and first result.

    For a `scan` it is the position along the axis, also if the scan is reversed.
    """
    if isinstance(op, Scan):
        first, change = (op.length - 1, -1) if op.reverse else (0, 1)
        init = scalar(first, dtypes.int64), *op.init
        body = _with_number(op.body, len(op.consts), change)
        return op.of(body, op.consts, init, op.xs)
    init = scalar(0, dtypes.int64), *op.init
    condition = _with_number(op.condition, len(op.condition_consts), None)
    body = _with_number(op.body, len(op.body_consts), 1)
    return While(condition, body, op.condition_consts, op.body_consts, init)


def _with_number(program: Jaxpr, consts: int, change: int | None) -> Jaxpr:
    """The step of a loop with its number in front of the carry; or the condition, which does not read it."""

    def run(*flat: Array) -> Sequence[Array]:
        following = [] if change is None else [perform(Name(STEP, flat[consts])) + change]
        return [*following, *eval_jaxpr(program, (*flat[:consts], *flat[consts + 1 :]))]

    avals = (*program.in_avals[:consts], _NUMBER, *program.in_avals[consts:])
    return program.cached(("with number", consts, change), lambda: stage(run, avals, "a counted step")[0])

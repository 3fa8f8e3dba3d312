"""Transposition of programs with callbacks."""

from __future__ import annotations

from collections.abc import Sequence

from effects.arrays.array import Array
from effects.errors import NotLinearError
from effects.operations.callbacks import Callback
from effects.program.chain import perform
from handlers.transpose.rules import RULES, Cotangents, is_linear


@RULES.rule(Callback)
def transpose_callback(op: Callback[Array], cotangents: Cotangents) -> Sequence[Array | None]:
    if any([is_linear(x) for x in op.operands_]):
        raise NotLinearError(
            f"{op.name}: {op.function!r} is called with a tangent, which has no value in reverse mode; call it on a "
            "primal value, or use forward mode (jvp)"
        )
    perform(op)
    return (None,) * len(op.operands_)

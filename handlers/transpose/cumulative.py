"""Transpose of the cumulative sum: the cumulative sum from the other end."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.operations.cumulative import Cumulative, CumulativeKind
from effects.program.chain import perform
from handlers.transpose.elementwise import not_linear
from handlers.transpose.rules import RULES, Cotangents


@RULES.rule(Cumulative)
def transpose_cumulative(op: Cumulative[Array], ct: Array) -> Cotangents:
    if op.kind is not CumulativeKind.SUM:
        raise not_linear(op)
    return (perform(Cumulative(op.kind, op.axis, ct, not op.reverse)),)

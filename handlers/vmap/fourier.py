"""Batching of Fourier transforms: lanes are one more axis in front."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.operations.fourier import Fourier
from handlers.vmap.rules import RULES, Batched, Whole


@RULES.rule(Fourier)
@Whole
def batch_fourier(op: Fourier[Batched]) -> Fourier[Array]:
    return Fourier(op.kind, op.lengths, op.x.value)

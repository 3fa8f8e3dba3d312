"""Batching of factors, eigenvalues and determinants: lanes are one more axis in front."""

from __future__ import annotations

from effects.operations.factoring import LU, PLU, QR, SVD, Cholesky, Det, Eig, Eigh, Schur, SlogDet
from effects.program.chain import perform
from effects.program.operation import Multiple
from handlers.vmap.rules import RULES, Batched, Lanes, on_last_axes, value

RULES.rule(Cholesky, Det)(on_last_axes)


@RULES.rule(Eig, Eigh, LU, PLU, QR, SVD, Schur, SlogDet)
def batch_several(op: Multiple[Batched]) -> Lanes:
    outs = perform(op.map(value))
    return outs, (True,) * len(outs)

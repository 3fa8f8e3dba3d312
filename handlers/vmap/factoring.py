"""Batching of factors, eigenvalues and determinants: lanes are one more axis in front."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.operations.factoring import LU, PLU, QR, SVD, Cholesky, Det, Eig, Eigh, Schur, SlogDet
from effects.program.chain import perform
from effects.program.operation import Multiple, Single
from handlers.vmap.rules import RULES, Batched, Lanes, Whole


@RULES.rule(Cholesky, Det)
@Whole
def batch_one(op: Single[Batched]) -> Single[Array]:
    return op.map(lambda x: x.value)


@RULES.rule(Eig, Eigh, LU, PLU, QR, SVD, Schur, SlogDet)
def batch_several(op: Multiple[Batched]) -> Lanes:
    outs = perform(op.map(lambda x: x.value))
    return outs, (True,) * len(outs)

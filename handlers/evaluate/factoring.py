"""Factors, eigenvalues and determinants by LAPACK, which refuses matrices that have none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, Host, backend
from effects.errors import LinearAlgebraError
from effects.operations.factoring import LU, QR, SVD, Cholesky, Det, Eig, Eigh, Schur, SlogDet
from effects.program.chain import Performed
from effects.program.operation import Multiple
from effects.runtime.quiet import quiet, strict
from handlers.evaluate import lapack
from handlers.evaluate.rules import RULES, refuse_foreign

_HALF: Final = np.asarray(0.5, np.float32)


def _hermitian(x: Host) -> Host:
    """(x + xᴴ)/2"""
    found: Host = x + (x.mT.conj() if x.dtype.kind == "c" else x.mT)
    found *= _HALF
    return found


def _several(op: Multiple[Concrete], f: Callable[..., Sequence[Host]], *arguments: object) -> Performed:
    try:
        found = strict.run(f, *arguments)
    except lapack.FAILURES:
        raise LinearAlgebraError(
            f"{op.name}: the iteration did not end for x, {op.operands[0].aval}, as it does not where there is NaN or "
            "infinity"
        ) from None
    return tuple([lapack.rounded(x, aval) for x, aval in zip(found, op.types(), strict=True)])


@RULES.rule(Cholesky)
def evaluate_cholesky(op: Cholesky[Concrete]) -> Performed:
    x = op.x
    try:
        factor = strict.run(lapack.cholesky, lapack.wide(quiet.run(_hermitian, x.host)))
    except lapack.FAILURES:
        raise LinearAlgebraError(
            f"cholesky: the matrix, {x.aval}, is not positive definite; add a little to its diagonal, or take eigh"
        ) from None
    return lapack.rounded(factor, op.types())


@RULES.rule(Det)
def evaluate_det(op: Det[Concrete]) -> Performed:
    return lapack.rounded(quiet.run(lapack.det, lapack.wide(op.x.host)), op.types())


@RULES.rule(SlogDet)
def evaluate_slogdet(op: SlogDet[Concrete]) -> Performed:
    """LAPACK's sign is 1 where the other one is NaN."""
    sign, logarithm = quiet.run(lapack.slogdet, lapack.wide(op.x.host))
    if not lapack.finite(logarithm):
        sign = np.where(np.isnan(logarithm), logarithm, sign)
    of_sign, of_logarithm = op.types()
    return lapack.rounded(sign, of_sign), lapack.rounded(logarithm, of_logarithm)


@RULES.rule(QR)
def evaluate_qr(op: QR[Concrete]) -> Performed:
    return _several(op, lapack.qr, op.x.host, op.complete)


@RULES.rule(Eigh)
def evaluate_eigh(op: Eigh[Concrete]) -> Performed:
    return _several(op, _eigh, lapack.wide(quiet.run(_hermitian, op.x.host)), op.vectors)


def _eigh(x: Host, vectors: bool) -> Sequence[Host]:
    """NaN, as LAPACK may give numbers, for matrices that hold it or infinity."""
    if lapack.finite(x):
        return lapack.eigh(x) if vectors else (lapack.eigvalsh(x),)
    bad = ~np.isfinite(x).all(axis=(-2, -1), keepdims=True)
    values, found = lapack.eigh(np.where(bad, 0, x))
    values = np.where(bad[..., 0], np.nan, values)
    return (values, np.where(bad, np.nan, found)) if vectors else (values,)


@RULES.rule(SVD)
def evaluate_svd(op: SVD[Concrete]) -> Performed:
    x = lapack.wide(op.x.host)
    if not op.vectors:
        return _several(op, _alone, lapack.svdvals, x)
    return _several(op, lapack.svd if op.full else lapack.thin_svd, x)


@RULES.rule(Eig)
def evaluate_eig(op: Eig[Concrete]) -> Performed:
    return _several(op, _eig, lapack.wide(op.x.host), op.vectors)


def _eig(x: Host, vectors: bool) -> Sequence[Host]:
    """An error, as LAPACK may not come back, for matrices that hold NaN or infinity."""
    if not lapack.finite(x):
        raise FloatingPointError
    return lapack.eig(x) if vectors else (lapack.eigvals(x),)


def _alone(f: Callable[[Host], Host], x: Host) -> tuple[Host]:
    return (f(x),)


@RULES.rule(LU, Schur)
def evaluate_compiled(op: LU[Array] | Schur[Array]) -> Performed:
    refuse_foreign(op)
    return backend().execute(op)

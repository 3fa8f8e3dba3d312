"""Factors, eigenvalues and determinants by NumPy, which refuses matrices that have none."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, Host, backend, concrete
from effects.errors import LinearAlgebraError
from effects.operations.factoring import LU, QR, SVD, Cholesky, Det, Eig, Eigh, Schur, SlogDet
from effects.program.chain import Performed
from effects.program.operation import Multiple
from effects.runtime.quiet import quiet
from handlers.evaluate.rules import RULES, refuse_foreign


def _hermitian(x: Host) -> Host:
    """(x + xᴴ)/2"""
    across = x.swapaxes(-1, -2)
    found: Host = 0.5 * (x + (across.conj() if x.dtype.kind == "c" else across))
    return found


def _several(op: Multiple[Concrete], f: Callable[..., Sequence[Host]], *arguments: object) -> Performed:
    avals = op.types()
    try:
        found = quiet.run(f, *arguments)
    except np.linalg.LinAlgError:
        raise LinearAlgebraError(
            f"{op.name}: the iteration did not end for x, {op.operands[0].aval}, as it does not where there is NaN or "
            "infinity"
        ) from None
    return tuple([concrete(np.asarray(x, aval.dtype.dtype), aval) for x, aval in zip(found, avals, strict=True)])


@RULES.rule(Cholesky)
def evaluate_cholesky(op: Cholesky[Concrete]) -> Performed:
    x = op.x
    try:
        return concrete(quiet.run(np.linalg.cholesky, _hermitian(x.host)), op.types())
    except np.linalg.LinAlgError:
        raise LinearAlgebraError(
            f"cholesky: the matrix, {x.aval}, is not positive definite; add a little to its diagonal, or take eigh"
        ) from None


@RULES.rule(Det)
def evaluate_det(op: Det[Concrete]) -> Performed:
    return concrete(np.asarray(quiet.run(np.linalg.det, op.x.host)), op.types())


@RULES.rule(SlogDet)
def evaluate_slogdet(op: SlogDet[Concrete]) -> Performed:
    return _several(op, _slogdet, op.x.host)


def _slogdet(x: Host) -> tuple[Host, Host]:
    """NumPy's sign is 1 where the other one is NaN."""
    sign, logarithm = np.linalg.slogdet(x)
    return np.where(np.isnan(logarithm), logarithm, sign), logarithm


@RULES.rule(QR)
def evaluate_qr(op: QR[Concrete]) -> Performed:
    return _several(op, np.linalg.qr, op.x.host, "complete" if op.complete else "reduced")


@RULES.rule(Eigh)
def evaluate_eigh(op: Eigh[Concrete]) -> Performed:
    x = _hermitian(op.x.host)
    return _several(op, _eigh, x, op.vectors)


def _eigh(x: Host, vectors: bool) -> Sequence[Host]:
    """NaN, as LAPACK may give numbers, for matrices that hold it or infinity."""
    bad = ~np.isfinite(x).all(axis=(-2, -1), keepdims=True)
    if not bad.any():
        return np.linalg.eigh(x) if vectors else (np.linalg.eigvalsh(x),)
    values, found = np.linalg.eigh(np.where(bad, 0, x))
    values = np.where(bad[..., 0], np.nan, values)
    return (values, np.where(bad, np.nan, found)) if vectors else (values,)


@RULES.rule(SVD)
def evaluate_svd(op: SVD[Concrete]) -> Performed:
    x = op.x.host
    return _several(op, np.linalg.svd, x, op.full) if op.vectors else _several(op, _alone, np.linalg.svdvals, x)


@RULES.rule(Eig)
def evaluate_eig(op: Eig[Concrete]) -> Performed:
    x = op.x.host
    return _several(op, np.linalg.eig, x) if op.vectors else _several(op, _alone, np.linalg.eigvals, x)


def _alone(f: Callable[[Host], Host], x: Host) -> tuple[Host]:
    return (f(x),)


@RULES.rule(LU, Schur)
def evaluate_compiled(op: LU[Array] | Schur[Array]) -> Performed:
    refuse_foreign(op)
    return backend().execute(op)

"""Factors, eigenvalues and determinants by NumPy, which refuses matrices that have none."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, Host, backend, concrete
from effects.errors import LinearAlgebraError
from effects.operations.factoring import LU, QR, SVD, Cholesky, Det, Eig, Eigh, Schur, SlogDet
from effects.program.chain import Performed
from effects.program.operation import Multiple, Single
from effects.runtime.quiet import quiet
from handlers.evaluate.rules import RULES, refuse_foreign


def _hermitian(x: Host) -> Host:
    """(x + xᴴ)/2"""
    found: Host = 0.5 * (x + x.conj().swapaxes(-1, -2))
    return found


def _several(op: Multiple[Concrete], f: Callable[[], Sequence[Host]], refusal: str) -> Performed:
    avals = op.types()
    try:
        found = quiet.run(f)
    except np.linalg.LinAlgError:
        raise LinearAlgebraError(f"{op.name}: {refusal}") from None
    return tuple([concrete(np.asarray(x, aval.dtype.dtype), aval) for x, aval in zip(found, avals, strict=True)])


def _one(op: Single[Concrete], f: Callable[[], Host], refusal: str) -> Performed:
    aval = op.types()
    try:
        return concrete(np.asarray(quiet.run(f)), aval)
    except np.linalg.LinAlgError:
        raise LinearAlgebraError(f"{op.name}: {refusal}") from None


@RULES.rule(Cholesky)
def evaluate_cholesky(op: Cholesky[Concrete]) -> Performed:
    x = op.x.host
    return _one(op, lambda: np.linalg.cholesky(_hermitian(x)), f"x, {op.x.aval}, is not positive definite")


@RULES.rule(Det)
def evaluate_det(op: Det[Concrete]) -> Performed:
    x = op.x.host
    return _one(op, lambda: np.linalg.det(x), "")


@RULES.rule(SlogDet)
def evaluate_slogdet(op: SlogDet[Concrete]) -> Performed:
    x = op.x.host
    return _several(op, lambda: np.linalg.slogdet(x), "")


@RULES.rule(QR)
def evaluate_qr(op: QR[Concrete]) -> Performed:
    x = op.x.host
    return _several(op, lambda: np.linalg.qr(x, "complete" if op.complete else "reduced"), "")


def _no_end(op: Eigh[Concrete] | SVD[Concrete] | Eig[Concrete]) -> str:
    return f"the iteration did not end for x, {op.x.aval}, as it does not where there is NaN or infinity"


@RULES.rule(Eigh)
def evaluate_eigh(op: Eigh[Concrete]) -> Performed:
    x = op.x.host
    if op.vectors:
        return _several(op, lambda: np.linalg.eigh(_hermitian(x)), _no_end(op))
    return _several(op, lambda: (np.linalg.eigvalsh(_hermitian(x)),), _no_end(op))


@RULES.rule(SVD)
def evaluate_svd(op: SVD[Concrete]) -> Performed:
    x = op.x.host
    if op.vectors:
        return _several(op, lambda: np.linalg.svd(x, full_matrices=op.full), _no_end(op))
    return _several(op, lambda: (np.linalg.svdvals(x),), _no_end(op))


@RULES.rule(Eig)
def evaluate_eig(op: Eig[Concrete]) -> Performed:
    x = op.x.host
    if op.vectors:
        return _several(op, lambda: np.linalg.eig(x), _no_end(op))
    return _several(op, lambda: (np.linalg.eigvals(x),), _no_end(op))


@RULES.rule(LU, Schur)
def evaluate_compiled(op: LU[Array] | Schur[Array]) -> Performed:
    refuse_foreign(op)
    return backend().execute(op)

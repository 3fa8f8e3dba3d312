"""Factors, eigenvalues and determinants by LAPACK, which refuses matrices that have none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from effects.arrays import lapack, routines
from effects.arrays.concrete import Concrete, Host, backend, concrete
from effects.errors import LinearAlgebraError
from effects.operations.factoring import LU, QR, SVD, Cholesky, Det, Eig, Eigh, Schur, SlogDet
from effects.program.chain import Performed
from effects.program.operation import Multiple
from effects.runtime.quiet import quiet, strict
from handlers.evaluate.rules import RULES, result


def _several(op: Multiple[Concrete], f: Callable[[Host], Sequence[Host]], x: Host) -> Performed:
    try:
        return tuple(map(concrete, strict.run(f, x), op.types()))
    except lapack.FAILURES:
        raise LinearAlgebraError(
            f"{op.name}: the iteration did not end for x, {op.operands[0].aval}, as it does not where there is NaN or "
            "infinity"
        ) from None


@RULES.rule(Cholesky)
def evaluate_cholesky(op: Cholesky[Concrete]) -> Performed:
    x = op.x
    try:
        factor = strict.run(lapack.cholesky, lapack.hermitian(x.host))
    except lapack.FAILURES:
        raise LinearAlgebraError(
            f"cholesky: the matrix, {x.aval}, is not positive definite; add a little to its diagonal, or take eigh"
        ) from None
    return concrete(factor, op.types())


def _det(x: Host) -> Host:
    """Of single precision in double, as NumPy: else a complex one that overflows is NaN, too."""
    return np.asarray(lapack.det(x.astype(np.complex128))).astype(x.dtype)


@RULES.rule(Det)
def evaluate_det(op: Det[Concrete]) -> Performed:
    x = op.x.host
    return result(quiet.run(_det if x.dtype == np.complex64 else lapack.det, x), op.types())


@RULES.rule(SlogDet)
def evaluate_slogdet(op: SlogDet[Concrete]) -> Performed:
    """LAPACK's sign is 1 where the other one is NaN."""
    sign, logarithm = quiet.run(lapack.slogdet, op.x.host)
    if logarithm.ndim or logarithm != logarithm:  # noqa: PLR0124  # what is not NaN
        sign = np.where(np.isnan(logarithm), sign * math.nan, sign)
    of_sign, of_logarithm = op.types()
    return result(sign, of_sign), result(logarithm, of_logarithm)


@RULES.rule(QR)
def evaluate_qr(op: QR[Concrete]) -> Performed:
    found = routines.qr(op.complete, op.x)
    return found or _several(op, partial(np.linalg.qr, mode="complete" if op.complete else "reduced"), op.x.host)


@RULES.rule(Eigh)
def evaluate_eigh(op: Eigh[Concrete]) -> Performed:
    return _several(op, lapack.spectrum if op.vectors else lapack.eigenvalues, op.x.host)


@RULES.rule(SVD)
def evaluate_svd(op: SVD[Concrete]) -> Performed:
    if not op.vectors:
        return _several(op, _svdvals, op.x.host)
    return _several(op, lapack.svd if op.full else lapack.thin_svd, op.x.host)


def _svdvals(x: Host) -> Sequence[Host]:
    return (lapack.svdvals(x),)


@RULES.rule(Eig)
def evaluate_eig(op: Eig[Concrete]) -> Performed:
    return _several(op, _eig if op.vectors else _eigvals, op.x.host)


def _eig(x: Host) -> Sequence[Host]:
    values, vectors = lapack.eig(_known(x))
    return _rounded(values, x), _rounded(vectors, x)


def _eigvals(x: Host) -> Sequence[Host]:
    return (_rounded(lapack.eigvals(_known(x)), x),)


def _known(x: Host) -> Host:
    """x in double precision, as NumPy has complex numbers here, and vectors the same signs then in each.

    An error, as LAPACK may not come back, for matrices that hold NaN or infinity.
    """
    if not lapack.finite(x):
        raise FloatingPointError
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64, copy=False)


def _rounded(found: Host, x: Host) -> Host:
    return found.astype(np.result_type(x, np.complex64), copy=False)


@RULES.rule(LU)
def evaluate_lu(op: LU[Concrete]) -> Performed:
    return routines.lu(op.x) or backend().execute(op)


@RULES.rule(Schur)
def evaluate_schur(op: Schur[Concrete]) -> Performed:
    return quiet.run(routines.schur, op.x) or backend().execute(op)

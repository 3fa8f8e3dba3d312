"""Factors, eigenvalues and determinants by NumPy and SciPy, which refuse matrices that have none.

NumPy computes single precision in double and rounds once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from effects.arrays.concrete import Concrete, Host, backend, concrete
from effects.errors import LinearAlgebraError
from effects.operations.factoring import LU, PLU, QR, SVD, Cholesky, Det, Eig, Eigh, Schur, SlogDet
from effects.program.chain import Performed
from effects.program.operation import Multiple, Operation
from effects.runtime.numpy_warnings import quiet
from handlers.evaluate.rules import RULES, result

_HALF: Final = np.asarray(0.5, np.float32)
_SCHUR_BY_SCIPY: Final = 1000
"""Largest number of elements of matrices whose Schur form is SciPy's, which blocks other threads."""


def iterated[R](op: Operation[Concrete], f: Callable[[Host], R], x: Host) -> R:
    """f(x) by an iteration; an error where it does not end."""
    try:
        return quiet.run(f, x)
    except np.linalg.LinAlgError:
        raise LinearAlgebraError(
            f"{op.name}: the iteration did not end for x, {op.operands[0].aval}, as it does not where there is NaN or "
            "infinity"
        ) from None


def factored(op: Multiple[Concrete], f: Callable[[Host], Sequence[Host]], x: Host) -> Performed:
    """The factors of x by an iteration, in their dtypes: NumPy's eigenvalues are real where they can be."""
    factors, avals = iterated(op, f, x), op.types()
    return tuple([concrete(part.astype(aval.dtype.dtype, copy=False), aval) for part, aval in zip(factors, avals)])


def routine(name: str, *xs: Host) -> Callable[..., Any]:
    """A routine of LAPACK for the dtype of matrices."""
    (of_dtype,) = linalg.get_lapack_funcs((name,), xs)
    typed: Callable[..., Any] = of_dtype
    return typed


def squared(x: Host) -> float:
    """The sum of the squares of absolute values."""
    elements = x.ravel("K")
    if x.dtype.kind == "c":  # the square of a complex number is no square of its absolute value
        elements = elements.view(x.dtype.char.lower())
    total: float = elements.dot(elements)
    return total


def finite(x: Host) -> bool:
    """Return True if there is neither NaN nor infinity; a finite sum of squares shows it fast."""
    return math.isfinite(squared(x)) or bool(np.isfinite(x).all())


def _hermitian(x: Host) -> Host:
    """(x + xᴴ)/2, which is x itself where that is its own adjoint."""
    adjoint = x.mT.conj() if x.dtype.kind == "c" else x.mT
    if x.tobytes() == adjoint.tobytes():
        return x
    mean: Host = x + adjoint
    mean *= _HALF
    np.copyto(mean, x, where=x == adjoint)  # the sum of large equal elements may overflow
    return mean


@RULES.rule(Cholesky)
def evaluate_cholesky(op: Cholesky[Concrete]) -> Performed:
    x = op.x
    try:
        factor = quiet.run(lambda x: np.linalg.cholesky(_hermitian(x)), x.host)
    except np.linalg.LinAlgError:
        raise LinearAlgebraError(
            f"cholesky: the matrix, {x.aval}, is not positive definite; add a little to its diagonal, or take eigh"
        ) from None
    return concrete(factor, op.types())


@RULES.rule(Det)
def evaluate_det(op: Det[Concrete]) -> Performed:
    return result(quiet.run(np.linalg.det, op.x.host), op.types())


@RULES.rule(SlogDet)
def evaluate_slogdet(op: SlogDet[Concrete]) -> Performed:
    """The sign and logarithm by LAPACK, whose sign is 1 where the logarithm is NaN."""
    sign, logarithm = quiet.run(np.linalg.slogdet, op.x.host)
    if logarithm.ndim or logarithm != logarithm:  # noqa: PLR0124  # NaN
        sign = np.where(np.isnan(logarithm), sign * math.nan, sign)
    of_sign, of_logarithm = op.types()
    return result(sign, of_sign), result(logarithm, of_logarithm)


@RULES.rule(QR)
def evaluate_qr(op: QR[Concrete]) -> Performed:
    mode = "full" if op.complete else "economic"
    return factored(op, partial(linalg.qr, mode=mode, check_finite=False), op.x.host)


@RULES.rule(Eigh)
def evaluate_eigh(op: Eigh[Concrete]) -> Performed:
    return factored(op, _spectrum if op.vectors else _eigenvalues, op.x.host)


def _spectrum(x: Host) -> Sequence[Host]:
    own = _hermitian(x)
    return np.linalg.eigh(own) if finite(own) else _without_bad(own)


def _eigenvalues(x: Host) -> Sequence[Host]:
    own = _hermitian(x)
    return (np.linalg.eigvalsh(own) if finite(own) else _without_bad(own)[0],)


def _without_bad(x: Host) -> Sequence[Host]:
    """NaN of matrices that hold NaN or infinity, for which LAPACK may give numbers."""
    bad = ~np.isfinite(x).all(axis=(-2, -1), keepdims=True)
    values, vectors = np.linalg.eigh(np.where(bad, 0, x))
    return np.where(bad[..., 0], np.nan, values), np.where(bad, np.nan, vectors)


@RULES.rule(SVD)
def evaluate_svd(op: SVD[Concrete]) -> Performed:
    if not op.vectors:
        return factored(op, lambda x: (np.linalg.svdvals(x),), op.x.host)
    return factored(op, partial(np.linalg.svd, full_matrices=op.full), op.x.host)


@RULES.rule(Eig)
def evaluate_eig(op: Eig[Concrete]) -> Performed:
    if op.vectors:
        return factored(op, np.linalg.eig, op.x.host)
    return factored(op, lambda x: (np.linalg.eigvals(x),), op.x.host)


@RULES.rule(LU)
def evaluate_lu(op: LU[Concrete]) -> Performed:
    x = op.x.host
    if x.ndim != 2 or not x.size:
        return backend().execute(op)
    factors, exchanges, _ = routine("getrf", x)(x)  # a singular u is no failure
    order = lapack.dlaswp(np.arange(len(x), dtype=np.float64)[:, None], exchanges)
    of_factors, of_order = op.types()
    return concrete(factors, of_factors), concrete(order[:, 0].astype(np.int32), of_order)


@RULES.rule(PLU)
def evaluate_plu(op: PLU[Concrete]) -> Performed:
    x = op.x.host
    if not x.size:
        return backend().execute(op)
    p, lower, upper = linalg.lu(x, check_finite=False)
    return tuple(map(concrete, (p.astype(x.dtype, copy=False), lower, upper), op.types()))


@RULES.rule(Schur)
def evaluate_schur(op: Schur[Concrete]) -> Performed:
    x = op.x.host
    if x.ndim == 2 and 0 < x.size <= _SCHUR_BY_SCIPY and quiet.run(finite, x):
        t, *_, z, _, info = routine("gees", x)(_unsorted, x)
        if info == 0:
            return tuple(map(concrete, (t, z), op.types()))
    return backend().execute(op)


def _unsorted(*eigenvalue: float) -> None:
    """Sort function that leaves eigenvalues in LAPACK's order."""

"""Functions of whole matrices by NumPy and SciPy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy import linalg

from effects.arrays.concrete import Concrete, Host, backend, concrete, from_host
from effects.functions.products.matrix_functions import FARTHEST
from effects.operations.matrices import LeastSquares, MatrixFunction, MatrixFunctionKind, PseudoInverse, UnitaryFactor
from effects.program.chain import Performed
from effects.runtime.numpy_warnings import quiet
from handlers.evaluate.factoring import factored, finite, iterated, squared
from handlers.evaluate.rules import RULES

_ROWS_IN_DOUBLE: Final = 16
"""Largest number of rows for which double precision takes no longer than single."""
_WELL: Final = {np.dtype(dtype): 450 * float(np.finfo(dtype).eps) for dtype in "dFD"}
"""Bound on the reciprocal condition number, relative to the square of the size: matrices above it are not singular."""


@RULES.rule(MatrixFunction)
def evaluate_matrix_function(op: MatrixFunction[Concrete]) -> Performed:
    """The function by SciPy, where it has a fast one that is reliable here; else by the program."""
    if op.kind is MatrixFunctionKind.SQRT and op.x.host.ndim > 2 and op.x.host.size:
        return _in_lanes(op)
    f = _FUNCTIONS.get(op.kind)
    y = None if f is None else quiet.run(f, op.x.host)
    return backend().execute(op) if y is None else concrete(y, op.types())


def _in_lanes(op: MatrixFunction[Concrete]) -> Performed:
    """The function of each matrix by itself, since SciPy's may be reliable for one and not for another."""
    x = op.x.host
    lanes = [evaluate_matrix_function(MatrixFunction(op.kind, from_host(lane))) for lane in x]
    return concrete(np.stack([lane.host for lane in lanes if isinstance(lane, Concrete)]), op.types())


def _exponential(x: Host) -> Host | None:
    wide = x.astype(np.result_type(x, np.float64), copy=False) if x.shape[-1] <= _ROWS_IN_DOUBLE else x
    if not x.size or not math.sqrt(squared(wide)) * x.shape[-1] < FARTHEST:
        return None
    y: Host = linalg.expm(wide).astype(x.dtype, copy=False)
    return y if finite(y) else None


def _root(x: Host) -> Host | None:
    """The root of one matrix; None if it is nearly singular, or real with a complex root.

    Rounding then decides between two roots, and has to be the program's.
    """
    if not x.size:
        return None
    wide = x.astype(np.float64) if x.dtype == np.float32 else x
    getrf, gecon, lange = linalg.get_lapack_funcs(("getrf", "gecon", "lange"), (wide,))
    share, _ = gecon(getrf(wide)[0], lange("1", wide))
    if not share > _WELL[wide.dtype] * len(x) ** 2:
        return None
    root: Host = linalg.sqrtm(wide)
    return root.astype(np.result_type(x, np.complex64), copy=False) if root.dtype == wide.dtype else None


_FUNCTIONS: Final = {MatrixFunctionKind.EXP: _exponential, MatrixFunctionKind.SQRT: _root}


def _cutoff(s: Host, share: Host) -> Host:
    """Largest singular value that counts as zero."""
    cutoff: Host = s[..., :1] * share[..., None]
    return cutoff


def _inverted(x: Host, share: Host) -> tuple[Host, Host, Host, Host]:
    """u, s and v of x, and 1/s, or 0 where s counts as zero."""
    u, s, v = np.linalg.svd(x, full_matrices=False)
    inverse = 1 / s
    inverse[s <= _cutoff(s, share)] = 0
    return u, s, v, inverse


@RULES.rule(PseudoInverse)
def evaluate_pseudo_inverse(op: PseudoInverse[Concrete]) -> Performed:
    share = op.share.host

    def inverse(x: Host) -> Sequence[Host]:
        u, s, v, inverted = _inverted(x, share)
        return (v.conj().mT * inverted[..., None, :]) @ u.conj().mT, s

    return factored(op, inverse, op.x.host)


@RULES.rule(LeastSquares)
def evaluate_least_squares(op: LeastSquares[Concrete]) -> Performed:
    b, share = op.b.host, op.share.host

    def solution(a: Host) -> Sequence[Host]:
        u, s, v, inverted = _inverted(a, share)
        x = v.conj().mT @ (inverted[..., None] * (u.conj().mT @ b))
        return x, np.asarray((s > _cutoff(s, share)).sum(axis=-1)), s

    return factored(op, solution, op.a.host)


@RULES.rule(UnitaryFactor)
def evaluate_unitary_factor(op: UnitaryFactor[Concrete]) -> Performed:
    return concrete(iterated(op, _unitary, op.x.host), op.types())


def _unitary(x: Host) -> Host:
    u, _, v = np.linalg.svd(x, full_matrices=False)
    unitary: Host = u @ v
    return unitary

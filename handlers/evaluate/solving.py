"""Systems of linear equations by NumPy and SciPy; what these do not have for lanes is compiled, for each shape once."""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg

from effects.arrays.concrete import Concrete, Host, backend, concrete
from effects.errors import LinearAlgebraError
from effects.operations.solving import Solve, TriangularSolve, TridiagonalSolve
from effects.program.chain import Performed
from effects.runtime.numpy_warnings import quiet
from handlers.evaluate.factoring import routine
from handlers.evaluate.rules import RULES


@RULES.rule(Solve)
def evaluate_solve(op: Solve[Concrete]) -> Performed:
    aval, a, b = op.types(), op.a.host, op.b.host
    try:
        x: Host = quiet.run(np.linalg.solve, a.mT if op.transpose else a, b)
    except np.linalg.LinAlgError:
        raise LinearAlgebraError(f"the matrix, {op.a.aval}, is singular; lstsq finds the nearest solution") from None
    return concrete(x, aval)


@RULES.rule(TriangularSolve)
def evaluate_triangular_solve(op: TriangularSolve[Concrete]) -> Performed:
    aval, a, b = op.types(), op.a.host, op.b.host
    if a.ndim != 2 or not b.size:
        return backend().execute(op)
    (trsm,) = linalg.get_blas_funcs(("trsm",), (a, b))
    return concrete(trsm(1, a, b, lower=op.lower, trans_a=op.transpose, diag=op.unit), aval)


@RULES.rule(TridiagonalSolve)
def evaluate_tridiagonal_solve(op: TridiagonalSolve[Concrete]) -> Performed:
    aval, diagonal, b = op.types(), op.diagonal.host, op.b.host
    if b.ndim != 2 or len(b) < 2 or not b.size:
        return backend().execute(op)
    *_, x, info = routine("gtsv", diagonal, b)(op.below.host[1:], diagonal, op.above.host[:-1], b)
    return concrete(x if info == 0 else np.full_like(b, math.nan), aval)

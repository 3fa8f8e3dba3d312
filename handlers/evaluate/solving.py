"""Systems of linear equations by LAPACK; what it cannot be asked for directly is compiled, for each shape once."""

from __future__ import annotations

from effects.arrays import lapack, routines
from effects.arrays.concrete import Concrete, Host, backend, concrete
from effects.errors import LinearAlgebraError
from effects.operations.solving import Solve, TriangularSolve, TridiagonalSolve
from effects.program.chain import Performed
from effects.runtime.quiet import strict
from handlers.evaluate.rules import RULES


@RULES.rule(Solve)
def evaluate_solve(op: Solve[Concrete]) -> Performed:
    aval, a, b = op.types(), op.a.host, op.b.host
    try:
        x: Host = strict.run(lapack.solve, a.mT if op.transpose else a, b)
    except lapack.FAILURES:
        raise LinearAlgebraError(f"the matrix, {op.a.aval}, is singular; lstsq finds what comes nearest") from None
    return concrete(x, aval)


@RULES.rule(TriangularSolve)
def evaluate_triangular_solve(op: TriangularSolve[Concrete]) -> Performed:
    op.types()
    found = routines.triangular_solve(op.lower, "T" if op.transpose else "N", op.unit, op.a, op.b)
    return backend().execute(op) if found is None else found


@RULES.rule(TridiagonalSolve)
def evaluate_tridiagonal_solve(op: TridiagonalSolve[Concrete]) -> Performed:
    op.types()
    found = routines.tridiagonal_solve(op.below, op.diagonal, op.above, op.b)
    return backend().execute(op) if found is None else found

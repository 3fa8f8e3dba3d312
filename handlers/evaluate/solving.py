"""Systems of linear equations: by LAPACK where NumPy has a function for them, else compiled, for each shape once."""

from __future__ import annotations

from effects.arrays import lapack
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, Host, backend, concrete
from effects.errors import LinearAlgebraError
from effects.operations.solving import Solve, TriangularSolve, TridiagonalSolve
from effects.program.chain import Performed
from effects.runtime.quiet import strict
from handlers.evaluate.rules import RULES, refuse_foreign


@RULES.rule(Solve)
def evaluate_solve(op: Solve[Concrete]) -> Performed:
    aval, a, b = op.types(), op.a.host, op.b.host
    try:
        x: Host = strict.run(lapack.solve, a.mT if op.transpose else a, b)
    except lapack.FAILURES:
        raise LinearAlgebraError(f"the matrix, {op.a.aval}, is singular; lstsq finds what comes nearest") from None
    return concrete(x, aval)


@RULES.rule(TriangularSolve, TridiagonalSolve)
def evaluate_compiled(op: TriangularSolve[Array] | TridiagonalSolve[Array]) -> Performed:
    refuse_foreign(op)
    return backend().execute(op)

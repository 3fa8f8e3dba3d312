"""Transposes of systems of equations, which are linear in their right-hand sides: the system of the transpose."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.functions.products.matrices import turned
from effects.operations.solving import Solve, TriangularSolve, TridiagonalSolve
from effects.program.chain import perform
from handlers.transpose.elementwise import not_linear
from handlers.transpose.rules import RULES, Cotangents, is_linear


@RULES.rule(Solve)
def transpose_solve(op: Solve[Array], ct: Array) -> Cotangents:
    if is_linear(op.a):
        raise not_linear(op)
    return None, perform(Solve(not op.transpose, op.a, ct))


@RULES.rule(TriangularSolve)
def transpose_triangular_solve(op: TriangularSolve[Array], ct: Array) -> Cotangents:
    if is_linear(op.a):
        raise not_linear(op)
    return None, perform(TriangularSolve(op.lower, not op.transpose, op.unit, op.a, ct))


@RULES.rule(TridiagonalSolve)
def transpose_tridiagonal_solve(op: TridiagonalSolve[Array], ct: Array) -> Cotangents:
    if is_linear(op.below) or is_linear(op.diagonal) or is_linear(op.above):
        raise not_linear(op)
    return None, None, None, perform(TridiagonalSolve(*turned(op.below, op.diagonal, op.above), ct))

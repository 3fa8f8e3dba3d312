"""Batching of systems of equations: lanes are one more axis in front; those that share a matrix are columns."""

from __future__ import annotations

from collections.abc import Callable

from effects.arrays.array import Array
from effects.functions.products.matrices import by_columns
from effects.operations.solving import Solve, TriangularSolve, TridiagonalSolve
from effects.program.chain import perform
from handlers.vmap.rules import RULES, Batched, Lanes, materialized, size_of


@RULES.rule(Solve)
def batch_solve(op: Solve[Batched]) -> Lanes:
    return _batched(op, lambda a, b: perform(Solve(op.transpose, a, b)))


@RULES.rule(TriangularSolve)
def batch_triangular_solve(op: TriangularSolve[Batched]) -> Lanes:
    return _batched(op, lambda a, b: perform(TriangularSolve(op.lower, op.transpose, op.unit, a, b)))


def _batched(op: Solve[Batched] | TriangularSolve[Batched], solve: Callable[[Array, Array], Array]) -> Lanes:
    if not op.a.batched and op.a.aval.ndim == 2:
        return by_columns(solve, op.a.value, op.b.value), True
    size = size_of(op)
    return solve(materialized(op.a, size), materialized(op.b, size)), True


@RULES.rule(TridiagonalSolve)
def batch_tridiagonal_solve(op: TridiagonalSolve[Batched]) -> Lanes:
    size = size_of(op)
    return perform(op.map(lambda x: materialized(x, size))), True

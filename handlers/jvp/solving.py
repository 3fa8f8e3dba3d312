"""Derivatives of systems of linear equations: ẋ = a⁻¹·(ḃ - ȧ·x), of a·x = b differentiated."""

from __future__ import annotations

from collections.abc import Callable

import effects as fx
from effects.arrays.array import Array
from effects.functions.products.matrices import product
from effects.operations.solving import Solve, TriangularSolve, TridiagonalSolve
from effects.program.chain import perform
from handlers.jvp.rules import RULES, Dual, Pair, Tangent, value_of


def _implicit(solve: Callable[[Array], Array], b: Dual, x: Array, matrix_tangent: Tangent) -> Pair:
    """The solution x and its tangent; `matrix_tangent` is ȧ, transposed if the system is."""
    if matrix_tangent is None:
        return x, None if b.tangent is None else solve(b.tangent)
    matrix_term = product(matrix_tangent, x)
    return x, solve(fx.negative(matrix_term) if b.tangent is None else fx.subtract(b.tangent, matrix_term))


@RULES.rule(Solve)
def jvp_solve(op: Solve[Dual]) -> Pair:
    x, t = value_of(op.map(lambda dual: dual.primal)), op.a.tangent
    matrix_tangent = fx.matrix_transpose(t) if op.transpose and t is not None else t
    return _implicit(lambda b: perform(Solve(op.transpose, op.a.primal, b)), op.b, x, matrix_tangent)


@RULES.rule(TriangularSolve)
def jvp_triangular_solve(op: TriangularSolve[Dual]) -> Pair:
    x, t = value_of(op.map(lambda dual: dual.primal)), op.a.tangent
    if t is not None:
        t = fx.tril(t, -op.unit) if op.lower else fx.triu(t, int(op.unit))
        t = fx.matrix_transpose(t) if op.transpose else t
    solve: Callable[[Array], Array] = lambda b: perform(
        TriangularSolve(op.lower, op.transpose, op.unit, op.a.primal, b)
    )
    return _implicit(solve, op.b, x, t)


@RULES.rule(TridiagonalSolve)
def jvp_tridiagonal_solve(op: TridiagonalSolve[Dual]) -> Pair:
    below, diagonal, above, b = op.below, op.diagonal, op.above, op.b

    def solve(b: Array) -> Array:
        return perform(TridiagonalSolve(below.primal, diagonal.primal, above.primal, b))

    x, t = value_of(op.map(lambda dual: dual.primal)), b.tangent
    matrix_terms = [
        None if below.tangent is None else _times(below.tangent.at[..., :1].set(0), fx.roll(x, 1, axis=-2)),
        None if diagonal.tangent is None else _times(diagonal.tangent, x),
        None if above.tangent is None else _times(above.tangent.at[..., -1:].set(0), fx.roll(x, -1, axis=-2)),
    ]
    for term in matrix_terms:
        if term is not None:
            t = fx.negative(term) if t is None else fx.subtract(t, term)
    return x, None if t is None else solve(t)


def _times(diagonal: Array, x: Array) -> Array:
    """Each row of x times an element of the diagonal."""
    return fx.multiply(fx.expand_dims(diagonal, -1), x)

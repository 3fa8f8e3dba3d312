"""Systems of linear equations by LAPACK. A singular matrix gives NaN."""

from __future__ import annotations

import math
from collections.abc import Callable

import effects as fx
from effects.arrays.array import Array
from effects.functions.elementwise import logic
from effects.operations.factoring import LU
from effects.operations.solving import Solve, TriangularSolve, TridiagonalSolve
from effects.program.chain import perform
from effects.program.jaxpr import Atom
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.lapack import by_program, call
from lowering.stablehlo.rules import RULES


def refused(x: Array, bad: Array) -> Array:
    """x with NaN in the `bad` lanes."""
    lanes = fx.expand_dims(bad, tuple(range(bad.aval.ndim, x.aval.ndim)))
    return logic.where(lanes, fx.asarray(math.nan, dtype=x.aval.dtype), x)


@RULES.rule(Solve)
@by_program
def lower_solve(op: Solve[Atom]) -> Callable[[Array, Array], list[Array]]:
    def solve(a: Array, b: Array) -> list[Array]:
        factors, order = perform(LU(a))
        if op.transpose:
            inner = perform(TriangularSolve(False, True, False, factors, b))
            outer = perform(TriangularSolve(True, True, True, factors, inner))
            x = fx.take_along_axis(outer, fx.expand_dims(fx.argsort(order, axis=-1), -1), axis=-2)
        else:
            moved = fx.take_along_axis(b, fx.expand_dims(order, -1), axis=-2)
            inner = perform(TriangularSolve(True, False, True, factors, moved))
            x = perform(TriangularSolve(False, False, False, factors, inner))
        return [refused(x, fx.any(fx.diagonal(factors) == 0, axis=-1))]

    return solve


@RULES.rule(TriangularSolve)
@by_program
def lower_triangular_solve(op: TriangularSolve[Atom]) -> Callable[[Array, Array], tuple[Array, ...]]:
    letters = {
        "side": "L",
        "uplo": "L" if op.lower else "U",
        "trans_x": "T" if op.transpose else "N",
        "diag": "U" if op.unit else "N",
    }

    def solve(a: Array, b: Array) -> tuple[Array, ...]:
        return call("trsm", (a, b), (b.aval,), (1,), **letters)

    return solve


@RULES.rule(TridiagonalSolve)
@by_program
def lower_tridiagonal_solve(op: TridiagonalSolve[Atom]) -> Callable[..., list[Array]]:
    def solve(below: Array, diagonal: Array, above: Array, b: Array) -> list[Array]:
        xs = (below, diagonal, above, b)
        info = ShapedArray(diagonal.aval.shape[:-1], dtypes.int32)
        *_, x, status = call("gtsv", xs, (*[x.aval for x in xs], info), (0, 1, 2, 3))
        return [refused(x, status != 0)]

    return solve

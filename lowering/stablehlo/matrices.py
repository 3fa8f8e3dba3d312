"""Functions of whole matrices, by programs of factors and products."""

from __future__ import annotations

from collections.abc import Callable

import effects as fx
from effects.arrays.array import Array
from effects.functions.elementwise import logic
from effects.functions.products.matrices import adjoint, cutoff, product
from effects.functions.products.matrix_functions import programmed
from effects.operations.factoring import SVD
from effects.operations.matrices import LeastSquares, MatrixFunction, PseudoInverse, UnitaryFactor
from effects.program.chain import perform
from effects.program.jaxpr import Atom
from lowering.stablehlo.lapack import by_program
from lowering.stablehlo.rules import RULES


def _inverted(s: Array, share: Array, x: Array) -> Array:
    """1/s, and 0 where s counts as zero, in the dtype of x."""
    small = s <= cutoff(s, share)
    return fx.astype(logic.where(small, 0, 1 / logic.where(small, 1, s)), x.aval.dtype)


@RULES.rule(MatrixFunction)
@by_program
def lower_matrix_function(op: MatrixFunction[Atom]) -> Callable[[Array], list[Array]]:
    return lambda x: [programmed(op.kind, x)]


@RULES.rule(PseudoInverse)
@by_program
def lower_pseudo_inverse(op: PseudoInverse[Atom]) -> Callable[[Array, Array], list[Array]]:
    def inverse(x: Array, share: Array) -> list[Array]:
        u, s, v = perform(SVD(True, False, x))
        return [product(adjoint(v) * fx.expand_dims(_inverted(s, share, x), -2), adjoint(u)), s]

    return inverse


@RULES.rule(LeastSquares)
@by_program
def lower_least_squares(op: LeastSquares[Atom]) -> Callable[[Array, Array, Array], list[Array]]:
    def solution(a: Array, b: Array, share: Array) -> list[Array]:
        u, s, v = perform(SVD(True, False, a))
        inverse = fx.expand_dims(_inverted(s, share, a), -1)
        rank = fx.count_nonzero(s > cutoff(s, share), axis=-1)
        return [product(adjoint(v), inverse * product(adjoint(u), b)), rank, s]

    return solution


@RULES.rule(UnitaryFactor)
@by_program
def lower_unitary_factor(op: UnitaryFactor[Atom]) -> Callable[[Array], list[Array]]:
    def unitary(x: Array) -> list[Array]:
        u, _, v = perform(SVD(True, False, x))
        return [product(u, v)]

    return unitary

"""Derivatives of functions of whole matrices."""

from __future__ import annotations

import numpy as np

from effects.arrays.array import Array
from effects.functions import inspection, logic, movement, reduction
from effects.functions.matrices import adjoint, product
from effects.operations.factoring import SVD, Eigh
from effects.operations.matrices import LeastSquares, PseudoInverse, UnitaryFactor
from effects.program.chain import perform
from effects.runtime.names import transformation
from handlers.jvp.rules import RULES, Dual, Pair, Tangent, value_of


def _of_values(x: Array, t: Array) -> Array:
    """The derivative of the singular values."""
    _, (slope,) = transformation("jvp")(lambda x: perform(SVD(False, False, x)), (x,), (t,))
    moved: Array = slope
    return moved


def _of_inverse(x: Array, inverse: Array, t: Array) -> Array:
    """The derivative of the pseudo-inverse of matrices of one rank (Golub, Pereyra, SIAM J. Numer. Anal. 10, 1973)."""
    moved, back = adjoint(t), adjoint(inverse)
    left, right = product(moved, back, inverse), product(inverse, back, moved)
    return left - product(inverse, x, left) + right - product(right, x, inverse) - product(inverse, t, inverse)


@RULES.rule(PseudoInverse)
def jvp_pseudo_inverse(op: PseudoInverse[Dual]) -> Pair:
    x, t = op.x.primal, op.x.tangent
    inverse, s = value_of(PseudoInverse(x, op.share.primal))
    if t is None:
        return (inverse, s), (None, None)
    return (inverse, s), (_of_inverse(x, inverse, t), _of_values(x, t))


@RULES.rule(LeastSquares)
def jvp_least_squares(op: LeastSquares[Dual]) -> Pair:
    """Of the pseudo-inverse times b, as for that, with no product of two matrices."""
    a, b, share = op.a.primal, op.b.primal, op.share.primal
    x, rank, s = value_of(LeastSquares(a, b, share))
    t, of_b = op.a.tangent, op.b.tangent
    if t is None:
        return (x, rank, s), (None if of_b is None else perform(LeastSquares(a, of_b, share))[0], None, None)
    inverse, _ = perform(PseudoInverse(a, share))
    back, moved = adjoint(inverse), adjoint(t)
    left = product(back, moved, b - product(a, x)) - product(t, x)
    right = product(moved, product(back, x))
    slope = product(inverse, (left if of_b is None else left + of_b) - product(a, right)) + right
    return (x, rank, s), (slope, None, _of_values(a, t))


@RULES.rule(UnitaryFactor)
def jvp_unitary_factor(op: UnitaryFactor[Dual]) -> tuple[Array, Tangent]:
    """The solution of p·ω + ω·p = uᴴ·ẋ - ẋᴴ·u, and what is outside of u (Gawlik, Leok, 2017)."""
    x, t = op.x.primal, op.x.tangent
    u: Array = value_of(UnitaryFactor(x))
    if t is None:
        return u, None
    values, vectors = perform(Eigh(True, product(adjoint(u), x)))
    inner = product(adjoint(u), t)
    greatest = reduction.max(values, axis=-1, keepdims=True) if values.aval.shape[-1] else values
    least = greatest * (values.aval.shape[-1] * inspection.finfo(values.aval.dtype).eps)
    values = logic.where(values > least, values, np.nan)  # of what has no full rank u is not determined
    sums = movement.expand_dims(values, -1) + movement.expand_dims(values, -2)
    turn = product(vectors, product(adjoint(vectors), inner - adjoint(inner), vectors) / sums, adjoint(vectors))
    slope = product(u, turn)
    if x.aval.shape[-2] > x.aval.shape[-1]:
        outside = product(t - product(u, inner), vectors) / movement.expand_dims(values, -2)
        slope = slope + product(outside, adjoint(vectors))
    return u, slope

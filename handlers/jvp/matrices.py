"""Derivatives of functions of whole matrices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import effects as fx
import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.functions.elementwise import logic
from effects.functions.products.matrices import adjoint, product
from effects.functions.products.matrix_functions import programmed
from effects.operations.factoring import SVD, Eigh
from effects.operations.matrices import LeastSquares, MatrixFunction, MatrixFunctionKind, PseudoInverse, UnitaryFactor
from effects.program.chain import perform
from handlers.jvp.rules import RULES, Dual, Pair, Tangent, value_of


@RULES.rule(MatrixFunction)
def jvp_matrix_function(op: MatrixFunction[Dual]) -> tuple[Array, Tangent]:
    """For the exponential, the derivative of its program; for other functions, the solution of the differentiated
    equation that defines them.
    """
    kind, x, t = op.kind, op.x.primal, op.x.tangent
    y: Array = value_of(MatrixFunction(kind, x))
    if t is None:
        return y, None
    if kind is MatrixFunctionKind.EXP:
        return y, _of_exponential(x, t)
    x, t = [convert(part, y.aval.dtype) for part in (x, t)]
    at = handlers.stop_gradient(x)  # differentiated by its equation, not through the iteration
    transposed = fx.matrix_transpose(at)
    inverse: Callable[[Array], Array] = (
        (lambda s: product(y, s) + product(s, y))
        if kind is MatrixFunctionKind.SQRT
        else (lambda s: _of_exponential(y, s))
    )
    slope: Array = handlers.custom_linear_solve(
        inverse, t, lambda _, e: _along(kind, at, e), lambda _, e: _along(kind, transposed, e)
    )
    return y, slope


def _of_exponential(x: Array, t: Array) -> Array:
    _, slope = handlers.jvp(lambda x: programmed(MatrixFunctionKind.EXP, x), (x,), (t,))
    of_exponential: Array = slope
    return of_exponential


def _along(kind: MatrixFunctionKind, x: Array, t: Array) -> Array:
    """The derivative at x along t: the upper right block of the function of [[x, t], [0, x]] (Mathias, 1996)."""
    n = x.aval.shape[-1]
    zero = fx.zeros_like(x)
    block = fx.concat([fx.concat([x, t], axis=-1), fx.concat([zero, x], axis=-1)], axis=-2)
    return perform(MatrixFunction(kind, block))[..., :n, n:]


def _of_values(x: Array, t: Array) -> Array:
    _, (slope,) = handlers.jvp(lambda x: perform(SVD(False, False, x)), (x,), (t,))
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
    """The derivative of the pseudo-inverse times b, without a product of two matrices of the size of a."""
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
    """The solution of p·ω + ω·p = uᴴ·ẋ - ẋᴴ·u, and the part of ẋ outside of the range of u (Gawlik, Leok, 2017)."""
    x, t = op.x.primal, op.x.tangent
    u: Array = value_of(UnitaryFactor(x))
    if t is None:
        return u, None
    values, vectors = perform(Eigh(True, product(adjoint(u), x)))
    inner = product(adjoint(u), t)
    greatest = fx.max(values, axis=-1, keepdims=True) if values.aval.shape[-1] else values
    least = greatest * (values.aval.shape[-1] * fx.finfo(values.aval.dtype).eps)
    values = logic.where(values > least, values, np.nan)  # u is not determined without full rank
    sums = fx.expand_dims(values, -1) + fx.expand_dims(values, -2)
    turn = product(vectors, product(adjoint(vectors), inner - adjoint(inner), vectors) / sums, adjoint(vectors))
    slope = product(u, turn)
    if x.aval.shape[-2] > x.aval.shape[-1]:
        outside = product(t - product(u, inner), vectors) / fx.expand_dims(values, -2)
        slope = slope + product(outside, adjoint(vectors))
    return u, slope

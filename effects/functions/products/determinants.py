"""Cofactors, from which the derivative of a determinant is computed."""

from __future__ import annotations

from typing import Final

import handlers
from effects.arrays.array import Array
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, logic, unary
from effects.functions.indexing import taking
from effects.functions.manipulation import diagonals, movement
from effects.functions.ordering.sorting import argsort
from effects.functions.products import vectors
from effects.functions.products.matrices import of_diagonal, unit
from effects.functions.reductions import reduction
from effects.operations.factoring import LU
from effects.operations.solving import TriangularSolve
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.dtypes import DType

_TINY: Final[dict[type[DType], float]] = {dtypes.float32: 1e-12, dtypes.float64: 1e-30}


def signed(x: Array, order: Array) -> Array:
    """x, or -x where the order of rows along the last axis exchanges two of them an odd number of times."""
    before = movement.expand_dims(order, -1) > movement.expand_dims(order, -2)
    count = reduction.sum(diagonals.triu(before), axis=(-2, -1), dtype=dtypes.int32)
    return logic.where(arithmetic.remainder(count, 2) == 1, -x, x)


def cofactors(x: Array) -> Array:
    """The derivative of the determinant of x by each element: det(x)·x⁻ᵀ, which exists for singular x too.

    Up to three rows it is written out. For larger matrices a pivot of 0 is replaced by a tiny one, which changes the
    result less than rounding; second derivatives are those of regular matrices.
    """
    n = x.aval.shape[-1]
    if n == 0:
        return x
    if n == 1:
        return creation.ones_like(x)
    if n == 2:
        (a, b), (c, d) = [[x[..., i, j] for j in range(2)] for i in range(2)]
        rows = [movement.stack([d, -c], axis=-1), movement.stack([-b, a], axis=-1)]
        return movement.stack(rows, axis=-2)
    if n == 3:
        first, second, third = [x[..., i, :] for i in range(3)]
        pairs = ((second, third), (third, first), (first, second))
        return movement.stack([vectors.cross(a, b) for a, b in pairs], axis=-2)
    return _by_factors(x)


def _by_factors(x: Array) -> Array:
    factors, order = perform(LU(x))
    greatest = reduction.max(unary.abs(diagonals.diagonal(factors)), axis=-1, keepdims=True)
    # products of pivots are relative to the greatest, since they may underflow
    size = unary.astype(handlers.stop_gradient(greatest), x.aval.dtype)
    relative = factors / movement.expand_dims(logic.where(size == 0, 1, size), -1)
    pivots = diagonals.diagonal(relative)
    filled = logic.where(pivots == 0, _TINY[dtypes.real_of(x.aval.dtype)], pivots)
    upper = relative + of_diagonal(filled - pivots)
    inner = perform(TriangularSolve(False, True, False, upper, unit(x)))
    turned = perform(TriangularSolve(True, True, True, factors, inner))
    rows = movement.expand_dims(argsort(order, axis=-1), -1)
    scale = signed(reduction.prod(filled, axis=-1) * movement.squeeze(size, -1) ** (x.aval.shape[-1] - 1), order)
    return arithmetic.multiply(movement.expand_dims(scale, (-2, -1)), taking.take_along_axis(turned, rows, axis=-2))

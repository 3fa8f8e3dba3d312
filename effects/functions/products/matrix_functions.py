"""Exponentials, logarithms and square roots of matrices, as programs of products and linear solves."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.functions.creation import creation
from effects.functions.elementwise import logic, transcendental, unary
from effects.functions.manipulation import diagonals, movement
from effects.functions.products.matrices import adjoint, of_diagonal, product, unit
from effects.functions.reductions import reduction
from effects.operations.factoring import Schur
from effects.operations.matrices import MatrixFunctionKind
from effects.operations.solving import Solve, TriangularSolve
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.promotion import complex_of

_ROWS_UNROLLED: Final = 16
"""Largest number of rows without a loop, which would take longer than its work."""
_PADE: Final = [float(math.factorial(26 - i) // (math.factorial(13 - i) * math.factorial(i))) for i in range(14)]
"""Coefficients of the Padé approximation of the exponential of order 13, lowest powers first."""
_REACH: Final = 5.37
"""Largest norm for which it is exact to double precision."""
_SQUARINGS: Final = 32
FARTHEST: Final = _REACH * 2.0**_SQUARINGS
"""Largest norm of matrices with an exponential."""
_ROOTS: Final = 64
_NODES: Final = 16


def programmed(kind: MatrixFunctionKind, x: Array) -> Array:
    """The function of matrices in lanes."""
    f: Callable[[Array], Array] = _PROGRAMS[kind]
    for _ in x.aval.shape[:-2]:
        f = handlers.vmap(f)
    if kind is not MatrixFunctionKind.EXP:
        x = convert(x, complex_of(x.aval.dtype))
    return f(x) if x.aval.size else x


def _exponential(x: Array) -> Array:
    size = reduction.max(reduction.sum(unary.abs(x), axis=-2))
    count = unary.ceil(transcendental.log2(logic.where(size > _REACH, size / _REACH, 1)))
    scaled = x * unary.astype(transcendental.exp2(-handlers.stop_gradient(count)), x.aval.dtype)
    one, second = unit(scaled), product(scaled, scaled)
    fourth = product(second, second)
    sixth = product(fourth, second)
    b = _PADE
    odd = product(sixth, b[13] * sixth + b[11] * fourth + b[9] * second)
    odd = product(scaled, odd + b[7] * sixth + b[5] * fourth + b[3] * second + b[1] * one)
    even = product(sixth, b[12] * sixth + b[10] * fourth + b[8] * second)
    even = even + b[6] * sixth + b[4] * fourth + b[2] * second + b[0] * one
    start = perform(Solve(False, even - odd, even + odd))

    def step(power: Array, i: Array) -> tuple[Array, None]:
        return handlers.cond(i < count, lambda x: product(x, x), lambda x: x, power), None

    power, _ = handlers.scan(step, start, creation.iota(dtypes.int32, (_SQUARINGS,), 0))
    return logic.where(count <= _SQUARINGS, power, np.nan)


def _by_triangle(of_triangle: Callable[[Array], Array]) -> Callable[[Array], Array]:
    def value(x: Array) -> Array:
        triangle, basis = perform(Schur(x))
        return product(basis, of_triangle(triangle), adjoint(basis))

    return value


def _root(t: Array) -> Array:
    """The square root of a triangular matrix, column by column."""
    n = t.aval.shape[-1]
    if n <= _ROWS_UNROLLED:
        return _root_of_few(t, n)
    rows = creation.iota(dtypes.int64, (n,), 0)

    def column(partial: Array, j: Array) -> tuple[Array, None]:
        above, own = rows < j, rows == j
        root = transcendental.sqrt(t[j, j])
        shift = logic.where(above, root, 1)
        target = logic.where(above, t[:, j], 0)
        system = partial + logic.where(creation.eye(n, dtype=dtypes.bool_), movement.expand_dims(shift, -1), 0)
        singular = (diagonals.diagonal(system) == 0) & (target == 0)  # 0 · x = 0
        system = system + logic.where(creation.eye(n, dtype=dtypes.bool_) & singular, 1, 0)
        right = movement.expand_dims(target, -1)
        x = movement.squeeze(perform(TriangularSolve(False, False, False, system, right)), -1)
        new = logic.where(above, x, logic.where(own, root, 0))
        return logic.where(own, movement.expand_dims(new, -1), partial), None

    columns, _ = handlers.scan(column, creation.zeros_like(t), rows)
    roots: Array = columns
    return roots


def _root_of_few(t: Array, n: int) -> Array:
    """The square root of a triangular matrix, diagonal by diagonal, by products without a loop."""
    roots = transcendental.sqrt(diagonals.diagonal(t))
    sums = movement.expand_dims(roots, -1) + roots
    above = creation.zeros_like(t)
    for d in range(1, n):
        diagonal = creation.eye(n, k=d, dtype=dtypes.bool_)
        target = t - product(above, above) if d > 1 else t
        singular = (sums == 0) & (target == 0)  # 0 · x = 0
        above = logic.where(diagonal, target / logic.where(singular, 1, sums), above)
    return above + of_diagonal(roots)


def _logarithm(t: Array) -> Array:
    """The logarithm of a triangular matrix: roots until they are near 1, then the integral of x / (1 + s·x)."""
    one = unit(t)

    def far(state: tuple[Array, Array]) -> Array:
        t, count = state
        size = reduction.max(reduction.sum(unary.abs(t - one), axis=-2))
        return (size > 0.25) & (count < _ROOTS)

    def root(state: tuple[Array, Array]) -> tuple[Array, Array]:
        return _root(diagonals.triu(state[0])), state[1] + 1

    near, count = handlers.while_loop(far, root, (diagonals.triu(t), 0))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    x = near - one
    systems = one + unary.astype(creation.asarray((nodes[:, None, None] + 1) / 2), x.aval.dtype) * x
    right = unary.astype(creation.asarray(weights[:, None, None] / 2), x.aval.dtype) * x
    parts = perform(TriangularSolve(False, False, False, systems, right))
    scale = unary.astype(transcendental.exp2(unary.astype(count, dtypes.float64)), x.aval.dtype)
    singular = reduction.any(diagonals.diagonal(t) == 0)
    return logic.where(singular, np.nan, scale * reduction.sum(parts, axis=0))


_PROGRAMS: Final = {
    MatrixFunctionKind.EXP: _exponential,
    MatrixFunctionKind.LOG: _by_triangle(_logarithm),
    MatrixFunctionKind.SQRT: _by_triangle(_root),
}

"""Products of many matrices, and powers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from effects.arguments import integer, sequence
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.promotion import as_array, promoted, rounded_once
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic
from effects.functions.manipulation import diagonals, movement
from effects.functions.products import contraction
from effects.functions.products.matrices import adjoint, of_diagonal, product, unit
from effects.linalg.arguments import pair
from effects.linalg.solving import inv
from effects.operations.solving import TriangularSolve
from effects.program.chain import perform
from effects.runtime.caches import memoised
from effects.types import dtypes
from effects.types.dtypes import DType
from effects.types.shapes.matrices import matrices, squares

if TYPE_CHECKING:
    from effects.arrays.operators import DT, RT
    from effects.types.signatures.becoming import Dividing


def matrix_power(x: Like[DT], /, n: int) -> Array[DT]:
    """Each square matrix of x, (..., n, n), multiplied n times with itself.

    For n = 0 it is the unit matrix, for negative n the inverse multiplied -n times, which raises DTypeError for
    integers.

    >>> import effects as fx
    >>> fx.linalg.matrix_power(fx.asarray([[1, 1], [0, 1]]), 5)
    Array([[1, 5],
           [0, 1]], int64)
    """
    array, count = as_array(x, "matrix_power", "x"), integer("matrix_power", "n", n)
    squares("matrix_power", array.aval.shape)
    if count < 0:
        if not dtypes.is_inexact(array.aval.dtype):
            raise DTypeError(
                f"matrix_power: a negative power of integers is not an integer, got {array.aval}; use astype"
            )
        array, count = inv(array), -count
    if count == 0:
        return unit(array)
    done: Array | None = None
    while count:
        if count % 2:
            done = array if done is None else product(done, array)
        count //= 2
        array = product(array, array) if count else array
    assert done is not None
    return done


@memoised
def _order(sizes: tuple[int, ...]) -> dict[tuple[int, int], int]:
    """Position at which to split the product of matrices i to j so that the fewest numbers are multiplied."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    cut: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            best = min(range(i, j), key=lambda k: cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1])
            cut[i, j] = best
            cost[i, j] = cost[i, best] + cost[best + 1, j] + sizes[i] * sizes[best + 1] * sizes[j + 1]
    return cut


@overload
def multi_dot[D: DType](arrays: Sequence[Array[D]], /) -> Array[D]: ...
@overload
def multi_dot[X: ArrayLike](arrays: Sequence[X], /) -> Array: ...
def multi_dot(arrays: Sequence[ArrayLike], /) -> Array:
    """The product of two or more matrices, multiplied in the order that takes the fewest multiplications.

    The first and the last one may be vectors. Raises ShapeError where neighbours do not fit.

    >>> import effects as fx
    >>> fx.linalg.multi_dot([fx.ones((2, 3)), fx.ones((3, 4)), fx.ones(4)])
    Array([12., 12.], float64)
    """
    matrices = sequence("multi_dot", "arrays", arrays, "arrays")
    if len(matrices) < 2:
        raise ArgumentError(f"multi_dot: arrays must be at least two, got {len(matrices)}")
    xs = promoted("multi_dot", **{f"arrays[{i}]": x for i, x in enumerate(matrices)})
    ends = (0, len(xs) - 1)
    for i, x in enumerate(xs):
        if x.aval.ndim != 2 and not (x.aval.ndim == 1 and i in ends):
            raise ShapeError(f"multi_dot: arrays[{i}] must be a matrix, or a vector at an end, got {x.aval}")
    first, last = xs[0].aval.ndim == 1, xs[-1].aval.ndim == 1
    factors = [movement.expand_dims(xs[0], 0) if first else xs[0], *xs[1:-1]]
    factors.append(movement.expand_dims(xs[-1], 1) if last else xs[-1])
    for i, (a, b) in enumerate(itertools.pairwise(factors)):
        if a.aval.shape[1] != b.aval.shape[0]:
            raise ShapeError(f"multi_dot: arrays[{i}], {xs[i].aval}, does not go with the next one, {xs[i + 1].aval}")
    cut = _order((factors[0].aval.shape[0], *[x.aval.shape[1] for x in factors]))

    def between(i: int, j: int) -> Array:
        return factors[i] if i == j else contraction.matmul(between(i, cut[i, j]), between(cut[i, j] + 1, j))

    product = between(0, len(xs) - 1)
    return movement.squeeze(product, tuple([axis for axis, is_vector in ((0, first), (1, last)) if is_vector]))


def householder_product(a: Like[DT], taus: Dividing[DT, RT], /) -> Array[RT]:
    """The first n columns of the product of reflections (1 - τ₀·v₀·v₀ᴴ)·(1 - τ₁·v₁·v₁ᴴ)·…, for a of shape (..., m, n).

    vᵢ is column i of a below the diagonal, 1 on it and 0 above; `taus` has at most n numbers τ, (..., k). Raises
    ShapeError for other shapes, and for more columns than rows. Source: Schreiber, Van Loan, SIAM J. Sci. Stat. Comput.
    10, 1989.

    >>> import effects as fx
    >>> fx.linalg.householder_product(fx.asarray([[5.0], [1.0]]), fx.asarray([1.0]))
    Array([[ 0.],
           [-1.]], float64)
    """
    vectors, scales = pair("householder_product", a, taus, ("a", "taus"))
    matrices("householder_product", vectors.aval.shape, "a")
    *lanes, m, n = vectors.aval.shape
    k = scales.aval.shape[-1] if scales.aval.ndim else -1
    if scales.aval.shape[:-1] != tuple(lanes) or not 0 <= k <= n or n > m:
        raise ShapeError(
            f"householder_product: a of shape {[*lanes, m, n]} has to have no more columns than rows, and "
            f"at most {n} taus for each matrix, got taus {scales.aval}"
        )

    def multiplied(x: Array, taus: Array) -> Array:
        v = diagonals.tril(x[..., :k], -1) + creation.eye(m, k, dtype=x.aval.dtype)
        overlaps = diagonals.triu(product(adjoint(v), v), 1)
        system = unit(overlaps) + movement.expand_dims(taus, -1) * overlaps
        inner = perform(TriangularSolve(False, False, True, system, of_diagonal(taus)))
        start = creation.eye(m, n, dtype=x.aval.dtype)
        return arithmetic.subtract(start, product(v, inner, adjoint(v[..., :n, :])))

    return rounded_once(multiplied, vectors, scales)

"""Least squares, pseudo-inverses and ranks: what singular values say of matrices of any shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, overload

import numpy as np

from effects.arguments import choice
from effects.arrays.array import Array
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, convert
from effects.errors import ArgumentError, ShapeError
from effects.functions import creation, elementwise, logic, movement, reduction
from effects.functions.matrices import adjoint, product
from effects.linalg.arguments import matrix, pair, rounded
from effects.operations.factoring import SVD, Eigh
from effects.program.chain import perform
from effects.runtime.names import transformation
from effects.types import dtypes
from effects.types.dtypes import DType

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike
    from effects.types.dtypes import Inexact, i64
    from effects.types.signatures.becoming import AsFloats

    type Side = Literal["right", "left"]


class PolarResult[D: DType](NamedTuple):
    """A matrix with orthonormal rows or columns, and a positive semidefinite one."""

    unitary: Array[D]
    positive: Array[D]


class LstsqResult(NamedTuple, Generic[DT]):  # noqa: UP046  # which has a default
    """The solution, squared residuals, the rank, and the singular values."""

    x: Array[DT]
    residuals: Array
    rank: Array[i64]
    s: Array


def _cutoff(function: str, x: Array, rtol: ArrayLike | None, s: Array, argument: str = "rtol") -> Array:
    """Up to which singular values count as zero: rtol times the greatest, for each matrix."""
    greatest = reduction.max(s, axis=-1, initial=0.0)
    if rtol is None:
        return greatest * (max(x.aval.shape[-2:]) * float(np.finfo(s.aval.dtype.dtype).eps))
    given = as_array(rtol, function, argument)
    if issubclass(given.aval.dtype, dtypes.Complex | dtypes.bool_):
        raise ArgumentError(f"{function}: {argument} must be of real numbers, got {given.aval}")
    return greatest * convert(given, s.aval.dtype)


def matrix_rank(x: AsFloats[DType], /, *, rtol: ArrayLike | None = None) -> Array[i64]:
    """The number of singular values that are greater than rtol times the greatest one.

    Without `rtol` it is max(m, n) times the epsilon of the dtype, for m by n.

    >>> from effects.functions.creation import ones
    >>> matrix_rank(ones((2, 3)))
    Array(1, int64)
    """

    def rank(x: Array) -> tuple[Array]:
        (s,) = perform(SVD(False, False, x))
        cutoff = movement.expand_dims(_cutoff("matrix_rank", x, rtol, s), -1)
        return (reduction.count_nonzero(s > cutoff, axis=-1),)

    return rounded(rank, matrix("matrix_rank", x))[0]


def pinv(x: AsFloats[DT], /, *, rtol: ArrayLike | None = None) -> Array[DT]:
    """The pseudo-inverse: of singular values up to rtol times the greatest one, as in `matrix_rank`, none is inverted.

    Its derivative is that of matrices of the same rank (Golub, Pereyra, SIAM J. Numer. Anal. 10, 1973).

    >>> from effects.functions.creation import asarray
    >>> pinv(asarray([[2.0], [0.0]]))
    Array([[0.5, 0. ]], float64)
    """
    return rounded(lambda x: (_inverted("pinv", x, rtol),), matrix("pinv", x))[0]


def _inverted(function: str, x: Array, rtol: ArrayLike | None, argument: str = "rtol") -> Array:
    (s,) = perform(SVD(False, False, transformation("stop_gradient")(x)))
    inverted: Array = _pseudo_inverse()(x, _cutoff(function, x, rtol, s, argument))
    return inverted


@cache
def _pseudo_inverse() -> Callable[[Array, Array], Array]:
    def value(x: Array, cutoff: Array) -> Array:
        u, s, v = perform(SVD(True, False, x))
        small = s <= movement.expand_dims(cutoff, -1)
        inverse = elementwise.astype(logic.where(small, 0, 1 / logic.where(small, 1, s)), x.aval.dtype)
        return product(adjoint(v) * movement.expand_dims(inverse, -2), adjoint(u))

    def rule(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
        (x, cutoff), (t, _) = primals, tangents
        inverse = pseudo_inverse(x, cutoff)
        moved, back = adjoint(t), adjoint(inverse)
        left = product(moved, back, inverse)
        right = product(inverse, back, moved)
        slope = left - product(inverse, x, left) + right - product(right, x, inverse) - product(inverse, t, inverse)
        return inverse, slope

    pseudo_inverse: Callable[[Array, Array], Array] = transformation("custom_jvp")(rule)(value)
    return pseudo_inverse


@overload
def lstsq[D: Inexact](x1: Array[D], x2: Array[D], /, rcond: ArrayLike | None = None) -> LstsqResult[D]: ...
@overload
def lstsq[X: ArrayLike, Y: ArrayLike](x1: X, x2: Y, /, rcond: ArrayLike | None = None) -> LstsqResult: ...
def lstsq(x1: ArrayLike, x2: ArrayLike, /, rcond: ArrayLike | None = None) -> LstsqResult:
    """The x of least norm that makes x1 @ x - x2 least, the squares of that summed, the rank and singular values of x1.

    x2 is one vector or has columns; there are no lanes. Singular values up to rcond times the greatest count as zero,
    as in `matrix_rank`. Squares are given for each column if x1 has more rows than columns, whatever its rank.

    >>> from effects.functions.creation import asarray
    >>> lstsq(asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), asarray([1.0, 3.0, 5.0])).x
    Array([1., 2.], float64)
    """
    a, b = pair("lstsq", x1, x2, ("x1", "x2"))
    if a.aval.ndim != 2 or b.aval.ndim not in (1, 2) or a.aval.shape[0] != b.aval.shape[0]:
        raise ShapeError(f"lstsq: x1 must be a matrix, and x2 have as many rows, got {a.aval} and {b.aval}")

    def solved(a: Array, b: Array) -> tuple[Array, Array, Array, Array]:
        columns = movement.reshape(b, (b.aval.shape[0], -1)) if b.aval.size else b
        x = product(
            _inverted("lstsq", a, rcond, "rcond"), columns if columns.aval.ndim == 2 else movement.expand_dims(b, -1)
        )
        m, n = a.aval.shape
        rest = elementwise.abs(columns - product(a, x)) ** 2
        residuals = reduction.sum(rest, axis=0) if m > n else creation.zeros((0,), dtype=rest.aval.dtype)
        (s,) = perform(SVD(False, False, a))
        rank = reduction.count_nonzero(s > _cutoff("lstsq", a, rcond, s, "rcond"))
        return movement.reshape(x, (n, *b.aval.shape[1:])), residuals, rank, s

    return LstsqResult(*rounded(solved, a, b))


def polar(x: AsFloats[DT], /, side: Side = "right") -> PolarResult[DT]:
    """u, of orthonormal columns or rows, and the positive semidefinite p with u @ p = x, or with p @ u = x for "left".

    Derivatives solve p @ ω + ω @ p = uᴴ @ ẋ - ẋᴴ @ u (Gawlik, Leok, SIAM J. Matrix Anal. 38, 2017), and are those of
    matrices of full rank, singular values equal or not.

    >>> from effects.functions.creation import asarray
    >>> polar(asarray([[0.0, -3.0], [2.0, 0.0]])).positive
    Array([[2., 0.],
           [0., 3.]], float64)
    """
    right = choice("polar", "side", side, ("right", "left")) == "right"

    def parts(x: Array) -> tuple[Array, Array]:
        m, n = x.aval.shape[-2:]
        u = _unitary()(x) if m >= n else adjoint(_unitary()(adjoint(x)))
        positive = product(adjoint(u), x) if right else product(x, adjoint(u))
        return u, (positive + adjoint(positive)) / 2

    return PolarResult(*rounded(parts, matrix("polar", x)))


@cache
def _unitary() -> Callable[[Array], Array]:
    def value(x: Array) -> Array:
        u, _, v = perform(SVD(True, False, x))
        return product(u, v)

    def rule(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
        (x,), (t,) = primals, tangents
        u = unitary(x)
        values, vectors = perform(Eigh(True, product(adjoint(u), x)))
        inner = product(adjoint(u), t)
        sums = movement.expand_dims(values, -1) + movement.expand_dims(values, -2)
        turn = product(vectors, product(adjoint(vectors), inner - adjoint(inner), vectors) / sums, adjoint(vectors))
        slope = product(u, turn)
        if x.aval.shape[-2] > x.aval.shape[-1]:
            outside = product(t - product(u, inner), vectors) / movement.expand_dims(values, -2)
            slope = slope + product(outside, adjoint(vectors))
        return u, slope

    unitary: Callable[[Array], Array] = transformation("custom_jvp")(rule)(value)
    return unitary

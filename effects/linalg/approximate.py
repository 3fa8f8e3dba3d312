"""Least squares, pseudo-inverses and ranks: what singular values say of matrices of any shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, overload

import numpy as np

from effects.arguments import choice
from effects.arrays import lapack, routines
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, from_host
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, convert, scalar
from effects.errors import ArgumentError, ShapeError
from effects.functions import at_once, creation, elementwise, inspection, logic, movement, reduction
from effects.functions.matrices import adjoint, product, squares
from effects.linalg.arguments import matrix, pair, rounded
from effects.operations.factoring import SVD, Eigh
from effects.program.chain import perform
from effects.runtime.caches import memoised
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


def _share(function: str, x: Array, rtol: ArrayLike | None, argument: str = "rtol") -> Array:
    """Up to which part of the greatest singular value others count as zero."""
    if rtol is None:
        return _rounding(max(x.aval.shape[-2:]), x.aval.dtype)
    dtype = dtypes.real_of(x.aval.dtype)
    given = as_array(rtol, function, argument)
    if issubclass(given.aval.dtype, dtypes.Complex | dtypes.bool_):
        raise ArgumentError(f"{function}: {argument} must be of real numbers, got {given.aval}")
    return convert(given, dtype)


@memoised
def _rounding(size: int, dtype: type[DType]) -> Array:
    real = dtypes.real_of(dtype)
    return scalar(size * float(np.finfo(real.dtype).eps), real)


def _cutoff(s: Array, share: Array) -> Array:
    """Up to which value singular values, of matrices in lanes, count as zero."""
    greatest = s[..., :1]
    return greatest * (movement.expand_dims(share, -1) if share.aval.ndim else share)


def _inverted(s: Array, share: Array, x: Array) -> Array:
    """1/s, and 0 where s counts as zero, in the dtype of x."""
    small = s <= _cutoff(s, share)
    return elementwise.astype(logic.where(small, 0, 1 / logic.where(small, 1, s)), x.aval.dtype)


def matrix_rank(x: AsFloats[DType], /, *, rtol: ArrayLike | None = None) -> Array[i64]:
    """The number of singular values that are greater than rtol times the greatest one.

    Without `rtol` it is max(m, n) times the epsilon of the dtype, for m by n.

    >>> from effects.functions.creation import ones
    >>> matrix_rank(ones((2, 3)))
    Array(1, int64)
    """

    def rank(x: Array) -> tuple[Array]:
        (s,) = perform(SVD(False, False, x))
        share = _share("matrix_rank", x, rtol)
        return (_count(s, share),)

    return rounded(rank, matrix("matrix_rank", x))[0]


def _count_of(values: Concrete, part: Concrete) -> Array | None:
    s, share = values.host, part.host
    if s.ndim != 1 or not s.size or share.ndim:
        return None
    return from_host(np.asarray(np.count_nonzero(s > s[0] * share), np.int64))


@at_once.of_known(_count_of)
def _count(s: Array, share: Array) -> Array:
    return reduction.count_nonzero(s > _cutoff(s, share), axis=-1)


def pinv(x: AsFloats[DT], /, *, rtol: ArrayLike | None = None) -> Array[DT]:
    """The pseudo-inverse: of singular values up to rtol times the greatest one, as in `matrix_rank`, none is inverted.

    Its derivative is that of matrices of the same rank (Golub, Pereyra, SIAM J. Numer. Anal. 10, 1973).

    >>> from effects.functions.creation import asarray
    >>> pinv(asarray([[2.0], [0.0]]))
    Array([[0.5, 0. ]], float64)
    """
    return rounded(lambda x: _pseudo_inverse()(x, _share("pinv", x, rtol)), matrix("pinv", x))[0]


def _inverse_of(matrix: Concrete, part: Concrete) -> tuple[Array, Array] | None:
    x, share = matrix.host, part.host
    if x.ndim != 2 or not x.size or share.ndim:
        return None
    u, s, v = lapack.thin_svd(x)
    inverse = np.divide(1, s, out=np.zeros_like(s), where=~(s <= s[0] * share))
    if x.dtype.kind == "c":
        u, v = u.conj(), v.conj()
    return from_host((v.T * inverse) @ u.T), from_host(s)


@cache
def _pseudo_inverse() -> Callable[[Array, Array], tuple[Array, Array]]:
    """The pseudo-inverse and the singular values, of which those up to a share of the greatest count as zero."""

    @at_once.of_known(_inverse_of)
    def value(x: Array, share: Array) -> tuple[Array, Array]:
        u, s, v = perform(SVD(True, False, x))
        return product(adjoint(v) * movement.expand_dims(_inverted(s, share, x), -2), adjoint(u)), s

    type Both = tuple[Array, Array]

    def rule(primals: Both, tangents: Both) -> tuple[Both, Both]:
        (x, share), (t, _) = primals, tangents
        inverse, _ = pseudo_inverse(x, share)
        (s,), (moved_s,) = transformation("jvp")(lambda x: perform(SVD(False, False, x)), (x,), (t,))
        moved, back = adjoint(t), adjoint(inverse)
        left = product(moved, back, inverse)
        right = product(inverse, back, moved)
        slope = left - product(inverse, x, left) + right - product(right, x, inverse) - product(inverse, t, inverse)
        return (inverse, s), (slope, moved_s)

    pseudo_inverse: Callable[[Array, Array], Both] = at_once.with_rule(rule, value)
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

    return LstsqResult(*rounded(lambda a, b: _least_and_more(a, b, _share("lstsq", a, rcond, "rcond")), a, b))


@cache
def _least() -> Callable[[Array, Array, Array], tuple[Array, Array]]:
    """The solution for columns b, and the singular values."""

    def value(a: Array, b: Array, share: Array) -> tuple[Array, Array]:
        u, s, v = perform(SVD(True, False, a))
        inverse = movement.expand_dims(_inverted(s, share, a), -1)
        return product(adjoint(v), inverse * product(adjoint(u), b)), s

    type Both = tuple[Array, Array]

    def rule(primals: tuple[Array, Array, Array], tangents: tuple[Array, Array, Array]) -> tuple[Both, Both]:
        """Of pinv(a) @ b, as in `pinv`, which never multiplies two matrices."""
        (a, b, share), (t, moved_b, _) = primals, tangents
        (inverse, s), (_, moved_s) = transformation("jvp")(lambda a: _pseudo_inverse()(a, share), (a,), (t,))
        x, back, moved = product(inverse, b), adjoint(inverse), adjoint(t)
        left = moved_b - product(t, x) + product(back, moved, b - product(a, x))
        right = product(moved, product(back, x))
        return (x, s), (product(inverse, left - product(a, right)) + right, moved_s)

    least: Callable[[Array, Array, Array], Both] = at_once.with_rule(rule, value)
    return least


@at_once.of_known(routines.least_squares)
def _least_and_more(a: Array, b: Array, share: Array) -> tuple[Array, ...]:
    """What `lstsq` gives."""
    columns = b if b.aval.ndim == 2 else movement.expand_dims(b, -1)
    x, s = _least()(a, columns, share)
    m, n = a.aval.shape
    if m > n:
        residuals = reduction.sum(squares(columns - product(a, x)), axis=0)
    else:
        residuals = creation.zeros((0,), dtype=s.aval.dtype)
    rank = reduction.count_nonzero(s > _cutoff(s, share))
    return x if b.aval.ndim == 2 else movement.squeeze(x, -1), residuals, rank, s


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

    unitary: Callable[[Array], Array] = at_once.with_rule(rule, value)
    return unitary

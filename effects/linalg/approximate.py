"""Least squares, pseudo-inverses, ranks and polar factors: functions by singular values, for matrices of any shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, overload

import numpy as np

from effects.arguments import choice
from effects.arrays.array import Array, ArrayLike
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, convert, scalar
from effects.errors import ArgumentError, ShapeError
from effects.functions.creation import creation
from effects.functions.manipulation import movement
from effects.functions.products.matrices import adjoint, cutoff, product, squares
from effects.functions.reductions import reduction
from effects.linalg.arguments import matrix, pair, rounded
from effects.operations.factoring import SVD
from effects.operations.matrices import LeastSquares, PseudoInverse, UnitaryFactor
from effects.program.chain import perform
from effects.runtime.caches import memoised
from effects.types import dtypes
from effects.types.dtypes import DType, Inexact, i64

if TYPE_CHECKING:
    from effects.types.signatures.becoming import FloatMatrices

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
    """The share of the greatest singular value up to which others count as zero."""
    if rtol is None:
        return _rounding(max(x.aval.shape[-2:]), x.aval.dtype)
    dtype = dtypes.real_of(x.aval.dtype)
    tolerance = as_array(rtol, function, argument)
    if issubclass(tolerance.aval.dtype, dtypes.Complex | dtypes.bool_):
        raise ArgumentError(f"{function}: {argument} must be of real numbers, got {tolerance.aval}")
    try:
        return convert(movement.broadcast_to(tolerance, x.aval.shape[:-2]) if tolerance.aval.ndim else tolerance, dtype)
    except ShapeError:
        raise ShapeError(
            f"{function}: {argument} must be one number, or one for each matrix of x, {x.aval}, got {tolerance.aval}"
        ) from None


@memoised
def _rounding(size: int, dtype: type[DType]) -> Array:
    real = dtypes.real_of(dtype)
    return scalar(size * float(np.finfo(real.dtype).eps), real)


def matrix_rank(x: FloatMatrices[DType], /, *, rtol: ArrayLike | None = None) -> Array[i64]:
    """The rank of each matrix of x, (..., m, n): the number of singular values above `rtol` times the greatest one.

    `rtol` is one number, or one for each matrix; by default it is max(m, n) times the epsilon of the dtype.

    >>> import effects as fx
    >>> fx.linalg.matrix_rank(fx.ones((2, 3)))
    Array(1, int64)
    """

    def rank(x: Array) -> tuple[Array]:
        (s,) = perform(SVD(False, False, x))
        share = _share("matrix_rank", x, rtol)
        return (reduction.count_nonzero(s > cutoff(s, share), axis=-1),)

    return rounded(rank, matrix("matrix_rank", x))[0]


def pinv(x: FloatMatrices[DT], /, *, rtol: ArrayLike | None = None) -> Array[DT]:
    """The pseudo-inverse (Moore, Penrose) of each matrix of x, (..., m, n): an array (..., n, m).

    Singular values up to `rtol` times the greatest count as 0, as in `matrix_rank`. The derivative is that along
    matrices of the same rank (Golub, Pereyra, SIAM J. Numer. Anal. 10, 1973).

    >>> import effects as fx
    >>> fx.linalg.pinv(fx.asarray([[2.0], [0.0]]))
    Array([[0.5, 0. ]], float64)
    """
    return rounded(lambda x: perform(PseudoInverse(x, _share("pinv", x, rtol))), matrix("pinv", x))[0]


@overload
def lstsq[D: Inexact](x1: Array[D], x2: Array[D], /, rcond: ArrayLike | None = None) -> LstsqResult[D]: ...
@overload
def lstsq[X: ArrayLike, Y: ArrayLike](x1: X, x2: Y, /, rcond: ArrayLike | None = None) -> LstsqResult: ...
def lstsq(x1: ArrayLike, x2: ArrayLike, /, rcond: ArrayLike | None = None) -> LstsqResult:
    """The least-squares solution of x1 @ x = x2, of least norm, with squared residuals, and the rank and singular
    values of x1.

    x1 is one matrix, (m, n), and x2 a vector, (m,), or several in columns, (m, k); there are no leading axes. Singular
    values up to `rcond` times the greatest count as 0, as in `matrix_rank`. `residuals` has the sum of squares for each
    column of x2 if m > n, whatever the rank, and no elements otherwise. Raises ShapeError where the shapes do not fit.

    >>> import effects as fx
    >>> fx.linalg.lstsq(fx.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), fx.asarray([1.0, 3.0, 5.0])).x
    Array([1., 2.], float64)
    """
    a, b = pair("lstsq", x1, x2, ("x1", "x2"))
    if a.aval.ndim != 2:
        raise ShapeError(f"lstsq: x1 must be a matrix, got {a.aval}")
    if b.aval.ndim not in (1, 2) or a.aval.shape[0] != b.aval.shape[0]:
        raise ShapeError(f"lstsq: x2 must be a vector or a matrix of as many rows as x1, {a.aval}, got {b.aval}")
    small = None if rcond is None else as_array(rcond, "lstsq", "rcond")
    if small is not None and small.aval.shape:
        raise ShapeError(f"lstsq: rcond must be one number, got {small.aval}")
    return LstsqResult(*rounded(lambda a, b: _least_and_more(a, b, _share("lstsq", a, small, "rcond")), a, b))


@memoised
def _nothing(dtype: type[DType]) -> Array:
    return creation.zeros((0,), dtype=dtype)


def _least_and_more(a: Array, b: Array, share: Array) -> tuple[Array, ...]:
    columns = b if b.aval.ndim == 2 else movement.expand_dims(b, -1)
    x, rank, s = perform(LeastSquares(a, columns, share))
    m, n = a.aval.shape
    residuals = reduction.sum(squares(columns - product(a, x)), axis=0) if m > n else _nothing(s.aval.dtype)
    return x if b.aval.ndim == 2 else movement.squeeze(x, -1), residuals, rank, s


def polar(x: FloatMatrices[DT], /, side: Side = "right") -> PolarResult[DT]:
    """The polar decomposition of each matrix of x, (..., m, n): x = unitary @ positive, or positive @ unitary for
    `side` "left".

    `unitary` has orthonormal columns, or rows if m < n; `positive` is its own adjoint and positive semidefinite. The
    derivatives are those of matrices of full rank, whose singular values may be equal: for u = unitary and p = positive
    they solve p @ ω + ω @ p = uᴴ @ ẋ - ẋᴴ @ u (Gawlik, Leok, SIAM J. Matrix Anal. 38, 2017).

    >>> import effects as fx
    >>> fx.linalg.polar(fx.asarray([[0.0, -3.0], [2.0, 0.0]])).positive
    Array([[2., 0.],
           [0., 3.]], float64)
    """
    right = choice("polar", "side", side, ("right", "left")) == "right"

    def parts(x: Array) -> tuple[Array, Array]:
        m, n = x.aval.shape[-2:]
        u = perform(UnitaryFactor(x)) if m >= n else adjoint(perform(UnitaryFactor(adjoint(x))))
        positive = product(adjoint(u), x) if right else product(x, adjoint(u))
        return u, (positive + adjoint(positive)) / 2

    return PolarResult(*rounded(parts, matrix("polar", x)))

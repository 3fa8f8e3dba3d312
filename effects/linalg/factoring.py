"""Factors, eigenvalues and singular values of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from effects.arguments import choice, flag
from effects.arrays.array import Array, ArrayLike, Foreign
from effects.arrays.promotion import rounded_once
from effects.errors import ArgumentError, LinearAlgebraError, ShapeError
from effects.functions.creation import creation
from effects.functions.elementwise import logic, unary
from effects.functions.indexing import taking
from effects.functions.manipulation import diagonals, movement
from effects.functions.products.matrices import adjoint
from effects.linalg.arguments import in_lanes, matrix, pair, rounded, square
from effects.linalg.columns import pivots
from effects.operations.factoring import PLU, QR, SVD, Cholesky, Eig, Eigh
from effects.operations.solving import TriangularSolve
from effects.program.chain import perform
from effects.types.dtypes import DType, i64
from effects.types.signatures import typed_as

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.types.signatures.becoming import ComplexMatrices, FloatMatrices, HasFloatsAndReals, RealMatrices
    from effects.types.signatures.fractions import OfSVD

    type Mode = Literal["reduced", "complete"]
    type Modes = Literal["reduced", "complete", "r"]
    type Half = Literal["L", "U"] | None
    type Matrices[D: DType, R: DType] = HasFloatsAndReals[D, R] | complex | Foreign


class QRResult[D: DType](NamedTuple):
    """Orthonormal columns, and an upper triangle."""

    Q: Array[D]
    R: Array[D]


class PivotedQRResult[D: DType](NamedTuple):
    """Orthonormal columns, an upper triangle whose diagonal descends in size, and the order of the columns."""

    Q: Array[D]
    R: Array[D]
    P: Array[i64]


class SVDResult[D: DType, R: DType](NamedTuple):
    """Orthonormal columns, singular values in descending order, orthonormal rows."""

    U: Array[D]
    S: Array[R]
    Vh: Array[D]


class EigResult[R: DType, D: DType](NamedTuple):
    """Eigenvalues, and the eigenvector of each in a column."""

    eigenvalues: Array[R]
    eigenvectors: Array[D]


class LUResult[D: DType](NamedTuple):
    """A permutation, a lower triangle with ones on its diagonal, an upper triangle."""

    P: Array[D]
    L: Array[D]
    U: Array[D]


def cholesky(x: FloatMatrices[DT], /, *, upper: bool = False) -> Array[DT]:
    """The Cholesky factor of each positive definite matrix of x, (..., n, n): the lower triangle l with l @ lᴴ = x.

    With `upper` it is lᴴ. For x that is not its own adjoint, (x + xᴴ)/2 is used. Raises LinearAlgebraError for a known
    matrix that is not positive definite; in compiled programs its factor is NaN.

    >>> import effects as fx
    >>> fx.linalg.cholesky(fx.asarray([[4.0, 2.0], [2.0, 2.0]]))
    Array([[2., 0.],
           [1., 1.]], float64)
    """
    above = flag("cholesky", "upper", upper)
    factor = rounded_once(lambda x: perform(Cholesky(x)), square("cholesky", x))
    return adjoint(factor) if above else factor


def factor_of(function: str, argument: str, x: Array[DT], instead: str = "") -> Array[DT]:
    """`cholesky` of an argument of another function, whose name errors have."""
    try:
        return cholesky(x)
    except LinearAlgebraError:
        advice = f"add a little to its diagonal{instead}"
        raise LinearAlgebraError(f"{function}: {argument}, {x.aval}, is not positive definite; {advice}") from None


def cho_factor(x: FloatMatrices[DT], /, *, lower: bool = False) -> tuple[Array[DT], bool]:
    """The argument of `cho_solve` for x: its Cholesky factor, the upper one unless `lower`, and the flag `lower`.

    >>> import effects as fx
    >>> fx.linalg.cho_factor(fx.asarray([[4.0]]))
    (Array([[2.]], float64), False)
    """
    below = flag("cho_factor", "lower", lower)
    return cholesky(x, upper=not below), below


def lu(x: FloatMatrices[DT], /) -> LUResult[DT]:
    """The LU decomposition of each matrix of x, (..., m, n): P @ L @ U = x.

    P is a permutation matrix, L a lower triangle with ones on its diagonal, U an upper triangle.

    >>> import effects as fx
    >>> fx.linalg.lu(fx.asarray([[0.0, 2.0], [1.0, 3.0]])).L
    Array([[1., 0.],
           [0., 1.]], float64)
    """
    return LUResult(*rounded(lambda x: perform(PLU(x)), matrix("lu", x)))


@overload
def qr(x: FloatMatrices[DT], /, mode: Mode = "reduced", *, pivoting: Literal[False] = False) -> QRResult[DT]: ...
@overload
def qr(x: FloatMatrices[DT], /, mode: Mode = "reduced", *, pivoting: Literal[True]) -> PivotedQRResult[DT]: ...
@overload
def qr(x: FloatMatrices[DT], /, mode: Literal["r"], *, pivoting: Literal[False] = False) -> Array[DT]: ...
def qr(
    x: FloatMatrices[DT], /, mode: Modes = "reduced", *, pivoting: bool = False
) -> QRResult[DT] | PivotedQRResult[DT] | Array[DT]:
    """The QR decomposition of each matrix of x, (..., m, n): Q @ R = x, for Q with orthonormal columns, and an upper
    triangle R.

    Q has min(m, n) columns for the `mode` "reduced" and m for "complete"; for "r" the result is R alone. Columns of Q
    that x does not determine have no derivative. With `pivoting` the result includes P, the order of columns by which
    the absolute values on the diagonal of R descend: Q @ R is x[:, P].

    >>> import effects as fx
    >>> fx.linalg.qr(fx.asarray([[3.0], [4.0]])).R
    Array([[-5.]], float64)
    >>> fx.linalg.qr(fx.asarray([[3.0, 5.0], [4.0, 12.0]]), pivoting=True).P
    Array([1, 0], int64)
    """
    kind = choice("qr", "mode", mode, ("reduced", "complete", "r"))
    array = matrix("qr", x)
    if not flag("qr", "pivoting", pivoting):
        q, r = rounded(lambda x: perform(QR(kind == "complete", x)), array)
        return r if kind == "r" else QRResult(q, r)
    if kind == "r":
        raise ArgumentError("qr: mode 'r' does not pivot; write qr(x, pivoting=True).R")
    order = pivots(array)
    ordered = taking.take_along_axis(array, movement.expand_dims(order, -2), axis=-1)
    q, r = rounded(lambda x: perform(QR(kind == "complete", x)), ordered)
    return PivotedQRResult(q, r, order)


@typed_as(lambda: OfSVD().__call__)
def svd(x: ArrayLike, /, full_matrices: bool = True, compute_uv: bool = True) -> SVDResult[Any, Any] | Array:
    """The singular value decomposition of each matrix of x, (..., m, n): U @ diag(S) @ Vh = x.

    U has orthonormal columns, Vh orthonormal rows, and S the singular values in descending order. With `full_matrices`
    U is m by m and Vh n by n, and vectors that x does not determine have no derivative; otherwise U has min(m, n)
    columns and Vh as many rows. Without `compute_uv` the result is S alone.

    Derivatives of singular vectors are NaN where singular values are equal. Raises LinearAlgebraError for NaN or
    infinity where x is known; in compiled programs they give NaN.

    >>> import effects as fx
    >>> fx.linalg.svd(fx.asarray([[0.0, 3.0], [2.0, 0.0]])).S
    Array([3., 2.], float64)
    """
    full, vectors = flag("svd", "full_matrices", full_matrices), flag("svd", "compute_uv", compute_uv)
    factors = rounded(lambda x: perform(SVD(vectors, full and vectors, x)), matrix("svd", x))
    return SVDResult(*factors) if vectors else factors[0]


def svdvals(x: RealMatrices[DT], /) -> Array[DT]:
    """The singular values of each matrix of x, (..., m, n), in descending order: an array (..., min(m, n)).

    >>> import effects as fx
    >>> fx.linalg.svdvals(fx.asarray([[0.0, 3.0], [2.0, 0.0]]))
    Array([3., 2.], float64)
    """
    return rounded(lambda x: perform(SVD(False, False, x)), matrix("svdvals", x))[0]


def _even(function: str, x: object, half: Half) -> Array:
    """x, or the matrix that is its own adjoint and has the lower or upper half of x."""
    array = square(function, x)
    if half is None:
        return array
    if isinstance(half, Array | np.ndarray):
        raise ArgumentError(f"{function}: UPLO must be 'L' or 'U', got an array; the second matrix is b=")
    lower = choice(function, "UPLO", half, ("L", "U")) == "L"
    strict = diagonals.tril(array, -1) if lower else diagonals.triu(array, 1)
    own = logic.where(creation.eye(array.aval.shape[-1], dtype="bool"), array, creation.zeros_like(array))
    return strict + adjoint(strict) + own


def _eigh(function: str, vectors: bool, x: object, half: Half, b: object) -> tuple[Array, ...]:
    array = _even(function, x, half)
    if b is None:
        return rounded(lambda x: perform(Eigh(vectors, x)), array)
    array, other = pair(function, array, square(function, b, "b"), ("x", "b"))
    if array.aval.shape[-1] != other.aval.shape[-1]:
        raise ShapeError(f"{function}: b must be of the size of x, {array.aval}, got {other.aval}")

    def solved(x: Array, b: Array) -> tuple[Array, ...]:
        low = factor_of(function, "b", b)
        halved = perform(TriangularSolve(True, False, False, low, x))
        values, *bases = perform(Eigh(vectors, perform(TriangularSolve(True, False, False, low, adjoint(halved)))))
        return values, *[perform(TriangularSolve(True, True, False, unary.conj(low), basis)) for basis in bases]

    return rounded(solved, *in_lanes(function, array, other))


def eigh[D: DType, R: DType](
    x: Matrices[D, R], /, UPLO: Half = None, *, b: Matrices[D, R] | None = None
) -> EigResult[R, D]:
    """The eigenvalues of each matrix of x, (..., n, n), that is its own adjoint, in ascending order, and orthonormal
    eigenvectors in columns.

    Of other matrices (x + xᴴ)/2 is used; for `UPLO` "L" or "U" the lower or upper triangle alone is read. With a
    positive definite `b`, values w and vectors v are those of x @ v = w * (b @ v), and vᴴ @ b @ v is 1.

    Special cases: NaN of NaN; derivatives of vectors are NaN where eigenvalues are equal.

    >>> import effects as fx
    >>> fx.linalg.eigh(fx.asarray([[2.0, 1.0], [1.0, 2.0]])).eigenvalues
    Array([1., 3.], float64)
    """
    values, vectors = _eigh("eigh", True, x, UPLO, b)
    return EigResult(values, vectors)


def eigvalsh(x: RealMatrices[DT], /, UPLO: Half = None, *, b: ArrayLike | None = None) -> Array[DT]:
    """The eigenvalues of each matrix of x, (..., n, n), that is its own adjoint, in ascending order; arguments as for
    `eigh`.

    >>> import effects as fx
    >>> fx.linalg.eigvalsh(fx.asarray([[2.0, 1.0], [1.0, 2.0]]))
    Array([1., 3.], float64)
    """
    return _eigh("eigvalsh", False, x, UPLO, b)[0]


def eig(x: ComplexMatrices[DT], /) -> EigResult[DT, DT]:
    """The eigenvalues of each square matrix of x, (..., n, n), and eigenvectors of norm 1 in columns.

    All are complex, and in no order. Derivatives are NaN where eigenvalues are equal. Raises LinearAlgebraError as
    `svd` does.

    >>> import effects as fx
    >>> fx.linalg.eig(fx.asarray([[0.0, 1.0], [-1.0, 0.0]])).eigenvalues
    Array([0.+1.j, 0.-1.j], complex128)
    """
    values, vectors = rounded(lambda x: perform(Eig(True, x)), square("eig", x))
    return EigResult(values, vectors)


def eigvals(x: ComplexMatrices[DT], /) -> Array[DT]:
    """The eigenvalues of each square matrix of x, (..., n, n): complex numbers (..., n), in no order.

    >>> import effects as fx
    >>> fx.linalg.eigvals(fx.asarray([[0.0, 1.0], [-1.0, 0.0]]))
    Array([0.+1.j, 0.-1.j], complex128)
    """
    return rounded(lambda x: perform(Eig(False, x)), square("eigvals", x))[0]

"""Functions of matrices, which are not those of their elements: exponential, logarithm, square root, Schur form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from effects.arguments import check_callable, choice
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, convert
from effects.errors import ShapeError
from effects.functions.manipulation import movement
from effects.linalg.arguments import rounded, square
from effects.operations.factoring import Eig, Schur
from effects.operations.matrices import MatrixFunction, MatrixFunctionKind
from effects.operations.solving import Solve
from effects.program.chain import perform
from effects.types.dtypes import DType
from effects.types.promotion import complex_of

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.types.signatures.becoming import ComplexMatrices, FloatMatrices

    type Form = Literal["real", "complex"]


class SchurResult[D: DType](NamedTuple):
    """A triangle, and the unitary matrix that makes x of it."""

    T: Array[D]
    Z: Array[D]


def schur(x: FloatMatrices[DT], /, output: Form = "real") -> SchurResult[DT]:
    """The Schur form of each square matrix of x, (..., n, n): an upper triangle T and a unitary Z with Z @ T @ Zᴴ = x.

    For real x both are real, and T has a block of two rows on its diagonal for each pair of complex eigenvalues; with
    `output="complex"` T is a complex triangle for real x too. There is no derivative; `sqrtm`, `logm` and `eig` have
    one.

    >>> import effects as fx
    >>> fx.linalg.schur(fx.asarray([[1.0, 2.0], [0.0, 3.0]])).T
    Array([[1., 2.],
           [0., 3.]], float64)
    """
    array = square("schur", x)
    if choice("schur", "output", output, ("real", "complex")) == "complex":
        array = convert(array, complex_of(array.aval.dtype))
    return SchurResult(*rounded(lambda x: perform(Schur(x)), array))


def expm(x: FloatMatrices[DT], /) -> Array[DT]:
    """The exponential 1 + x + x @ x / 2 + … of each square matrix of x, (..., n, n).

    Matrices with a norm above 2³⁴ give NaN. It is differentiable. Source: Higham, SIAM J. Matrix Anal. 26, 2005.

    >>> import effects as fx
    >>> fx.linalg.expm(fx.asarray([[0.0, 1.0], [0.0, 0.0]]))
    Array([[1., 1.],
           [0., 1.]], float64)
    """
    return _function(MatrixFunctionKind.EXP, square("expm", x))


def sqrtm(x: ComplexMatrices[DT], /) -> Array[DT]:
    """The principal square root of each square matrix of x, (..., n, n): the s with s @ s = x whose eigenvalues have no
    negative real part.

    The result is complex. The derivative ṡ solves s @ ṡ + ṡ @ s = ẋ; singular matrices have none. One that has no
    square root gives infinities and NaN. Source: Björck, Hammarling, 1983.

    >>> import effects as fx
    >>> fx.linalg.sqrtm(fx.asarray([[4.0, 4.0], [0.0, 4.0]]))
    Array([[2.+0.j, 1.+0.j],
           [0.+0.j, 2.+0.j]], complex128)
    """
    return _function(MatrixFunctionKind.SQRT, square("sqrtm", x))


def logm(x: ComplexMatrices[DT], /) -> Array[DT]:
    """The principal logarithm of each square matrix of x, (..., n, n): the l with expm(l) = x whose eigenvalues have
    imaginary parts from -π to π.

    The result is complex, and NaN for singular matrices, which have no logarithm. The derivative l̇ is the direction in
    which that of `expm` at l is ẋ. Source: Kenney, Laub, 1989.

    >>> import effects as fx
    >>> fx.linalg.logm(fx.asarray([[1.0, 1.0], [0.0, 1.0]]))
    Array([[0.+0.j, 1.+0.j],
           [0.+0.j, 0.+0.j]], complex128)
    """
    return _function(MatrixFunctionKind.LOG, square("logm", x))


def funm(x: ComplexMatrices[DT], f: Callable[[Array], ArrayLike], /) -> Array[DT]:
    """A function of each square matrix of x, (..., n, n): v @ diag(f(w)) @ v⁻¹ for its eigenvalues w and eigenvectors
    v.

    `f` takes the eigenvalues, a complex array (..., n), and returns as many values. The result is complex. It is
    inaccurate for matrices that cannot be diagonalised, and derivatives are NaN where eigenvalues are equal; `expm`,
    `logm` and `sqrtm` are accurate for all. Raises ShapeError where f returns another shape.

    >>> import effects as fx
    >>> fx.linalg.funm(fx.asarray([[2.0, 1.0], [1.0, 2.0]]), lambda w: w**3).real
    Array([[14., 13.],
           [13., 14.]], float64)
    """
    check_callable("funm", f, "f")

    def function(x: Array) -> tuple[Array]:
        values, vectors = perform(Eig(True, x))
        images = as_array(f(values), "funm", "the result of f")
        if images.aval.shape != values.aval.shape:
            raise ShapeError(f"funm: f must return as many values as it takes, {values.aval}, and gives {images.aval}")
        scaled = vectors * movement.expand_dims(convert(images, vectors.aval.dtype), -2)
        return (movement.matrix_transpose(perform(Solve(True, vectors, movement.matrix_transpose(scaled)))),)

    return rounded(function, square("funm", x))[0]


def _function(kind: MatrixFunctionKind, x: Array) -> Array:
    return rounded(lambda x: (perform(MatrixFunction(kind, x)),), x)[0]

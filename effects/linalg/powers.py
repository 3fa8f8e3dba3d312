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
    """T and the unitary Z with Z @ T @ Zᴴ = x: an upper triangle, with blocks of two rows on its diagonal for real x.

    With `output="complex"` it is triangular for real x too. It has no derivative; `sqrtm`, `logm` and `eig` have one.

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
    """The exponential 1 + x + x @ x / 2 + … of square matrices (Higham, SIAM J. Matrix Anal. 26, 2005).

    Norms above 2³⁴ give NaN. Derivatives are those of its operations.

    >>> import effects as fx
    >>> fx.linalg.expm(fx.asarray([[0.0, 1.0], [0.0, 0.0]]))
    Array([[1., 1.],
           [0., 1.]], float64)
    """
    return _function(MatrixFunctionKind.EXP, square("expm", x))


def sqrtm(x: ComplexMatrices[DT], /) -> Array[DT]:
    """The s with s @ s = x whose eigenvalues have no negative real part; complex (Björck, Hammarling, 1983).

    Derivatives solve s @ ṡ + ṡ @ s = ẋ. Singular matrices that have no square root give infinities and NaN, and no
    singular one has a derivative.

    >>> import effects as fx
    >>> fx.linalg.sqrtm(fx.asarray([[4.0, 4.0], [0.0, 4.0]]))
    Array([[2.+0.j, 1.+0.j],
           [0.+0.j, 2.+0.j]], complex128)
    """
    return _function(MatrixFunctionKind.SQRT, square("sqrtm", x))


def logm(x: ComplexMatrices[DT], /) -> Array[DT]:
    """The l with expm(l) = x whose eigenvalues have imaginary parts from -π to π; complex (Kenney, Laub, 1989).

    Derivatives solve ẋ = the derivative of expm at l along l̇. A singular matrix has no logarithm: it is NaN.

    >>> import effects as fx
    >>> fx.linalg.logm(fx.asarray([[1.0, 1.0], [0.0, 1.0]]))
    Array([[0.+0.j, 1.+0.j],
           [0.+0.j, 0.+0.j]], complex128)
    """
    return _function(MatrixFunctionKind.LOG, square("logm", x))


def funm(x: ComplexMatrices[DT], f: Callable[[Array], ArrayLike], /) -> Array[DT]:
    """The function of square matrices that f, a function of an array of complex numbers, is of their eigenvalues.

    The complex v @ diag(f(w)) @ v⁻¹ for the eigenvalues w and eigenvectors v. It is inaccurate for defective matrices,
    and derivatives are NaN where eigenvalues are equal. `expm`, `logm` and `sqrtm` are exact.

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

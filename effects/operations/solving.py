"""Systems of linear equations: operations on matrices, the last two axes of each operand.

They are linear in the right-hand sides `b`, columns that are solved together. Leading axes are lanes, the same in all
operands. Of single and double precision, real and complex.
"""

from __future__ import annotations

from effects.errors import DTypeError, ShapeError
from effects.program.operation import Single, operation
from effects.types import dtypes
from effects.types.avals import ShapedArray, Typed
from effects.types.shapes.dims import show
from effects.types.shapes.matrices import solved

PRECISIONS = (dtypes.float32, dtypes.float64)
"""The real dtypes of LAPACK; complex ones have parts of these."""


def check_precision(name: str, *operands: ShapedArray) -> None:
    """Raise DTypeError for dtypes that LAPACK does not have, and for operands of different ones."""
    first = operands[0].dtype
    if any([x.dtype is not first for x in operands]) or dtypes.real_of(first) not in PRECISIONS:
        shown = " and ".join(map(str, operands))
        raise DTypeError(f"{name} takes matrices of one dtype, of single or double precision, got {shown}")


@operation
class Solve[V](Single[V]):
    """The x with a·x = b, or with aᵀ·x = b if `transpose`."""

    name = "solve"
    transpose: bool
    a: V
    b: V

    def types(self: Solve[Typed]) -> ShapedArray:
        return _solved_type(self.name, self.a.aval, self.b.aval)


@operation
class TriangularSolve[V](Single[V]):
    """The x with t·x = b, or with tᵀ·x = b if `transpose`, for the lower (or upper) triangle t of `a`.

    Nothing else of `a` is read; if `unit`, its diagonal is not read either, and ones take its place.
    """

    name = "triangular_solve"
    lower: bool
    transpose: bool
    unit: bool
    a: V
    b: V

    def types(self: TriangularSolve[Typed]) -> ShapedArray:
        return _solved_type(self.name, self.a.aval, self.b.aval)


def _solved_type(name: str, a: ShapedArray, b: ShapedArray) -> ShapedArray:
    check_precision(name, a, b)
    return ShapedArray(solved(name, a.shape, b.shape), b.dtype)


@operation
class TridiagonalSolve[V](Single[V]):
    """The x with t·x = b, for the matrix t with these three diagonals, all of its size.

    The first element of `below` and the last one of `above` are not read.
    """

    name = "tridiagonal_solve"
    below: V
    diagonal: V
    above: V
    b: V

    def types(self: TridiagonalSolve[Typed]) -> ShapedArray:
        below, diagonal, above, b = self.below.aval, self.diagonal.aval, self.above.aval, self.b.aval
        check_precision(self.name, below, diagonal, above, b)
        if not diagonal.ndim or below.shape != diagonal.shape or above.shape != diagonal.shape:
            texts = ", ".join([show(x.shape) for x in (below, diagonal, above)])
            raise ShapeError(f"{self.name}: the diagonals must be of one shape, of at least one axis, got {texts}")
        if b.ndim != diagonal.ndim + 1 or b.shape[:-1] != diagonal.shape:
            raise ShapeError(
                f"{self.name}: b of shape {show(b.shape)} does not have as many rows as a diagonal "
                f"of {show(diagonal.shape)}"
            )
        return ShapedArray(b.shape, b.dtype)

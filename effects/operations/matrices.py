"""Functions of whole matrices, the last two axes of each operand; leading axes are lanes.

Of single and double precision, real and complex.
"""

from __future__ import annotations

from effects.errors import DTypeError, ShapeError
from effects.operations.solving import check_precision
from effects.program.operation import Kind, Multiple, Single, operation
from effects.types import dtypes
from effects.types.avals import ShapedArray, Typed
from effects.types.promotion import complex_of
from effects.types.shapes.dims import show
from effects.types.shapes.matrices import matrices, squares


def _of_share(name: str, x: ShapedArray, share: ShapedArray) -> ShapedArray:
    """The type of the singular values of x; up to `share` times the greatest, they count as zero."""
    check_precision(name, x)
    *lanes, m, n = matrices(name, x.shape)
    values = ShapedArray((*lanes, min(m, n)), dtypes.real_of(x.dtype))
    if share.dtype is not values.dtype or share.shape not in ((), tuple(lanes)):
        raise DTypeError(f"{name} takes one share for all matrices or one for each, real like {x}, got {share}")
    return values


class MatrixFunctionKind(Kind):
    """The functions; the value is the printed name."""

    EXP = "expm"
    LOG = "logm"
    SQRT = "sqrtm"


@operation
class MatrixFunction[V](Single[V]):
    """The function of square matrices; logarithms and square roots are complex."""

    kind: MatrixFunctionKind
    x: V

    @property
    def name(self) -> str:
        return self.kind.printed

    def types(self: MatrixFunction[Typed]) -> ShapedArray:
        x = self.x.aval
        check_precision(self.name, x)
        squares(self.name, x.shape)
        return ShapedArray(x.shape, x.dtype if self.kind is MatrixFunctionKind.EXP else complex_of(x.dtype))


@operation
class PseudoInverse[V](Multiple[V]):
    """The pseudo-inverse of x, and its singular values s: those up to `share` times the greatest count as zero."""

    name = "pinv"
    x: V
    share: V

    def types(self: PseudoInverse[Typed]) -> tuple[ShapedArray, ...]:
        x = self.x.aval
        values = _of_share(self.name, x, self.share.aval)
        *lanes, m, n = x.shape
        return ShapedArray((*lanes, n, m), x.dtype), values


@operation
class LeastSquares[V](Multiple[V]):
    """The columns x of least norm that make a·x - b least, the rank and the singular values of a.

    The cutoff for zero is that of `PseudoInverse`.
    """

    name = "lstsq"
    a: V
    b: V
    share: V

    def types(self: LeastSquares[Typed]) -> tuple[ShapedArray, ...]:
        a, b = self.a.aval, self.b.aval
        check_precision(self.name, a, b)
        values = _of_share(self.name, a, self.share.aval)
        *lanes, m, n = a.shape
        if b.ndim != a.ndim or b.shape[:-1] != (*lanes, m):
            raise ShapeError(f"{self.name}: a of shape {show(a.shape)} does not go with b of {show(b.shape)}")
        return ShapedArray((*lanes, n, b.shape[-1]), b.dtype), ShapedArray(tuple(lanes), dtypes.int64), values


@operation
class UnitaryFactor[V](Single[V]):
    """The u of orthonormal columns for which uᴴ·x is positive semidefinite; x has no fewer rows than columns."""

    name = "polar"
    x: V

    def types(self: UnitaryFactor[Typed]) -> ShapedArray:
        x = self.x.aval
        check_precision(self.name, x)
        *_, m, n = matrices(self.name, x.shape)
        if m < n:
            raise ShapeError(f"{self.name} takes no fewer rows than columns, got {x}")
        return ShapedArray(x.shape, x.dtype)

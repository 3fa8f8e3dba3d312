"""Cumulative folds along an axis."""

from __future__ import annotations

from effects.errors import DTypeError
from effects.program.operation import Kind, Single, operation
from effects.types import dtypes, shapes
from effects.types.avals import ShapedArray, Typed


class CumulativeKind(Kind):
    """The folds. `LOGSUMEXP` is log Σ exp, of real floating point; all of them propagate NaN."""

    LOGSUMEXP = "cumulative_logsumexp"
    MAX = "cumulative_max"
    MIN = "cumulative_min"
    PROD = "cumulative_prod"
    SUM = "cumulative_sum"


@operation
class Cumulative[V](Single[V]):
    """Element i along `axis` is the fold of the elements of `x` up to it, or from it on if `reverse`.

    Sums and products of narrow floats (`dtypes.NARROW`) are computed in float32, and each result is rounded once.
    """

    kind: CumulativeKind
    axis: int
    x: V
    reverse: bool = False

    @property
    def name(self) -> str:
        return self.kind.printed

    def types(self: Cumulative[Typed]) -> ShapedArray:
        x, dtype = self.x.aval, self.x.aval.dtype
        if dtype is dtypes.bool_:
            raise DTypeError(f"{self.name} takes numbers, got {x}; convert with astype")
        if issubclass(dtype, dtypes.Complex) and self.kind not in (CumulativeKind.SUM, CumulativeKind.PROD):
            raise DTypeError(f"{self.name}: complex numbers are not compared, got {x}")
        if self.kind is CumulativeKind.LOGSUMEXP and not issubclass(dtype, dtypes.Floating):
            raise DTypeError(f"{self.name} takes real floating point, got {x}; convert with astype")
        return x.with_shape(shapes.along(self.name, x.shape, self.axis))

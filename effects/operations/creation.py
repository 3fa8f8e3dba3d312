"""Operations without operands."""

from __future__ import annotations

from effects.program.operation import Single, operation
from effects.types import shapes
from effects.types.avals import ShapedArray, Typed
from effects.types.dtypes import DType


@operation
class Iota[V](Single[V]):
    """out[i₀, i₁, …] = i_axis, as `dtype`."""

    name = "iota"
    shape: tuple[int, ...]
    dtype: type[DType]
    axis: int

    def types(self: Iota[Typed]) -> ShapedArray:
        shapes.normalize_axis("iota", self.shape, self.axis)
        return ShapedArray(self.shape, self.dtype)

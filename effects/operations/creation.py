"""Operations without operands."""

from __future__ import annotations

from effects import shapes
from effects.avals import ShapedArray, Typed
from effects.dtypes import DType
from effects.operation import Single, operation


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

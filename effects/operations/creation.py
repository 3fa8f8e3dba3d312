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


@operation
class Band[V](Single[V]):
    """out[i, j] = 1 on the diagonals low ≤ j - i ≤ high, else 0, as `dtype`."""

    name = "band"
    shape: tuple[int, int]
    low: int
    high: int
    dtype: type[DType]

    def types(self: Band[Typed]) -> ShapedArray:
        return ShapedArray(self.shape, self.dtype)

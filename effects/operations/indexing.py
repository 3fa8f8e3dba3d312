"""Operations that take out and put in rectangular parts."""

from __future__ import annotations

from effects.errors import DTypeError, ShapeError
from effects.operations.elementwise import same_dtype
from effects.program.operation import Single, operation
from effects.types import dtypes, shapes
from effects.types.avals import ShapedArray, Typed


@operation
class Slice[V](Single[V]):
    """Elements `start[i]`, `start[i] + strides[i]`, … below `limit[i]` of each axis i; strides are positive."""

    name = "slice"
    start: tuple[int, ...]
    limit: tuple[int, ...]
    strides: tuple[int, ...]
    x: V

    def types(self: Slice[Typed]) -> ShapedArray:
        x = self.x.aval
        return x.with_shape(shapes.strided_slice(x.shape, self.start, self.limit, self.strides))


def _check_starts(name: str, x: ShapedArray, starts: tuple[Typed, ...]) -> None:
    if len(starts) != x.ndim:
        raise ShapeError(f"{name}: {x} needs {x.ndim} start indices, got {len(starts)}")
    for axis, start in enumerate(starts):
        if start.aval.shape or not issubclass(start.aval.dtype, dtypes.Integer):
            raise DTypeError(f"{name}: the start of axis {axis} must be an integer scalar, got {start.aval}")


@operation
class DynamicSlice[V](Single[V]):
    """The part of shape `sizes` that begins at `starts`, which are clamped so that the part lies within `x`."""

    name = "dynamic_slice"
    sizes: tuple[int, ...]
    x: V
    starts: tuple[V, ...]

    def types(self: DynamicSlice[Typed]) -> ShapedArray:
        x = self.x.aval
        _check_starts(self.name, x, self.starts)
        return x.with_shape(shapes.dynamic_slice(x.shape, self.sizes))


@operation
class DynamicUpdateSlice[V](Single[V]):
    """`x` with `update` written over the part that begins at `starts`, clamped so that it lies within `x`."""

    name = "dynamic_update_slice"
    x: V
    update: V
    starts: tuple[V, ...]

    def types(self: DynamicUpdateSlice[Typed]) -> ShapedArray:
        x, update = self.x.aval, self.update.aval
        same_dtype(self.name, x, update)
        _check_starts(self.name, x, self.starts)
        shapes.dynamic_update_slice(x.shape, update.shape)
        return x

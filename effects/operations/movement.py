"""Operations that move elements without changing them: reshape, reorder, join, pad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from effects.errors import DTypeError
from effects.operations.elementwise import same_dtype
from effects.program.operation import Single, operation
from effects.types import dtypes, shapes
from effects.types.avals import ShapedArray, Typed
from effects.types.dtypes import DType

if TYPE_CHECKING:
    from effects.arrays.mesh import Sharding


@operation
class Broadcast[V](Single[V]):
    """Axis i of `x` becomes axis `dims[i]` of an array of `shape`; an axis of size 1 is repeated, as are new axes."""

    name = "broadcast"
    shape: tuple[int, ...]
    dims: tuple[int, ...]
    x: V

    def types(self: Broadcast[Typed]) -> ShapedArray:
        x = self.x.aval
        return x.with_shape(shapes.broadcast_in_dim(x.shape, self.shape, self.dims))


@operation
class Reshape[V](Single[V]):
    """The elements of `x` in row-major order as an array of `shape`, which has the same size."""

    name = "reshape"
    shape: tuple[int, ...]
    x: V

    def types(self: Reshape[Typed]) -> ShapedArray:
        x = self.x.aval
        return x.with_shape(shapes.reshape(x.shape, self.shape))


@operation
class PermuteDims[V](Single[V]):
    """Axis i of the result is axis `axes[i]` of `x`."""

    name = "permute_dims"
    axes: tuple[int, ...]
    x: V

    def types(self: PermuteDims[Typed]) -> ShapedArray:
        x = self.x.aval
        return x.with_shape(shapes.permute_dims(x.shape, self.axes))


@operation
class Flip[V](Single[V]):
    """The elements of `x` in reversed order along each of `axes`."""

    name = "flip"
    axes: tuple[int, ...]
    x: V

    def types(self: Flip[Typed]) -> ShapedArray:
        x = self.x.aval
        shapes.normalize_axes("flip", x.shape, self.axes)
        return x


@operation
class Concat[V](Single[V]):
    """`xs` one after the other along `axis`; they agree in dtype and in all other axes."""

    name = "concat"
    axis: int
    xs: tuple[V, ...]

    def types(self: Concat[Typed]) -> ShapedArray:
        avals = [x.aval for x in self.xs]
        dtype = same_dtype("concat", *avals)
        shape = shapes.concat([a.shape for a in avals], self.axis)
        return ShapedArray(shape, dtype, all(a.weak_type for a in avals))


@operation
class Constrain[V](Single[V]):
    """`x`, cut over a mesh as `sharding` says of its dimensions after the first `free` ones.

    These a handler has put there, and they may be cut in any way.
    """

    name = "with_sharding_constraint"
    sharding: Sharding
    free: int
    x: V

    def types(self: Constrain[Typed]) -> ShapedArray:
        return self.x.aval


@operation
class Place[V](Single[V]):
    """`x` on the device of this name; `source` is the one that it was on, None where that is not known.

    A compiled program is on one device as a whole, so that in one it has to be that device.
    """

    name = "device_put"
    device: str
    source: str | None
    x: V

    def types(self: Place[Typed]) -> ShapedArray:
        return self.x.aval


@operation
class Pad[V](Single[V]):
    """`x` with `value` around and between its elements.

    `config[i]` is (low, high, interior) of axis i: low and high may be negative and then cut; interior values stand
    between each two neighbours.
    """

    name = "pad"
    config: tuple[tuple[int, int, int], ...]
    x: V
    value: V

    def types(self: Pad[Typed]) -> ShapedArray:
        x, value = self.x.aval, self.value.aval
        same_dtype("pad", x, value)
        if value.shape:
            raise shapes.ShapeError(f"pad: the padding value must be a scalar, got {value}")
        return x.with_shape(shapes.pad(x.shape, self.config))


@operation
class Bitcast[V](Single[V]):
    """The bits of `x` as `dtype`, low ones first: narrower elements make its last axis longer, wider ones shorter.

    Both dtypes are of integers or real floating point.
    """

    name = "bitcast"
    dtype: type[DType]
    x: V

    def types(self: Bitcast[Typed]) -> ShapedArray:
        x, size = self.x.aval, self.dtype.itemsize
        for dtype in (x.dtype, self.dtype):
            if not issubclass(dtype, dtypes.Integer | dtypes.Floating):
                raise DTypeError(f"bitcast takes and gives real numbers, got {x} as {self.dtype}; convert with astype")
        if x.dtype.itemsize == size:
            return ShapedArray(x.shape, self.dtype)
        return ShapedArray((*x.shape[:-1], x.shape[-1] * x.dtype.itemsize // size), self.dtype)

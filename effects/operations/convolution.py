"""The operation that slides a kernel over spatial axes."""

from __future__ import annotations

from effects.errors import DTypeError
from effects.operations.contraction import Precision
from effects.operations.elementwise import same_dtype
from effects.program.operation import Single, operation
from effects.runtime.attributes import advising
from effects.types import dtypes, shapes
from effects.types.avals import ShapedArray, Typed
from effects.types.shapes import Layout, Window


@advising
@operation
class Convolution[V](Single[V]):
    """Products of the kernel and the part of `x` under it, summed over features and window, at every place of `window`.

    The kernel is not flipped. The features of `x` and of the result are `groups` groups, each of which sees only its
    own. Narrow floats (`dtypes.NARROW`) are accumulated in float32 and rounded once.
    """

    name = "conv"
    window: Window
    layout: Layout
    groups: int
    x: V
    kernel: V
    precision: Precision = "default"

    def types(self: Convolution[Typed]) -> ShapedArray:
        x, kernel = self.x.aval, self.kernel.aval
        dtype = same_dtype("conv", x, kernel)
        if dtype is dtypes.bool_:
            raise DTypeError(f"conv takes numbers, got {x} and {kernel}; convert with astype")
        shape = shapes.convolution(x.shape, kernel.shape, self.window, self.layout, self.groups)
        return ShapedArray(shape, dtype, x.weak_type and kernel.weak_type)

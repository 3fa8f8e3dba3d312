"""Contractions: products summed over shared axes."""

from __future__ import annotations

from typing import Final, Literal

from effects.operations.elementwise import same_dtype
from effects.program.operation import Single, operation
from effects.runtime.attributes import advising
from effects.types import shapes
from effects.types.avals import ShapedArray, Typed

type AxisPairs = tuple[tuple[int, ...], tuple[int, ...]]

MATRICES: Final[AxisPairs] = ((1,), (0,))
"""The contracting axes of a product of two matrices."""
NO_AXES: Final[AxisPairs] = ((), ())

type Precision = Literal["default", "high", "highest"]
"""Precision of float32 products on accelerators: the fastest, three passes, or full float32, which CPUs always use."""


@advising
@operation
class DotGeneral[V](Single[V]):
    """Products of `x` and `y` summed over `contracting` pairs of axes, for each position of the `batch` pairs.

    The axes of the result are the batch axes, then what is left of `x`, then what is left of `y`, each in order.
    Narrow floats (`dtypes.NARROW`) are accumulated in float32 and rounded once.
    """

    name = "dot_general"
    contracting: AxisPairs
    batch: AxisPairs
    x: V
    y: V
    precision: Precision = "default"

    def types(self: DotGeneral[Typed]) -> ShapedArray:
        return _contracted_type(self.contracting, self.batch, self.x.aval, self.y.aval)


def _contracted_type(contracting: AxisPairs, batch: AxisPairs, x: ShapedArray, y: ShapedArray) -> ShapedArray:
    dtype = same_dtype("dot_general", x, y)
    shape = shapes.dot_general(x.shape, y.shape, contracting, batch)
    return ShapedArray(shape, dtype, x.weak_type and y.weak_type)

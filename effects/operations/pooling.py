"""Operations over windows that move along all axes: folds of the elements under a window, and choices among them."""

from __future__ import annotations

from typing import Final

from effects.errors import DTypeError, ShapeError
from effects.operations.elementwise import same_dtype
from effects.operations.reduction import ReduceKind
from effects.program.operation import Kind, Single, operation
from effects.types import dtypes, shapes
from effects.types.avals import ShapedArray, Typed
from effects.types.shapes import Ints, Window


class WindowKind(Kind):
    """The folds over a window."""

    MAX = "window_max"
    MIN = "window_min"
    PROD = "window_prod"
    SUM = "window_sum"


AS_REDUCTION: Final = {
    WindowKind.MAX: ReduceKind.MAX,
    WindowKind.MIN: ReduceKind.MIN,
    WindowKind.PROD: ReduceKind.PROD,
    WindowKind.SUM: ReduceKind.SUM,
}
"""The reductions that are the same folds over whole axes."""


@operation
class ReduceWindow[V](Single[V]):
    """The elements of `x` under a window of these `sizes`, folded, at every place of `window`.

    The window has an entry for each axis. Padding between and around the elements counts as the identity. Sums and
    products of narrow floats (`dtypes.NARROW`) are accumulated in float32 and rounded once.
    """

    kind: WindowKind
    sizes: Ints
    window: Window
    x: V

    @property
    def name(self) -> str:
        return self.kind.printed

    def types(self: ReduceWindow[Typed]) -> ShapedArray:
        x = self.x.aval
        if x.dtype is dtypes.bool_:
            raise DTypeError(f"{self.name} takes numbers, got {x}; convert with astype")
        if issubclass(x.dtype, dtypes.Complex) and self.kind in (WindowKind.MAX, WindowKind.MIN):
            raise DTypeError(f"{self.name}: complex numbers are not compared, got {x}")
        return x.with_shape(shapes.pool(self.name, x.shape, self.sizes, self.window))


class ChosenKind(Kind):
    """Direction in which values move: from elements to positions of the window, or from these to elements."""

    GATHER = "window_gather"
    SCATTER = "window_scatter"


@operation
class Chosen[V](Single[V]):
    """Every place of a window chooses the elements of `x` under it that equal its element of `y`: all if that is NaN.

    With `GATHER`, `values` has the shape of `x`, and a place gets the sum of what it chooses; with `SCATTER` it has
    that of `y`, and an element gets the sum of what the places have that choose it. Each is the other's transpose.
    Sums of narrow floats (`dtypes.NARROW`) are accumulated in float32 and rounded once.
    """

    kind: ChosenKind
    sizes: Ints
    window: Window
    x: V
    y: V
    values: V

    @property
    def name(self) -> str:
        return self.kind.printed

    def types(self: Chosen[Typed]) -> ShapedArray:
        x, y, values = self.x.aval, self.y.aval, self.values.aval
        dtype = same_dtype(self.name, x, y)
        same_dtype(self.name, x, values)
        if not issubclass(dtype, dtypes.Floating):
            raise DTypeError(f"{self.name} takes real floating point, got {x}; convert with astype")
        of_places = shapes.pool(self.name, x.shape, self.sizes, self.window)
        values_shape, result_shape = (x.shape, of_places) if self.kind is ChosenKind.GATHER else (of_places, x.shape)
        if y.shape != of_places or values.shape != values_shape:
            raise ShapeError(
                f"{self.name}: for {x}, y must be of shape {shapes.show(of_places)} and the values of "
                f"{shapes.show(values_shape)}, got {y} and {values}"
            )
        return ShapedArray(result_shape, dtype)

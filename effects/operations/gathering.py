"""Elements read and written at positions given by arrays of integers.

`Scatter` writes what `Gather` with the same parameters reads. `axes` are the axes that are indexed, each by its own
array in `indices`; these broadcast together. The first `batch` axes are common to `x` and the positions. The result has
the common axes, `at` of the other axes of `x`, the axes of the positions, and the rest of the other axes:

    out[b…, r…, p…, s…] = x[b…, the other axes at r…, s…, the axes `axes` at indices[b…, p…]]

Negative positions count from the end. `bounds` says what those mean that are out of bounds even so.
"""

from __future__ import annotations

from effects.errors import DTypeError, OutOfBoundsError, ShapeError
from effects.operations.elementwise import same_dtype
from effects.program.operation import Kind, Single, operation
from effects.types import dtypes, shapes
from effects.types.avals import ShapedArray, Typed
from effects.types.shapes import Ints, show


class Bounds(Kind):
    """The treatment of positions out of bounds."""

    CHECKED = "checked"
    """An error where values are known; in compiled programs reads are clipped, and writes dropped."""
    CLIP = "clip"
    """The nearest position in bounds."""
    DROP = "drop"
    """Reading gives `fill`, writing does nothing."""
    WRAP = "wrap"
    """Positions count modulo the size."""


class ScatterKind(Kind):
    """Function that combines an element with an update. Of several updates of an element by `SET`, one remains."""

    ADD = "scatter_add"
    MAX = "scatter_max"
    MIN = "scatter_min"
    MUL = "scatter_mul"
    SET = "scatter"


def _type(
    name: str, axes: Ints, batch: int, at: int, bounds: Bounds, x: ShapedArray, indices: tuple[Typed, ...]
) -> ShapedArray:
    for index in indices:
        if not issubclass(index.aval.dtype, dtypes.Integer):
            raise DTypeError(f"{name}: positions must be integers, got {index.aval}")
    out = shapes.gather(x.shape, axes, batch, at, tuple([index.aval.shape for index in indices]))
    if bounds is not Bounds.DROP and 0 in [x.shape[axis] for axis in axes]:
        positions = shapes.broadcast_all([index.aval.shape for index in indices])
        if 0 not in positions and 0 not in x.shape[:batch]:
            raise OutOfBoundsError(f"there are no positions along an axis of size 0, in shape {show(x.shape)}")
    return x.with_shape(out)


@operation
class Gather[V](Single[V]):
    """The elements of `x` at the positions `indices` along `axes`; `fill` where `bounds` drop one.

    `unique` and `ordered` promise that no position occurs twice, and that positions ascend.
    """

    name = "gather"
    axes: tuple[int, ...]
    batch: int
    at: int
    bounds: Bounds
    fill: complex
    x: V
    indices: tuple[V, ...]
    unique: bool = False
    ordered: bool = False

    def types(self: Gather[Typed]) -> ShapedArray:
        return _type(self.name, self.axes, self.batch, self.at, self.bounds, self.x.aval, self.indices)


@operation
class Scatter[V](Single[V]):
    """`x` with `update` written to the positions `indices` along `axes`, combined with the elements there by `kind`.

    Sums and products of narrow floats (`dtypes.NARROW`) are accumulated in float32 and rounded once.
    """

    kind: ScatterKind
    axes: tuple[int, ...]
    batch: int
    at: int
    bounds: Bounds
    x: V
    update: V
    indices: tuple[V, ...]
    unique: bool = False
    ordered: bool = False

    @property
    def name(self) -> str:
        return self.kind.printed

    def types(self: Scatter[Typed]) -> ShapedArray:
        x, update = self.x.aval, self.update.aval
        dtype = same_dtype(self.name, x, update)
        check_kind(self.name, self.kind, x)
        fitting = _type(self.name, self.axes, self.batch, self.at, self.bounds, x, self.indices).shape
        if update.shape != fitting:
            raise ShapeError(f"{self.name}: the update of {x} must be of shape {show(fitting)}, got {update}")
        return ShapedArray(x.shape, dtype, x.weak_type and update.weak_type)


def check_kind(name: str, kind: ScatterKind, x: ShapedArray) -> None:
    """Raise DTypeError, in the name of the function, if elements of the dtype of `x` cannot be combined by `kind`."""
    if kind is ScatterKind.SET:
        return
    if x.dtype is dtypes.bool_:
        raise DTypeError(f"{name} takes numbers, got {x}; convert with astype, or set elements")
    if issubclass(x.dtype, dtypes.Complex) and kind in (ScatterKind.MAX, ScatterKind.MIN):
        raise DTypeError(f"{name}: complex numbers are not compared, got {x}")

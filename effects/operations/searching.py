"""Operations that say where elements are."""

from __future__ import annotations

from effects.errors import ShapeError
from effects.operations.elementwise import same_dtype
from effects.program.operation import Multiple, Single, operation
from effects.runtime.caches import memoised
from effects.types import dtypes
from effects.types.avals import ShapedArray, Typed


@operation
class Insertion[V](Single[V]):
    """How many elements of `line` come before each of `values`, or are equal to it unless `before`, as int64.

    The first `batch` axes are common to both. The next one of `line`, its last, is in ascending order, of which NaN is
    the greatest and complex numbers are as `Sort` puts them; what is said of a line in another order is unspecified.
    """

    name = "insertion"
    before: bool
    batch: int
    line: V
    values: V

    def types(self: Insertion[Typed]) -> ShapedArray:
        return _insertion_type(self.batch, self.line.aval, self.values.aval)


@memoised
def _insertion_type(batch: int, line: ShapedArray, values: ShapedArray) -> ShapedArray:
    same_dtype("insertion", line, values)
    if line.ndim != batch + 1 or line.shape[:batch] != values.shape[:batch]:
        raise ShapeError(f"insertion: {batch} axes must be common, and line have one more, got {line} and {values}")
    return ShapedArray(values.shape, dtypes.int64)


@operation
class Nonzero[V](Multiple[V]):
    """The positions along each of the last `rank` axes of `x` of its first `size` elements that are not zero, as int64.

    They are in row-major order, those of each lane along the axes before these; `fill` where there are no more.
    """

    name = "nonzero"
    size: int
    fill: int
    rank: int
    x: V

    def types(self: Nonzero[Typed]) -> tuple[ShapedArray, ...]:
        return _nonzero_types(self.size, self.rank, self.x.aval)


@memoised
def _nonzero_types(size: int, rank: int, x: ShapedArray) -> tuple[ShapedArray, ...]:
    if not 1 <= rank <= x.ndim or size < 0:
        raise ShapeError(f"nonzero: {size} positions along {rank} axes of {x}")
    return (ShapedArray((*x.shape[: x.ndim - rank], size), dtypes.int64),) * rank

"""Operations that order elements along an axis, and say where some are."""

from __future__ import annotations

from effects.errors import DTypeError, ShapeError
from effects.operations.elementwise import same_dtype
from effects.program.operation import Multiple, Single, operation
from effects.runtime.caches import memoised
from effects.types import dtypes, shapes
from effects.types.avals import ShapedArray, Typed


@operation
class Sort[V](Multiple[V]):
    """`xs` moved together along `axis`, so that the first `num_keys` of them, the keys, ascend lexicographically.

    Equal keys keep their order, also if `descending`. NaN is greater than all numbers, and all NaN are equal, as
    are the two zeros; complex numbers are ordered by their real, then by their imaginary parts.
    """

    name = "sort"
    num_keys: int
    axis: int
    descending: bool
    xs: tuple[V, ...]

    def types(self: Sort[Typed]) -> tuple[ShapedArray, ...]:
        return _sorted_types(self.num_keys, self.axis, tuple([x.aval for x in self.xs]))


@memoised
def _sorted_types(num_keys: int, axis: int, xs: tuple[ShapedArray, ...]) -> tuple[ShapedArray, ...]:
    shapes.sort([x.shape for x in xs], axis, num_keys)
    return xs


@operation
class Order[V](Single[V]):
    """The positions along `axis`, as int64, that the elements of `keys` have in the order that `Sort` puts them in."""

    name = "order"
    axis: int
    descending: bool
    keys: tuple[V, ...]

    def types(self: Order[Typed]) -> ShapedArray:
        return _order_type(self.axis, tuple([key.aval for key in self.keys]))


@memoised
def _order_type(axis: int, keys: tuple[ShapedArray, ...]) -> ShapedArray:
    shapes.sort([key.shape for key in keys], axis, len(keys))
    return ShapedArray(keys[0].shape, dtypes.int64)


@operation
class TopK[V](Multiple[V]):
    """The `k` greatest elements of `x` along its last axis in descending order, and their positions as int64.

    Of equal elements the first come first; NaN is greater than all numbers. Zeros come out without a sign.
    """

    name = "top_k"
    k: int
    x: V

    def types(self: TopK[Typed]) -> tuple[ShapedArray, ...]:
        return _top_types(self.k, self.x.aval)


@memoised
def _top_types(k: int, x: ShapedArray) -> tuple[ShapedArray, ...]:
    if issubclass(x.dtype, dtypes.Complex):
        raise DTypeError(f"top_k: complex numbers are not compared, got {x}")
    shape = shapes.top_k(x.shape, k)
    return x.with_shape(shape), ShapedArray(shape, dtypes.int64)


@operation
class Ranked[V](Single[V]):
    """The elements of `x` that sorting puts at the positions `ranks` along its last axis; zeros without a sign.

    NaN is greater than all numbers; complex numbers are in the order of `Sort`.
    """

    name = "ranked"
    ranks: tuple[int, ...]
    x: V

    def types(self: Ranked[Typed]) -> ShapedArray:
        return _ranked_type(self.ranks, self.x.aval)


@memoised
def _ranked_type(ranks: tuple[int, ...], x: ShapedArray) -> ShapedArray:
    if not x.ndim or not ranks or min(ranks) < 0 or max(ranks) >= x.shape[-1]:
        raise ShapeError(f"ranked: ranks must be positions along the last axis, one at least, got {ranks} of {x}")
    return x.with_shape((*x.shape[:-1], len(ranks)))


@operation
class Insertion[V](Single[V]):
    """Number of elements of `line` less than each of `values`, or equal to it unless `before`, as int64.

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

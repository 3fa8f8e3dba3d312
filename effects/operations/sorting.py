"""Operations that order elements along an axis."""

from __future__ import annotations

from effects.errors import DTypeError, ShapeError
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
    if not ranks:
        raise ShapeError(f"ranked: ranks must have at least one position of {x}")
    for rank in ranks:
        shapes.top_k(x.shape, rank + 1)
    return x.with_shape((*x.shape[:-1], len(ranks)))

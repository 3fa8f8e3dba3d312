"""Operations between the lanes of a named axis.

Each names an axis (or axes), and is interpreted by the handler of the axis of that name; for all other handlers it is
an ordinary operation of one operand. It holds the size of the axis if the type of the result depends on it.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from effects.errors import DTypeError, ShapeError
from effects.program.operation import Effects, Kind, NamedAxis, Single, operation
from effects.types import dtypes
from effects.types.avals import ShapedArray, Typed

_INDEX: Final = ShapedArray((), dtypes.int64)


class AllReduceKind(Kind):
    """Function that combines the values of all lanes."""

    MAX = "pmax"
    MIN = "pmin"
    SUM = "psum"


class _OfOneAxis:
    """Base of operations on one axis, `axis_name`."""

    __slots__ = ()
    axis_name: Hashable

    @property
    def effects(self) -> Effects:
        return frozenset([NamedAxis(self.axis_name)])


@operation
class AllReduce[V](Single[V]):
    """The sum, maximum or minimum of `x` over all lanes of the axes `names`, the same in each of them."""

    kind: AllReduceKind
    names: tuple[Hashable, ...]
    x: V

    @property
    def name(self) -> str:
        return self.kind.printed

    @property
    def effects(self) -> Effects:
        return frozenset([NamedAxis(name) for name in self.names])

    def types(self: AllReduce[Typed]) -> ShapedArray:
        x = _number(self.name, self.x.aval)
        if self.kind is not AllReduceKind.SUM and issubclass(x.dtype, dtypes.Complex):
            raise DTypeError(f"{self.name}: complex numbers are not compared, got {x}")
        return x


@operation
class AllGather[V](_OfOneAxis, Single[V]):
    """The values `x` of all lanes of an axis of `size` lanes along a new axis `axis`, the same in each lane."""

    name = "all_gather"
    axis_name: Hashable
    size: int
    axis: int
    x: V

    def types(self: AllGather[Typed]) -> ShapedArray:
        return _joined(self.x.aval, self.axis, self)


@operation
class ReduceScatter[V](_OfOneAxis, Single[V]):
    """Lane i gets place i along `axis` of the sum of `x` over all lanes; `x` has the `size` of the named axis there."""

    name = "psum_scatter"
    axis_name: Hashable
    size: int
    axis: int
    x: V

    def types(self: ReduceScatter[Typed]) -> ShapedArray:
        return _spread(_number(self.name, self.x.aval), self.axis, self)


@operation
class AllToAll[V](_OfOneAxis, Single[V]):
    """Lane i gets place i along `split_axis` of `x` from every lane, side by side along a new axis `concat_axis`.

    The axis `split_axis` has the `size` of the named axis, and `concat_axis` counts in what is left without it.
    """

    name = "all_to_all"
    axis_name: Hashable
    size: int
    split_axis: int
    concat_axis: int
    x: V

    def types(self: AllToAll[Typed]) -> ShapedArray:
        return _joined(_spread(self.x.aval, self.split_axis, self), self.concat_axis, self)


@operation
class PPermute[V](_OfOneAxis, Single[V]):
    """Lane `target` gets the `x` of lane `source` for each (source, target) of `pairs`; lanes that get none have 0."""

    name = "ppermute"
    axis_name: Hashable
    pairs: tuple[tuple[int, int], ...]
    x: V

    def types(self: PPermute[Typed]) -> ShapedArray:
        return self.x.aval


@operation
class AxisIndex[V](_OfOneAxis, Single[V]):
    """The number of the lane, from 0 to `size` - 1, as int64."""

    name = "axis_index"
    axis_name: Hashable
    size: int

    def types(self: AxisIndex[Typed]) -> ShapedArray:
        return _INDEX


def _number(function: str, x: ShapedArray) -> ShapedArray:
    if x.dtype is dtypes.bool_:
        raise DTypeError(f"{function} takes numbers, got {x}; convert with astype")
    return x


def _spread(x: ShapedArray, axis: int, op: ReduceScatter[Typed] | AllToAll[Typed]) -> ShapedArray:
    """The type of `x` with one position along `axis` per lane removed."""
    if not 0 <= axis < x.ndim:
        raise ShapeError(f"{op.name}: axis {axis} is out of bounds for {x}")
    if x.shape[axis] != op.size:
        raise ShapeError(
            f"{op.name}: axis {axis} of {x} must have the size of the axis {op.axis_name!r}, which has {op.size} lanes"
        )
    return x.with_shape((*x.shape[:axis], *x.shape[axis + 1 :]))


def _joined(x: ShapedArray, axis: int, op: AllGather[Typed] | AllToAll[Typed]) -> ShapedArray:
    """The type of the values of all lanes along a new axis."""
    if not 0 <= axis <= x.ndim:
        raise ShapeError(f"{op.name}: a new axis {axis} is out of bounds for {x}")
    return x.with_shape((*x.shape[:axis], op.size, *x.shape[axis:]))

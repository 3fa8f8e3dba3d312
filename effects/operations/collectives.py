"""Operations between the lanes of a named axis.

Each names the axis (or axes) it is about; the handler of the axis of that name gives it its meaning, and for all others
it is an ordinary operation of one operand. The size of the axis is written in where the type of the result depends on
it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from effects import dtypes
from effects.avals import ShapedArray, Typed
from effects.errors import DTypeError, ShapeError
from effects.operation import Effects, Kind, NamedAxis, Single, operation

_INDEX: Final = ShapedArray((), dtypes.int64)


class AllReduceKind(Kind):
    """How the values of all lanes become one."""

    MAX = "pmax"
    MIN = "pmin"
    SUM = "psum"


def _asks(names: Sequence[Hashable]) -> Effects:
    return frozenset([NamedAxis(name) for name in names])


@operation
class AllReduce[V](Single[V]):
    """The sum, maximum or minimum of `x` over all lanes of the axes `names`, the same in each of them."""

    kind: AllReduceKind
    names: tuple[Hashable, ...]
    x: V

    @property
    def name(self) -> str:
        return self.kind.value

    @property
    def effects(self) -> Effects:
        return _asks(self.names)

    def types(self: AllReduce[Typed]) -> ShapedArray:
        x = self.x.aval
        if x.dtype is dtypes.bool_:
            raise DTypeError(f"{self.name} takes numbers, got {x}; convert with astype")
        if self.kind is not AllReduceKind.SUM and issubclass(x.dtype, dtypes.Complex):
            raise DTypeError(f"{self.name}: complex numbers have no order, got {x}")
        return x


@operation
class AllGather[V](Single[V]):
    """The values `x` of all lanes of an axis of `size` lanes along a new axis `axis`, the same in each lane."""

    name = "all_gather"
    axis_name: Hashable
    size: int
    axis: int
    x: V

    @property
    def effects(self) -> Effects:
        return _asks([self.axis_name])

    def types(self: AllGather[Typed]) -> ShapedArray:
        x = self.x.aval
        if not 0 <= self.axis <= x.ndim:
            raise ShapeError(f"{self.name}: axis {self.axis} is out of bounds for gathering {x} along a new axis")
        return x.with_shape((*x.shape[: self.axis], self.size, *x.shape[self.axis :]))


@operation
class ReduceScatter[V](Single[V]):
    """Lane i gets place i along `axis` of the sum of `x` over all lanes; `x` has the `size` of the named axis there."""

    name = "psum_scatter"
    axis_name: Hashable
    size: int
    axis: int
    x: V

    @property
    def effects(self) -> Effects:
        return _asks([self.axis_name])

    def types(self: ReduceScatter[Typed]) -> ShapedArray:
        x = self.x.aval
        _check_spread(self.name, self.axis_name, self.size, self.axis, x)
        if x.dtype is dtypes.bool_:
            raise DTypeError(f"{self.name} takes numbers, got {x}; convert with astype")
        return x.with_shape((*x.shape[: self.axis], *x.shape[self.axis + 1 :]))


@operation
class AllToAll[V](Single[V]):
    """Lane i gets place i along `split_axis` of `x` from every lane, side by side along a new axis `concat_axis`.

    The axis `split_axis` has the `size` of the named axis, and `concat_axis` counts in what is left without it.
    """

    name = "all_to_all"
    axis_name: Hashable
    size: int
    split_axis: int
    concat_axis: int
    x: V

    @property
    def effects(self) -> Effects:
        return _asks([self.axis_name])

    def types(self: AllToAll[Typed]) -> ShapedArray:
        x = self.x.aval
        _check_spread(self.name, self.axis_name, self.size, self.split_axis, x)
        left = (*x.shape[: self.split_axis], *x.shape[self.split_axis + 1 :])
        if not 0 <= self.concat_axis <= len(left):
            raise ShapeError(f"{self.name}: concat_axis {self.concat_axis} is out of bounds for {x}")
        return x.with_shape((*left[: self.concat_axis], self.size, *left[self.concat_axis :]))


@operation
class PPermute[V](Single[V]):
    """Lane `target` gets the `x` of lane `source` for each (source, target) of `pairs`; lanes that get none have 0."""

    name = "ppermute"
    axis_name: Hashable
    pairs: tuple[tuple[int, int], ...]
    x: V

    @property
    def effects(self) -> Effects:
        return _asks([self.axis_name])

    def types(self: PPermute[Typed]) -> ShapedArray:
        return self.x.aval


@operation
class AxisIndex[V](Single[V]):
    """The number of the lane, from 0 to `size` - 1, as int64."""

    name = "axis_index"
    axis_name: Hashable
    size: int

    @property
    def effects(self) -> Effects:
        return _asks([self.axis_name])

    def types(self: AxisIndex[Typed]) -> ShapedArray:
        return _INDEX


def _check_spread(function: str, axis_name: Hashable, size: int, axis: int, x: ShapedArray) -> None:
    if not 0 <= axis < x.ndim:
        raise ShapeError(f"{function}: axis {axis} is out of bounds for {x}")
    if x.shape[axis] != size:
        raise ShapeError(
            f"{function}: axis {axis} of {x} must have the size of the axis {axis_name!r}, which has {size} lanes"
        )

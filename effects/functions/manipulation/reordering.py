"""Elements in another order: rolled, rotated, flattened. Names and semantics are NumPy's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

from effects.arguments import entries, integer, integers, refusal
from effects.arrays.array import Array, Like, Order
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, constant_like, convert, integer_or_array
from effects.errors import ArgumentError, OutOfBoundsError, ShapeError
from effects.functions.elementwise import arithmetic
from effects.functions.manipulation import movement
from effects.operations.indexing import DynamicSlice
from effects.operations.movement import Concat
from effects.program.chain import perform
from effects.types import dtypes, shapes

type Shift = SupportsIndex | Sequence[SupportsIndex]


def roll(x: Like[DT], /, shift: Shift, axis: int | tuple[int, ...] | None = None) -> Array[DT]:
    """The elements moved by `shift` positions along `axis`, what leaves at one end entering at the other.

    With `axis` None the elements move in row-major order. A tuple of axes takes one shift for all, or one for each.
    Shifts may be integer arrays of rank 0 whose values are not known.

    >>> import effects as fx
    >>> fx.roll(fx.arange(4), 1)
    Array([3, 0, 1, 2], int64)
    """
    array = as_array(x, "roll", "x")
    if axis is None:
        return movement.reshape(roll(movement.reshape(array, (-1,)), shift, axis=0), array.aval.shape)
    axes = integers("roll", "axis", axis)
    shifts = tuple([integer_or_array("roll", "shift", by) for by in entries(shift)])
    if len(shifts) == 1:
        shifts *= len(axes)
    elif len(axes) == 1:
        axes *= len(shifts)
    if len(shifts) != len(axes):
        raise ArgumentError(f"roll: {len(shifts)} shifts for {len(axes)} axes")
    shape = array.aval.shape
    for at, by in zip([shapes.normalize_axis("roll", shape, a) for a in axes], shifts, strict=True):
        n = shape[at]
        if isinstance(by, Array):
            array = _rolled(array, at, by)
        elif n and by % n:
            array = perform(
                Concat(
                    at, (movement.slice_axis(array, at, n - by % n, n), movement.slice_axis(array, at, 0, n - by % n))
                )
            )
    return array


def _rolled(x: Array, axis: int, by: Array) -> Array:
    """x rolled along `axis` by an unknown number of positions: a part of two copies of x."""
    shape = x.aval.shape
    if shape[axis] < 2:
        return x
    first = arithmetic.remainder(arithmetic.subtract(0, convert(by, dtypes.int64)), shape[axis])
    none = constant_like(0, first)
    starts = tuple([first if i == axis else none for i in range(len(shape))])
    return perform(DynamicSlice(shape, perform(Concat(axis, (x, x))), starts))


def ravel(x: Like[DT], /, order: Order = "C") -> Array[DT]:
    """All elements in row-major order, as a vector; with `order` "F" in column-major order.

    >>> import effects as fx
    >>> fx.ravel(fx.ones((2, 2)))
    Array([1., 1., 1., 1.], float64)
    """
    return movement.reshape(as_array(x, "ravel", "x"), (-1,), order=order)


def rollaxis(x: Like[DT], /, axis: int, start: int = 0) -> Array[DT]:
    """x with one axis moved before the axis that stands at `start`.

    >>> import effects as fx
    >>> fx.rollaxis(fx.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    array = as_array(x, "rollaxis", "x")
    rank = array.aval.ndim
    at = shapes.normalize_axis("rollaxis", array.aval.shape, axis)
    before = integer("rollaxis", "start", start)
    before += rank if before < 0 else 0
    if not 0 <= before <= rank:
        raise OutOfBoundsError(f"rollaxis: start {start} is out of bounds for rank {rank}")
    return movement.moveaxis(array, at, before - (at < before))


def rot90(x: Like[DT], /, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array[DT]:
    """x turned by k quarters from the first of `axes` towards the second.

    >>> import effects as fx
    >>> fx.rot90([[1, 2], [3, 4]])
    Array([[2, 4],
           [1, 3]], int64)
    """
    array = as_array(x, "rot90", "x")
    pair = integers("rot90", "axes", axes)
    places = [shapes.normalize_axis("rot90", array.aval.shape, a) for a in pair]
    if len(set(places)) != 2 or len(places) != 2:
        raise refusal("rot90", "axes", "two different axes", axes)
    a, b = places
    turns = integer("rot90", "k", k) % 4
    if turns == 0:
        return array
    if turns == 2:
        return movement.flip(array, (a, b))
    if turns == 1:
        return movement.swapaxes(movement.flip(array, b), a, b)
    return movement.flip(movement.swapaxes(array, a, b), b)


def _flipped(function: str, x: Like[DT], axis: int) -> Array[DT]:
    array = as_array(x, function, "x")
    if array.aval.ndim <= axis:
        raise ShapeError(f"{function}: x needs rank >= {axis + 1}, got {array.aval}")
    return movement.flip(array, axis)


def fliplr(x: Like[DT], /) -> Array[DT]:
    """The second axis reversed.

    >>> import effects as fx
    >>> fx.fliplr([[1, 2], [3, 4]])
    Array([[2, 1],
           [4, 3]], int64)
    """
    return _flipped("fliplr", x, 1)


def flipud(x: Like[DT], /) -> Array[DT]:
    """The first axis reversed.

    >>> import effects as fx
    >>> fx.flipud([[1, 2], [3, 4]])
    Array([[3, 4],
           [1, 2]], int64)
    """
    return _flipped("flipud", x, 0)

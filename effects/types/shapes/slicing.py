"""Slices: strided, dynamic, and NumPy's basic indexing by ints, slices, None and Ellipsis.

`basic_index` is the recipe that the run time follows and that `index` takes its shape from.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import EllipsisType
from typing import SupportsIndex

from effects.arguments import integer, shown
from effects.errors import ArgumentError, OutOfBoundsError, ShapeError
from effects.runtime.caches import memoised
from effects.types.shapes.dims import Ints, show

type Index = SupportsIndex | slice | EllipsisType | None
"""One entry of a key."""

type Entry = int | slice | EllipsisType | None
type Entries = tuple[Entry, ...]
_EXACT = frozenset({int, slice, type(None), EllipsisType})


@memoised
def strided_slice(shape: Ints, starts: tuple[int, ...], limits: Ints, strides: tuple[int, ...] | None = None) -> Ints:
    """Per axis the elements start, start + stride, ... below limit: ``ceil((limit - start) / stride)`` of them.

    Requires 0 <= start <= limit <= size and stride >= 1 (None: all 1); anything else is a `ShapeError`.

    >>> strided_slice((5, 4), (1, 0), (5, 4), (2, 1))
    (2, 4)
    >>> strided_slice((3,), (0,), (5,))
    Traceback (most recent call last):
    effects.errors.ShapeError: slice: limit 5 is beyond axis 0 of size 3
      at ...
    """
    steps = (1,) * len(starts) if strides is None else strides
    for name, values in (("starts", starts), ("limits", limits), ("strides", steps)):
        if len(values) != len(shape):
            raise ShapeError(f"slice: {len(values)} {name} for shape {show(shape)} (rank {len(shape)})")
    return tuple([_sliced(*entry) for entry in zip(range(len(shape)), shape, starts, limits, steps, strict=True)])


def _sliced(axis: int, d: int, start: int, limit: int, stride: int) -> int:
    if stride < 1:
        raise ShapeError(f"slice: stride of axis {axis} must be positive, got {stride}")
    if start < 0:
        raise ShapeError(f"slice: start of axis {axis} must not be negative, got {start}")
    if limit < start:
        raise ShapeError(f"slice: limit {limit} is below start {start} (axis {axis})")
    if limit > d:
        raise ShapeError(f"slice: limit {limit} is beyond axis {axis} of size {d}")
    return -((start - limit) // stride)


@memoised
def dynamic_slice(shape: Ints, sizes: Ints) -> Ints:
    """``sizes``, each at most the size of its axis.

    >>> dynamic_slice((5, 4), (2, 4))
    (2, 4)
    >>> dynamic_slice((3,), (5,))
    Traceback (most recent call last):
    effects.errors.ShapeError: dynamic_slice: size 5 is larger than axis 0 of shape [3]
      at ...
    """
    _check_within("dynamic_slice", shape, sizes)
    return sizes


@memoised
def dynamic_update_slice(shape: Ints, update_shape: Ints) -> Ints:
    """``shape``, of the same rank as the update and nowhere smaller.

    >>> dynamic_update_slice((5, 4), (2, 4))
    (5, 4)
    """
    _check_within("dynamic_update_slice", shape, update_shape)
    return shape


def _check_within(op: str, shape: Ints, sizes: Ints) -> None:
    if len(sizes) != len(shape):
        raise ShapeError(f"{op}: {len(sizes)} sizes for shape {show(shape)} (rank {len(shape)})")
    for i, (d, n) in enumerate(zip(shape, sizes, strict=True)):
        if n < 0:
            raise ShapeError(f"{op}: size of axis {i} must not be negative, got {n}")
        if n > d:
            raise ShapeError(f"{op}: size {n} is larger than axis {i} of shape {show(shape)}")


@dataclass(frozen=True, slots=True)
class BasicIndex:
    """``x[key]`` as a strided slice, then a flip of the axes ``flipped``, then a reshape to ``shape``."""

    starts: Ints
    limits: Ints
    strides: Ints
    flipped: Ints
    shape: Ints


def basic_index(shape: Ints, key: Index | tuple[Index, ...]) -> BasicIndex:
    """Plan for computing ``x[key]`` for ``x`` of this shape: an int drops its axis, None adds an axis of size 1.

    >>> basic_index((3, 4), (1, slice(None, None, -2)))
    BasicIndex(starts=(1, 1), limits=(2, 4), strides=(1, 2), flipped=(1,), shape=(2,))
    >>> basic_index((3,), 5)
    Traceback (most recent call last):
    effects.errors.OutOfBoundsError: index 5 is out of bounds for axis 0 of size 3
      at ...
    >>> basic_index((3, 4), (0, 0, 0))
    Traceback (most recent call last):
    effects.errors.OutOfBoundsError: too many indices: 3 for shape [3, 4] (rank 2)
      at ...
    """
    return _basic_index(shape, _entries(key))


@memoised
def _basic_index(shape: Ints, key: Entries) -> BasicIndex:
    starts: list[int] = []
    limits: list[int] = []
    strides: list[int] = []
    flipped: list[int] = []
    out: list[int] = []
    for entry in _align(shape, key):
        axis = len(starts)
        if entry is None:
            out.append(1)
            continue
        if isinstance(entry, slice):
            chosen = _chosen(shape[axis], entry)
            out.append(len(chosen))
            if chosen.step < 0 and len(chosen) > 1:
                flipped.append(axis)
            if chosen.step < 0:
                chosen = chosen[::-1]
        else:
            at = _position(entry, axis, shape[axis])
            chosen = range(at, at + 1)
        starts.append(chosen.start if chosen else 0)
        limits.append(chosen[-1] + 1 if chosen else 0)
        strides.append(chosen.step if len(chosen) > 1 else 1)
    return BasicIndex(tuple(starts), tuple(limits), tuple(strides), tuple(flipped), tuple(out))


def _entries(key: Index | tuple[Index, ...]) -> Entries:
    """The key as a tuple of exact types, so that equal keys mean the same (True equals 1, but is not an index)."""
    entries = key if isinstance(key, tuple) else (key,)
    if _EXACT.issuperset(map(type, entries)):
        return entries  # type: ignore[return-value]  # the line above says so
    return tuple([_entry(entry) for entry in entries])


def _entry(entry: Index) -> Entry:
    if entry is None or isinstance(entry, slice | EllipsisType):
        return entry
    if isinstance(entry, bool):
        raise ArgumentError(f"index: an entry must be an int, a slice, None or Ellipsis, got {entry} (bool)")
    return integer("index", "an entry", entry)


def _align(shape: Ints, key: Entries) -> list[int | slice | None]:
    """The key with one entry for each position of the shape, besides the None entries."""
    before: list[int | slice | None] = []
    after: list[int | slice | None] | None = None
    for entry in key:
        if not isinstance(entry, EllipsisType):
            (before if after is None else after).append(entry)
        elif after is None:
            after = []
        else:
            raise ShapeError("index: only one ellipsis is allowed")
    after = after or []
    first = len(before) - before.count(None)
    last = len(after) - after.count(None)
    hidden = len(shape) - first - last
    if hidden < 0:
        raise OutOfBoundsError(f"too many indices: {first + last} for shape {show(shape)} (rank {len(shape)})")
    return [*before, *[slice(None)] * hidden, *after]


def _position(i: int, axis: int, n: int) -> int:
    """``i``, counted from the end if negative, checked against the size of its axis."""
    if not -n <= i < n:
        raise OutOfBoundsError(f"index {i} is out of bounds for axis {axis} of size {n}")
    return i if i >= 0 else i + n


def _chosen(n: int, entry: slice) -> range:
    """The positions that a slice chooses on an axis of size n."""
    try:
        return range(n)[entry]
    except TypeError:
        raise ArgumentError(f"index: start, stop and step of {shown(entry)} must be ints or None") from None
    except ValueError:
        raise ShapeError("index: the step of a slice must not be 0") from None

"""Axes: checking and normalising them, and the rules that only permute, add, drop or reverse axes.

A normalised axis is a position in the tuple of dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence

from effects.arguments import integer, integers, one_or_several
from effects.errors import OutOfBoundsError, ShapeError
from effects.runtime.caches import memoised
from effects.types.shapes.dims import Ints, show

type Axes = int | tuple[int, ...] | None


def normalize_axis(op: str, shape: Ints, axis: int, argument: str = "axis") -> int:
    """``axis``, counted from the end if negative, as a position in ``shape``.

    Raises `OutOfBoundsError`, a `ShapeError`, if it is out of bounds.

    >>> normalize_axis("sum", (3, 4), -1)
    1
    >>> normalize_axis("sum", (3, 4), 2)
    Traceback (most recent call last):
    effects.errors.OutOfBoundsError: sum: axis 2 is out of bounds for shape [3, 4] (rank 2)
      at ...
    """
    return _normalized(op, shape, axis if type(axis) is int else integer(op, argument, axis), argument)


@memoised
def _normalized(op: str, shape: Ints, axis: int, argument: str) -> int:
    rank = len(shape)
    if -rank <= axis < rank:
        return axis if axis >= 0 else axis + rank
    raise OutOfBoundsError(f"{op}: {argument} {axis} is out of bounds for shape {show(shape)} (rank {rank})")


def normalize_axes(op: str, shape: Ints, axes: Axes) -> tuple[int, ...]:
    """One axis, several, or all of them (None), as sorted positions. A repeated axis is a `ShapeError`.

    >>> normalize_axes("sum", (3, 4, 5), (-1, 0)), normalize_axes("sum", (3, 4), None)
    ((0, 2), (0, 1))
    >>> normalize_axes("sum", (3, 4), (1, -1))
    Traceback (most recent call last):
    effects.errors.ShapeError: sum: axes (1, -1) name axis 1 of shape [3, 4] twice
      at ...
    """
    if axes is None:
        return tuple(range(len(shape)))
    if type(axes) is int:
        return (normalize_axis(op, shape, axes),)
    return tuple(sorted(_distinct(op, shape, integers(op, "axis", axes))))


def as_axes(function: str, axis: object) -> Axes:
    """`axis` as None, an int or a tuple of ints, which a user may also say by a list or by NumPy's integers.

    >>> as_axes("sum", [0, -1])
    (0, -1)
    """
    if axis is None or type(axis) is int:
        return axis
    return one_or_several(function, "axis", axis)


def normalize_perm(op: str, shape: Ints, axes: Sequence[int]) -> tuple[int, ...]:
    """``axes`` as a permutation of all axes of ``shape``, none negative.

    >>> normalize_perm("permute_dims", (3, 4), (-1, 0))
    (1, 0)
    >>> normalize_perm("permute_dims", (3, 4), (1,))
    Traceback (most recent call last):
    effects.errors.ShapeError: permute_dims: axes (1,) are not a permutation of the axes of shape [3, 4] (rank 2)
      at ...
    """
    if len(axes) != len(shape):
        raise ShapeError(
            f"{op}: axes {tuple(axes)} are not a permutation of the axes of shape {show(shape)} (rank {len(shape)})"
        )
    return tuple(_distinct(op, shape, axes))


def check_axes(op: str, shape: Ints, axes: Sequence[int]) -> None:
    """Raise `ShapeError` unless ``axes`` are distinct axes of ``shape``, none negative, as operations hold them.

    >>> check_axes("reduce", (3, 4), (0, -1))
    Traceback (most recent call last):
    effects.errors.OutOfBoundsError: reduce: axis -1 is out of bounds for shape [3, 4] (rank 2)
      at ...
    """
    rank = len(shape)
    for axis in axes:
        if not 0 <= axis < rank:
            raise OutOfBoundsError(f"{op}: axis {axis} is out of bounds for shape {show(shape)} (rank {rank})")
    if len(set(axes)) != len(axes):
        _distinct(op, shape, axes)


def _distinct(op: str, shape: Ints, axes: Sequence[int], argument: str = "axis") -> list[int]:
    positions = [normalize_axis(op, shape, axis, argument) for axis in axes]
    if len(set(positions)) != len(positions):
        twice = next(p for i, p in enumerate(positions) if p in positions[:i])
        noun = "axes" if argument == "axis" else argument
        raise ShapeError(f"{op}: {noun} {tuple(axes)} name axis {twice} of shape {show(shape)} twice")
    return positions


@memoised
def permute_dims(shape: Ints, axes: tuple[int, ...]) -> Ints:
    """Axis i of the result is axis ``axes[i]`` of the operand.

    >>> permute_dims((3, 4, 5), (2, 0, 1))
    (5, 3, 4)
    """
    return tuple([shape[k] for k in normalize_perm("permute_dims", shape, axes)])


@memoised
def matrix_transpose(shape: Ints) -> Ints:
    """The last two axes exchanged; `ShapeError` below rank 2.

    >>> matrix_transpose((2, 3, 4))
    (2, 4, 3)
    """
    if len(shape) < 2:
        raise ShapeError(f"matrix_transpose needs rank >= 2, got shape {show(shape)}")
    return (*shape[:-2], shape[-1], shape[-2])


def moveaxis_perm(shape: Ints, source: tuple[int, ...], destination: tuple[int, ...]) -> tuple[int, ...]:
    """The permutation for `permute_dims` that moves axes ``source`` to ``destination``; the others keep their order.

    >>> moveaxis_perm((2, 3, 4), (0,), (-1,))
    (1, 2, 0)
    """
    sources = _distinct("moveaxis", shape, source, "source")
    destinations = _distinct("moveaxis", shape, destination, "destination")
    if len(sources) != len(destinations):
        raise ShapeError(f"moveaxis: source has {len(sources)} axes but destination has {len(destinations)}")
    perm = [k for k in range(len(shape)) if k not in sources]
    for to, k in sorted(zip(destinations, sources, strict=True)):
        perm.insert(to, k)
    return tuple(perm)


def swapaxes_perm(shape: Ints, first: int, second: int) -> tuple[int, ...]:
    """The permutation for `permute_dims` that exchanges two axes.

    >>> swapaxes_perm((2, 3, 4), 0, -1)
    (2, 1, 0)
    """
    i, j = normalize_axis("swapaxes", shape, first, "axis1"), normalize_axis("swapaxes", shape, second, "axis2")
    perm = list(range(len(shape)))
    perm[i], perm[j] = j, i
    return tuple(perm)


@memoised
def squeeze(shape: Ints, axes: Axes = None) -> Ints:
    """The shape without ``axes``, each of size 1; None means every axis of size 1.

    >>> squeeze((1, 3, 1)), squeeze((1, 3, 1), -1)
    ((3,), (1, 3))
    >>> squeeze((1, 3), 1)
    Traceback (most recent call last):
    effects.errors.ShapeError: squeeze: axis 1 of shape [1, 3] has size 3, not 1
      at ...
    """
    if axes is None:
        return tuple([d for d in shape if d != 1])
    drop = normalize_axes("squeeze", shape, axes)
    for k in drop:
        if shape[k] != 1:
            raise ShapeError(f"squeeze: axis {k} of shape {show(shape)} has size {shape[k]}, not 1")
    return tuple([d for i, d in enumerate(shape) if i not in drop])


@memoised
def expand_dims(shape: Ints, axes: int | tuple[int, ...] = 0) -> Ints:
    """The shape with axes of size 1 at ``axes``, which are positions in the result.

    >>> expand_dims((3, 4), -1), expand_dims((3,), (0, 2))
    ((3, 4, 1), (1, 3, 1))
    """
    places: Sequence[int] = axes if isinstance(axes, tuple) else (axes,)
    rank = len(shape) + len(places)
    for axis in places:
        if not -rank <= axis < rank:
            raise OutOfBoundsError(
                f"expand_dims: axis {axis} is out of bounds for the result of rank {rank}, from shape {show(shape)}"
            )
    at = {axis % rank for axis in places}
    if len(at) != len(places):
        raise ShapeError(f"expand_dims: axes {tuple(places)} name an axis of the result (rank {rank}) twice")
    old = iter(shape)
    return tuple([1 if i in at else next(old) for i in range(rank)])

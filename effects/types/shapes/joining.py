"""Joining and cutting along an axis: concat, stack, split, unstack; and pad."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from effects.arguments import counted
from effects.errors import ShapeError
from effects.types.shapes.axes import normalize_axis
from effects.types.shapes.dims import (
    UNKNOWN,
    Dim,
    Ints,
    NotStatic,
    Shape,
    agree,
    all_ranked,
    is_ranked,
    known,
    plus,
    rule,
    show,
    size,
)

type PadConfig = tuple[tuple[int, int, int], ...]


@overload
def concat(shapes: Sequence[Ints], axis: int | None = ...) -> Ints: ...
@overload
def concat(shapes: Sequence[Shape], axis: int | None = ...) -> Shape: ...
def concat(shapes: Sequence[Shape], axis: int | None = 0) -> Shape:
    """Shapes equal but for ``axis``, where the sizes add up; None flattens every operand first.

    >>> concat([(2, 3), (4, 3)]), concat([(2, 3), (4,)], None)
    ((6, 3), (10,))
    >>> concat([(2, 3), (2, 4)])
    Traceback (most recent call last):
    effects.errors.ShapeError: concat: shapes [2, 3] and [2, 4] differ outside axis 0: dimension 3 vs 4 (axis 1)
      at ...
    """
    if not shapes:
        raise ShapeError("concat: needs at least one array")
    if axis is None:
        return _concat([(size(s),) for s in shapes], 0)
    try:
        return _concat(shapes, normalize_axis("concat", shapes[0], axis))
    except NotStatic:
        return UNKNOWN


def _concat(shapes: Sequence[Shape], k: int) -> Shape:
    first = shapes[0]
    head, total, tail = first[:k], first[k], first[k + 1 :]
    for shape in shapes[1:]:
        if shape[:k] != head or shape[k + 1 :] != tail or len(shape) != len(first):
            both = _merge("concat", first, shape, k)
            head, tail = both[:k], both[k + 1 :]
        total = plus(total, shape[k])
    return (*head, total, *tail)


@overload
def stack(shapes: Sequence[Ints], axis: int = ...) -> Ints: ...
@overload
def stack(shapes: Sequence[Shape], axis: int = ...) -> Shape: ...
def stack(shapes: Sequence[Shape], axis: int = 0) -> Shape:
    """Equal shapes with an axis for their number at ``axis``, a position in the result.

    >>> stack([(3, 4), (3, 4)], -1)
    (3, 4, 2)
    >>> stack([(3,), (4,)])
    Traceback (most recent call last):
    effects.errors.ShapeError: stack: shapes [3] and [4] differ: dimension 3 vs 4 (axis 0)
      at ...
    """
    if not shapes:
        raise ShapeError("stack: needs at least one array")
    try:
        shape = shapes[0]
        for other in shapes[1:]:
            if other != shape:
                shape = _merge("stack", shape, other, None)
        if not is_ranked(shape):
            raise NotStatic("stack")
    except NotStatic:
        return UNKNOWN
    k = normalize_axis("stack", (*shape, 1), axis)
    return (*shape[:k], len(shapes), *shape[k:])


def _merge(op: str, a: Shape, b: Shape, k: int | None) -> Shape:
    """The sizes of two shapes that agree everywhere but at ``k``; which size stands there is not defined."""
    if not all_ranked((a, b)):
        if len(a) != len(b) or any(
            x != y for x, y in zip(a, b, strict=True) if not (is_ranked((x,)) and is_ranked((y,)))
        ):
            raise NotStatic(op)
    elif len(a) != len(b):
        raise ShapeError(f"{op}: shapes {show(a)} and {show(b)} differ: rank {len(a)} vs {len(b)}")
    outside = "" if k is None else f" outside axis {k}"
    for i, (d, e) in enumerate(zip(a, b, strict=True)):
        if i != k and not agree(d, e):
            raise ShapeError(f"{op}: shapes {show(a)} and {show(b)} differ{outside}: dimension {d} vs {e} (axis {i})")
    return tuple([known(d, e) for d, e in zip(a, b, strict=True)])


def split_bounds(shape: Shape, sections: int | tuple[int, ...], axis: int = 0) -> tuple[tuple[int, int], ...]:
    """Start and stop of each part along ``axis``: equal parts (an int), or cut before the given positions.

    Positions count as in a Python slice: negative from the end, clamped to the size. Raises `NotStatic` if the size
    of the axis is not an int.

    >>> split_bounds((6, 2), 3), split_bounds((6, 2), (1, 4))
    (((0, 2), (2, 4), (4, 6)), ((0, 1), (1, 4), (4, 6)))
    >>> split_bounds((7,), 3)
    Traceback (most recent call last):
    effects.errors.ShapeError: split: axis 0 of shape [7] has size 7, which is not a multiple of 3
      at ...
    """
    k = normalize_axis("split", shape, axis)
    n = shape[k]
    if isinstance(sections, int) and sections < 1:
        raise ShapeError(f"split: indices_or_sections must be positive, got {sections}")
    if not isinstance(n, int):
        raise NotStatic("split")
    if isinstance(sections, int):
        if n % sections:
            raise ShapeError(
                f"split: axis {k} of shape {show(shape)} has size {n}, which is not a multiple of {sections}"
            )
        step = n // sections
        return tuple([(i * step, (i + 1) * step) for i in range(sections)])
    cuts = [slice(cut).indices(n)[1] for cut in sections]
    return tuple([(start, max(start, stop)) for start, stop in zip([0, *cuts], [*cuts, n], strict=True)])


@overload
def split(shape: Ints, sections: int | tuple[int, ...], axis: int = ...) -> tuple[Ints, ...]: ...
@overload
def split(shape: Shape, sections: int | tuple[int, ...], axis: int = ...) -> tuple[Shape, ...]: ...
@rule
def split(shape: Shape, sections: int | tuple[int, ...], axis: int = 0) -> tuple[Shape, ...]:
    """The shapes of the parts of `split_bounds`.

    >>> split((6, 2), 3), split((6, 2), (1,))
    (((2, 2), (2, 2), (2, 2)), ((1, 2), (5, 2)))
    """
    count = sections if isinstance(sections, int) else len(sections) + 1
    sizes: list[Dim]
    try:
        k = normalize_axis("split", shape, axis)
    except NotStatic:
        return (UNKNOWN,) * count
    try:
        sizes = [stop - start for start, stop in split_bounds(shape, sections, axis)]
    except NotStatic:
        sizes = [shape[k] if count == 1 else None] * count
    return tuple([(*shape[:k], n, *shape[k + 1 :]) for n in sizes])


@overload
def unstack(shape: Ints, axis: int = ...) -> tuple[Ints, ...]: ...
@overload
def unstack(shape: Shape, axis: int = ...) -> tuple[Shape, ...]: ...
def unstack(shape: Shape, axis: int = 0) -> tuple[Shape, ...]:
    """The shapes of the slices along ``axis``; `NotStatic` if their number is not an int.

    >>> unstack((2, 3, 4), 1)
    ((2, 4), (2, 4), (2, 4))
    """
    k = normalize_axis("unstack", shape, axis)
    n = shape[k]
    if not isinstance(n, int):
        raise NotStatic("unstack")
    return ((*shape[:k], *shape[k + 1 :]),) * n


@overload
def pad(shape: Ints, config: Sequence[tuple[int, int, int]]) -> Ints: ...
@overload
def pad(shape: Shape, config: Sequence[tuple[int, int, int]]) -> Shape: ...
def pad(shape: Shape, config: Sequence[tuple[int, int, int]]) -> Shape:
    """Per axis (low, high, interior): ``n + low + high + (n - 1) * interior`` elements, the last term only if n > 0.

    Negative low and high remove elements; more than there are is a `ShapeError`, as is a negative interior.

    >>> pad((3, 4), [(1, 2, 0), (0, -1, 1)])
    (6, 6)
    >>> pad((3,), [(-2, -2, 0)])
    Traceback (most recent call last):
    effects.errors.ShapeError: pad: axis 0 of size 3 would have size -1 with padding (-2, -2, 0)
      at ...
    """
    return _pad(shape, tuple(map(tuple, config)))


@rule
def _pad(shape: Shape, config: tuple[tuple[int, ...], ...]) -> Shape:
    if not is_ranked(shape):
        raise NotStatic("pad")
    if len(config) != len(shape):
        raise ShapeError(f"pad: {counted(len(config), 'entry', 'entries')} for shape {show(shape)} (rank {len(shape)})")
    return tuple([_padded(i, d, *entry) for i, (d, entry) in enumerate(zip(shape, config, strict=True))])


def _padded(axis: int, d: Dim, low: int, high: int, interior: int) -> Dim:
    if interior < 0:
        raise ShapeError(f"pad: interior padding of axis {axis} must not be negative, got {interior}")
    if isinstance(d, int):
        out = d + low + high + max(d - 1, 0) * interior
        if out < 0:
            raise ShapeError(f"pad: axis {axis} of size {d} would have size {out} with padding {(low, high, interior)}")
        return out
    return d if low + high == interior == 0 else None

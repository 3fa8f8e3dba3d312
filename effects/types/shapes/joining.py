"""Joining and cutting along an axis: concat, stack, split; and pad."""

from __future__ import annotations

import math
from collections.abc import Sequence

from effects.arguments import counted
from effects.errors import ShapeError
from effects.runtime.caches import memoised
from effects.types.shapes.axes import normalize_axis
from effects.types.shapes.dims import Ints, show

type PadConfig = tuple[tuple[int, int, int], ...]


def concat(shapes: Sequence[Ints], axis: int | None = 0) -> Ints:
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
        return (sum([math.prod(s) for s in shapes]),)
    first = shapes[0]
    k = normalize_axis("concat", first, axis)
    head, total, tail = first[:k], first[k], first[k + 1 :]
    for shape in shapes[1:]:
        if shape[:k] != head or shape[k + 1 :] != tail or len(shape) != len(first):
            raise _differ("concat", first, shape, k)
        total += shape[k]
    return (*head, total, *tail)


def stack(shapes: Sequence[Ints], axis: int = 0) -> Ints:
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
    shape = shapes[0]
    for other in shapes[1:]:
        if other != shape:
            raise _differ("stack", shape, other, None)
    k = normalize_axis("stack", (*shape, 1), axis)
    return (*shape[:k], len(shapes), *shape[k:])


def _differ(op: str, a: Ints, b: Ints, k: int | None) -> ShapeError:
    """The error that says where two shapes differ, which they do elsewhere than at ``k``."""
    if len(a) != len(b):
        return ShapeError(f"{op}: shapes {show(a)} and {show(b)} differ: rank {len(a)} vs {len(b)}")
    outside = "" if k is None else f" outside axis {k}"
    i = next(i for i, (d, e) in enumerate(zip(a, b, strict=True)) if i != k and d != e)
    return ShapeError(f"{op}: shapes {show(a)} and {show(b)} differ{outside}: dimension {a[i]} vs {b[i]} (axis {i})")


def split_bounds(shape: Ints, sections: int | tuple[int, ...], axis: int = 0) -> tuple[tuple[int, int], ...]:
    """Start and stop of each part along ``axis``: equal parts (an int), or cut before the given positions.

    Positions count as in a Python slice: negative from the end, clamped to the size.

    >>> split_bounds((6, 2), 3), split_bounds((6, 2), (1, 4))
    (((0, 2), (2, 4), (4, 6)), ((0, 1), (1, 4), (4, 6)))
    >>> split_bounds((7,), 3)
    Traceback (most recent call last):
    effects.errors.ShapeError: split: axis 0 of shape [7] has size 7, which is not a multiple of 3
      at ...
    """
    k = normalize_axis("split", shape, axis)
    n = shape[k]
    if isinstance(sections, int):
        if sections < 1:
            raise ShapeError(f"split: indices_or_sections must be positive, got {sections}")
        if n % sections:
            raise ShapeError(
                f"split: axis {k} of shape {show(shape)} has size {n}, which is not a multiple of {sections}"
            )
        step = n // sections
        return tuple([(i * step, (i + 1) * step) for i in range(sections)])
    cuts = [slice(cut).indices(n)[1] for cut in sections]
    return tuple([(start, max(start, stop)) for start, stop in zip([0, *cuts], [*cuts, n], strict=True)])


def pad(shape: Ints, config: Sequence[tuple[int, int, int]]) -> Ints:
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


@memoised
def _pad(shape: Ints, config: tuple[tuple[int, ...], ...]) -> Ints:
    if len(config) != len(shape):
        raise ShapeError(f"pad: {counted(len(config), 'entry', 'entries')} for shape {show(shape)} (rank {len(shape)})")
    return tuple([_padded(i, d, *entry) for i, (d, entry) in enumerate(zip(shape, config, strict=True))])


def _padded(axis: int, d: int, low: int, high: int, interior: int) -> int:
    if interior < 0:
        raise ShapeError(f"pad: interior padding of axis {axis} must not be negative, got {interior}")
    out = d + low + high + max(d - 1, 0) * interior
    if out < 0:
        raise ShapeError(f"pad: axis {axis} of size {d} would have size {out} with padding {(low, high, interior)}")
    return out

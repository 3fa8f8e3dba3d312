"""Shape rules along one axis, which stays or is shortened: cumulative operations, sorting, the greatest elements."""

from __future__ import annotations

from collections.abc import Sequence

from effects.errors import ArgumentError, ShapeError
from effects.runtime.caches import memoised
from effects.types.shapes.axes import normalize_axis
from effects.types.shapes.dims import Ints, show


@memoised
def along(op: str, shape: Ints, axis: int) -> Ints:
    """The shape itself, which must have `axis`; ``op`` names it in errors.

    >>> along("cumulative_sum", (3, 4), 1)
    (3, 4)
    >>> along("cumulative_sum", (), 0)
    Traceback (most recent call last):
    effects.errors.OutOfBoundsError: cumulative_sum: axis 0 is out of bounds for shape [] (rank 0)
      at ...
    """
    normalize_axis(op, shape, axis)
    return shape


def sort(operands: Sequence[Ints], axis: int, num_keys: int) -> Ints:
    """The one shape of all operands, of which at least one is a key.

    >>> sort([(3, 4), (3, 4)], 1, 1)
    (3, 4)
    >>> sort([(3, 4), (4,)], 0, 1)
    Traceback (most recent call last):
    effects.errors.ShapeError: sort: the operands must have one shape, got [3, 4] and [4]
      at ...
    """
    if not 1 <= num_keys <= len(operands):
        raise ArgumentError(f"sort: num_keys must be at least 1 and at most {len(operands)}, got {num_keys}")
    first = operands[0]
    for other in operands[1:]:
        if other != first:
            raise ShapeError(f"sort: the operands must have one shape, got {show(first)} and {show(other)}")
    normalize_axis("sort", first, axis)
    return first


@memoised
def top_k(shape: Ints, k: int) -> Ints:
    """The shape with `k` in place of the last size, which is at least that.

    >>> top_k((3, 4), 2)
    (3, 2)
    >>> top_k((3, 4), 5)
    Traceback (most recent call last):
    effects.errors.ShapeError: top_k: k = 5 of the 4 elements along axis -1 of shape [3, 4]
      at ...
    """
    last = normalize_axis("top_k", shape, -1)
    size = shape[last]
    if not 0 <= k <= size:
        raise ShapeError(f"top_k: k = {k} of the {size} elements along axis -1 of shape {show(shape)}")
    return (*shape[:last], k)

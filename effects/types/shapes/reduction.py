"""Reductions: the shape that is left when axes are summed, maximised or searched."""

from __future__ import annotations

from effects.errors import ShapeError
from effects.runtime.caches import memoised
from effects.types.shapes.axes import Axes, normalize_axes, normalize_axis
from effects.types.shapes.dims import Ints, show


@memoised
def reduce(op: str, shape: Ints, axes: Axes = None, keepdims: bool = False) -> Ints:
    """The shape without ``axes`` (None: all), or with size 1 there if ``keepdims``; ``op`` names it in errors.

    >>> reduce("sum", (3, 4), -1), reduce("sum", (3, 4), (0,), True), reduce("sum", (3, 4))
    ((3,), (1, 4), ())
    >>> reduce("sum", (3, 4), 2)
    Traceback (most recent call last):
    effects.errors.OutOfBoundsError: sum: axis 2 is out of bounds for shape [3, 4] (rank 2)
      at ...
    """
    if axes is None:
        return (1,) * len(shape) if keepdims else ()
    drop = normalize_axes(op, shape, axes)
    if keepdims:
        return tuple([1 if i in drop else d for i, d in enumerate(shape)])
    return tuple([d for i, d in enumerate(shape) if i not in drop])


@memoised
def argreduce(op: str, shape: Ints, axis: int | None = None, keepdims: bool = False) -> Ints:
    """The shape of positions of an extremum along one axis, or in the flattened array (None).

    There must be a position: a reduced axis of size 0 is a `ShapeError`.

    >>> argreduce("argmax", (3, 4), 0), argreduce("argmax", (3, 4), None, True)
    ((4,), (1, 1))
    >>> argreduce("argmax", (3, 0), 1)
    Traceback (most recent call last):
    effects.errors.ShapeError: argmax: axis 1 of shape [3, 0] is empty
      at ...
    """
    if axis is None:
        if 0 in shape:
            raise ShapeError(f"{op}: an array of shape {show(shape)} is empty")
        return (1,) * len(shape) if keepdims else ()
    k = normalize_axis(op, shape, axis)
    if shape[k] == 0:
        raise ShapeError(f"{op}: axis {k} of shape {show(shape)} is empty")
    return (*shape[:k], 1, *shape[k + 1 :]) if keepdims else (*shape[:k], *shape[k + 1 :])

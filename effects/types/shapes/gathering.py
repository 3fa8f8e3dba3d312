"""Elements chosen by arrays of positions.

The positions along the axes `axes` are given by one array of integers each; these broadcast together. The first `batch`
axes are common to the array and to the positions. In the result the axes of the positions stand where `at` of the other
axes are before them.
"""

from __future__ import annotations

from effects.errors import ShapeError
from effects.runtime.caches import memoised
from effects.types.shapes.broadcasting import broadcast_all
from effects.types.shapes.dims import Ints, show


@memoised
def gather(shape: Ints, axes: Ints, batch: int, at: int, indices: tuple[Ints, ...]) -> Ints:
    """The common axes, `at` of the others, those of the positions, the rest.

    >>> gather((5, 4, 3), (1,), 0, 1, ((7, 8),))
    (5, 7, 8, 3)
    >>> gather((5, 4, 3), (2,), 1, 0, ((5, 7),))
    (5, 7, 4)
    >>> gather((5, 4), (0, 1), 0, 0, ((2, 1), (3,)))
    (2, 3)
    >>> gather((5, 4), (2,), 0, 0, ((2,),))
    Traceback (most recent call last):
    effects.errors.ShapeError: gather: axes (2,) of shape [5, 4], of which the first 0 are common
      at ...
    """
    if len(axes) != len(indices) or not axes:
        raise ShapeError(f"gather: {len(indices)} arrays of positions for {len(axes)} axes")
    if len(set(axes)) != len(axes) or not all([batch <= axis < len(shape) for axis in axes]):
        raise ShapeError(f"gather: axes {axes} of shape {show(shape)}, of which the first {batch} are common")
    rest = [d for axis, d in enumerate(shape) if axis >= batch and axis not in axes]
    if not 0 <= at <= len(rest):
        raise ShapeError(f"gather: {at} of {len(rest)} other axes cannot come first")
    positions = broadcast_all(indices)
    common = positions[:batch]
    if len(common) < batch or not all([p in (1, d) for p, d in zip(common, shape, strict=False)]):
        raise ShapeError(f"gather: positions {show(positions)} do not have the first {batch} axes of {show(shape)}")
    return (*shape[:batch], *rest[:at], *positions[batch:], *rest[at:])

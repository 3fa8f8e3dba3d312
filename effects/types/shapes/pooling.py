"""Windows over all axes of an array."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from effects.errors import ShapeError
from effects.runtime.caches import memoised
from effects.types.shapes.convolution import Window, places
from effects.types.shapes.dims import Ints, show


@memoised
def pool(op: str, shape: Ints, sizes: Ints, window: Window) -> Ints:
    """One element for each place of a window of these sizes; ``op`` names it in errors.

    >>> from effects.types.shapes import Window
    >>> pool("window_sum", (8, 5), (2, 3), Window((2, 1), ((0, 0), (1, 1)), (1, 1), (1, 1)))
    (4, 5)
    >>> pool("window_sum", (8,), (2, 3), Window((2, 1), ((0, 0), (1, 1)), (1, 1), (1, 1)))
    Traceback (most recent call last):
    effects.errors.ShapeError: window_sum: a window over 2 axes does not fit shape [8] (rank 1)
      at ...
    """
    rank = len(shape)
    for entries in (sizes, *window):
        if len(entries) != rank:
            raise ShapeError(f"{op}: a window over {len(entries)} axes does not fit shape {show(shape)} (rank {rank})")
    if any([n < 1 for n in (*sizes, *window.strides, *window.x_dilation, *window.kernel_dilation)]):
        raise ShapeError(f"{op}: sizes, strides and dilations must be positive, got {sizes} and {window}")
    return tuple([places(n, k, *how) for n, k, *how in zip(shape, sizes, *window, strict=True)])


def cuts(sizes: Ints, window: Window, counts: Ints) -> Iterator[tuple[Ints, Ints]]:
    """For each element of a window, where what comes under it begins and ends in the array with all that is around.

    Along each axis these are as many elements as `counts` says, `strides` apart. The last element comes last.

    >>> from effects.types.shapes import Window
    >>> list(cuts((2,), Window((3,), ((0, 0),), (1,), (1,)), (4,)))
    [((0,), (10,)), ((1,), (11,))]
    """
    lengths = [max((count - 1) * step + 1, 0) for count, step in zip(counts, window.strides, strict=True)]
    for place in itertools.product(*[range(0, k * d, d) for k, d in zip(sizes, window.kernel_dilation, strict=True)]):
        yield place, tuple([start + length for start, length in zip(place, lengths, strict=True)])

"""Convolutions: windows over spatial axes, and which axis of an operand is which."""

from __future__ import annotations

from typing import Final, NamedTuple

from effects.errors import ShapeError
from effects.runtime.caches import memoised
from effects.types.shapes.dims import Ints, show


class Window(NamedTuple):
    """Steps of the kernel over the operand, an entry for each spatial axis.

    The operand gets `x_dilation` - 1 zeros between its elements, then `padding` (before, after) around them, which cuts
    where it is negative. The elements of the kernel lie `kernel_dilation` apart, and it is moved by `strides`.
    """

    strides: Ints
    padding: tuple[tuple[int, int], ...]
    x_dilation: Ints
    kernel_dilation: Ints


class Layout(NamedTuple):
    """The places of the axes: of `x` and `out` batch, features, then the spatial ones; of `kernel` those of the
    results, those summed over, then the spatial ones."""

    x: Ints
    kernel: Ints
    out: Ints


def dilated(size: int, dilation: int) -> int:
    """Extent of `size` elements that lie `dilation` apart.

    >>> dilated(3, 2), dilated(0, 2)
    (5, 0)
    """
    return (size - 1) * dilation + 1 if size else 0


@memoised
def convolution(x: Ints, kernel: Ints, window: Window, layout: Layout, groups: int) -> Ints:
    """One place for each position of the kernel within the operand, a feature for each of the kernel's results.

    >>> from effects.types.shapes import Layout, Window
    >>> same = Layout((0, 1, 2), (0, 1, 2), (0, 1, 2))
    >>> convolution((5, 4, 9), (6, 2, 3), Window((2,), ((1, 0),), (1,), (1,)), same, 2)
    (5, 6, 4)
    >>> convolution((5, 4, 9), (6, 3, 3), Window((1,), ((0, 0),), (1,), (1,)), same, 1)
    Traceback (most recent call last):
    effects.errors.ShapeError: conv: x of shape [5, 4, 9] has 4 features, and the kernel of shape [6, 3, 3] takes 3
      at ...
    """
    _check(x, kernel, window, layout, groups)
    features, expected, produced = x[layout.x[1]], kernel[layout.kernel[1]], kernel[layout.kernel[0]]
    if features != expected * groups:
        which = "" if groups == 1 else f" in each of {groups} groups"
        others = [i for i, n in enumerate(x) if n == expected * groups and i not in layout.x[:2]]
        hint = _UNBATCHED if len(x) == 2 else f"; axis {others[0]} of x has as many" + _NAMED if others else ""
        raise ShapeError(
            f"conv: x of shape {show(x)} has {features} features, "
            f"and the kernel of shape {show(kernel)} takes {expected}{which}{hint}"
        )
    if produced % groups:
        raise ShapeError(
            f"conv: the {produced} features that the kernel of shape {show(kernel)} makes are not {groups} equal groups"
        )
    sizes = [x[layout.x[0]], produced, *_places(x, kernel, window, layout)]
    out = [0] * len(sizes)
    for axis, size in zip(layout.out, sizes, strict=True):
        out[axis] = size
    return tuple(out)


_NAMED: Final = ": dimension_numbers says which axes of x, of the kernel and of the result are which"
_UNBATCHED: Final = (
    "; x has axes of batch and features before those of space, as the kernel has of results and features: one image is "
    "x[None, None], and its kernel kernel[None, None]"
)


def _places(x: Ints, kernel: Ints, window: Window, layout: Layout) -> list[int]:
    counts: list[int] = []
    for axis, k_axis, *how in zip(layout.x[2:], layout.kernel[2:], *window, strict=True):
        if kernel[k_axis] == 0:
            raise ShapeError(f"conv: the kernel of shape {show(kernel)} has no elements along spatial axis {k_axis}")
        counts.append(places(x[axis], kernel[k_axis], *how))
    return counts


def places(n: int, k: int, stride: int, around: tuple[int, int], x_dilation: int, dilation: int) -> int:
    """Number of places of a window of size `k`, not 0, along an axis of size `n`.

    >>> places(9, 3, 2, (1, 0), 1, 1), places(1, 3, 1, (0, 0), 1, 1)
    (4, 0)
    """
    free = dilated(n, x_dilation) + sum(around) - dilated(k, dilation)
    return free // stride + 1 if free >= 0 else 0


def _check(x: Ints, kernel: Ints, window: Window, layout: Layout, groups: int) -> None:
    rank = len(layout.x)
    if not len(x) == len(kernel) == rank:
        raise ShapeError(f"conv: x and kernel must have {rank} axes, got {show(x)} and {show(kernel)}")
    for axes in layout:
        if sorted(axes) != list(range(rank)):
            raise ShapeError(f"conv: the layout {axes} does not name each of {rank} axes once")
    for entries in window:
        if len(entries) != rank - 2:
            raise ShapeError(f"conv: the window has {len(entries)} entries {entries} for {rank - 2} spatial axes")
    if groups < 1 or any([n < 1 for n in (*window.strides, *window.x_dilation, *window.kernel_dilation)]):
        raise ShapeError(f"conv: groups, strides and dilations must be positive, got {groups} groups and {window}")

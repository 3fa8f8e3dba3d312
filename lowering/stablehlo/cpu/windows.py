"""Folds over windows, as operations on whole arrays that XLA fuses and vectorises.

XLA's own operation visits each window by itself, and takes three to seven times as long. Windows that have all their
elements are strided slices, folded along one axis after the other, in the order of evaluation. Windows at the margins,
which lack elements, are written into the result: those with the same elements along each axis in the same way, which
takes no memory; if these are too many, a strip at each end by XLA's operation. Windows that hold at most one element
each are a broadcast.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import reduce
from typing import Final, NamedTuple, final

from effects.operations.reduction import ReduceKind
from effects.types import dtypes, shapes
from effects.types.avals import ShapedArray
from effects.types.shapes import Ints, Window, dilated
from lowering.stablehlo.context import Value, i64s
from lowering.stablehlo.indexing import sliced
from lowering.stablehlo.reduction import FOLDS
from lowering.stablehlo.scope import TYPES, Scope
from lowering.stablehlo.windows import Shaped, folded

_WRITTEN_OUT: Final = 64
"""Largest sum of window sizes for which slices are written out."""
_PIECES: Final = 16
"""Largest number of pieces of a result that are written into it one by one."""


type _Along = tuple[int, int, tuple[int, int], int]
"""For an axis: the size of windows, their stride, the padding, and the dilation."""


class _Part(NamedTuple):
    """Windows along an axis with the same elements: the first, the range of elements, and their number in a window."""

    place: int
    begin: int
    end: int
    size: int


@final
class WindowFold:
    """A fold of this kind over windows, with `nothing` as the value of padding."""

    def __init__(self, kind: ReduceKind, nothing: complex, scope: Scope) -> None:
        self._kind, self._name, self._nothing, self._scope = kind, FOLDS[kind], nothing, scope

    def over(self, x: Shaped, sizes: Ints, window: Window) -> Shaped:
        """x folded over windows along some axes; neither x nor the result is empty."""
        if _is_apart(sizes, window):
            return self._spread(x, sizes, window)
        places = shapes.pool("window", x.aval.shape, sizes, window)
        firsts, ends = zip(*map(_whole, x.aval.shape, sizes, places, *window[:2], window.kernel_dilation), strict=True)
        whole = math.prod([max(end - first, 0) for first, end in zip(firsts, ends, strict=True)])
        short = sum([size for size in sizes if size > 1]) <= _WRITTEN_OUT
        if not short or 2 * whole < math.prod(places) or set(window.x_dilation) != {1}:
            return self._windowed(x, sizes, window)
        return self._with_margins(x, sizes, window, places, firsts, ends)

    def _windowed(self, x: Shaped, sizes: Ints, window: Window) -> Shaped:
        return folded(self._kind, self._nothing, x, sizes, window, self._scope)

    def _with_margins(self, x: Shaped, sizes: Ints, window: Window, places: Ints, firsts: Ints, ends: Ints) -> Shaped:
        """The fold of whole windows, `firsts` to `ends` along each axis, with the other windows written into it."""
        how = list(zip(sizes, *window[:2], window.kernel_dilation, strict=True))
        whole = [_whole_part(*along) for along in zip(firsts, ends, how, strict=True)]
        out = self._piece(x, whole, window)
        if out.aval.shape == places:
            return out
        behind = tuple([n - end for n, end in zip(places, ends, strict=True)])
        out = self._padded(out, firsts, behind)
        if math.prod([1 + first + n for first, n in zip(firsts, behind, strict=True)]) <= _PIECES:
            beside = [
                [_part(n, place, along) for place in (*range(first), *range(end, last))]
                for n, first, end, last, along in zip(x.aval.shape, firsts, ends, places, how, strict=True)
            ]
            pieces = itertools.product(*[(part, *parts) for part, parts in zip(whole, beside, strict=True)])
            for piece in itertools.islice(pieces, 1, None):  # the first piece is there
                if all([part.size for part in piece]):
                    out = self._write(out, [part.place for part in piece], self._piece(x, piece, window))
            return out
        for axis, (first, end) in enumerate(zip(firsts, ends, strict=True)):
            for start, stop in ((0, first), (end, places[axis])):
                if start < stop:
                    at = [start if i == axis else 0 for i in range(len(how))]
                    out = self._write(out, at, self._strip(x, sizes, window, axis, start, stop))
        return out

    def _piece(self, x: Shaped, parts: Sequence[_Part], window: Window) -> Shaped:
        """The fold of the windows that the parts along all axes describe."""
        x = self._cut(x, [part.begin for part in parts], [part.end for part in parts], (1,) * len(parts))
        for axis, (part, step, hole) in enumerate(zip(parts, window.strides, window.kernel_dilation, strict=True)):
            if part.size > 1 or step > 1:
                x = self._along(x, axis, part.size, step, hole)
        return x

    def _along(self, x: Shaped, axis: int, size: int, step: int, hole: int) -> Shaped:
        shape = x.aval.shape
        length = (shape[axis] - dilated(size, hole)) // step * step + 1
        parts = []
        for start in range(0, size * hole, hole):
            bounds = [(start, start + length, step) if i == axis else (0, n, 1) for i, n in enumerate(shape)]
            parts.append(self._cut(x, *zip(*bounds, strict=True)))
        return reduce(lambda a, b: Shaped(self._scope.op(self._name, TYPES[a.aval], (a.value, b.value)), a.aval), parts)

    def _strip(self, x: Shaped, sizes: Ints, window: Window, axis: int, start: int, stop: int) -> Shaped:
        """The fold of windows `start` to `stop` along an axis, and of all along the others."""
        step, (before, _), n = window.strides[axis], window.padding[axis], x.aval.shape[axis]
        begin = start * step - before
        limit = (stop - 1) * step - before + dilated(sizes[axis], window.kernel_dilation[axis])
        low = min(max(begin, 0), n - 1)
        high = max(min(limit, n), low + 1)  # at least one element, for a window beyond the ends
        bounds = [(low, high, 1) if i == axis else (0, m, 1) for i, m in enumerate(x.aval.shape)]
        pair = (low - begin, limit - high)
        padding = tuple([pair if i == axis else other for i, other in enumerate(window.padding)])
        beside = window._replace(padding=padding)
        part = self._cut(x, *zip(*bounds, strict=True))
        return self._windowed(part, sizes, beside)

    def _spread(self, x: Shaped, sizes: Ints, window: Window) -> Shaped:
        """Windows over elements that lie as far apart as a window is long: each has one element, except at the ends."""
        shape = x.aval.shape
        repeated = x.aval.with_shape(tuple(itertools.chain(*zip(shape, sizes, strict=True))))
        kept = {"broadcast_dimensions": i64s(tuple(range(0, 2 * len(shape), 2)))}
        value = self._scope.op("stablehlo.broadcast_in_dim", TYPES[repeated], (x.value,), kept)
        out = x.aval.with_shape(tuple([n * size for n, size in zip(shape, sizes, strict=True)]))
        blocks = Shaped(self._scope.reshape(value, out), out)
        low, high = [
            tuple([pair[side] - size + 1 for pair, size in zip(window.padding, sizes, strict=True)]) for side in (0, 1)
        ]
        return self._padded(blocks, low, high) if any(low) or any(high) else blocks

    def _none(self, aval: ShapedArray) -> Value:
        return self._scope.fill(ShapedArray((), aval.dtype), self._nothing)

    def _cut(self, x: Shaped, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]) -> Shaped:
        lengths = [len(range(*bounds)) for bounds in zip(starts, limits, strides, strict=True)]
        if tuple(lengths) == x.aval.shape:
            return x
        out = x.aval.with_shape(tuple(lengths))
        return Shaped(sliced(x.value, starts, limits, strides, out, self._scope), out)

    def _padded(self, x: Shaped, low: Ints, high: Ints) -> Shaped:
        out = x.aval.with_shape(tuple([n + a + b for n, a, b in zip(x.aval.shape, low, high, strict=True)]))
        return Shaped(self._scope.pad(x.value, self._none(x.aval), out, low, high, (0,) * len(low)), out)

    def _write(self, x: Shaped, starts: Sequence[int], part: Shaped) -> Shaped:
        index = ShapedArray((), dtypes.int64)
        at = [self._scope.fill(index, start) for start in starts]
        return Shaped(self._scope.with_part(x.value, part.value, at), x.aval)


def _whole_part(first: int, end: int, along: _Along) -> _Part:
    """The windows `first` to `end`, which are whole."""
    size, step, (before, _), hole = along
    return _Part(first, first * step - before, (end - 1) * step - before + dilated(size, hole), size)


def _part(n: int, place: int, along: _Along) -> _Part:
    """A single window, which may be beyond the ends of `n` elements."""
    size, step, (before, _), hole = along
    begin = place * step - before
    there = [i for i in range(begin, begin + size * hole, hole) if 0 <= i < n]
    return _Part(place, there[0], there[-1] + 1, len(there)) if there else _Part(place, 0, 0, 0)


def _is_apart(sizes: Ints, window: Window) -> bool:
    """Return True if elements lie as far apart as a window is long, and the stride is 1."""
    return window.x_dilation == sizes and {*window.strides, *window.kernel_dilation} == {1} and max(sizes) > 1


def _whole(n: int, size: int, places: int, step: int, pair: tuple[int, int], hole: int) -> tuple[int, int]:
    """The first whole window over `n` elements, and the first one after it that is not whole."""
    before, _ = pair
    first = max(-(-before // step), 0)
    return first, max(min((n + before - dilated(size, hole)) // step + 1, places), first)

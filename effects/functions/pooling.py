"""Folds over windows that move along the axes, as pooling does, and folds by a function of one's own.

The elements under a window are read by strided slices, one for each of its places, so a window is meant to be small.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from effects.arguments import check_callable, choice, flag, integers
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, as_type, constant_like
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.functions import arrangement, movement
from effects.operations.indexing import Slice
from effects.operations.reduction import Reduce, ReduceKind, identity
from effects.program.chain import perform
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike
    from effects.functions.reduction import Axes

type Sizes = int | tuple[int, ...]
type Padding = str | Sequence[tuple[int, int]]


def _per_axis(function: str, argument: str, value: object, rank: int) -> tuple[int, ...]:
    sizes = integers(function, argument, value)
    if len(sizes) == 1 and not isinstance(value, tuple | list):
        sizes *= rank
    if len(sizes) != rank or any([size < 1 for size in sizes]):
        raise ArgumentError(f"{function}: {argument} must be positive, one for each of {rank} axes, got {sizes}")
    return sizes


def _margins(
    function: str, padding: object, shape: tuple[int, ...], spans: Sequence[int], steps: Sequence[int]
) -> list[tuple[int, int]]:
    """How much is put before and behind each axis."""
    if isinstance(padding, str) or not isinstance(padding, list | tuple):
        if choice(function, "padding", padding, ("SAME", "VALID")) == "VALID":
            return [(0, 0)] * len(shape)
        missing = [max((-(-n // s) - 1) * s + w - n, 0) for n, w, s in zip(shape, spans, steps, strict=True)]
        return [(m // 2, m - m // 2) for m in missing]
    pairs = [integers(function, "padding", pair) for pair in padding]
    if len(pairs) != len(shape) or any([len(pair) != 2 or min(pair) < 0 for pair in pairs]):
        raise ArgumentError(f"{function}: padding must have a pair of natural numbers for each of {len(shape)} axes")
    return [(before, behind) for before, behind in pairs]


def _under(
    function: str, x: Array, fill: complex, window: object, strides: object, padding: object, dilation: object
) -> list[Array]:
    """What lies under each place of the window, over all of its positions."""
    shape = x.aval.shape
    rank = len(shape)
    sizes = _per_axis(function, "window", window, rank)
    steps = _per_axis(function, "strides", strides, rank)
    holes = _per_axis(function, "dilation", dilation, rank)
    spans = [(size - 1) * hole + 1 for size, hole in zip(sizes, holes, strict=True)]
    margins = _margins(function, padding, shape, spans, steps)
    if any([pair != (0, 0) for pair in margins]):
        x = arrangement.pad(x, tuple(margins), constant_values=constant_like(fill, x))
    padded = x.aval.shape
    counts = [(n - span) // step + 1 for n, span, step in zip(padded, spans, steps, strict=True)]
    if any([n < span for n, span in zip(padded, spans, strict=True)]):
        raise ShapeError(f"{function}: the window spans {shapes.show(spans)}, more than there is of {x.aval}")
    parts = []
    for place in itertools.product(*[range(size) for size in sizes]):
        start = tuple([p * hole for p, hole in zip(place, holes, strict=True)])
        limit = tuple([s + (count - 1) * step + 1 for s, count, step in zip(start, counts, steps, strict=True)])
        parts.append(perform(Slice(start, limit, steps, x)))
    return parts


def _window(
    kind: ReduceKind, function: str, x: ArrayLike, window: Sizes, strides: Sizes, padding: Padding, dilation: Sizes
) -> Array:
    array = as_array(x, function, "x")
    dtype = array.aval.dtype
    if dtype is dtypes.bool_ or (issubclass(dtype, dtypes.Complex) and kind is not ReduceKind.SUM):
        raise DTypeError(f"{function}: x must be of real numbers, got {array.aval}; convert it with astype")
    parts = _under(function, array, identity(kind, dtype), window, strides, padding, dilation)
    return perform(Reduce(kind, (0,), movement.stack(parts)))


def window_sum(
    x: ArrayLike, /, window: Sizes, strides: Sizes = 1, padding: Padding = "VALID", *, dilation: Sizes = 1
) -> Array:
    """The sums of the elements under a window of the sizes `window`, which moves by `strides` along every axis.

    `padding` is "VALID" (the window stays inside), "SAME" (as many positions as the size over the stride, rounded up)
    or how far the window goes beyond both ends of each axis, where nothing is added. `dilation` is how far apart the
    places of the window are.

    >>> from effects.functions.creation import asarray
    >>> window_sum(asarray([1.0, 2.0, 4.0, 8.0]), 2, 2)
    Array([ 3., 12.], float64)
    """
    return _window(ReduceKind.SUM, "window_sum", x, window, strides, padding, dilation)


def window_max(
    x: ArrayLike, /, window: Sizes, strides: Sizes = 1, padding: Padding = "VALID", *, dilation: Sizes = 1
) -> Array:
    """The greatest of the elements under a window; as `window_sum`. Equal ones share the derivative.

    >>> from effects.functions.creation import asarray
    >>> window_max(asarray([1.0, 2.0, 4.0, 3.0]), 2, 2)
    Array([2., 4.], float64)
    """
    return _window(ReduceKind.MAX, "window_max", x, window, strides, padding, dilation)


def window_min(
    x: ArrayLike, /, window: Sizes, strides: Sizes = 1, padding: Padding = "VALID", *, dilation: Sizes = 1
) -> Array:
    """The least of the elements under a window; as `window_max`.

    >>> from effects.functions.creation import asarray
    >>> window_min(asarray([1.0, 2.0, 4.0, 3.0]), 2, 2)
    Array([1., 3.], float64)
    """
    return _window(ReduceKind.MIN, "window_min", x, window, strides, padding, dilation)


def _like(function: str, fn: Callable[[Array, Array], Array], a: Array, b: Array) -> Array:
    """fn(a, b), which must be what a is."""
    out = as_array(fn(a, b), function, "the result of fn")
    if out.aval.shape != a.aval.shape or out.aval.dtype is not a.aval.dtype:
        raise DTypeError(f"{function}: fn must give what it takes, {a.aval}, and gives {out.aval}")
    return out


def _halved(function: str, fn: Callable[[Array, Array], Array], x: Array, start: Array) -> Array:
    """x folded along its first axis, by halves."""
    while (n := x.aval.shape[0]) > 1:
        half = n // 2
        first, second = movement.cut(x, 0, 0, half), movement.cut(x, 0, half, 2 * half)
        folded = _like(function, fn, first, second)
        x = movement.concat([folded, movement.cut(x, 0, 2 * half, n)]) if n % 2 else folded
    begin = movement.broadcast_to(start, x.aval.shape[1:])
    return begin if not n else _like(function, fn, begin, movement.reshape(x, x.aval.shape[1:]))


def reduce(
    x: ArrayLike, init: ArrayLike, fn: Callable[[Array, Array], Array], /, *, axis: Axes = None, keepdims: bool = False
) -> Array:
    """init ∘ x₀ ∘ x₁ ∘ … over `axis`, for an associative and commutative `fn(a, b)` = a ∘ b of arrays of one shape.

    `fn` combines element by element, and `init` changes nothing. About log₂ n calls of it do the work of n.

    >>> import effects as fx
    >>> reduce(fx.asarray([3, 1, 2]), 0, fx.maximum)
    Array(3, int64)
    """
    array = as_array(x, "reduce", "x")
    check_callable("reduce", fn, "fn")
    kept = flag("reduce", "keepdims", keepdims)
    start = _start("reduce", init, array)
    shape = array.aval.shape
    axes = shapes.normalize_axes("reduce", shape, shapes.as_axes("reduce", axis))
    rest = tuple([i for i in range(len(shape)) if i not in axes])
    line = movement.permute_dims(array, (*axes, *rest))
    total = math.prod([shape[i] for i in axes])
    out = _halved("reduce", fn, movement.reshape(line, (total, *[shape[i] for i in rest])), start)
    return movement.reshape(out, shapes.reduce("reduce", shape, axes, True)) if kept else out


def _start(function: str, init: ArrayLike, x: Array) -> Array:
    start = as_type(init, x.aval.dtype, False, function, "init")
    if start.aval.ndim:
        raise ShapeError(f"{function}: init must be of rank 0, got {start.aval}")
    return start


def reduce_window(
    x: ArrayLike,
    init: float,
    fn: Callable[[Array, Array], Array],
    /,
    window: Sizes,
    strides: Sizes = 1,
    padding: Padding = "VALID",
    *,
    dilation: Sizes = 1,
) -> Array:
    """The elements under a window folded by `fn`, as `reduce` does; windows are those of `window_sum`.

    `init`, a number, changes nothing; it is what lies beyond the ends.

    >>> import effects as fx
    >>> reduce_window(fx.asarray([1, 5, 2, 4]), 1, fx.multiply, 2)
    Array([ 5, 10,  8], int64)
    """
    array = as_array(x, "reduce_window", "x")
    check_callable("reduce_window", fn, "fn")
    start = _start("reduce_window", init, array)
    known = start.known()
    if known is None:
        raise ArgumentError("reduce_window: init must be known")
    parts = _under("reduce_window", array, known.fetch().item(), window, strides, padding, dilation)
    return _halved("reduce_window", fn, movement.stack(parts), start)

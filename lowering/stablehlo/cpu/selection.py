"""The greatest elements, on CPUs.

In many lines the k greatest are found one after the other: each is the maximum of the numbers less than the one before.
The numbers have the position in their lower bits, so that no two are equal. A loop goes over blocks of lines, so that
intermediate arrays lie in the cache, and are smaller than the result.

If k is small, lines are cut into blocks. The k greatest lie in the k blocks with the greatest maxima, if among equal
maxima the first come first: so most elements are read only once, for the maxima.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from effects.operations.reduction import ReduceKind
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value, i64, i64s
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.cpu.blocks import by_lines, counted_up, in_one_memory
from lowering.stablehlo.greatest import at_places, by_order, chosen, part
from lowering.stablehlo.patterns import uncounted
from lowering.stablehlo.reduction import fold
from lowering.stablehlo.scope import TYPES, Scope
from lowering.stablehlo.sorting import keys_of, sorted_by

WORTH: Final = 64
"""Least ratio of elements to chosen ones at which blocks are faster."""
_WORTH_STEPS: Final = 16
"""The same ratio, if elements are found one after the other."""
_STEPS_OVER: Final = 512
"""Largest number of elements among which they are found so, since each step reads all."""
_MANY_LINES: Final = 64
"""Least number of lines for that, since each step is a kernel."""
_LEAST_LINES: Final = 4
"""Least number of lines in a block."""
_OF_RESULT: Final = 5
"""Bytes of intermediate arrays for each element, relative to those of a position."""
_PLACES: Final = 31
"""Number of bits of a position."""


def chosen_of_lines(x: Value, aval: ShapedArray, k: int, scope: Scope) -> tuple[Value, Value]:
    """The `k` greatest along the last axis, with one zero and one NaN, and their positions as int32."""
    lines, n = math.prod(aval.shape[:-1]), aval.shape[-1]
    many = lines >= _MANY_LINES

    def greatest(x: Value, aval: ShapedArray, k: int, scope: Scope) -> tuple[Value, Value]:
        return _greatest(x, aval, k, many, scope)

    if not (many and in_one_memory(scope)):
        return chosen(x, aval, k, greatest, scope)
    looked_at = n if n < _WORTH_STEPS * k else 2 * math.isqrt(n * k)
    together = min(max(lines * k // (_OF_RESULT * looked_at), _LEAST_LINES), _MANY_LINES)
    flat, values = aval.with_shape((lines, n)), aval.with_shape((lines, k))
    outs = (values, values.with_dtype(dtypes.int32))

    def of_block(block: Value, of: ShapedArray, within: Scope) -> tuple[Value, Value]:
        return chosen(block, of, k, greatest, within)

    x = scope.reshape(x, flat)
    largest, places = [
        scope.reshape(value, out.with_shape((*aval.shape[:-1], k)))
        for value, out in zip(by_lines(x, flat, together, outs, of_block, scope), outs, strict=True)
    ]
    return largest, places


def _greatest(x: Value, aval: ShapedArray, k: int, many: bool, scope: Scope) -> tuple[Value, Value]:
    """The `k` greatest along the last axis, with one zero and one NaN if of float32, and their positions as int32."""
    n = aval.shape[-1]
    by_steps = many and aval.dtype.dtype.itemsize <= 4
    if n >= (_WORTH_STEPS if by_steps else WORTH) * k:
        return _greatest_in_blocks(x, aval, k, many, scope)
    if by_steps and n <= _STEPS_OVER:
        return _one_after_the_other(x, aval, k, scope)
    return by_order(x, aval, k, scope)


def _one_after_the_other(x: Value, aval: ShapedArray, k: int, scope: Scope) -> tuple[Value, Value]:
    *lead, n = aval.shape
    axis = len(lead)
    ((ranked, of_keys),) = keys_of(x, aval, scope)
    wide = aval.with_dtype(dtypes.int64)
    kind, of_one, index = TYPES[wide], wide.with_shape(tuple(lead)), ShapedArray((), dtypes.int32)
    out, column = wide.with_shape((*lead, k)), wide.with_shape((*lead, 1))
    zero, kept = scope.fill(index, 0), {"broadcast_dimensions": i64s(tuple(range(axis)))}
    count = scope.op("stablehlo.iota", kind, (), {"iota_dimension": i64(axis)})
    place = scope.do("subtract", scope.fill(wide, n - 1), count)
    keys = scope.do("shift_left", scope.convert(ranked, wide), scope.fill(wide, _PLACES))
    keys = scope.do("or", keys, place)
    limits = np.iinfo(np.int64)

    def step(at: Value, state: Sequence[Value], within: Scope) -> list[Value]:
        last, winners = state
        bound = within.op("stablehlo.broadcast_in_dim", kind, (last,), kept)
        less = compared("LT", keys, bound, wide, within)
        left = within.do("select", less, keys, within.fill(wide, limits.min))
        best = fold(ReduceKind.MAX, left, (axis,), of_one, within)
        part = within.reshape(best, column)
        return [best, within.with_part(winners, part, [*[zero] * axis, at])]

    state = [(scope.fill(of_one, limits.max), of_one), (scope.fill(out, 0), out)]
    _, winners = counted_up(index, 1, k, state, step, scope)
    place = scope.do("and", winners, scope.fill(out, 2**_PLACES - 1))
    place = scope.do("subtract", scope.fill(out, n - 1), place)
    greatest = scope.do("shift_right_arithmetic", winners, scope.fill(out, _PLACES))
    greatest = scope.convert(greatest, out.with_dtype(of_keys.dtype))
    if aval.dtype is dtypes.float32:
        greatest = uncounted(greatest, out.with_dtype(aval.dtype), scope)
    return greatest, scope.convert(place, out.with_dtype(dtypes.int32))


def _greatest_in_blocks(x: Value, aval: ShapedArray, k: int, many: bool, scope: Scope) -> tuple[Value, Value]:
    """As `_greatest`, by the blocks with the greatest maxima and the rest after all blocks."""
    *lead, n = aval.shape
    size = 1 << (n // k).bit_length() // 2  # about as many maxima as elements of chosen blocks
    axis, count = len(lead), n // size
    blocks, maxima = aval.with_shape((*lead, count, size)), aval.with_shape((*lead, count))
    cut = scope.reshape(part(x, aval, 0, count * size, scope), blocks)
    _, best = _greatest(fold(ReduceKind.MAX, cut, (axis + 1,), maxima, scope), maxima, k, many, scope)
    numbers = ShapedArray((*lead, k), dtypes.int32)
    (blocks_of_best,) = sorted_by([(best, numbers)], [], axis, False, scope)
    elements = at_places(cut, blocks, blocks_of_best, numbers, scope)
    places = _counted(blocks_of_best, numbers, size, scope)
    few = aval.with_shape((*lead, k * size + n % size))
    greatest, winners = _greatest(_with_rest(elements, x, aval, few, n % size, scope), few, k, many, scope)
    counts = numbers.with_shape(aval.shape)
    every = scope.iota(counts, axis)
    among = numbers.with_shape(few.shape)
    return greatest, at_places(
        _with_rest(places, every, counts, among, n % size, scope), among, winners, numbers, scope
    )


def _counted(chosen: Value, numbers: ShapedArray, size: int, scope: Scope) -> Value:
    """The positions of the elements of the blocks `chosen`, of `size` each."""
    places = numbers.with_shape((*numbers.shape, size))
    kept = {"broadcast_dimensions": i64s(tuple(range(numbers.ndim)))}
    first = scope.do("multiply", chosen, scope.fill(numbers, size))
    first = scope.op("stablehlo.broadcast_in_dim", TYPES[places], (first,), kept)
    inside = scope.iota(places, numbers.ndim)
    return scope.do("add", first, inside)


def _with_rest(blocks: Value, x: Value, aval: ShapedArray, few: ShapedArray, rest: int, scope: Scope) -> Value:
    """The elements of `blocks`, and then the last elements of `x`, as many as `rest`."""
    *lead, n = aval.shape
    inside = few.with_shape((*lead, few.shape[-1] - rest))
    flat = scope.reshape(blocks, inside)
    if not rest:
        return flat
    parts = (flat, part(x, aval, n - rest, n, scope))
    return scope.op("stablehlo.concatenate", TYPES[few], parts, {"dimension": i64(len(lead))})

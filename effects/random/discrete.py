"""Discrete distributions: of truth values, categories, integers, signs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from effects.arguments import flag, integer, shown
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, convert, integral, promoted, real, scalar
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.functions.elementwise import logic
from effects.functions.manipulation import movement
from effects.functions.ordering import sorting
from effects.functions.reductions import reduction
from effects.operations.elementwise import Compare, CompareKind
from effects.program.chain import perform
from effects.random.continuous import gumbel_of
from effects.random.keys import Key, one_key, part
from effects.random.uniform import check_fits, common_sizes, unit, words
from effects.types import dtypes, shapes
from effects.types.signatures.random import Integers, Signs

if TYPE_CHECKING:
    from effects.types.dtypes import DType, DTypeLike, bool_, i64, u64
    from effects.types.signatures.becoming import Integral, Real
    from effects.types.signatures.creation import Sizes


def bernoulli(key: Key, p: Real = 0.5, shape: Sizes | None = None) -> Array[bool_]:
    """Random truth values, each True with probability `p`: an array of the shape of p, or of `shape`, to which p
    broadcasts.

    Probabilities are clipped to [0, 1]; NaN counts as 0. Raises ArgumentError for known NaN.

    >>> import effects as fx
    >>> fx.random.bernoulli(fx.random.key(0), 0.3, (4,))
    Array([False,  True, False, False], bool)
    """
    data, chance = one_key("bernoulli", key), real("bernoulli", p, "p")
    sizes = common_sizes("bernoulli", shape, p=chance)
    _check_no_nan("bernoulli", "p", chance)
    return perform(Compare(CompareKind.LT, unit(data, sizes, chance.aval.dtype), chance))


@Signs
def rademacher(key: Key, shape: Sizes = (), dtype: DTypeLike = int) -> Array:
    """Random signs, -1 and 1, equally likely. Raises DTypeError for a `dtype` that cannot hold -1.

    >>> import effects as fx
    >>> fx.random.rademacher(fx.random.key(0), (4,))
    Array([ 1,  1, -1, -1], int64)
    """
    target = dtypes.as_dtype(dtype)
    if target is dtypes.bool_ or issubclass(target, dtypes.Unsigned):
        raise DTypeError(f"rademacher: dtype must be able to hold -1, got {target}")
    sizes, dtype = shapes.static_shape("rademacher", shape), dtypes.default_of(float)
    heads = unit(one_key("rademacher", key), sizes, dtype) < 0.5
    return logic.where(heads, scalar(1, target), scalar(-1, target))


def categorical(key: Key, logits: Real, axis: int = -1, shape: Sizes | None = None, replace: bool = True) -> Array[i64]:
    """Random positions along `axis` of `logits`, with probabilities proportional to exp(logits).

    The result has the other axes of logits. `shape` ends with these, or with a shape to which they broadcast, and has
    axes for further draws before them. Without `replace` no position is drawn twice along these. Raises ArgumentError
    for known logits with NaN.

    >>> import effects as fx
    >>> fx.random.categorical(fx.random.key(0), fx.zeros(3), shape=(4,))
    Array([2, 0, 0, 1], int64)
    """
    data, array = one_key("categorical", key), real("categorical", logits, "logits")
    _check_no_nan("categorical", "logits", array)
    with_replacement = flag("categorical", "replace", replace)
    at = shapes.normalize_axis("categorical", array.aval.shape, integer("categorical", "axis", axis))
    n, others = array.aval.shape[at], (*array.aval.shape[:at], *array.aval.shape[at + 1 :])
    if not n:
        raise ShapeError(f"categorical: logits must have a position along axis {axis}, got {array.aval}")
    sizes = others if shape is None else shapes.static_shape("categorical", shape)
    before = len(sizes) - len(others)
    if before < 0 or not _fits(others, sizes[before:], exactly=not with_replacement):
        raise ShapeError(
            f"categorical: shape must end with {shapes.show(others)}, the axes of logits besides {axis}, "
            f"got {shapes.show(sizes)}"
        )
    if with_replacement:
        noise = gumbel_of(data, (*sizes[: before + at], n, *sizes[before + at :]), array.aval.dtype)
        return reduction.argmax(noise + array, axis=before + at)
    draws = math.prod(sizes[:before])
    if draws > n:
        raise ArgumentError(f"categorical: {draws} draws without replacement of the {n} positions along axis {axis}")
    noise = gumbel_of(data, array.aval.shape, array.aval.dtype)
    chosen = sorting.top_k(movement.moveaxis(noise + array, at, -1), draws)[1]
    return movement.reshape(movement.moveaxis(chosen, -1, 0), sizes)


def _check_no_nan(function: str, name: str, x: Array) -> None:
    """Integers and bools cannot be NaN, as floats are that are drawn by parameters outside of their domain."""
    known = x.known()
    if known is not None and np.isnan(known.fetch()).any():
        raise ArgumentError(f"{function}: {name}, {x.aval}, has NaN")


def _fits(shape: tuple[int, ...], target: tuple[int, ...], *, exactly: bool) -> bool:
    return shape == target or (not exactly and all([a in (1, b) for a, b in zip(shape, target, strict=True)]))


@Integers
def randint(key: Key, shape: Sizes, minval: Integral, maxval: Integral, dtype: DTypeLike = int) -> Array:
    """Random integers from `minval` to `maxval` - 1, each as likely as any other but for one part in 2**32.

    The bounds broadcast to `shape`. Bounds in arrays are clipped to the `dtype`; where `minval` is not less than
    `maxval`, the result is `minval`. Raises ArgumentError for ints that are not a range of the dtype.

    >>> import effects as fx
    >>> fx.random.randint(fx.random.key(0), (4,), 0, 10)
    Array([4, 2, 9, 5], int64)
    """
    if isinstance(maxval, tuple):
        written = f"randint(key, {maxval}, {shown(shape)}, {shown(minval)})"
        raise ArgumentError(f"randint: maxval is a tuple; the shape comes before minval and maxval: write {written}")
    data, sizes = one_key("randint", key), shapes.static_shape("randint", shape)
    target = dtypes.integer_dtype("randint", dtype)
    if type(minval) is int and type(maxval) is int:
        limits = np.iinfo(target.dtype)
        if not limits.min <= minval < maxval <= limits.max + 1:
            raise ArgumentError(
                f"randint: minval and maxval must be a range of {target}, {limits.min} <= minval < maxval <= "
                f"{limits.max + 1}, got {minval} and {maxval}"
            )
        return convert(below(data, sizes, maxval - minval), target) + scalar(minval, target)
    ends = [integral("randint", v, n) for n, v in (("minval", minval), ("maxval", maxval))]
    for name, end in zip(("minval", "maxval"), ends, strict=True):
        check_fits("randint", name, end, sizes)
    low, high = promoted("randint", minval=ends[0], maxval=ends[1])
    if not issubclass(low.aval.dtype, dtypes.Integer):
        raise DTypeError(f"randint: no integer dtype has both minval, {ends[0].aval}, and maxval, {ends[1].aval}")
    return _between(data, sizes, low, high, target)


def below(key: Key, sizes: tuple[int, ...], count: int) -> Array[u64]:
    """Integers from 0 to count - 1, as uint64: the whole part of a random fraction times `count`."""
    high = words(key, sizes, dtypes.uint64)
    if count <= 2**32:
        return _scaled(high, scalar(count, dtypes.uint64))
    return high if count == 2**64 else _scaled_wide(high, _further(key, sizes), scalar(count, dtypes.uint64))


def _between(key: Key, sizes: tuple[int, ...], low: Array, high: Array, dtype: type[DType]) -> Array:
    """Integers between ends of one dtype, by ends that `dtype` holds; the upper one belongs to the range."""
    limits, low_limits = np.iinfo(dtype.dtype), np.iinfo(low.aval.dtype.dtype)
    least, greatest = max(int(limits.min), int(low_limits.min)), min(int(limits.max), int(low_limits.max))
    last = logic.where(low < high, high - 1, low)
    bounds = constant_like(least, low), constant_like(greatest, low)
    first, last = [convert(logic.clip(end, *bounds), dtype) for end in (low, last)]
    count = convert(last, dtypes.uint64) - convert(first, dtypes.uint64) + 1
    high = words(key, sizes, dtypes.uint64)
    if dtype.itemsize < 8:
        offset = _scaled(high, count)
    else:
        offset = logic.where(count == 0, high, _scaled_wide(high, _further(key, sizes), count))  # all 2**64 of them
    return convert(convert(first, dtypes.uint64) + offset, dtype)


def _further(key: Key, sizes: tuple[int, ...]) -> Array[u64]:
    """More bits of a key: those of the key of the last number."""
    return words(part(key, 2**64 - 1), sizes, dtypes.uint64)


def _halves(x: Array[u64]) -> tuple[Array[u64], Array[u64]]:
    return x >> 32, x & (2**32 - 1)


def _scaled(drawn: Array[u64], count: Array[u64]) -> Array[u64]:
    """drawn · count / 2**64, for counts up to 2**32."""
    high, low = _halves(drawn)
    carried = low * count >> 32
    return high * count + carried >> 32


def _scaled_wide(high: Array[u64], low: Array[u64], count: Array[u64]) -> Array[u64]:
    """(2**64 · high + low) · count / 2**128; for counts up to 2**32 `low` is left out, as in `_scaled`."""
    carried = logic.where(count <= 2**32, constant_like(0, count), _upper_product(low, count))
    overflows = convert(high * count + carried < carried, dtypes.uint64)
    return _upper_product(high, count) + overflows


def _upper_product(x: Array[u64], y: Array[u64]) -> Array[u64]:
    """x · y / 2**64."""
    (x1, x0), (y1, y0) = _halves(x), _halves(y)
    carried = x0 * y0 >> 32
    above, inner = _halves(x1 * y0 + carried)
    carried = x0 * y1 + inner >> 32
    return x1 * y1 + above + carried

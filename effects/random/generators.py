"""The generators: block ciphers, which give bits and further keys of a key and a counter.

Threefry-2x32 has a block of 64 bits for each element, and further keys are such blocks, as in jax. Philox-4x32 has
one of 128 bits for four words or two pairs of words, in this order, of the counter (i, 0); further keys are of (i, 1).
"""

from __future__ import annotations

import math
from typing import Final, Literal

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, convert, scalar
from effects.functions.elementwise import transcendental
from effects.functions.elementwise.arithmetic import bitwise_left_shift, bitwise_right_shift, bitwise_xor
from effects.functions.elementwise.logic import greater_equal, where
from effects.functions.elementwise.unary import negative
from effects.functions.manipulation import movement
from effects.operations.creation import Iota
from effects.operations.elementwise import Binary, BinaryKind
from effects.operations.philox import Philox
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.dtypes import DType, u64

type Generator = Literal["threefry", "philox"]
type _Sizes = tuple[int, ...]


def counters(sizes: _Sizes) -> Array[u64]:
    """The numbers from 0 on, as many as an array of this shape has elements; without axes, 0."""
    return perform(Iota((math.prod(sizes),), dtypes.uint64, 0)) if sizes else scalar(0, dtypes.uint64)


def _shaped(flat: Array, sizes: _Sizes) -> Array:
    return movement.reshape(flat, sizes) if len(sizes) > 1 else flat


def _pair(low: Array, high: Array) -> Array[u64]:
    return bitwise_left_shift(convert(high, dtypes.uint64), 32) | convert(low, dtypes.uint64)


def _threefry(key: Array[u64], counter: Array[u64]) -> Array[u64]:
    return perform(Binary(BinaryKind.THREEFRY, key, counter))


def derived(generator: Generator, key: Array[u64], counter: Array[u64]) -> Array[u64]:
    """The bits of the keys of numbers under a key."""
    if generator == "threefry":
        return _threefry(key, counter)
    low, high, _, _ = perform(Philox(key, counter, scalar(1, dtypes.uint64)))
    return _pair(low, high)


def words(generator: Generator, key: Array[u64], sizes: _Sizes, dtype: type[DType]) -> Array:
    """Random bits of a key as unsigned integers, in row-major order; of narrow ones the lower bits of a word each."""
    if generator == "threefry":
        pairs = _shaped(_threefry(key, counters(sizes)), sizes)
        if dtype is dtypes.uint64:
            return pairs
        halves = convert(bitwise_right_shift(pairs, 32), dtypes.uint32), convert(pairs, dtypes.uint32)
        return convert(bitwise_xor(*halves), dtype)
    a, b, c, d = _blocks(key, sizes, 2 if dtype is dtypes.uint64 else 4)
    if dtype is dtypes.uint64:
        return _in_order([_pair(a, b), _pair(c, d)], sizes)
    return convert(_in_order([a, b, c, d], sizes), dtype)


def _blocks(key: Array[u64], sizes: _Sizes, each: int) -> tuple[Array, ...]:
    """The words of as many blocks of Philox as have so many elements, `each` in one block."""
    blocks = (-(-math.prod(sizes) // each),) if sizes else ()
    return perform(Philox(key, counters(blocks), scalar(0, dtypes.uint64)))


def _in_order(parts: list[Array], sizes: _Sizes) -> Array:
    """The elements of each block after those of the one before, as many as there are to be."""
    if not sizes:
        return parts[0]
    flat = movement.reshape(movement.stack(parts, axis=-1), -1)
    return _shaped(movement.slice_axis(flat, 0, 0, math.prod(sizes)), sizes)


def gaussian(key: Array[u64], sizes: _Sizes, dtype: type[DType]) -> Array:
    """Standard normal numbers by Philox: words in pairs are points around the origin (Box and Muller, 1958)."""
    if dtype is dtypes.float64:
        a, b, c, d = _blocks(key, sizes, 2)
        return _in_order(_around(_pair(a, b), _pair(c, d), dtype), sizes)
    a, b, c, d = _blocks(key, sizes, 4)
    first, second = _around(a, b, dtypes.float32), _around(c, d, dtypes.float32)
    return convert(_in_order([*first, *second], sizes), dtype)


def _series(terms: int) -> tuple[float, ...]:
    """Of sin(½πx) / x in x², the last coefficient first."""
    return tuple([(-1) ** k * (math.pi / 2) ** (2 * k + 1) / math.factorial(2 * k + 1) for k in reversed(range(terms))])


_SINE: Final[dict[type[DType], tuple[float, ...]]] = {dtypes.float32: _series(5), dtypes.float64: _series(8)}


def _around(radial: Array, angular: Array, dtype: type[DType]) -> list[Array]:
    """The coordinates of normal points whose distance and direction are those of two words.

    Of the direction, the upper bit exchanges the two, the next one is a sign, and the others are an angle from -45 to
    45 degrees.
    """
    width = 8 * dtype.itemsize
    signed = dtypes.int32 if width == 32 else dtypes.int64

    def fraction(word: Array, step: float) -> Array:
        x = convert(convert(word, signed), dtype)
        return x * constant_like(step, x)

    share = fraction(bitwise_right_shift(radial, 1), 2.0 ** (1 - width))
    share = share + constant_like(2.0**-width, share)
    distance = transcendental.sqrt(constant_like(-2.0, share) * transcendental.log(share))
    angle = fraction(bitwise_left_shift(angular, 2), 2.0**-width)
    square = angle * angle
    first, *rest = _SINE[dtype]
    total: Array = constant_like(first, angle)
    for c in rest:
        total = total * square + constant_like(c, angle)
    sine = angle * total
    cosine = transcendental.sqrt(constant_like(1.0, sine) - sine * sine)
    half = constant_like(2 ** (width - 1), angular)
    cosine = where(greater_equal(bitwise_left_shift(angular, 1), half), negative(cosine), cosine)
    exchanged = greater_equal(angular, half)
    return [distance * where(exchanged, sine, cosine), distance * where(exchanged, cosine, sine)]

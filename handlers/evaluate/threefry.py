"""Threefry-2x32 by NumPy: words of a few kilobytes at a time, in place; few blocks as integers of Python."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from effects.arrays.concrete import Host

ROTATIONS: Final = ((13, 15, 26, 6), (17, 29, 16, 24))
"""Bits by which a word is rotated in the four rounds of even groups, and of odd groups."""
PARITY: Final = 0x1BD11BDA
"""Constant that the third word of the key schedule is combined with, besides the two words of the key."""
_GROUPS: Final = 5
_WORD: Final = 0xFFFFFFFF
_ONE_CHUNK: Final = 128
"""Number of blocks up to which they are computed in new arrays; more in chunks that stay in the cache."""
_CHUNK: Final = 4096

type _Words = npt.NDArray[np.uint32]


def threefry(key: Host, counter: Host) -> Host:
    """The blocks of `counter` under `key`, uint64 which broadcast."""
    shape = np.broadcast_shapes(key.shape, counter.shape)
    size = prod(shape)
    keys, counters = [x.reshape(1) if x.size == 1 else np.broadcast_to(x, shape).reshape(size) for x in (key, counter)]
    if size <= _ONE_CHUNK:
        return _lanes(np.broadcast_to(keys, size), np.broadcast_to(counters, size)).reshape(shape)
    out: Host = np.empty(size, np.uint64)
    for start in range(0, size, _CHUNK):
        part = slice(start, start + _CHUNK)
        _blocks(keys if keys.size == 1 else keys[part], counters if counters.size == 1 else counters[part], out[part])
    return out.reshape(shape)


def _lanes(keys: Host, counters: Host) -> Host:
    """Few blocks, side by side in Python's integers, 64 bits for a word of each: NumPy's calls would cost more."""
    key, counter = [int.from_bytes(x.astype("<u8").tobytes(), "little") for x in (keys, counters)]
    one = _ones(len(keys))
    word = one * _WORD
    first, second = key >> 32 & word, key & word
    schedule = first, second, first ^ second ^ one * PARITY
    x, y = (counter >> 32 & word) + first & word, (counter & word) + second & word
    for group in range(_GROUPS):
        for turn in ROTATIONS[group % 2]:
            x = x + y & word
            y = (y << turn | y >> 32 - turn) & word ^ x
        x = x + schedule[(group + 1) % 3] & word
        y = y + schedule[(group + 2) % 3] + one * (group + 1) & word
    return np.frombuffer((x << 32 | y).to_bytes(8 * len(keys), "little"), "<u8").astype(np.uint64)


@cache
def _ones(lanes: int) -> int:
    """1 in each lane."""
    return sum([1 << 64 * i for i in range(lanes)])


def _word(value: int) -> _Words:
    return np.array(value, np.uint32)


_TURNS: Final = [[(_word(turn), _word(32 - turn)) for turn in turns] for turns in ROTATIONS]
_NUMBERS: Final = [_word(group + 1) for group in range(_GROUPS)]
_HALF: Final = np.array(32, np.uint64)


def _halves(pairs: Host) -> tuple[_Words, _Words]:
    return (pairs >> _HALF).astype(np.uint32), pairs.astype(np.uint32)


def _blocks(keys: Host, counters: Host, out: npt.NDArray[Any]) -> None:
    first, second = _halves(keys)
    schedule = first, second, first ^ second ^ _word(PARITY)
    high, low = _halves(counters)
    x, y = high + first, low + second
    turned = np.empty_like(x)
    for group in range(_GROUPS):
        for up, down in _TURNS[group % 2]:
            np.add(x, y, x)
            np.left_shift(y, up, turned)
            np.right_shift(y, down, y)
            np.bitwise_or(y, turned, y)
            np.bitwise_xor(y, x, y)
        np.add(x, schedule[(group + 1) % 3], x)
        np.add(y, schedule[(group + 2) % 3] + _NUMBERS[group], y)
    np.left_shift(x.astype(np.uint64), _HALF, out)
    np.bitwise_or(out, y, out)

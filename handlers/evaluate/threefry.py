"""Threefry-2x32 by NumPy: words of a few kilobytes at a time, in place; a few blocks as Python's integers."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from effects.arrays.concrete import Host

ROTATIONS: Final = ((13, 15, 26, 6), (17, 29, 16, 24))
"""By how many bits a word is turned in the rounds of the even and of the odd groups of four."""
PARITY: Final = 0x1BD11BDA
"""What the third word of the key schedule has besides the two of the key."""
_GROUPS: Final = 5
_WORD: Final = 0xFFFFFFFF
_FEW: Final = 4
_CHUNK: Final = 4096

type _Words = npt.NDArray[np.uint32]


def threefry(key: Host, counter: Host) -> Host:
    """The blocks of `counter` under `key`, uint64 which broadcast."""
    shape = np.broadcast_shapes(key.shape, counter.shape)
    size = prod(shape)
    keys, counters = [x.reshape(1) if x.size == 1 else np.broadcast_to(x, shape).reshape(size) for x in (key, counter)]
    if size <= _FEW:
        pairs = zip(np.broadcast_to(keys, size).tolist(), np.broadcast_to(counters, size).tolist(), strict=True)
        return np.array([_block(k, c) for k, c in pairs], np.uint64).reshape(shape)
    out: Host = np.empty(size, np.uint64)
    for start in range(0, size, _CHUNK):
        part = slice(start, start + _CHUNK)
        _blocks(keys if keys.size == 1 else keys[part], counters if counters.size == 1 else counters[part], out[part])
    return out.reshape(shape)


def _block(key: int, counter: int) -> int:
    first, second = key >> 32, key & _WORD
    schedule = first, second, first ^ second ^ PARITY
    x, y = (counter >> 32) + first & _WORD, counter + second & _WORD
    for group in range(_GROUPS):
        for turn in ROTATIONS[group % 2]:
            x = x + y & _WORD
            y = (y << turn & _WORD | y >> 32 - turn) ^ x
        x, y = x + schedule[(group + 1) % 3] & _WORD, y + schedule[(group + 2) % 3] + group + 1 & _WORD
    return x << 32 | y


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

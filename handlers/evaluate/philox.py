"""Philox-4x32 by NumPy: words in integers of twice their size, some kilobytes at a time; few as integers of Python."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from effects.arrays.concrete import Concrete, Host, concrete
from effects.operations.philox import Philox
from effects.program.chain import Performed
from handlers.evaluate.rules import RULES

ROUNDS: Final = 10
FACTORS: Final = (0xD2511F53, 0xCD9E8D57)
"""Multipliers of the first and the third word in each round."""
STEPS: Final = (0x9E3779B9, 0xBB67AE85)
"""Increments of the words of the key after each round."""
_WORD: Final = 0xFFFFFFFF
_BY_PYTHON: Final = 8
"""Number of blocks up to which Python's integers are faster than arrays."""
_CHUNK: Final = 2048


@RULES.rule(Philox)
def evaluate_philox(op: Philox[Concrete]) -> Performed:
    avals = op.types()
    shape = avals[0].shape
    size = prod(shape)
    flat = [
        x.host.reshape(1) if x.aval.size == 1 else np.broadcast_to(x.host, shape).reshape(size)
        for x in (op.key, op.low, op.high)
    ]
    out: npt.NDArray[np.uint32] = np.empty((4, size), np.uint32)
    if size <= _BY_PYTHON:
        for i, (key, low, high) in enumerate(zip(*[np.broadcast_to(x, size).tolist() for x in flat], strict=True)):
            out[:, i] = _block(key, low, high)
    else:
        for start in range(0, size, _CHUNK):
            part = slice(start, start + _CHUNK)
            _blocks([x if x.size == 1 else x[part] for x in flat], out[:, part])
    return tuple([concrete(words.reshape(shape), aval) for words, aval in zip(out, avals, strict=True)])


def _block(key: int, low: int, high: int) -> tuple[int, ...]:
    a, b, c, d = low & _WORD, low >> 32, high & _WORD, high >> 32
    first, second = key & _WORD, key >> 32
    for _ in range(ROUNDS):
        x, y = a * FACTORS[0], c * FACTORS[1]
        a, b, c, d = y >> 32 ^ b ^ first, y & _WORD, x >> 32 ^ d ^ second, x & _WORD
        first, second = first + STEPS[0] & _WORD, second + STEPS[1] & _WORD
    return a, b, c, d


def _long(value: int) -> Host:
    return np.array(value, np.uint64)


_HALF, _MASK = _long(32), _long(_WORD)
_FACTORS, _STEPS = [_long(f) for f in FACTORS], [_long(s) for s in STEPS]


def _blocks(flat: list[Host], out: npt.NDArray[Any]) -> None:
    halves: list[Host] = [half for x in flat for half in (x & _MASK, x >> _HALF)]
    first, second, a, b, c, d = halves
    for _ in range(ROUNDS):
        x, y = a * _FACTORS[0], c * _FACTORS[1]
        a, c = y >> _HALF ^ b ^ first, x >> _HALF ^ d ^ second
        b, d = y & _MASK, x & _MASK
        first, second = first + _STEPS[0] & _MASK, second + _STEPS[1] & _MASK
    for row, words in zip(out, (a, b, c, d), strict=True):
        row[...] = words

"""Threefry-2x32: a private function of the module for each shape, which XLA makes one loop of."""

from __future__ import annotations

from typing import Final

from effects.arrays.array import Array
from effects.arrays.promotion import convert, scalar
from effects.functions.elementwise.arithmetic import bitwise_left_shift, bitwise_or, bitwise_right_shift
from effects.operations.elementwise import Binary
from effects.program.jaxpr import Atom
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.evaluate.threefry import PARITY, ROTATIONS
from lowering.stablehlo.context import Value
from lowering.stablehlo.scope import Scope

_FUSED_FROM: Final = 2**16
"""Number of blocks from which it is faster to compute them where they are used."""


def threefry(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """The blocks, which are stored in memory unless they are many blocks of one key.

    Few blocks may be keys. If a cipher's key were computed by another cipher in the same loop, XLA would inline that
    one for each use of the key, and so on: 2ⁿ times.
    """
    (blocks,) = scope.call(_blocks, "threefry2x32", [x, y], [out, out])
    return blocks if not op.x.aval.shape and out.size > _FUSED_FROM else scope.barrier(blocks)


def _halves(pairs: Array) -> tuple[Array, Array]:
    return convert(bitwise_right_shift(pairs, 32), dtypes.uint32), convert(pairs, dtypes.uint32)


def _blocks(key: Array, counter: Array) -> list[Array]:
    first, second = _halves(key)
    schedule = first, second, first ^ second ^ scalar(PARITY, dtypes.uint32)
    high, low = _halves(counter)
    x, y = high + first, low + second
    for group in range(5):
        for turn in ROTATIONS[group % 2]:
            x = x + y
            y = x ^ bitwise_or(bitwise_left_shift(y, turn), bitwise_right_shift(y, 32 - turn))
        x, y = x + schedule[(group + 1) % 3], y + schedule[(group + 2) % 3] + (group + 1)
    return [bitwise_left_shift(convert(x, dtypes.uint64), 32) | convert(y, dtypes.uint64)]

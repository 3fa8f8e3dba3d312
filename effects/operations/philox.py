"""Philox: the block cipher of the fast generator. (Threefry, whose block is one array, is a kind of `Binary`.)"""

from __future__ import annotations

from effects.errors import DTypeError
from effects.program.operation import Multiple, operation
from effects.types import dtypes
from effects.types.avals import ShapedArray, Typed
from effects.types.shapes import broadcast_all


@operation
class Philox[V](Multiple[V]):
    """The four words, as uint32, of blocks of Philox-4x32 with 10 rounds (Salmon and others, 2011).

    `key`, `low` and `high`, the halves of the counter, are uint64 and broadcast; the low word of each comes first.
    """

    name = "philox"
    key: V
    low: V
    high: V

    def types(self: Philox[Typed]) -> tuple[ShapedArray, ...]:
        avals = self.key.aval, self.low.aval, self.high.aval
        if any([aval.dtype is not dtypes.uint64 for aval in avals]):
            raise DTypeError(f"philox takes a key and a counter of uint64, got {', '.join(map(str, avals))}")
        return (ShapedArray(broadcast_all([aval.shape for aval in avals]), dtypes.uint32),) * 4

"""`MeshAxes`: the extent in which collectives know the axes that a program over blocks is over."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, final

from effects.arrays.array import Array
from effects.operations.sharding import Blocks
from effects.program.chain import Handler, Performed, perform
from effects.program.operation import Operation


@final
class MeshAxes(Handler[Array]):
    """Names the axes of blocks for what is written down inside of it. It has no carriers: everything passes."""

    def __init__(self, over: Blocks) -> None:
        self.over: Final = over
        axes: dict[Hashable, int] = dict(over.sizes.items())
        self.axes = axes

    def constant(self, value: Array, /) -> Array:
        return value

    def interpret(self, op: Operation[Array], /) -> Performed:
        return perform(op)

"""`MeshAxes`: the handler that names the mesh axes of a program over blocks for collectives while it is staged."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Final, final

from effects.arrays.array import Array
from effects.operations.sharding import Blocks
from effects.program.chain import Handler, Performed, current, perform
from effects.program.operation import Operation


def blocks_around() -> Iterator[Blocks]:
    """The `Blocks` of the programs over blocks that are being staged here, the innermost first."""
    link: Any = current()
    while hasattr(link, "outer"):
        if isinstance(link, MeshAxes):
            yield link.over
        link = link.outer


@final
class MeshAxes(Handler[Array]):
    """Names the axes of blocks for the operations recorded inside it. It has no carriers: all operations pass."""

    def __init__(self, over: Blocks) -> None:
        self.over: Final = over
        axes: dict[Hashable, int] = dict(over.sizes.items())
        self.axes = axes

    def constant(self, value: Array, /) -> Array:
        return value

    def interpret(self, op: Operation[Array], /) -> Performed:
        return perform(op)

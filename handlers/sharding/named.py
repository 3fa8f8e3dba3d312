"""`MeshAxes`: the extent in which collectives know the axes of a mesh."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, final

from effects.arrays.array import Array
from effects.arrays.mesh import Mesh
from effects.program.chain import Handler, Performed, perform
from effects.program.operation import Operation


@final
class MeshAxes(Handler[Array]):
    """Names the axes of a mesh for what is written down inside of it. It has no carriers: everything passes."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh: Final = mesh
        axes: dict[Hashable, int] = dict(mesh.axes.items())
        self.axes = axes

    def constant(self, value: Array, /) -> Array:
        return value

    def interpret(self, op: Operation[Array], /) -> Performed:
        return perform(op)

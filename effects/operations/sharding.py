"""`ShardMap`: a program over the blocks of arrays that are cut over a mesh, one block of each on every device."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, final

from effects.errors import IllTyped
from effects.operations.higher_order import same_types
from effects.program.jaxpr import Jaxpr
from effects.program.operation import Effects, HigherOrder, NamedAxis, operation
from effects.types.avals import ShapedArray, Typed

if TYPE_CHECKING:
    from effects.arrays.mesh import Mesh, Sharding


@final
class Blocks(NamedTuple):
    """The axes of a mesh, in its order, along which every device of a program over blocks has its own blocks.

    Along the other axes of the mesh arrays are whole, and the partitioner cuts what it likes.
    """

    mesh: Mesh
    axes: tuple[str, ...]

    @property
    def sizes(self) -> dict[str, int]:
        """Number of blocks along each axis."""
        return {name: self.mesh.axes[name] for name in self.axes}

    @property
    def number(self) -> int:
        """Number of blocks of an array that is cut along all axes."""
        return math.prod(self.sizes.values())

    @property
    def whole(self) -> Sharding:
        """Every device holds the same."""
        return self.mesh.sharding()

    @property
    def apart(self) -> Sharding:
        """Dimension 0 is cut along all axes."""
        return self.mesh.sharding(self.axes)

    @property
    def partly(self) -> bool:
        """True if some axes are left to the partitioner."""
        return len(self.axes) < len(self.mesh.axes)

    def leaves(self, cut: Sharding) -> bool:
        """Return True if a sharding mentions only axes that are left to the partitioner."""
        return self.partly and cut.mesh == self.mesh and self.uncut(cut) == self.axes

    def uncut(self, cut: Sharding) -> tuple[str, ...]:
        """The axes along which the devices hold the same of an array that is cut like this."""
        used = {name for names in cut.spec for name in names}
        return tuple([name for name in self.axes if name not in used])


@operation
class ShardMap[V](HigherOrder[V]):
    """The outputs of `body` on the blocks that `in_cuts` cut the operands into, put together as `out_cuts` say.

    Every device of the mesh runs the body on its own blocks; collectives in it name the axes that it is over. Of a
    result that is not cut along one, the devices along it hold the same: who makes the operation sees to that.
    """

    name = "shard_map"
    body: Jaxpr
    over: Blocks
    label: str
    in_cuts: tuple[Sharding, ...]
    out_cuts: tuple[Sharding, ...]
    operands_: tuple[V, ...]

    @property
    def bodies(self) -> tuple[Jaxpr, ...]:
        return (self.body,)

    @property
    def effects(self) -> Effects:
        return self.body.effects.difference(map(NamedAxis, self.over.axes))

    def describe(self) -> str:
        cuts = [", ".join([_shown(cut) for cut in cuts]) for cuts in (self.in_cuts, self.out_cuts)]
        axes = f" axes={self.over.axes}" if self.over.partly else ""
        return f"shard_map[{self.over.mesh}{axes} label={self.label!r} in=({cuts[0]}) out=({cuts[1]})]"

    def types(self: ShardMap[Typed]) -> tuple[ShapedArray, ...]:
        cuts = zip(self.in_cuts, self.operands_, strict=True)
        blocks = tuple([block_of(v.aval, cut, f"operand {i}") for i, (cut, v) in enumerate(cuts)])
        if not same_types(blocks, self.body.in_avals):
            raise IllTyped(f"shard_map: the body takes blocks {self.body.in_avals}, got blocks {blocks}")
        return tuple([whole_of(a, cut) for a, cut in zip(self.body.out_avals, self.out_cuts, strict=True)])


def block_of(aval: ShapedArray, cut: Sharding, subject: str | Callable[[], str]) -> ShapedArray:
    """The type of the part of an array that a device holds; ShapeError where it cannot be cut like this."""
    return aval.with_shape(cut.block(aval.shape, "shard_map", subject))


def whole_of(block: ShapedArray, cut: Sharding) -> ShapedArray:
    """The type of what blocks of this type are put together to."""
    parts = map(cut.mesh.parts, cut.names(block.ndim))
    return block.with_shape(tuple([size * n for size, n in zip(block.shape, parts, strict=True)]))


def _shown(cut: Sharding) -> str:
    return "·".join(["+".join(names) or "_" for names in cut.spec]) or "whole"

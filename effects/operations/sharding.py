"""`ShardMap`: a program over the blocks of arrays that are cut over a mesh, one block of each on every device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from effects.errors import IllTyped
from effects.operations.higher_order import same_types
from effects.program.jaxpr import Jaxpr
from effects.program.operation import Effects, HigherOrder, NamedAxis, operation
from effects.types.avals import ShapedArray, Typed

if TYPE_CHECKING:
    from effects.arrays.mesh import Mesh, Sharding


@operation
class ShardMap[V](HigherOrder[V]):
    """The outputs of `body` on the blocks that `in_cuts` cut the operands into, put together as `out_cuts` say.

    Every device of the mesh runs the body on its own blocks; collectives in it name the axes of the mesh. Of a result
    that is not cut along an axis, the devices along it hold the same: who makes the operation sees to that.
    """

    name = "shard_map"
    body: Jaxpr
    mesh: Mesh
    label: str
    in_cuts: tuple[Sharding, ...]
    out_cuts: tuple[Sharding, ...]
    operands_: tuple[V, ...]

    @property
    def bodies(self) -> tuple[Jaxpr, ...]:
        return (self.body,)

    @property
    def effects(self) -> Effects:
        return self.body.effects.difference(map(NamedAxis, self.mesh.axes))

    def describe(self) -> str:
        cuts = [", ".join([_shown(cut) for cut in cuts]) for cuts in (self.in_cuts, self.out_cuts)]
        return f"shard_map[{self.mesh} label={self.label!r} in=({cuts[0]}) out=({cuts[1]})]"

    def types(self: ShardMap[Typed]) -> tuple[ShapedArray, ...]:
        cuts = zip(self.in_cuts, self.operands_, strict=True)
        blocks = tuple([block_of(v.aval, cut, f"operand {i}") for i, (cut, v) in enumerate(cuts)])
        if not same_types(blocks, self.body.in_avals):
            raise IllTyped(f"shard_map: the body takes blocks {self.body.in_avals}, got blocks {blocks}")
        return tuple([whole_of(a, cut) for a, cut in zip(self.body.out_avals, self.out_cuts, strict=True)])


def block_of(aval: ShapedArray, cut: Sharding, what: str) -> ShapedArray:
    """The type of the part of an array that a device holds; ShapeError where it cannot be cut like this."""
    return aval.with_shape(cut.block(aval.shape, "shard_map", what))


def whole_of(block: ShapedArray, cut: Sharding) -> ShapedArray:
    """The type of what blocks of this type are put together to."""
    parts = map(cut.mesh.parts, cut.names(block.ndim))
    return block.with_shape(tuple([size * n for size, n in zip(block.shape, parts, strict=True)]))


def uncut(cut: Sharding) -> tuple[str, ...]:
    """The axes along which the devices hold the same of an array that is cut like this."""
    used = {name for names in cut.spec for name in names}
    return tuple([name for name in cut.mesh.axes if name not in used])


def _shown(cut: Sharding) -> str:
    return "·".join(["+".join(names) or "_" for names in cut.spec]) or "whole"

"""`ShardMap`: a program over blocks of arrays that are split over a mesh, one block of each on every device."""

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
class ManualAxes(NamedTuple):
    """The axes of a mesh, in its order, along which a program over blocks says itself what each device does.

    Every device has its own blocks along them. The other axes of the mesh, the automatic ones, are the partitioner's.
    """

    mesh: Mesh
    axes: tuple[str, ...]

    @property
    def sizes(self) -> dict[str, int]:
        """Number of blocks along each axis."""
        return {name: self.mesh.axes[name] for name in self.axes}

    @property
    def number(self) -> int:
        """Number of blocks of an array that is split along all axes."""
        return math.prod(self.sizes.values())

    @property
    def replicated_sharding(self) -> Sharding:
        """The sharding in which every device holds the whole array."""
        return self.mesh.sharding()

    @property
    def split_sharding(self) -> Sharding:
        """The sharding in which dimension 0 is split along all axes."""
        return self.mesh.sharding(self.axes)

    @property
    def has_auto(self) -> bool:
        """True if some axes are left to the partitioner."""
        return len(self.axes) < len(self.mesh.axes)

    def is_auto(self, sharding: Sharding) -> bool:
        """Return True if a sharding mentions only axes that are left to the partitioner."""
        return self.has_auto and sharding.mesh == self.mesh and self.unsplit(sharding) == self.axes

    def unsplit(self, sharding: Sharding) -> tuple[str, ...]:
        """The axes that do not split an array of this sharding, along which devices hold the same block."""
        used = {name for names in sharding.spec for name in names}
        return tuple([name for name in self.axes if name not in used])


@operation
class ShardMap[V](HigherOrder[V]):
    """The outputs of `body` on the blocks of operands sharded by `in_cuts`, put together by `out_cuts`.

    Every device of the mesh runs the body on its own blocks; collectives in it name the axes that it is `over`. A
    result that an axis does not split must be the same on all devices along it; the caller ensures that.
    """

    name = "shard_map"
    body: Jaxpr
    over: ManualAxes
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
        shardings = [
            ", ".join([_shown(sharding) for sharding in shardings]) for shardings in (self.in_cuts, self.out_cuts)
        ]
        axes = f" axes={self.over.axes}" if self.over.has_auto else ""
        return f"shard_map[{self.over.mesh}{axes} label={self.label!r} in=({shardings[0]}) out=({shardings[1]})]"

    def types(self: ShardMap[Typed]) -> tuple[ShapedArray, ...]:
        shardings = zip(self.in_cuts, self.operands_, strict=True)
        blocks = tuple([block_of(v.aval, sharding, f"operand {i}") for i, (sharding, v) in enumerate(shardings)])
        if not same_types(blocks, self.body.in_avals):
            raise IllTyped(f"shard_map: the body takes blocks {self.body.in_avals}, got blocks {blocks}")
        return tuple([whole_of(a, sharding) for a, sharding in zip(self.body.out_avals, self.out_cuts, strict=True)])


def block_of(aval: ShapedArray, sharding: Sharding, subject: str | Callable[[], str]) -> ShapedArray:
    """The type of the block of an array that a device holds; ShapeError where the array cannot be split so."""
    return aval.with_shape(sharding.block(aval.shape, "shard_map", subject))


def whole_of(block: ShapedArray, sharding: Sharding) -> ShapedArray:
    """The type of the array that is made of blocks of this type."""
    parts = map(sharding.mesh.parts, sharding.names(block.ndim))
    return block.with_shape(tuple([size * n for size, n in zip(block.shape, parts, strict=True)]))


def _shown(sharding: Sharding) -> str:
    return "·".join(["+".join(names) or "_" for names in sharding.spec]) or "whole"

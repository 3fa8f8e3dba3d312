"""The meaning of `shard_map` by `vmap`: operands are split, one `Vmap` per mesh axis runs the body, results are joined.

It runs on a mesh of one device, where there is no communication, and under `disable_jit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from effects.arrays.array import Array
from effects.arrays.mesh import Sharding
from effects.functions.manipulation import movement
from effects.operations.sharding import Blocks
from handlers.vmap.rules import Batched, Vmap, materialized

type Body = Callable[[Sequence[Array]], list[Array]]
type Cuts = Sequence[Sharding]


def as_lanes(
    body: Body,
    over: Blocks,
    in_cuts: Cuts,
    operands: Sequence[Array],
    out_cuts: Callable[[], Cuts],
    refuse: Callable[[int, str], None] = lambda i, name: None,
) -> list[Array]:
    """The results of `body` by batching; `out_cuts` is called after it has run.

    `refuse` is called with the number of a result, and an axis that it differs along without being split along it.
    """
    values = [_cut(x, cut, over) for x, cut in zip(operands, in_cuts, strict=True)]

    def mapped(names: Sequence[str], values: Sequence[Array]) -> list[Array]:
        """The results of the body under a `Vmap` for each of these axes, the outer ones first."""
        if not names:
            return body(values)
        name, handler = names[0], Vmap(over.mesh.axes[names[0]], names[0])
        with handler:
            lanes_in = [
                x if name in over.uncut(cut) else Batched(handler, x) for x, cut in zip(values, in_cuts, strict=True)
            ]
            lanes = [handler.lift(result) for result in mapped(names[1:], lanes_in)]
        results: list[Array] = []
        for i, (lane, cut) in enumerate(zip(lanes, out_cuts(), strict=True)):
            if name not in over.uncut(cut):
                results.append(materialized(lane, handler.size))
                continue
            if lane.batched:
                refuse(i, name)
            results.append(lane.value[0] if lane.batched else lane.value)
        return results

    results = mapped(over.axes, values)
    return [_joined(x, cut, over) for x, cut in zip(results, out_cuts(), strict=True)]


def _cut(x: Array, cut: Sharding, over: Blocks) -> Array:
    """The blocks of an array, with an axis in front for each mesh axis that splits it, in the order of the mesh."""
    shape: list[int] = []
    where: dict[str, int] = {}
    for size, names in zip(cut.block(x.shape), cut.names(x.ndim), strict=True):
        for name in names:
            where[name] = len(shape)
            shape.append(cut.mesh.axes[name])
        shape.append(size)
    front = [where[name] for name in over.axes if name in where]
    order = (*front, *[i for i in range(len(shape)) if i not in front])
    return movement.permute_dims(movement.reshape(x, tuple(shape)), order)


def _joined(x: Array, cut: Sharding, over: Blocks) -> Array:
    """The inverse of `_cut`."""
    uncut = over.uncut(cut)
    used = [name for name in over.axes if name not in uncut]
    order: list[int] = []
    shape: list[int] = []
    for i, names in enumerate(cut.names(x.ndim - len(used))):
        order += [*map(used.index, names), len(used) + i]
        shape.append(x.shape[len(used) + i] * cut.mesh.parts(names))
    return movement.reshape(movement.permute_dims(x, tuple(order)), tuple(shape))

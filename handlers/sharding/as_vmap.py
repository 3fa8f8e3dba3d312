"""The meaning of `shard_map` by `vmap`: operands are split, one `Vmap` per mesh axis runs the body, results are joined.

It runs on a mesh of one device, where there is no communication, and under `disable_jit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from effects.arrays.array import Array
from effects.arrays.mesh import Sharding
from effects.functions.manipulation import movement
from effects.operations.sharding import ManualAxes
from handlers.vmap.rules import Batched, Vmap, materialized

type Body = Callable[[Sequence[Array]], list[Array]]
type Shardings = Sequence[Sharding]


def as_lanes(
    body: Body,
    manual: ManualAxes,
    in_shardings: Shardings,
    operands: Sequence[Array],
    out_shardings: Callable[[], Shardings],
    refuse: Callable[[int, str], None] = lambda i, name: None,
) -> list[Array]:
    """The results of `body` by batching; `out_shardings` is called after it has run.

    `refuse` is called with the number of a result, and an axis that it differs along without being split along it.
    """
    values = [_split_blocks(x, sharding, manual) for x, sharding in zip(operands, in_shardings, strict=True)]

    def mapped(names: Sequence[str], values: Sequence[Array]) -> list[Array]:
        """The results of the body under a `Vmap` for each of these axes, the outer ones first."""
        if not names:
            return body(values)
        name, handler = names[0], Vmap(manual.mesh.axes[names[0]], names[0])
        with handler:
            lanes_in = [
                x if name in manual.unsplit(sharding) else Batched(handler, x)
                for x, sharding in zip(values, in_shardings, strict=True)
            ]
            lanes = [handler.lift(result) for result in mapped(names[1:], lanes_in)]
        results: list[Array] = []
        for i, (lane, sharding) in enumerate(zip(lanes, out_shardings(), strict=True)):
            if name not in manual.unsplit(sharding):
                results.append(materialized(lane, handler.size))
                continue
            if lane.batched:
                refuse(i, name)
            results.append(lane.value[0] if lane.batched else lane.value)
        return results

    results = mapped(manual.axes, values)
    return [_join_blocks(x, sharding, manual) for x, sharding in zip(results, out_shardings(), strict=True)]


def _split_blocks(x: Array, sharding: Sharding, manual: ManualAxes) -> Array:
    """The blocks of an array, with an axis in front for each mesh axis that splits it, in the order of the mesh."""
    shape: list[int] = []
    position: dict[str, int] = {}
    for size, names in zip(sharding.block(x.shape), sharding.names(x.ndim), strict=True):
        for name in names:
            position[name] = len(shape)
            shape.append(sharding.mesh.axes[name])
        shape.append(size)
    front = [position[name] for name in manual.axes if name in position]
    order = (*front, *[i for i in range(len(shape)) if i not in front])
    return movement.permute_dims(movement.reshape(x, tuple(shape)), order)


def _join_blocks(x: Array, sharding: Sharding, manual: ManualAxes) -> Array:
    """The inverse of `_split_blocks`."""
    unsplit = manual.unsplit(sharding)
    used = [name for name in manual.axes if name not in unsplit]
    order: list[int] = []
    shape: list[int] = []
    for i, names in enumerate(sharding.names(x.ndim - len(used))):
        order += [*map(used.index, names), len(used) + i]
        shape.append(x.shape[len(used) + i] * sharding.mesh.parts(names))
    return movement.reshape(movement.permute_dims(x, tuple(order)), tuple(shape))

"""The law of `shard_map`, as a program: arrays are cut, a `Vmap` for each axis of the mesh runs the body, and what it
gives is put together.

That is what runs on a mesh of one device, where there is nothing to tell anybody.
"""

from __future__ import annotations

from collections.abc import Sequence

from effects.arrays.array import Array
from effects.arrays.mesh import Sharding
from effects.functions import movement
from effects.operations.sharding import ShardMap, uncut
from effects.program.jaxpr import eval_jaxpr
from handlers.vmap.rules import Batched, Vmap, materialized


def as_lanes(op: ShardMap[Array]) -> list[Array]:
    """The results of `op` by batching."""
    handlers = [(name, Vmap(size, name)) for name, size in op.mesh.axes.items()]
    values = [_cut(x, cut) for x, cut in zip(op.operands_, op.in_cuts, strict=True)]
    return _mapped(op, handlers, values)


def _mapped(op: ShardMap[Array], handlers: Sequence[tuple[str, Vmap]], values: Sequence[Array]) -> list[Array]:
    """The body inside these handlers; axes of the lanes are in front, those of the outer handlers first."""
    if not handlers:
        return eval_jaxpr(op.body, values)
    name, handler = handlers[0]
    with handler:
        given = [x if name in uncut(cut) else Batched(handler, x) for x, cut in zip(values, op.in_cuts, strict=True)]
        results = [handler.lift(result) for result in _mapped(op, handlers[1:], given)]
    lanes = zip(results, op.out_cuts, strict=True)
    found = [result.value if name in uncut(cut) else materialized(result, handler.size) for result, cut in lanes]
    return found if len(handlers) < len(op.mesh.axes) else [_joined(x, c) for x, c in zip(found, op.out_cuts)]


def _cut(x: Array, cut: Sharding) -> Array:
    """An array with an axis in front for each axis of the mesh that cuts it, in the order of the mesh."""
    shape: list[int] = []
    where: dict[str, int] = {}
    for size, names in zip(cut.block(x.shape), cut.names(x.ndim), strict=True):
        for name in names:
            where[name] = len(shape)
            shape.append(cut.mesh.axes[name])
        shape.append(size)
    front = [where[name] for name in cut.mesh.axes if name in where]
    order = (*front, *[i for i in range(len(shape)) if i not in front])
    return movement.permute_dims(movement.reshape(x, tuple(shape)), order)


def _joined(x: Array, cut: Sharding) -> Array:
    """The inverse of `_cut`."""
    used = [name for name in cut.mesh.axes if name not in uncut(cut)]
    order: list[int] = []
    shape: list[int] = []
    for i, names in enumerate(cut.names(x.ndim - len(used))):
        order += [*map(used.index, names), len(used) + i]
        shape.append(x.shape[len(used) + i] * cut.mesh.parts(names))
    return movement.reshape(movement.permute_dims(x, tuple(order)), tuple(shape))

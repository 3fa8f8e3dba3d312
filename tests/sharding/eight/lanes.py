"""What `shard_map` means, by `vmap` alone, on one device: arrays are cut, mapped over, and put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import effects as fx
from lowering import Sharding
from tests.errors.untyped import vmap


def cut(x: fx.Array, spec: Sharding) -> fx.Array:
    """`x` with an axis in front for each axis of the mesh that cuts it, in the order of the mesh."""
    shape: list[int] = []
    where: dict[str, int] = {}
    for size, names in zip(x.shape, spec.names(x.ndim), strict=True):
        for name in names:
            where[name] = len(shape)
            shape.append(spec.mesh.axes[name])
        shape.append(size // spec.mesh.parts(names))
    front = [where[name] for name in spec.mesh.axes if name in where]
    return fx.permute_dims(fx.reshape(x, tuple(shape)), (*front, *[i for i in range(len(shape)) if i not in front]))


def joined(x: fx.Array, spec: Sharding) -> fx.Array:
    """The inverse of `cut`."""
    used = [name for name in spec.mesh.axes if _cuts(spec, name)]
    order: list[int] = []
    shape: list[int] = []
    for i, names in enumerate(spec.names(x.ndim - len(used))):
        order += [*[used.index(name) for name in names], len(used) + i]
        shape.append(x.shape[len(used) + i] * spec.mesh.parts(names))
    return fx.reshape(fx.permute_dims(x, tuple(order)), tuple(shape))


def by_vmap(f: Callable[..., Any], in_specs: Sequence[Sharding], out_spec: Sharding) -> Callable[..., Any]:
    """A `vmap` for each axis of the mesh; what a result leaves uncut has to be the same in all lanes."""
    mapped = f
    for name, size in reversed([*out_spec.mesh.axes.items()]):
        in_axes = tuple([0 if _cuts(spec, name) else None for spec in in_specs])
        out_axes = 0 if _cuts(out_spec, name) else None
        mapped = vmap(mapped, in_axes=in_axes, out_axes=out_axes, axis_name=name, axis_size=size)
    return lambda *xs: joined(mapped(*[cut(fx.asarray(x), s) for x, s in zip(xs, in_specs, strict=True)]), out_spec)


def _cuts(spec: Sharding, name: str) -> bool:
    return any(name in names for names in spec.spec)

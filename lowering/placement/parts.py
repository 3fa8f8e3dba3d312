"""The parts of an array over a mesh in this process, and reading the array if these are all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, cast

import numpy as np

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, Host, concrete, from_host
from effects.arrays.mesh import Mesh, Region, Shard, Sharding
from effects.errors import NotAddressableError
from effects.program.jaxpr import Jaxpr, Var
from effects.runtime.caches import Cache
from effects.types.avals import ShapedArray
from lowering import pjrt
from lowering.arrays import buffer_type, sharding_of
from lowering.compilation import compile_module, compiled
from lowering.emission import Layout, emit
from lowering.pjrt import Buffer, Device


def on_device(array: Concrete, device: Device) -> Concrete:
    """The array on a device."""
    sharding = sharding_of(array)
    if pjrt.is_buffer(array.stored) and (sharding is None or not pjrt.is_spread(sharding.mesh)):
        return concrete(pjrt.transfer(array.stored, device), array.aval)
    return concrete(pjrt.put(array.fetch(), buffer_type(array.aval), device), array.aval)


def resharded(array: Concrete, current: Sharding, target: Sharding) -> Buffer:
    """The array, sharded by `current`, sharded by `target` over the same devices, perhaps of another mesh."""
    buffer = cast(Buffer, array.stored)
    if current.mesh == target.mesh:
        return _resharding_program(array.aval, current, target).execute([buffer])[0]
    return _mesh_change_program(array.aval, current, target).execute_across(buffer, buffer_type(array.aval), target)


def _parts(array: Concrete, current: Sharding, target: Sharding) -> list[Host]:
    """The parts of the array on this process's devices, after moving it to another sharding.

    Jaxlib's own parts of a buffer would import jax.
    """
    return _resharding_program(array.aval, current, target).parts(cast(Buffer, array.stored))


def _resharding_program(aval: ShapedArray, current: Sharding, target: Sharding) -> pjrt.Executable:
    x = Var(aval)
    return compiled(Jaxpr((x,), (), (x,)), Layout(current.mesh, (current,), (target,)), "device_put")


def _mesh_change_program(aval: ShapedArray, current: Sharding, target: Sharding) -> pjrt.Executable:
    """Program that moves an array from one mesh to another mesh of the same devices.

    The devices keep the order of the first mesh, since XLA warns of another one; each then gets its part of the second.
    Between processes only XLA moves parts: there the program has the order of the second mesh.
    """
    if (cached := _mesh_change_programs.find((aval, current, target))) is not None:
        return cached
    x = Var(aval)
    compiled_sharding = target
    if target.replicated:
        compiled_sharding = current.mesh.sharding()
    elif not pjrt.is_spread(target.mesh):
        compiled_sharding = Sharding(Mesh(target.mesh.axes, current.mesh.devices), target.spec)
    program, layout = Jaxpr((x,), (), (x,)), Layout(current.mesh, (current,), (compiled_sharding,))
    executable = compile_module(emit(program, "device_put", where=layout), layout, program)
    return _mesh_change_programs.keep((aval, current, target), executable)


_mesh_change_programs: Final[Cache[tuple[ShapedArray, Sharding, Sharding], pjrt.Executable]] = Cache()


def read(array: Concrete, function: str, *, whole: bool = False) -> Host:
    """The elements of an array, also if other processes have parts of it, when the parts here are all of it.

    With `whole` the processes exchange their parts, and all must call it.

    Raises NotAddressableError if parts are missing.
    """
    sharding = sharding_of(array)
    if sharding is None or not pjrt.is_spread(sharding.mesh):
        return array.fetch()
    exchanged = sharding.mesh.sharding() if whole else sharding
    elements = np.empty(array.aval.shape, array.aval.dtype.dtype)
    regions = pjrt.device_mesh(sharding.mesh).local_regions(exchanged, array.aval.shape)
    distinct = {str(region): region for _, region in regions}
    if elements.size > len(distinct) * int(np.prod(exchanged.block(array.aval.shape), dtype=int)):
        raise NotAddressableError(
            f"{function}: an array {array.aval}, sharded as {sharding}, has parts in other processes; read the parts "
            "here by x.shards, or all of it, in every process, by distributed.process_allgather(x)"
        )
    for (_, region), part in zip(regions, _parts(array, sharding, exchanged), strict=True):
        elements[region] = part
    elements.flags.writeable = False
    return elements


def owned_blocks(array: Concrete, sharding: Sharding, turn: int) -> Iterator[tuple[Region, Host]]:
    """The parts of the array that this process owns: each region has one owner among all devices.

    Devices with the same region take turns: one owns it in this array, another in the next.
    """
    placement = pjrt.device_mesh(sharding.mesh)
    holders: dict[str, list[tuple[Device, Region]]] = {}
    for device, region in zip(placement.devices, sharding.regions(array.aval.shape), strict=True):
        holders.setdefault(str(region), []).append((device, region))
    owners = dict([held_by[turn % len(held_by)] for held_by in holders.values()])
    mine = [i for i, device in enumerate(placement.local_devices) if device in owners]
    if mine:
        parts = _resharding_program(array.aval, sharding, sharding).parts(cast(Buffer, array.stored), mine)
        yield from zip([owners[placement.local_devices[i]] for i in mine], parts, strict=True)


def shards(array: Concrete) -> tuple[Shard, ...]:
    """The parts of the array in this process, which are read together when one of them is."""
    sharding = sharding_of(array)
    shape = array.aval.shape
    if sharding is None:
        region = tuple([slice(0, size) for size in shape])
        return (Shard(array.device, region, lambda: array),)
    parts = cache(lambda: _parts(array, sharding, sharding))
    regions = pjrt.device_mesh(sharding.mesh).local_regions(sharding, shape)
    return tuple([Shard(d.name, region, _block(parts, i, d)) for i, (d, region) in enumerate(regions)])


def _block(parts: Callable[[], list[Host]], position: int, device: Device) -> Callable[[], Array]:
    return lambda: on_device(from_host(parts()[position]), device)

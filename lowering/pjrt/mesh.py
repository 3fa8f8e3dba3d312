"""Devices of a mesh, and buffers that are sharded over them.

A buffer over a mesh carries jaxlib's `GSPMDSharding`. These have no equality of their own, and the runtime checks the
shapes of parts only. So there is one for each mesh, sharding and rank: two buffers are sharded alike if theirs is the
same object.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple, final

import numpy as np
from jaxlib import xla_client
from numpy.typing import NDArray

from effects.arrays.mesh import Mesh, Names, Region, Sharding
from effects.errors import DeviceError
from effects.runtime.caches import memoised
from lowering.pjrt import forks
from lowering.pjrt.buffers import BUFFER, Buffer, BufferType, await_buffers, device_of
from lowering.pjrt.devices import Device, device_named, devices
from lowering.pjrt.protocols import RawClient


@final
class DeviceMesh:
    """The runtime's devices of a mesh; `device_mesh` returns the only object for a mesh."""

    __slots__ = ("client", "device_list", "devices", "group", "local_devices", "mesh", "platform")

    def __init__(self, mesh: Mesh) -> None:
        self.mesh: Final = mesh
        self.devices: Final = tuple([_there(name) for name in mesh.devices])
        self.client: Final[RawClient] = self.devices[0].client
        self.platform: Final = self.client.platform
        if any(device.client is not self.client for device in self.devices):
            raise DeviceError(f"{mesh} has devices of several platforms: {', '.join(mesh.devices)}")
        self.device_list: Final[object] = xla_client.DeviceList(tuple([device.raw for device in self.devices]))
        mine = self.client.process_index()
        self.local_devices: Final = tuple([device for device in self.devices if device.raw.process_index == mine])
        """The devices of this process."""
        self.group: Final = tuple(sorted({device.raw.process_index for device in self.devices}))
        """The numbers of the processes that have devices of it."""

    @property
    def name(self) -> str:
        """Name in messages."""
        return repr(self.mesh)

    def local_regions(self, sharding: Sharding, shape: tuple[int, ...]) -> list[tuple[Device, Region]]:
        """Regions of an array of this shape that the devices of this process hold."""
        every = zip(self.devices, sharding.regions(shape), strict=True)
        return [(device, region) for device, region in every if device in self.local_devices]

    def __repr__(self) -> str:
        return f"DeviceMesh({self.mesh})"


type Placement = Device | DeviceMesh
"""The place of an array, or of a running program: one device, or the devices of a mesh."""


_meshes: Final[dict[Mesh, DeviceMesh]] = {}
_raw: Final[dict[tuple[Sharding, int], object]] = {}
_shardings: Final[dict[object, Sharding]] = {}
"""Shardings by the runtime's own, of all buffers so far, which keep them for life."""
_lock: Final = threading.RLock()


def placement_over(mesh: Mesh) -> Placement:
    """Placement of arrays over a mesh: all its devices, or its only one; DeviceError if one is missing."""
    return _there(mesh.devices[0]) if len(mesh.devices) == 1 else device_mesh(mesh)


def device_mesh(mesh: Mesh) -> DeviceMesh:
    """The devices of a mesh of several; DeviceError if one does not exist."""
    known = _meshes.get(mesh)
    if known is None:
        with _lock:
            known = _meshes.setdefault(mesh, DeviceMesh(mesh))
    return known


def is_spread(mesh: Mesh) -> bool:
    """Return True if other processes have devices of a mesh."""
    placement = placement_over(mesh)
    return isinstance(placement, DeviceMesh) and len(placement.local_devices) < len(placement.devices)


@memoised
def groups_of(mesh: Mesh, names: tuple[Hashable, ...]) -> tuple[tuple[int, ...], ...]:
    """The groups of devices that differ only along these axes, in the order of the axes."""
    sizes, order = list(mesh.axes.values()), list(mesh.axes)
    along = [order.index(str(name)) for name in names]
    others = [i for i in range(len(order)) if i not in along]
    numbers = np.arange(len(mesh.devices)).reshape(sizes).transpose(others + along)
    return tuple(map(tuple, numbers.reshape(-1, math.prod([sizes[i] for i in along])).tolist()))


def raw_sharding(sharding: Sharding, ndim: int) -> object:
    """Jaxlib's sharding of arrays of rank `ndim`."""
    known = _raw.get((sharding, ndim))
    if known is None:
        placement = device_mesh(sharding.mesh)
        with _lock:
            if (known := _raw.get((sharding, ndim))) is None:
                raw = xla_client.GSPMDSharding(placement.device_list, hlo_sharding(sharding, ndim))
                _shardings[raw] = sharding
                known = _raw[sharding, ndim] = raw
    return known


def hlo_sharding(sharding: Sharding, ndim: int) -> Any:
    """The same sharding as XLA's: devices in row-major order, transposed to the order in which axes are used."""
    mesh = sharding.mesh
    order, sizes = list(mesh.axes), list(mesh.axes.values())
    names = sharding.names(ndim)
    tiles = [mesh.parts(of_dim) for of_dim in names]
    used = [name for of_dim in names for name in of_dim]
    rest = [name for name in order if name not in used]
    copies = mesh.parts(tuple(rest))
    if copies == len(mesh.devices):
        return xla_client.HloSharding.replicate()
    more = ([copies], [xla_client.OpSharding.Type.REPLICATED]) if copies > 1 else ([], [])
    return xla_client.HloSharding.iota_tile(
        [*tiles, *more[0]], sizes, [order.index(name) for name in used + rest], more[1]
    )


class ChosenSharding(NamedTuple):
    """Sharding that the partitioner chose for a value; `exact` where it describes the choice completely."""

    sharding: Sharding
    exact: bool


def found_sharding(mesh: Mesh, hlo: Any, shape: tuple[int, ...]) -> ChosenSharding:
    """The sharding that XLA's means for an array of this shape.

    A `Sharding` cannot express cuts within an axis, or in unequal parts; such dimensions are whole in the result. The
    tile of a device along a dimension is the sum of its positions, each times a stride, along the axes that cut it.
    """
    replicated = mesh.sharding()
    if hlo.is_replicated() or not shape:
        return ChosenSharding(replicated, exact=True)
    tiles, sizes = list(hlo.tile_assignment_dimensions()), list(mesh.axes.values())
    tile = np.empty((len(mesh.devices), len(tiles)), int)
    tile[list(hlo.tile_assignment_devices())] = np.array(list(np.ndindex(*tiles)))
    by_axis = tile.reshape(*sizes, len(tiles))
    spec: list[Names] = []
    for dim, size in enumerate(shape):
        stride = {
            name: int(by_axis[tuple([int(j == i) for j in range(len(sizes))])][dim])
            for i, name in enumerate(mesh.axes)
            if sizes[i] > 1
        }
        names = tuple(sorted([name for name in stride if stride[name]], key=lambda name: -stride[name]))
        places = sum([at * stride.get(name, 0) for name, at in zip(mesh.axes, np.indices(sizes), strict=True)])
        sayable = (
            mesh.parts(names) == tiles[dim] and size % tiles[dim] == 0 and np.array_equal(places, by_axis[..., dim])
        )
        spec.append(names if sayable else ())
    sharding = Sharding(mesh, spec)
    return ChosenSharding(sharding, exact=_same(hlo_sharding(sharding, len(shape)), hlo))


def _same(one: Any, other: Any) -> bool:
    if one.is_replicated() or other.is_replicated():
        return bool(one.is_replicated() and other.is_replicated())
    return list(one.tile_assignment_devices()) == list(other.tile_assignment_devices()) and list(
        one.tile_assignment_dimensions()
    ) == list(other.tile_assignment_dimensions())


def put_sharded(part: Callable[[Region], NDArray[np.generic]], kind: BufferType, sharding: Sharding) -> Buffer:
    """A buffer over a mesh. `part` gives the elements of a region, and is called for the regions of this process.

    Parts must have the shapes of their regions, and the dtype of `kind`, which the runtime does not check.
    """
    forks.collect_garbage()
    placement = device_mesh(sharding.mesh)
    block = sharding.block(kind.shape)
    parts: dict[tuple[tuple[int, int], ...], NDArray[np.generic]] = {}
    blocks: list[NDArray[np.generic]] = []
    for _, region in placement.local_regions(sharding, kind.shape):
        key = tuple([(index.start, index.stop) for index in region])
        if key not in parts:
            data = np.asarray(part(region), order="C")  # a copy: the runtime may share its memory
            assert data.shape == block and data.dtype == kind.dtype, "who asks for a part checks it"
            parts[key] = data
        blocks.append(parts[key])
    buffer: Buffer = xla_client.batched_device_put(
        kind,
        raw_sharding(sharding, len(kind.shape)),
        blocks,
        [d.raw for d in placement.local_devices],
        True,
        enable_x64=True,
    )
    return buffer


def put_part(part: Buffer, kind: BufferType, device: Device) -> Buffer:
    """A part, of this kind, of a buffer over a mesh, moved to another device; OutOfMemoryError if it does not fit."""
    await_buffers([part])
    moved: Buffer = xla_client.batched_device_put(kind, device.sharding, [part], [device.raw], True, enable_x64=True)
    return moved


def put_together(parts: Sequence[Buffer], kind: BufferType, sharding: Sharding) -> Buffer:
    """A buffer over a mesh, from its parts on devices of this process in the order of the mesh."""
    buffer: Buffer = BUFFER(kind, raw_sharding(sharding, len(kind.shape)), parts, True, True)
    return buffer


def _there(name: str) -> Device:
    device = device_named(name)
    if device is None:
        known = ", ".join([other.name for other in devices(name.partition(":")[0])])
        raise DeviceError(f"there is no device {name}; there are {known}")
    return device


def placement_of(buffer: Buffer) -> Placement | None:
    """Placement of a buffer; None for one of another client, such as jax's."""
    sharding = sharding_of(buffer)
    return device_of(buffer) if sharding is None else device_mesh(sharding.mesh)


def sharding_of(buffer: Buffer) -> Sharding | None:
    """Sharding of a buffer over a mesh; None for one on a single device."""
    return _shardings.get(buffer._sharding) if _shardings else None  # type: ignore[attr-defined]  # private to jaxlib


def require_placement(buffer: Buffer) -> Placement:
    """Placement of a buffer, as `placement_of`, but DeviceError for a foreign buffer."""
    placement = placement_of(buffer)
    if placement is None:
        raise DeviceError("this buffer belongs to jax's own runtime; convert it with numpy.asarray first")
    return placement

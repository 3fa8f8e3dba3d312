"""Meshes, which are devices in an array with named axes, and shardings of arrays over them.

A `Mesh` and a `Sharding` are values: they name devices and axes, and own nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Final, final

from effects.arguments import counted, integer, integers, natural, refusal, shown
from effects.arrays.array import Array
from effects.arrays.concrete import Device, backend
from effects.errors import ArgumentError, DeviceError, ShapeError
from effects.runtime.attributes import advising
from effects.runtime.pictures import Pictured

type Entry = str | Sequence[str] | None
"""The axes of a mesh over which a dimension is sharded: one, several (the first is the slowest), or none."""
type Names = tuple[str, ...]
type Region = tuple[slice, ...]
_SHOWN: Final = 8
"""Largest number of devices that are named in text."""


@final
class Mesh:
    """Devices in rows and columns: `axes` names the axes and their sizes, `devices` are theirs in row-major order.

    All devices of the preferred platform if `devices` is None; else some of `devices()`, or their names, each once.
    Meshes with the same axes and devices, in the same order, are equal.

    Raises ArgumentError for axes that are not names with positive sizes, and DeviceError when the devices are not as
    many as the axes say, or one comes twice.

    >>> mesh = Mesh({"data": 1, "model": 1})
    >>> mesh, mesh.devices
    (Mesh(data=1, model=1), ('cpu:0',))
    >>> mesh.sharding("data", None)
    Mesh(data=1, model=1).sharding('data')
    """

    __slots__ = ("_hash", "axes", "devices")

    def __init__(self, axes: Mapping[str, int], devices: Sequence[Device | str] | None = None) -> None:
        self.axes: Final[Mapping[str, int]] = MappingProxyType(_checked_axes(axes))
        """The sizes of the axes by their names, in order."""
        self.devices: Final = _checked_devices(self.axes, devices)
        """The names of the devices, the last axis the fastest."""
        self._hash: Final = hash((tuple(self.axes.items()), self.devices))

    def sharding(self, *spec: Entry) -> Sharding:
        """The sharding that cuts dimension i over the axes `spec[i]`; dimensions beyond are not cut."""
        return Sharding(self, spec)

    def parts(self, names: Names) -> int:
        """Number of parts into which these axes split a dimension."""
        try:
            return math.prod([self.axes[name] for name in names])
        except (KeyError, TypeError):
            raise refusal("parts", "names", f"a tuple of axes of {self}", names) from None

    def places(self) -> Iterator[dict[str, int]]:
        """Coordinates of each device: its position along every axis."""
        for at in product(*map(range, self.axes.values())):
            yield dict(zip(self.axes, at, strict=True))

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Mesh)
            and self._hash == other._hash
            and self.devices == other.devices
            and tuple(self.axes.items()) == tuple(other.axes.items())
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        axes = ", ".join([f"{name}={size}" for name, size in self.axes.items()])
        first = tuple(backend().device_names()[: len(self.devices)])
        if self.devices == first:
            return f"Mesh({axes})"
        names = self.devices if len(self.devices) <= _SHOWN else (*self.devices[:_SHOWN], "…")
        return f"Mesh({axes}{' ' * bool(axes)}of {', '.join(names)})"

    def __reduce__(self) -> tuple[object, ...]:
        return Mesh, (dict(self.axes), self.devices)


@final
class Sharding(Pictured):
    """Assignment of an array's dimensions to mesh axes, for each dimension the axes that cut it; `mesh.sharding(…)`
    makes it.

    Along axes that are not named the devices hold copies. Shardings with the same meaning on the same mesh are equal:
    `sharding("a")` and `sharding(("a",), None)`, with or without axes of size 1, and all over a single device.

    Raises ArgumentError for what names no axis of the mesh, and for an axis that is named twice.
    """

    __slots__ = ("_hash", "cuts", "mesh", "spec")

    def __init__(self, mesh: Mesh, spec: Sequence[Entry]) -> None:
        if not isinstance(mesh, Mesh):
            raise refusal("Sharding", "mesh", "a Mesh", mesh)
        self.mesh: Final = mesh
        self.spec: Final = _checked_spec(mesh, spec)
        """For each dimension the names of the axes that cut it, up to the last that is cut."""
        self.cuts: Final = _without_units(mesh, self.spec)
        """The axes of `spec` without those of size 1, which cut nothing."""
        self._hash: Final = hash((mesh, self.cuts) if len(mesh.devices) > 1 else mesh.devices)

    def names(self, ndim: int) -> tuple[Names, ...]:
        """The axes over which each of `ndim` dimensions is split."""
        return (*self.spec, *[()] * (natural("names", "ndim", ndim) - len(self.spec)))

    def block(
        self, shape: tuple[int, ...], function: str = "sharding", subject: str | Callable[[], str] = "x"
    ) -> tuple[int, ...]:
        """The shape of the part of an array of this shape that a device holds.

        Raises ShapeError for an array of fewer dimensions, and for a dimension that cannot be cut in equal parts;
        `function` and `subject` say of which argument.
        """
        shape = integers(function, "shape", shape)
        if len(self.spec) > len(shape):
            text = subject if isinstance(subject, str) else subject()
            raise ShapeError(
                f"{function}: {text} has shape {list(shape)}, but {self} needs rank {len(self.spec)} at least"
            )
        cut = list(shape)
        for dim, names in enumerate(self.spec):
            size, parts = shape[dim], self.mesh.parts(names)
            if size % parts:
                text = subject if isinstance(subject, str) else subject()
                raise ShapeError(
                    f"{function}: dimension {dim} of {text}, of shape {list(shape)}, cannot be split into {parts} "
                    f"equal parts over {_shown(names)} of {self.mesh}; pad it to a multiple of {parts}"
                )
            cut[dim] = size // parts
        return tuple(cut)

    def regions(self, shape: tuple[int, ...]) -> list[Region]:
        """The part of an array of this shape that each device holds, in the order of the mesh."""
        shape = integers("regions", "shape", shape)
        block = self.block(shape)
        regions: list[Region] = []
        for at in self.mesh.places():
            index: list[slice] = []
            for size, names in zip(block, self.names(len(shape)), strict=True):
                number = 0
                for name in names:
                    number = number * self.mesh.axes[name] + at[name]
                index.append(slice(number * size, (number + 1) * size))
            regions.append(tuple(index))
        return regions

    @property
    def replicated(self) -> bool:
        """True if every device holds the whole array."""
        return not self.cuts

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Sharding) or self.mesh.devices != other.mesh.devices:
            return False
        return len(self.mesh.devices) == 1 or (self.mesh == other.mesh and self.cuts == other.cuts)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"{self.mesh}.sharding({', '.join([_shown(names) for names in self.spec])})"

    def __reduce__(self) -> tuple[object, ...]:
        return Sharding, (self.mesh, self.spec)


@advising
@final
class Shard:
    """The part of an array on one device: `device` is its name, and the part is `x[index]`."""

    __slots__ = ("_read", "device", "index")

    def __init__(self, device: str, index: Region, read: Callable[[], Array]) -> None:
        self.device: Final = device
        self.index: Final = index
        self._read: Final = read

    @property
    def block(self) -> Array:
        """The part of the array on the device, an array there."""
        return self._read()

    def __repr__(self) -> str:
        return f"Shard(device={self.device!r}, index={self.index})"


def _shown(names: Names) -> str:
    return "None" if not names else repr(names[0]) if len(names) == 1 else repr(names)


def _without_units(mesh: Mesh, spec: tuple[Names, ...]) -> tuple[Names, ...]:
    """A spec without axes of size 1, which split nothing."""
    if 1 not in mesh.axes.values():
        return spec
    cuts = [tuple([name for name in names if mesh.axes[name] > 1]) for names in spec]
    while cuts and not cuts[-1]:
        cuts.pop()
    return tuple(cuts)


def _checked_axes(axes: object) -> dict[str, int]:
    if not isinstance(axes, Mapping) or not all(isinstance(name, str) and name for name in axes):
        raise refusal("Mesh", "axes", "a dict of names and sizes such as {'data': 8}", axes)
    sizes = {name: integer("Mesh", f"axes[{name!r}]", size) for name, size in axes.items()}
    for name, size in sizes.items():
        if size < 1:
            raise refusal("Mesh", f"axes[{name!r}]", "a positive int", size)
    return sizes


def _checked_devices(axes: Mapping[str, int], devices: object) -> tuple[str, ...]:
    known = backend().device_names()
    if devices is None:
        device_names = tuple(known)
    elif isinstance(devices, Sequence) and not isinstance(devices, str):
        names: list[str] = []
        for position, device in enumerate(devices):
            name = getattr(device, "name", device)
            if not isinstance(name, str):
                raise refusal("Mesh", f"devices[{position}]", "one of devices(), or its name", device)
            if name in names:
                raise DeviceError(f"Mesh: the device {name} appears twice in devices; each may appear once")
            try:
                backend().check_device(name)
            except DeviceError as error:
                raise DeviceError(f"Mesh: devices[{position}]: {error.reason}") from None
            names.append(name)
        device_names = tuple(names)
    else:
        raise refusal("Mesh", "devices", "a sequence of devices, or of their names", devices)
    size = math.prod(axes.values())
    if size != len(device_names):
        sizes = " · ".join([f"{name}={size}" for name, size in axes.items()]) or "no axes"
        subject = "there are" if devices is None else "devices has"
        advice = "the sizes of the axes multiply to the number of devices"
        if size < len(device_names) and devices is None:
            advice = f"name its devices, Mesh(…, devices()[:{size}])"
        elif size > len(device_names) and device_names and device_names[0].startswith("cpu:"):
            advice += f" (EFFAX_CPU_DEVICES={size} gives one process this many CPU devices)"
        raise DeviceError(f"Mesh: {sizes} needs {counted(size, 'device')}, but {subject} {len(device_names)}; {advice}")
    return device_names


def _checked_spec(mesh: Mesh, spec: object) -> tuple[Names, ...]:
    if not isinstance(spec, Sequence) or isinstance(spec, str):
        raise refusal("sharding", "spec", "a sequence with an axis, several or None for each dimension", spec)
    entries: list[Names] = []
    used: dict[str, int] = {}
    for dim, entry in enumerate(spec):
        names = (entry,) if isinstance(entry, str) else () if entry is None else entry
        if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
            raise refusal("sharding", f"spec[{dim}]", "a name of an axis, a tuple of names, or None", entry)
        for name in names:
            if name not in mesh.axes:
                known = ", ".join(map(repr, mesh.axes)) or "none"
                raise ArgumentError(
                    f"sharding: {mesh} has no axis {shown(name)} to split dimension {dim}; its axes: {known}"
                )
            if name in used:
                where = f"dimensions {used[name]} and {dim}" if used[name] != dim else f"dimension {dim} twice"
                raise ArgumentError(
                    f"sharding: the axis {name!r} splits {where}; an axis may split one dimension, once"
                )
            used[name] = dim
        entries.append(tuple(names))
    while entries and not entries[-1]:
        entries.pop()
    return tuple(entries)

"""Arrays on devices: how concrete arrays get there and what the outer layers need of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final, cast

import numpy as np

from effects.arguments import refusal, shown
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, DeviceLike, Host, concrete, from_host
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError, DeletedArrayError, DeviceError
from effects.operations.movement import Place
from effects.program.chain import perform
from effects.runtime.caches import SMALL, Cache
from effects.trees.pytree import tree_leaves, tree_leaves_with_path, tree_structure, tree_unflatten
from effects.types.avals import ShapedArray
from effects.types.dtypes import current_default_float
from handlers.forward import Forward
from lowering import pjrt
from lowering.pjrt import Buffer, BufferType, Device


def buffer_type(aval: ShapedArray) -> BufferType:
    """The type as the runtime knows it."""
    return pjrt.buffer_type(aval.shape, aval.dtype.dtype, aval.weak_type)


def buffer_of(array: Concrete, device: Device) -> Buffer:
    """The elements of `array` on `device`; an array on the host keeps the buffer for the next time.

    A scalar stays on the host, where eager code is fastest with it; and the one object of a Python
    number is shared by all, so that it must not be given away.

    Raises DeviceError for an array that lives on another device.
    """
    data = array.stored
    if pjrt.is_buffer(data):
        held = pjrt.require_device(data)
        if held is not device:
            raise DeviceError(f"an array {array.aval} on {held.name} is used on {device.name}; move it with device_put")
        return data
    buffer = pjrt.put(cast(Host, data), buffer_type(array.aval), device)
    if array.aval.shape and device is pjrt.default_device():  # elsewhere it would be bound to a device nobody chose
        array.place(buffer)
    return buffer


def placed(values: Sequence[object], *, shared: bool) -> tuple[list[Concrete], list[Buffer]] | None:
    """Arrays and numbers as arrays, and their buffers: those on the host are put where the first of the others is.

    The buffers of scalars are `shared` with other calls, unless they are going to be given away. None where there is
    something else among the values.
    """
    held = [x.stored for x in values if type(x) is Concrete and pjrt.is_buffer(x.stored)]
    device = pjrt.require_device(held[0]) if held else pjrt.default_device()
    arrays: list[Concrete] = []
    buffers: list[Buffer] = []
    for value in values:
        if type(value) is Concrete:
            array = value
        elif pjrt.is_buffer(value):  # an array of jax, which is in another runtime
            array = from_host(pjrt.fetch(value))
        elif isinstance(value, _HOST):
            try:
                array = cast(Concrete, as_array(value, "jit", "x"))
            except ArgumentError:
                return None
        else:
            return None
        arrays.append(array)
        if pjrt.is_buffer(array.stored):
            buffers.append(array.stored)
        elif shared and not array.aval.shape:
            buffers.append(_shared_scalar(array, device))
        else:
            buffers.append(buffer_of(array, device))
    return arrays, buffers


def shared_number(value: object) -> tuple[ShapedArray, Buffer]:
    """The type and the buffer of an int or a float on the default device, which all who use the number share.

    Raises ArgumentError for one that no dtype holds.
    """
    key = (value or repr(value), type(value), current_default_float())  # the zeros are equal
    found = _numbers.find(key)
    if found is None:
        array = cast(Concrete, as_array(value, "jit", "x"))
        found = _numbers.keep(key, (array.aval, _shared_scalar(array, pjrt.default_device())))
    return found


def _shared_scalar(array: Concrete, device: Device) -> Buffer:
    key = (array.aval, array.host.tobytes(), device)
    found = _scalars.find(key)
    return _scalars.keep(key, buffer_of(array, device)) if found is None else found


_numbers: Final[Cache[Hashable, tuple[ShapedArray, Buffer]]] = Cache(SMALL)
_scalars: Final[Cache[tuple[ShapedArray, bytes, Device], Buffer]] = Cache(SMALL)
_HOST: Final = (int, float, complex, np.ndarray, np.generic)


def common_device(arrays: Sequence[Concrete], names: Callable[[], Sequence[str]] | None = None) -> Device:
    """The device of those arrays that are on one; the default device when none is.

    Raises DeviceError naming two arrays that are on different devices.
    """
    found: tuple[int, Device] | None = None
    for position, array in enumerate(arrays):
        if not pjrt.is_buffer(array.stored):
            continue
        device = pjrt.require_device(array.stored)
        if found is None:
            found = position, device
        elif found[1] is not device:
            first, second = (names()[i] if names else f"operand {i}" for i in (found[0], position))
            raise DeviceError(
                f"{first} is on {found[1].name} and {second} is on {device.name}; move one of them with device_put"
            )
    return pjrt.default_device() if found is None else found[1]


def devices(platform: str | None = None) -> tuple[Device, ...]:
    """The devices of a platform, or of the preferred one.

    Raises DeviceError when there is no such platform.

    >>> devices("cpu")[0]
    CpuDevice(id=0)
    """
    if platform is not None and not isinstance(platform, str):
        raise refusal("devices", "platform", "a name such as 'cpu'", platform)
    return pjrt.devices(platform)


def device_put[T](tree: T, device: DeviceLike | None = None) -> T:
    """The arrays of a tree on `device` (the default one if None), where they stay; numbers become arrays.

    A device is one of `devices()`, or its name, as `x.device` gives it. Derivatives and `vmap` go through it: a
    cotangent goes back to where the array was. A compiled program runs on one device as a whole, and to move a value
    elsewhere in it is an error; without a device, a value that is not there yet stays where it will be.

    Raises ArgumentError naming the leaf that is no array, DeviceError for a device that is none, and when a program is
    compiled that moves a value.

    >>> import effects as fx
    >>> device_put(fx.ones(2))
    Array([1., 1.], float64)
    """
    target = pjrt.default_device() if device is None else device_named(device) if isinstance(device, str) else device
    if not isinstance(target, Device):
        raise DeviceError(f"device_put takes one of devices(), or its name such as 'cpu:0', got {shown(device)}")
    named = tree_leaves_with_path(tree)
    arrays = [as_array(leaf, "device_put", f"tree{path}") for path, leaf in named]
    refuse_deleted("device_put", arrays, lambda: [f"tree{path}" for path, _ in named])
    moved: list[Array] = []
    for (path, _), array in zip(named, arrays, strict=True):
        if isinstance(array, Concrete):
            moved.append(put_on(array, target))
        elif array.owner is not None and not array.owner.alive:
            raise array.leaked(f"device_put: tree{path}")
        else:
            moved.append(array if device is None else perform(Place(target.name, _device_of(array), array)))
    return tree_unflatten(tree_structure(tree), moved)


def _device_of(array: Array) -> str | None:
    """The device of an array, or of what a carrier is made of; None where it is not there yet."""
    while (known := array.known()) is None:
        if not isinstance(array.owner, Forward):
            return None
        array = array.owner.unpack(array)[0][0]
    return known.device


def device_named(name: str) -> Device | None:
    """The device of this name, None if there is none; DeviceError for a platform that there is not."""
    return next((device for device in devices(name.partition(":")[0]) if device.name == name), None)


def put_on(array: Concrete, device: Device) -> Concrete:
    """The array on a device."""
    if pjrt.is_buffer(array.stored):
        return concrete(pjrt.transfer(array.stored, device), array.aval)
    return concrete(pjrt.put(array.fetch(), buffer_type(array.aval), device), array.aval)


def refuse_deleted(function: str, arrays: Sequence[Array], names: Callable[[], Sequence[str]]) -> None:
    """Raise DeletedArrayError naming the array that was donated before; `names` is asked only for the message."""
    for position, array in enumerate(arrays):
        if isinstance(array, Concrete) and pjrt.is_buffer(array.stored) and array.stored.is_deleted():
            raise DeletedArrayError(
                f"{function}: {names()[position]}, {array.aval}, was donated to a compiled function before "
                "(donate_argnums, donate_argnames) and is gone; use that function's result, or do not donate it"
            )


def refuse_shared(
    function: str, operands: Sequence[object], donated: Sequence[bool], names: Callable[[], Sequence[str]]
) -> None:
    """Raise ArgumentError when a donated array is an operand twice: its memory cannot be given away and read."""
    if not any(donated):
        return
    positions = [(id(value.stored), i) for i, value in enumerate(operands) if isinstance(value, Concrete)]
    last, earliest = dict(positions), dict(reversed(positions))
    for position, (value, is_donated) in enumerate(zip(operands, donated, strict=False)):
        if is_donated and isinstance(value, Concrete) and last[key := id(value.stored)] != earliest[key]:
            other = earliest[key] if last[key] == position else last[key]
            first, second = names()[position], names()[other]
            raise ArgumentError(
                f"{function}: {first}, {value.aval}, is donated and is {second} too; donate it once, and give a copy "
                "where it is read"
            )


def block_until_ready[T](tree: T) -> T:
    """Wait until the arrays of a tree are computed; the tree.

    >>> import effects as fx
    >>> block_until_ready(fx.ones(2))
    Array([1., 1.], float64)
    """
    for leaf in tree_leaves(tree):
        if isinstance(leaf, Concrete) and pjrt.is_buffer(leaf.stored):
            if leaf.stored.is_deleted():
                raise DeletedArrayError(f"block_until_ready: an array {leaf.aval} was donated to a compiled function")
            leaf.stored.block_until_ready()
    return tree

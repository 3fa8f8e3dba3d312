"""Arrays on devices: how concrete arrays get there and what the outer layers need of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, cast

import numpy as np

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, Host, from_host
from effects.arrays.mesh import Sharding
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError, DeletedArrayError, DeviceError
from effects.runtime.caches import SMALL, Cache
from effects.trees.pytree import tree_leaves
from effects.types.avals import ShapedArray
from effects.types.dtypes import current_default_float
from lowering import pjrt
from lowering.pjrt import BUFFER, Buffer, BufferType, Device, DeviceMesh, Placement


def buffer_type(aval: ShapedArray) -> BufferType:
    """The runtime's type of arrays of this type."""
    return pjrt.buffer_type(aval.shape, aval.dtype.dtype, aval.weak_type)


def buffer_of(
    array: Concrete, placement: Placement, sharding: Sharding | None = None, *, shared: bool = False
) -> Buffer:
    """The elements of `array` on a device, or over a mesh by `sharding`; an array on the host keeps the new buffer.

    It does so if there is only one device, since no user chose among several; a buffer over a mesh is kept beside the
    elements, if it is `shared` with other calls. Scalars stay on the host, where eager code is fastest with them; the
    array of a Python number is shared by all, so it must not be donated.

    Raises DeviceError for an array that lives elsewhere.
    """
    data = array.stored
    if pjrt.is_buffer(data):
        current = pjrt.require_placement(data)
        if current is not placement:
            raise DeviceError(
                f"an array {array.aval} on {current.name} is used on {placement.name}; move it with device_put"
            )
        if sharding is not None and (array_sharding := sharding_of(array)) != sharding:
            raise DeviceError(
                f"an array {array.aval} sharded as {array_sharding} is used where {sharding} is needed; "
                "move it with device_put"
            )
        return data
    if isinstance(placement, DeviceMesh):
        over_sharding = placement.mesh.sharding() if sharding is None else sharding
        put_on_mesh: Callable[[], Buffer] = lambda: host_over_mesh(cast(Host, data), array.aval, over_sharding)
        return cast(Buffer, array.over(over_sharding, put_on_mesh)) if shared else put_on_mesh()
    buffer = pjrt.put(cast(Host, data), buffer_type(array.aval), placement)
    if array.aval.shape and len(pjrt.DEVICES) == 1:
        array.place(buffer)
    return buffer


def host_over_mesh(host: Host, aval: ShapedArray, sharding: Sharding) -> Buffer:
    """The elements of a NumPy array over a mesh."""
    return pjrt.put_sharded(host.__getitem__, buffer_type(aval), sharding)


def arrays_of(values: Sequence[object]) -> list[Concrete] | None:
    """Arrays and numbers as arrays; None if any of the values is something else."""
    arrays: list[Concrete] = []
    for value in values:
        if type(value) is Concrete:
            arrays.append(value)
        elif pjrt.is_buffer(value):  # an array of jax lives in another runtime
            arrays.append(from_host(pjrt.fetch(value)))
        elif isinstance(value, _HOST):
            try:
                arrays.append(cast(Concrete, as_array(value, "jit", "x")))
            except ArgumentError:
                return None
        else:
            return None
    return arrays


def placed(arrays: Sequence[Concrete], device: Device, *, shared: bool) -> list[Buffer]:
    """The buffers of arrays, of which those on the host are put on `device`.

    The buffers of scalars are `shared` with other calls, unless they are to be donated.
    """
    return [
        array.stored
        if pjrt.is_buffer(array.stored)
        else _shared_scalar(array, device)
        if shared and not array.aval.shape
        else buffer_of(array, device)
        for array in arrays
    ]


def shared_number(value: object) -> tuple[ShapedArray, Buffer]:
    """The type of an int or a float, and its buffer on the default device, which all uses of the number share.

    Raises ArgumentError for one that no dtype holds.
    """
    key = (value or repr(value), type(value), current_default_float())  # the zeros are equal
    cached = _numbers.find(key)
    if cached is None:
        array = cast(Concrete, as_array(value, "jit", "x"))
        cached = _numbers.keep(key, (array.aval, _shared_scalar(array, pjrt.default_device())))
    return cached


def _shared_scalar(array: Concrete, device: Device) -> Buffer:
    key = (array.aval, array.host.tobytes(), device)
    cached = _scalars.find(key)
    return _scalars.keep(key, buffer_of(array, device)) if cached is None else cached


_numbers: Final[Cache[Hashable, tuple[ShapedArray, Buffer]]] = Cache(SMALL)
_scalars: Final[Cache[tuple[ShapedArray, bytes, Device], Buffer]] = Cache(SMALL)
_HOST: Final = (int, float, complex, np.ndarray, np.generic)


def common_placement(function: str, operands: Sequence[object], names: Callable[[], Sequence[str]]) -> Placement | None:
    """The device or the mesh of those operands that are arrays on one; None when none is.

    Raises DeviceError naming two arrays that are in different places.
    """
    common: tuple[int, Placement] | None = None
    for position, array in enumerate(operands):
        if not isinstance(array, Concrete) or not pjrt.is_buffer(array.stored):
            continue
        placement = pjrt.require_placement(array.stored)
        if common is None:
            common = position, placement
        elif common[1] is not placement:
            first, second = (names()[i] for i in (common[0], position))
            raise DeviceError(
                f"{function}: {first} is on {common[1].name} and {second} is on {placement.name}; "
                "move one of them with device_put"
            )
    return common and common[1]


def placement_key(array: Concrete) -> Hashable:
    """Key of the placement of an array, equal for equal placements; None for an array on the host."""
    return pjrt.raw_sharding_of(array.stored) if pjrt.is_buffer(array.stored) else None


def sharding_of(array: Concrete) -> Sharding | None:
    """Sharding of an array over a mesh; None for one that is not on one."""
    return pjrt.sharding_of(array.stored) if pjrt.is_buffer(array.stored) else None


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
                f"{function}: {first}, {value.aval}, is donated and is {second} too; donate it once, and pass a copy "
                "where it is read"
            )


def block_until_ready[T](tree: T) -> T:
    """Wait until the arrays of a tree are computed; the tree.

    Raises DeletedArrayError for an array that was donated, OutOfMemoryError where there was not the memory to compute
    one.

    >>> import effects as fx
    >>> block_until_ready(fx.ones(2))
    Array([1., 1.], float64)
    """
    leaves = [tree] if type(tree) is Concrete else tree_leaves(tree)
    buffers: list[Any] = [data for x in leaves if type(x) is Concrete and type(data := x.stored) is BUFFER]
    try:
        pjrt.await_buffers(buffers)
    except DeletedArrayError:
        deleted = next(x for x in leaves if type(x) is Concrete and pjrt.is_buffer(x.stored) and x.stored.is_deleted())
        raise DeletedArrayError(
            f"block_until_ready: an array {deleted.aval} was donated to a compiled function"
        ) from None
    return tree

"""Placement of arrays: moving them to devices and over meshes, and looking at their parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np

from effects.arguments import check_callable, refusal, shown
from effects.arrays.array import Array, ArrayLike, Foreign
from effects.arrays.concrete import Concrete, DeviceLike, Host, concrete, from_host
from effects.arrays.mesh import Mesh, Region, Sharding
from effects.arrays.promotion import as_array, as_leaf
from effects.errors import ArgumentError, DeviceError, DTypeError, NotAddressableError, ShapeError
from effects.operations.movement import Constrain, Place
from effects.program.chain import perform
from effects.trees.pytree import broadcast_prefix, tree_leaves_with_path, tree_structure, tree_unflatten
from effects.types.avals import ShapedArray
from effects.types.dtypes import DTypeLike, as_dtype
from effects.types.shapes.dims import static_shape
from handlers.forward import Forward
from handlers.sharding.mesh_axes import enclosing_manual_axes
from lowering import pjrt
from lowering.arrays import buffer_type, host_over_mesh, refuse_deleted, sharding_of
from lowering.pjrt import Device
from lowering.placement.parts import on_device, resharded

if TYPE_CHECKING:
    from handlers.transformations.calls.types import Fields

    type DeviceTree = DeviceLike | tuple[Any, ...] | list[Any] | Mapping[Any, Any] | Fields | None
    """A device or a sharding, or a container of such that is a prefix of the tree it is for."""


def devices(platform: str | None = None) -> tuple[Device, ...]:
    """The devices of a platform, or of the preferred one.

    Raises DeviceError when there is no such platform.

    >>> devices("cpu")[0]
    CpuDevice(id=0)
    """
    if platform is not None and not isinstance(platform, str):
        raise refusal("devices", "platform", "a name such as 'cpu'", platform)
    return pjrt.devices(platform)


@overload
def device_put(tree: complex | Foreign, device: DeviceTree = None) -> Array: ...
@overload
def device_put[T](tree: T, device: DeviceTree = None) -> T: ...
def device_put(tree: object, device: DeviceTree = None) -> object:
    """The arrays of a tree on `device` (the default one if None), where they stay; numbers become arrays.

    A device is one of `devices()`, or its name, as in `x.device`. A `Sharding` splits every array over a mesh. A tree
    prefix of devices or shardings sends each array to its own. Derivatives and `vmap` go through it: a cotangent
    returns to where the array was, and over the same mesh it is split like the result. A compiled program runs in one
    place as a whole, so moving a value elsewhere inside it is an error. A sharding there says how the value is split at
    this point, as `with_sharding_constraint` does. Without a device, a value that is not known yet stays where it will
    be.

    Raises ArgumentError naming a leaf that is not an array, DeviceError for an unknown device, and when a program that
    moves a value is compiled, ShapeError naming an array that cannot be split like this, and TreeError for a tree of
    devices that does not fit.

    >>> import effects as fx
    >>> device_put(fx.ones(2))
    Array([1., 1.], float64)
    """
    message: Callable[[str], str] = lambda difference: (
        f"device_put: device {shown(device)} does not fit tree, whose structure {difference}"
    )
    placements = [_target(placement, f"device{path}", device) for path, placement in tree_leaves_with_path(device)]
    targets = broadcast_prefix(tree_unflatten(tree_structure(device), placements), tree, message)
    named = _arrays_of("device_put", tree)
    for (path, array), target in zip(named, targets, strict=True):
        if isinstance(target, Sharding):
            _check_sharding("device_put", path, array, target)
    moved = [_put("device_put", path, array, target) for (path, array), target in zip(named, targets, strict=True)]
    return tree_unflatten(tree_structure(tree), moved)


_PLATFORMS: Final = frozenset({"cpu", "cuda", "gpu", "mps", "rocm", "tpu"})


def _target(placement: object, named: str, among: object) -> Device | Sharding:
    """The device or sharding that a value stands for; `named` and `among` describe it in messages."""
    target = pjrt.device_named(placement) if isinstance(placement, str) and ":" in placement else placement
    if isinstance(target, Device | Sharding):
        return target
    advice = ""
    if isinstance(placement, str) and placement in _PLATFORMS:
        known_devices = ", ".join([device.name for device in pjrt.devices()])
        advice = f"; there are {known_devices}"
    elif isinstance(placement, Mesh) or (
        isinstance(placement, str) and ":" not in placement and placement not in pjrt.platforms()
    ):
        spec = (*placement.axes, None)[:1] if isinstance(placement, Mesh) else among
        entries = spec if isinstance(spec, tuple | list) else [placement]
        advice = f"; to shard an array, write mesh.sharding({', '.join(map(shown, entries))})"
    raise DeviceError(
        f"device_put: {named} must be one of devices(), its name such as 'cpu:0', or a sharding, or a tree of them, "
        f"got {shown(placement)}{advice}"
    )


def _put(function: str, path: str, array: Array, target: Device | Sharding | None) -> Array:
    if isinstance(array, Concrete):
        try:
            if isinstance(target, Sharding):
                return sharded_over(array, target)
            return on_device(array, pjrt.default_device() if target is None else target)
        except NotAddressableError:
            raise NotAddressableError(
                f"{function}: tree{path}, {array.aval}, sharded as {array.sharding}, has parts in other processes, so "
                "it can be moved over meshes of the same devices only; to move it elsewhere, put "
                "distributed.process_allgather(x) there, called in all processes, or save a checkpoint and load it"
            ) from None
    if array.owner is not None and not array.owner.alive:
        raise array.leaked(f"{function}: tree{path}")
    if isinstance(target, Sharding):
        return perform(Constrain(target, 0, _with_location(array, target)))
    return array if target is None else perform(Place(target.name, _device_of(array), array))


def _with_location(array: Array, target: Sharding) -> Array:
    """The array, placed at its own location if `target` is another one, so that a cotangent returns there.

    Arrays on the host, or on the device that shares its memory, have no such location.
    """
    known = _known(array)
    if known is None or not pjrt.is_buffer(known.stored) or known.aval.shape != array.aval.shape:
        return array
    sharding_now, placement = sharding_of(known), pjrt.require_placement(known.stored)
    if placement is pjrt.placement_over(target.mesh) or pjrt.is_host(placement):
        return array
    return perform(
        Place(placement.name, placement.name, array) if sharding_now is None else Constrain(sharding_now, 0, array)
    )


@overload
def with_sharding_constraint(tree: complex | Foreign, sharding: Sharding) -> Array: ...
@overload
def with_sharding_constraint[T](tree: T, sharding: Sharding) -> T: ...
def with_sharding_constraint(tree: object, sharding: Sharding) -> object:
    """The arrays of a tree, which a compiled program must hold split like this at this point; eager ones are moved.

    Between such points the partitioner decides. A cotangent is split like its array; `vmap` adds a leading dimension
    that may be split in any way.

    Raises ArgumentError for a value that is not a sharding and naming a leaf that is not an array, ShapeError naming an
    array that cannot be split like this.

    >>> import effects as fx
    >>> from lowering import Mesh, jit
    >>> mesh = Mesh({"data": 1}, ["cpu:0"])
    >>> jit(lambda x: with_sharding_constraint(x, mesh.sharding("data")) + 1)(fx.ones(2))
    Array([2., 2.], float64)
    """
    if not isinstance(sharding, Sharding):
        raise refusal("with_sharding_constraint", "sharding", "a Sharding, which mesh.sharding(…) makes", sharding)
    named = _arrays_of("with_sharding_constraint", tree)
    for path, array in named:
        _check_sharding("with_sharding_constraint", path, array, sharding)
    moved = [_put("with_sharding_constraint", path, array, sharding) for path, array in named]
    return tree_unflatten(tree_structure(tree), moved)


def _check_sharding(function: str, path: str, array: Array, sharding: Sharding) -> None:
    """Raise ShapeError for an array that cannot be sharded so, DeviceError for a block of a `shard_map`."""
    try:
        sharding.block(array.aval.shape, function, f"tree{path}")
    except ShapeError:
        for manual in enclosing_manual_axes():
            if not manual.is_auto(sharding):
                raise DeviceError(
                    f"{function}: tree{path}, {array.aval}, is a block in a shard_map over {manual.mesh}, and "
                    f"{sharding} shards a whole array; do that outside, or by in_specs and out_specs"
                ) from None
        raise


def _arrays_of(function: str, tree: object) -> list[tuple[str, Array]]:
    """The leaves of a tree as arrays, each with its path."""
    named = tree_leaves_with_path(tree)
    arrays = [as_leaf(leaf, function, f"tree{path}") for path, leaf in named]
    refuse_deleted(function, arrays, lambda: [f"tree{path}" for path, _ in named])
    return [(path, array) for (path, _), array in zip(named, arrays, strict=True)]


def array_from_callback(
    shape: int | Sequence[int], sharding: Sharding, part: Callable[[Region], ArrayLike], dtype: DTypeLike | None = None
) -> Array:
    """An array over a mesh, made of parts: `part(index)` returns the part at `index`, a tuple of slices.

    It is called once for each part that this process holds, so no process needs the whole array. The dtype is that of
    the parts, which must agree, or the one to which they are converted.

    Raises ShapeError for an array that cannot be split like this and for a part without the shape of its index,
    DTypeError for parts of several dtypes, ArgumentError for wrong arguments.

    >>> import numpy as np
    >>> from lowering import Mesh
    >>> x = np.arange(6.0).reshape(2, 3)
    >>> array_from_callback((2, 3), Mesh({"data": 1}, ["cpu:0"]).sharding("data"), lambda index: x[index])
    Array([[0., 1., 2.],
           [3., 4., 5.]], float64)
    """
    function = "array_from_callback"
    sizes = static_shape(function, shape)
    if not isinstance(sharding, Sharding):
        raise refusal(function, "sharding", "a Sharding, which mesh.sharding(…) makes", sharding)
    check_callable(function, part, "part")
    block = sharding.block(sizes, function, "the array")
    target_dtype = None if dtype is None else as_dtype(dtype)
    parts: dict[str, Host] = {}

    def checked_part(index: Region) -> Host:
        known = as_array(part(index), function, f"part({shown(index)})").known()
        if known is None:
            raise ArgumentError(
                f"{function}: part({shown(index)}) is not known here; call it outside of transformations"
            )
        if known.aval.shape != block:
            raise ShapeError(
                f"{function}: part({shown(index)}) has the shape {list(known.aval.shape)}, and that of its index is "
                f"{list(block)}"
            )
        if target_dtype is None:
            return known.fetch()
        if not np.can_cast(known.aval.dtype.dtype, target_dtype.dtype, "same_kind"):
            raise DTypeError(
                f"{function}: part({shown(index)}), of {known.aval.dtype}, cannot become {target_dtype} without loss"
            )
        return known.fetch().astype(target_dtype.dtype)

    placement = pjrt.placement_over(sharding.mesh)
    if isinstance(placement, Device):
        return on_device(from_host(checked_part(tuple([slice(0, size) for size in sizes]))), placement)
    for _, region in placement.local_regions(sharding, sizes):
        if (key := str(region)) not in parts:
            parts[key] = checked_part(region)
    dtypes = list(dict.fromkeys([part_.dtype for part_ in parts.values()]))
    if len(dtypes) > 1:
        raise DTypeError(f"{function}: parts have the dtypes {', '.join(map(str, dtypes))}; give dtype=")
    aval = ShapedArray(sizes, as_dtype(dtypes[0]))
    return concrete(pjrt.put_sharded(lambda region: parts[str(region)], buffer_type(aval), sharding), aval)


def sharded_over(array: Concrete, sharding: Sharding) -> Concrete:
    """The array cut over a mesh; itself where it is cut like this."""
    placement = pjrt.placement_over(sharding.mesh)
    if isinstance(placement, Device):
        return on_device(array, placement)
    current = sharding_of(array)
    if current == sharding:
        return array
    if current is not None and set(current.mesh.devices) == set(sharding.mesh.devices):
        return concrete(resharded(array, current, sharding), array.aval)
    return concrete(host_over_mesh(array.fetch(), array.aval, sharding), array.aval)


def _device_of(array: Array) -> str | None:
    """The device of an array, or of the array in a carrier; None if it is not known yet."""
    known = _known(array)
    return None if known is None else known.device


def _known(array: Array) -> Concrete | None:
    """The value of an array, or of the array in a carrier; None if it is not known yet."""
    while (known := array.known()) is None:
        if not isinstance(array.owner, Forward):
            return None
        array = array.owner.unpack(array)[0][0]
    return known

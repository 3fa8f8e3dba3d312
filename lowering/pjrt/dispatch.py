"""The C++ fast path of compiled functions: a call whose arguments were seen before runs no Python.

`dispatcher` gives a callable that flattens its arguments, looks up shapes, dtypes, devices and static values, and runs
the executable that the miss function named the last time. jax may live in the same process: the three settings that
C++ needs are jax's where jax has set them, and a call that jax's settings would spoil takes the Python way.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from jaxlib import xla_client

from lowering.pjrt.buffers import Buffer, buffer_type, device_of, is_buffer
from lowering.pjrt.devices import Device, default_device
from lowering.pjrt.executable import Executable
from lowering.pjrt.raw import RawFastPath, native

CACHED_CALLS: Final = 4096
"""How many kinds of call one function remembers."""


class Registry(Protocol):
    """The pytree registry whose nodes are unpacked: an array object is a node with its buffer as child."""

    def flatten(self, tree: object, /) -> tuple[list[object], object]: ...


@dataclass(frozen=True, slots=True)
class FastPath:
    """How to repeat a call without Python.

    The executable's parameters are `constants`, then those leaves of the call's dynamic arguments that `kept` marks
    (all if it is None; `inputs` counts the leaves). `out_tree` is the registry's tree of what the call returns.
    """

    executable: Executable
    out_tree: object
    inputs: int
    constants: Sequence[Buffer] = ()
    kept: Sequence[bool] | None = None


def dispatcher[**P, R](
    name: str,
    miss: Callable[P, tuple[R, FastPath | None]],
    registry: Registry,
    *,
    static_argnums: Sequence[int] = (),
    static_argnames: Sequence[str] = (),
) -> Callable[P, R]:
    """A callable that calls `miss` for every new kind of call, and C++ for every other.

    `miss` receives the arguments as they were given (static ones in place, leaves of any type), and returns the result
    and how to repeat it, or None where it must be asked again (tracers among the arguments). Its exceptions pass
    through. Donated buffers given again reach `miss`. An unhashable static argument is a ValueError before `miss` is
    called.
    """

    def on_miss(*args: P.args, **kwargs: P.kwargs) -> tuple[R, RawFastPath | None, bool]:
        result, fast = miss(*args, **kwargs)
        if fast is None:
            return result, None, False
        dynamic = _dynamic(args, kwargs, static_argnums, static_argnames)
        if not _repeatable(registry.flatten(dynamic)[0], fast.executable.device):
            return result, None, False
        return result, _raw(fast), False

    def without_cpp(*args: P.args, **kwargs: P.kwargs) -> R:  # what C++ calls under jax.disable_jit()
        return miss(*args, **kwargs)[0]

    call: Callable[P, R] = native.pjit(
        name,
        without_cpp,
        on_miss,
        list(static_argnums),
        list(static_argnames),
        ("effax", name),
        registry,
        _no_fallback,
        native.PjitFunctionCache(CACHED_CALLS),
    )
    return call


def _raw(fast: FastPath) -> RawFastPath:
    executable = fast.executable
    sharding = executable.device.sharding
    outputs = len(executable.outputs)
    inputs = len(fast.constants) + fast.inputs
    return RawFastPath(
        xla_executable=executable.raw,
        out_pytree_def=fast.out_tree,
        in_shardings=[sharding] * inputs,
        out_shardings=[sharding] * outputs,
        out_avals=executable.outputs,
        out_committed=[True] * outputs,
        kept_var_bitvec=[True] * len(fast.constants) + list(fast.kept or [True] * fast.inputs),
        in_device_local_layouts=[None] * inputs,
        const_args=list(fast.constants),  # type: ignore[arg-type]  # buffers are raw inside
    )


def _dynamic(
    args: tuple[object, ...], kwargs: dict[str, object], static_argnums: Sequence[int], static_argnames: Sequence[str]
) -> object:
    static = {n % len(args) for n in static_argnums if -len(args) <= n < len(args)}
    return (
        [arg for i, arg in enumerate(args) if i not in static],
        {key: arg for key, arg in kwargs.items() if key not in static_argnames},
    )


def _repeatable(leaves: list[object], device: Device) -> bool:
    """Whether C++ would treat these arguments as `miss` did.

    It refuses buffers of another client, and while jax runs without 64-bit types it narrows host data and, in its
    cache keys, the types of host data.
    """
    buffers = [leaf for leaf in leaves if is_buffer(leaf)]
    if any([device_of(buffer) is not device for buffer in buffers]):
        return False
    return len(buffers) == len(leaves) or _wide()


def _wide() -> bool:
    """Whether C++ leaves 64-bit host data alone: always in a process without jax."""
    if "jax" not in sys.modules:
        return True
    device = default_device()
    probe = np.zeros((), np.float64)
    narrow = xla_client.batched_device_put(buffer_type((), probe.dtype), device.sharding, [probe], [device.raw], True)
    return bool(narrow.on_device_size_in_bytes() == probe.nbytes)


def _no_fallback(*_: object) -> object:
    raise TypeError("an argument of a compiled function is neither an array nor a number")


def _set_states() -> tuple[object, ...]:
    """Sets what C++ refuses to run without, unless jax has set it: overwriting jax's would break jax."""
    probe = native.pjit(
        "probe", None, lambda: ((), None, False), [], [], "probe", native.pytree.PyTreeRegistry(), _no_fallback,
        native.PjitFunctionCache(1),
    )  # fmt: skip
    try:
        probe()
    except ValueError:
        config = native.config.Config
        wide = config("effax_enable_x64", True, include_in_jit_key=True)
        disable, hook = config("effax_disable_jit", False), config("effax_post_hook", None)
        native.jax_jit.set_enable_x64_state(wide)
        native.jax_jit.set_disable_jit_state(disable)
        native.jax_jit.set_post_hook_state(hook)
        return wide, disable, hook
    return ()


_STATES: Final = _set_states()

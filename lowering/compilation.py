"""From programs to executables, each compiled once.

Programs of one structure are equal, so a program is the key of what was compiled from it: a fresh lambda with the same
meaning costs a trace and no compilation. `cache_settings.py` sets the number of executables.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from enum import StrEnum
from threading import RLock
from typing import Final
from weakref import WeakValueDictionary

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, concretes
from effects.arrays.mesh import Sharding
from effects.errors import DeletedArrayError, DeviceError
from effects.program.jaxpr import Jaxpr
from effects.runtime.caches import Cache, exact_key, lock
from lowering import pjrt
from lowering.arrays import buffer_of, buffer_type, refuse_deleted
from lowering.emission import Layout, Module, emit
from lowering.pjrt import Buffer, Compilation, Device, Executable, Options
from lowering.placement.jit_shardings import placement_for

_executables: Final[Cache[Hashable, Executable]] = Cache()
_turns: Final[WeakValueDictionary[Hashable, RLock]] = WeakValueDictionary()
"""Locks of programs that are being compiled: threads that need the same program wait for the first of them."""


class Origin(StrEnum):
    """Source of an executable: compiled, or taken from a cache."""

    COMPILED = "compiled"
    LOADED = "loaded from disk"
    SHARED = "shared with an equal program"


def compiled(jaxpr: Jaxpr, where: Device | Layout, name: str = "main", donated: tuple[bool, ...] = ()) -> Executable:
    """The executable of a program for a device, or over a mesh."""
    return compiled_or_shared(jaxpr, where, name, donated)[0]


def compiled_or_shared(
    jaxpr: Jaxpr,
    where: Device | Layout,
    name: str,
    donated: tuple[bool, ...],
    options: Options = (),
    module: Module | None = None,
) -> tuple[Executable, Origin]:
    """The executable of a program, which may be lowered to `module` already, and its origin."""
    key = (jaxpr.meaning, where, donated, exact_key(options))
    if (earlier := _executables.find(key)) is not None:
        return earlier, Origin.SHARED
    with lock:
        turn = _turns.setdefault(key, RLock())
    with turn:
        if (earlier := _executables.find(key)) is not None:
            return earlier, Origin.SHARED
        lowered = emit(jaxpr, name, donated, where) if module is None else module
        executable = _executables.keep(key, compile_lowered(lowered, jaxpr, where, name, donated, options))
    return executable, Origin.LOADED if executable.loaded else Origin.COMPILED


def compile_lowered(
    module: Module, jaxpr: Jaxpr, where: Device | Layout, name: str, donated: tuple[bool, ...], options: Options = ()
) -> Executable:
    """Compile `jaxpr`, which was lowered to `module`.

    The partitioner may choose a layout that no sharding describes; then it is given the nearest sharding.
    """
    executable = compile_module(module, where, jaxpr, options)
    if isinstance(where, Device) or executable.exact:
        return executable
    nearest = Layout(where.mesh, executable.parameter_shardings, executable.result_shardings)
    return compile_module(emit(jaxpr, name, donated, nearest), nearest, jaxpr, options)


def compile_module(module: Module, where: Device | Layout, jaxpr: Jaxpr, options: Options = ()) -> Executable:
    """Compile `jaxpr`, which was lowered to `module`.

    Raises DeviceError for a program that puts a value on another device, or calls what only the CPU has.
    """
    placement = where if isinstance(where, Device) else pjrt.device_mesh(where.mesh)
    for name in module.devices - {placement.name}:
        raise _elsewhere(name, placement.name)
    check_platform(module, placement.platform)
    return pjrt.compile_module(
        Compilation(
            module.ir,
            placement,
            outputs=[buffer_type(aval) for aval in jaxpr.out_avals],
            inputs=[aval.shape for aval in jaxpr.in_avals],
            callbacks=module.callbacks,
            donations=module.donations,
            options=options,
            depth=module.depth,
        )
    )


def check_platform(module: Module, platform: str) -> None:
    """Raise DeviceError for a program that calls functions that the platform lacks, or uses devices of another one."""
    for name in module.devices:
        if name.partition(":")[0] != platform:
            raise _elsewhere(name, platform)
    if platform != "cpu" and (module.on_cpu or module.callbacks):
        functions = "Python" if module.callbacks else ", ".join(sorted(module.on_cpu))
        raise DeviceError(
            f"the program is for {platform}, and calls {functions}, which only programs on the CPU can: move this part "
            "to a separate function, called outside jit with arguments on the CPU: device_put(x, 'cpu:0')"
        )


def _elsewhere(name: str, placement: str) -> DeviceError:
    return DeviceError(
        f"device_put to {name} in a program that is compiled for {placement}, where all of it runs; move the array "
        "before or after the call"
    )


def run(jaxpr: Jaxpr, label: str, arrays: Sequence[Concrete]) -> list[Array]:
    """The outputs of a program on concrete arrays, run on their device or mesh."""
    names = lambda: [f"operand {i}" for i in range(len(arrays))]
    where = placement_for(jaxpr, arrays, [None] * len(arrays), [None] * len(jaxpr.outputs), names, label)
    executable = compiled(jaxpr, where, label)
    try:
        return concretes(executable.execute(operands_of(executable, arrays, shared=True)), jaxpr.out_avals)
    except DeletedArrayError:
        refuse_deleted(label, arrays, names)
        raise


def operands_of(executable: Executable, arrays: Sequence[Concrete], *, shared: bool) -> list[Buffer]:
    """The buffers of arrays on an executable's devices, `shared` with other calls if none is donated."""
    placement = executable.placement
    shardings: Sequence[Sharding | None] = executable.parameter_shardings or [None] * len(arrays)
    return [
        buffer_of(array, placement, sharding, shared=shared) for array, sharding in zip(arrays, shardings, strict=True)
    ]

"""From a module to a raw executable: compiled by XLA, or loaded from disk if it was compiled before.

The key is everything that decides the machine code: the module without source lines, the options, the versions of
jaxlib and of the platform, the devices, and the processor that the code is for.
"""

from __future__ import annotations

import io
import os
import platform
from collections.abc import Callable, Sequence
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from jaxlib import xla_client

from effects.errors import CompileError
from lowering.disk.programs import DISK
from lowering.emission import for_one_cpu, read_module
from lowering.pjrt import forks
from lowering.pjrt.buffers import require_room
from lowering.pjrt.compile_threads import compile_on_thread, usable_cores
from lowering.pjrt.devices import Device
from lowering.pjrt.mesh import Placement
from lowering.pjrt.options import Options, compile_options, described_options
from lowering.pjrt.protocols import RawClient, RawExecutable, native
from lowering.pjrt.version import installed_version

_ADDRESS_SPACE: Final = 2**28
"""Bytes of address space that compiling or loading a program needs, with the stacks of its threads."""
_DUMPS: Final = "xla_dump"
"""Part of the names of options by which XLA writes files while it compiles."""


class ProcessOptions(NamedTuple):
    """XLA's options of a process as a digest, and True if they ask for files about compilations."""

    digest: str
    dump: bool


class Module(Protocol):
    """An MLIR module (`jaxlib.mlir.ir.Module`), whose text is without source lines."""

    @property
    def operation(self) -> object: ...


def compile_raw(
    module: Module, placement: Placement, options: Options, n_outputs: int, functions: Sequence[object], depth: int
) -> tuple[RawExecutable, Recompile | None]:
    """The raw executable of a module, and a function that compiles it if it was loaded; or CompileError.

    Raises OutOfMemoryError if there is too little memory to compile, since LLVM would end the process. The calls of the
    module's functions are `depth` deep.
    """
    forks.collect_garbage()
    require_room(f"compiling {name_of(module)}", _ADDRESS_SPACE)
    n_sharded_outputs = 0 if isinstance(placement, Device) else n_outputs
    if isinstance(placement, Device) and placement.platform == "cpu":
        module, needed = for_one_cpu(module)
        options = (*needed, *options)
    xla_options = compile_options(placement, options, n_sharded_outputs)

    def build(bytecode: bytes) -> RawExecutable:
        def compile_now() -> RawExecutable:
            return placement.client.compile_and_load(
                read_module(bytecode), placement.device_list, xla_options, functions
            )

        try:
            return compile_on_thread(compile_now, depth, partial(_described, bytecode))
        except (native.JaxRuntimeError, ValueError) as error:
            raise CompileError(f"XLA could not compile the program for {placement.name}: {error}") from error

    build_now = partial(build, _bytecode(module))
    folder = DISK.settings.folder
    if folder is None or _DUMPS in str(options) or _process_options().dump:
        return build_now(), None
    if functions:
        DISK.count_calling_python()
        return build_now(), None
    key = _key(str(module), described_options(placement, options, n_sharded_outputs), placement.client)
    raw, loaded = DISK.loaded_or_built(folder, key, name_of(module), build_now, partial(_load, placement), _pack)
    return raw, build_now if loaded else None


type Recompile = Callable[[], RawExecutable]
"""Function that compiles a loaded module anew, since its executable has the source lines of another process."""


def _bytecode(module: Module) -> bytes:
    """The module's bytecode, with its source lines."""
    stream = io.BytesIO()
    operation: Any = module.operation
    operation.write_bytecode(stream)
    return stream.getvalue()


def name_of(module: Module) -> str:
    """The name of a module, that of the user's function."""
    operation: Any = module.operation  # importing MLIR's types is expensive
    attributes = operation.attributes
    return str(attributes["sym_name"].value) if "sym_name" in attributes else "a program"


def _described(bytecode: bytes) -> str:
    module = read_module(bytecode)
    lines = str(module).count("\n")
    return f"{name_of(module)} ({lines:,} lines of StableHLO)"


def _load(placement: Placement, data: bytes) -> RawExecutable:
    try:
        return placement.client.deserialize_executable(data, placement.device_list, None)
    except (native.JaxRuntimeError, ValueError) as error:
        raise CompileError(f"not an executable for {placement.name}: {error}") from error


def _pack(raw: RawExecutable) -> bytes:
    """The bytes of an executable that was compiled here; those of a loaded one would lack the machine code."""
    try:
        return raw.serialize()
    except (native.JaxRuntimeError, ValueError, NotImplementedError) as error:
        reason = str(error).partition("\n")[0]
        raise CompileError(f"this platform writes no executables: {reason}") from error


def _key(text: str, options: str, client: RawClient) -> str:
    environment = (
        f"{options}\n{_versions(client)}\n{client.process_index()}\n{_process_options().digest}\n{_processor()}\n"
    )
    return sha256((environment + text).encode()).hexdigest()


@cache
def _process_options() -> ProcessOptions:
    """XLA's options of the process, which it reads once, from the environment or a file named there."""
    options = xla_client.CompileOptions()
    dumps = options.executable_build_options.debug_options.xla_dump_to  # also makes them part of the bytes
    return ProcessOptions(sha256(options.SerializeAsString()).hexdigest(), bool(dumps))


def _versions(client: RawClient) -> str:
    kinds = sorted({device.device_kind for device in client.devices()})
    size = Path(native.__file__).stat().st_size  # builds may share a version
    return f"jaxlib {installed_version()} {size} {client.platform} {client.platform_version} {kinds}"


@cache
def _processor() -> str:
    """The processor, its features and the number of its cores, which XLA's code depends on."""
    described = f"{platform.machine()} {platform.system()} {os.cpu_count()} {usable_cores()}"
    try:
        first_core = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")[0]
    except OSError:
        return f"{described} {platform.processor()} {platform.node()}"
    lines = [line for line in first_core.splitlines() if line.startswith(_CPUINFO_FIELDS)]
    return "\n".join([described, *lines])


_CPUINFO_FIELDS: Final = ("vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU ")

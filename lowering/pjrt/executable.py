"""Compiling StableHLO modules with XLA, and running the executables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, Protocol, cast, final

import numpy as np
from jaxlib import xla_client
from numpy.typing import NDArray

from effects.arrays.mesh import Sharding
from effects.errors import DeletedArrayError
from effects.operations.callbacks import HostFunction
from effects.runtime.caches import memoised
from lowering.pjrt import forks
from lowering.pjrt.buffers import DELETED, Buffer, BufferType, await_buffers, buffer_type, out_of_memory, require_room
from lowering.pjrt.callbacks import failure_behind, keep_alive, protected
from lowering.pjrt.compiling import Module, Recompile, compile_raw, name_of
from lowering.pjrt.devices import Device
from lowering.pjrt.mesh import (
    ChosenSharding,
    DeviceMesh,
    Placement,
    device_mesh,
    found_sharding,
    is_spread,
    put_part,
    put_together,
    raw_sharding,
)
from lowering.pjrt.options import Options
from lowering.pjrt.processes import joined
from lowering.pjrt.protocols import RawExecutable, RawHandler, RawResults

type Callback = Callable[..., tuple[object, ...]]


class Results(Protocol):
    """Future results of a program that was launched."""

    def consume_with_handlers[T](self, handlers: Sequence[RawHandler[T]], /) -> list[T]: ...
    def disassemble_into_single_device_arrays(self) -> Sequence[Sequence[Buffer]]: ...


_LARGE: Final = 2**30
"""Number of bytes from which a call checks whether there is enough memory."""
_LARGE_TOGETHER: Final = 2**26
"""The same for all devices of a mesh together: if one fails, the others wait for it until XLA ends the process."""
type Launch = Callable[[Sequence[Buffer]], Results]


@dataclass(frozen=True, slots=True)
class MemoryAnalysis:
    """Bytes that one call needs. `alias` counts outputs in donated inputs, `peak` all that is there at once."""

    arguments: int
    outputs: int
    alias: int
    temporaries: int
    code: int
    peak: int


@final
@dataclass(frozen=True, slots=True)
class Compilation:
    """A module whose public function is `main`, and how it is compiled.

    `outputs` are the types of the results of `main`, `inputs` the shapes of its parameters, needed over a mesh. Donated
    parameters are marked in the module itself; `donations` has their positions and those of the results that take
    their memory, and a call deletes them. `callbacks` are the Python functions that its callback custom calls name by
    index, and which only the CPU can call. `options` are XLA's, by name, which override those of all programs. `depth`
    is the nesting depth of calls in the module.
    """

    module: Module
    placement: Placement
    outputs: Sequence[BufferType]
    inputs: Sequence[tuple[int, ...]] = ()
    callbacks: Sequence[Callback] = ()
    donations: Mapping[int, int | None] = MappingProxyType({})
    options: Options = ()
    depth: int = 0

    @property
    def across_processes(self) -> bool:
        """True for a mesh with devices of other processes."""
        return isinstance(self.placement, DeviceMesh) and len(self.placement.group) > 1


@final
class Executable:
    """A compiled program, on one device or over a mesh.

    `execute` runs it on buffers on its devices, sharded by `parameter_shardings`, in the order of the parameters of
    `main`; a call costs about 4 µs. A call with callbacks waits for its end; so does one that needs `large` bytes, of
    which there may be too few: then the call fails, before anything is donated, and not a later use of its result.
    Callers with their own error messages call the parts of `execute`: `forks.collect_garbage()`,
    `launch(buffers).consume_with_handlers(handlers)`, and `failure_behind` for an error. A handler's `wrap(then)` gives
    `then` of the buffer, in less time than a loop over the results.
    """

    __slots__ = (
        "_calls_back",
        "_name",
        "_recompile",
        "exact",
        "handlers",
        "launch",
        "outputs",
        "parameter_shardings",
        "placement",
        "raw",
        "result_shardings",
    )

    def __init__(
        self,
        raw: RawExecutable,
        compilation: Compilation,
        *,
        large: int = 0,
        raise_held: Callable[[], None] | None = None,
        recompile: Recompile | None = None,
    ) -> None:
        placement, inputs = compilation.placement, compilation.inputs
        self._name: Final = name_of(compilation.module)
        self._calls_back: Final = bool(compilation.callbacks)
        self._recompile: Final = recompile
        self.raw: Final = raw
        self.placement: Final = placement
        self.outputs: Final = tuple(compilation.outputs)
        shapes = [kind.shape for kind in self.outputs]
        parameters = _chosen_shardings(placement, raw.get_parameter_shardings, inputs)
        results = _chosen_shardings(placement, raw.get_output_shardings, shapes)
        self.parameter_shardings: Final = tuple([parameter.sharding for parameter in parameters])
        """The sharding of each parameter; () on one device."""
        self.result_shardings: Final = tuple([result.sharding for result in results])
        """The sharding of each result; () on one device."""
        self.exact: Final = all([chosen.exact for chosen in (*parameters, *results)])
        """True if the shardings say exactly how inputs and results are laid out."""
        where = [raw_sharding(result, len(shape)) for result, shape in zip(self.result_shardings, shapes)]
        if isinstance(placement, Device):
            where = [placement.sharding] * len(shapes)
        self.handlers: Final[Sequence[RawHandler[Buffer]]] = [
            _handler(kind, sharding) for kind, sharding in zip(self.outputs, where, strict=True)
        ]
        launch = partial(_run_to_the_end, raw, raise_held) if self._calls_back or large else raw.execute_sharded
        of_buffers: Launch = launch  # type: ignore[assignment]  # buffers are raw inside
        if large:
            of_buffers = partial(_run_with_room, of_buffers, self._name, large)
        if isinstance(placement, DeviceMesh):
            if compilation.across_processes and (runtime := joined()) is not None:
                source = str(compilation.module)  # without the lines, which may differ between machines
                of_buffers = runtime.calls.recording(placement.group, of_buffers, raw.get_hlo_text(), source)
            of_buffers = _of_what_is_there(of_buffers)
        self.launch: Final = _donating(of_buffers, donations) if (donations := compilation.donations) else of_buffers

    @property
    def loaded(self) -> bool:
        """True if it was loaded from disk."""
        return self._recompile is not None

    def execute(self, buffers: Sequence[Buffer]) -> list[Buffer]:
        """Runs the program; DeletedArrayError if one of the buffers was donated before, and what a callback raises."""
        return self._launched(buffers, lambda results: results.consume_with_handlers(self.handlers))

    def _launched[T](self, buffers: Sequence[Buffer], take: Callable[[Results], T]) -> T:
        """Apply `take` to the results of a call."""
        forks.collect_garbage()
        try:
            return take(self.launch(buffers))
        except (RuntimeError, ValueError) as error:
            failure = self.failure_behind(error)
            if failure is None and any([buffer.is_deleted() for buffer in buffers]):
                raise DeletedArrayError(DELETED) from error
            if failure is None:
                raise
        raise failure  # here, so that it keeps its own context

    def parts(self, buffer: Buffer, indices: Sequence[int] | None = None) -> list[NDArray[np.generic]]:
        """Run a program of one argument and one result over a mesh; returns the parts on devices of this process.

        They are those of all its devices, or of those at `indices` among them.
        """
        parts = self._parts(buffer)
        some = parts if indices is None else [parts[i] for i in indices]
        await_buffers(some)
        return [part._to_np_array_did_copy()[0] for part in some]  # type: ignore[attr-defined]  # private to jaxlib

    def execute_across(self, buffer: Buffer, kind: BufferType, sharding: Sharding) -> Buffer:
        """Runs a program of one argument and one result over a mesh.

        The result is a buffer of this kind, sharded over another mesh of the same devices. In one process each device
        gets the part of the device at its position there.
        """
        own_devices, their_devices = (
            cast(DeviceMesh, self.placement).local_devices,
            device_mesh(sharding.mesh).local_devices,
        )
        parts = self._parts(buffer)
        if is_spread(sharding.mesh) or sharding.replicated:
            part_of = dict(zip(own_devices, parts, strict=True))
            return put_together([part_of[device] for device in their_devices], kind, sharding)
        block = buffer_type(sharding.block(kind.shape), kind.dtype, kind.weak_type)
        pairs = zip(parts, own_devices, their_devices, strict=True)
        moved = [part if at is to else put_part(part, block, to) for part, at, to in pairs]
        return put_together(moved, kind, sharding)

    def _parts(self, buffer: Buffer) -> Sequence[Buffer]:
        (parts,) = self._launched([buffer], lambda results: results.disassemble_into_single_device_arrays())
        return parts

    def failure_behind(self, error: Exception) -> BaseException | None:
        """The OutOfMemoryError, or the exception of a callback, behind an error of a call; else None."""
        return out_of_memory(self._name, error) or (failure_behind(error) if self._calls_back else None)

    def hlo_text(self) -> str:
        """The optimised HLO, with the user's lines, for which a program loaded from disk is compiled."""
        return (self.raw if self._recompile is None else self._recompile()).get_hlo_text()

    def cost_analysis(self) -> dict[str, float]:
        """XLA's estimates: `flops`, `bytes accessed`, `transcendentals`, …"""
        return dict(self.raw.cost_analysis())

    def memory_analysis(self) -> MemoryAnalysis:
        """XLA's plan of the memory."""
        stats = self.raw.get_compiled_memory_stats()
        return MemoryAnalysis(
            arguments=stats.argument_size_in_bytes,
            outputs=stats.output_size_in_bytes,
            alias=stats.alias_size_in_bytes,
            temporaries=stats.temp_size_in_bytes,
            code=stats.generated_code_size_in_bytes,
            peak=max(stats.peak_memory_in_bytes, stats.argument_size_in_bytes + _bytes_of(self.raw)),
        )


def compile_module(compilation: Compilation) -> Executable:
    """Compiles a module; CompileError with XLA's words when it cannot."""
    module, placement, callbacks = compilation.module, compilation.placement, compilation.callbacks
    raise_held = None
    functions = [protected(callback) for callback in callbacks]
    if isinstance(placement, DeviceMesh):
        functions, raise_held = keep_alive(cast("Sequence[HostFunction]", callbacks))
    n_outputs = len(compilation.outputs)
    raw, recompile = compile_raw(module, placement, compilation.options, n_outputs, functions, compilation.depth)
    return Executable(raw, compilation, large=_large(raw, placement), raise_held=raise_held, recompile=recompile)


def _bytes_of(raw: RawExecutable) -> int:
    """Memory that a call plans to use besides its arguments."""
    stats = raw.get_compiled_memory_stats()
    return stats.output_size_in_bytes + stats.temp_size_in_bytes - stats.alias_size_in_bytes


def _large(raw: RawExecutable, placement: Placement) -> int:
    """Memory of this machine that a call takes, if there may not be so much; else 0."""
    n_devices, least = (1, _LARGE) if isinstance(placement, Device) else (len(placement.local_devices), _LARGE_TOGETHER)
    size = _bytes_of(raw) * n_devices if placement.platform == "cpu" else 0
    return size if size > least else 0


def _run_with_room(launch: Launch, name: str, size: int, buffers: Sequence[Buffer]) -> Results:
    require_room(name, size)
    return launch(buffers)


def _run_to_the_end(raw: RawExecutable, raise_held: Callable[[], None] | None, buffers: Sequence[Buffer]) -> RawResults:
    """Run a program and wait for its end, with or without results."""
    results = raw.execute_sharded(buffers, with_tokens=True)  # type: ignore[arg-type]  # buffers are raw inside
    results.consume_token().block_until_ready()
    if raise_held is not None:
        raise_held()
    return results


def _of_what_is_there(launch: Launch) -> Launch:
    """`launch`, which raises if an operand was deleted: over a mesh the runtime would also write a page to its log."""

    def launched(buffers: Sequence[Buffer]) -> Results:
        for buffer in buffers:  # takes half the time of `any`
            if buffer.is_deleted():
                raise DeletedArrayError(DELETED)
        return launch(buffers)

    return launched


def _donating(launch: Launch, donations: Mapping[int, int | None]) -> Launch:
    """`launch` with donated operands, which deletes those that are left.

    Left are operands whose memory no result took, since none can use it or NumPy shares it. The runtime refuses
    operands that are donated and read, but only if a result takes their memory.
    """
    positions = tuple(donations)
    some_stay = None in donations.values()

    def refuse_read(buffers: Sequence[Buffer]) -> None:
        if len({id(buffer) for buffer in buffers}) < len(buffers):
            uses = Counter(map(id, buffers))
            if any([uses[id(buffers[i])] > 1 for i in positions]):
                raise ValueError("an operand is donated and read")  # as the runtime would

    def launched(buffers: Sequence[Buffer]) -> Results:
        if some_stay:
            refuse_read(buffers)
        results = launch(buffers)
        for position in positions:
            if not buffers[position].is_deleted():
                if not some_stay:
                    refuse_read(buffers)
                buffers[position].delete()
        return results

    return launched


@memoised
def _handler(kind: BufferType, sharding: object) -> RawHandler[Buffer]:
    handler: RawHandler[Buffer] = xla_client.array_result_handler(kind, sharding, committed=True)
    return handler


def _chosen_shardings(
    placement: Placement, get_protos: Callable[[], Sequence[object] | None], shapes: Sequence[tuple[int, ...]]
) -> tuple[ChosenSharding, ...]:
    """Shardings that the partitioner chose for values of these shapes; () on a single device.

    It reports no shardings for a mesh of one part, and that of the empty tuple for no values.
    """
    if isinstance(placement, Device) or not shapes:
        return ()
    protos = get_protos() or []
    hlo = [xla_client.HloSharding.from_proto(proto) for proto in protos] or [xla_client.HloSharding.replicate()] * len(
        shapes
    )
    return tuple([found_sharding(placement.mesh, proto, shape) for proto, shape in zip(hlo, shapes, strict=True)])

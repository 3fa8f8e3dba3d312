"""Compiling StableHLO modules with XLA, and running what comes out."""

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
from lowering.pjrt.compiling import Anew, Module, compile_raw, name_of
from lowering.pjrt.devices import Device
from lowering.pjrt.mesh import (
    ChosenSharding,
    DeviceMesh,
    Place,
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
"""Bytes from which on there may not be enough."""
_LARGE_TOGETHER: Final = 2**26
"""The same of all devices of a mesh: where one fails, the others wait for it until XLA ends the process."""
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

    `outputs` are the types of what `main` returns, `inputs` the shapes of what it takes, asked for over a mesh. Donated
    parameters are marked in the module itself; `given_away` says which they are and what result takes the memory, if
    one does, and a call deletes them. `callbacks` are the Python functions that its callback custom calls name by
    index, and which only the CPU can call. `options` are XLA's, by name, laid over those that every program is compiled
    with. `depth` says how deeply functions of the module call each other.
    """

    module: Module
    place: Place
    outputs: Sequence[BufferType]
    inputs: Sequence[tuple[int, ...]] = ()
    callbacks: Sequence[Callback] = ()
    given_away: Mapping[int, int | None] = MappingProxyType({})
    options: Options = ()
    depth: int = 0

    @property
    def across_processes(self) -> bool:
        """True for a mesh with devices of other processes."""
        return isinstance(self.place, DeviceMesh) and len(self.place.group) > 1


@final
class Executable:
    """A compiled program, on one device or over a mesh.

    `execute` runs it on buffers that are there, cut as `cuts` says, in the order of the parameters of `main`; a call
    costs about 4 µs. One that calls back to Python is waited for; so is one for which there may be too little memory,
    as it takes `large` bytes: the call fails, before anything is given away, not who looks at its result. Callers with
    their own error messages call the parts of `execute`: `forks.let_go()`,
    `launch(buffers).consume_with_handlers(handlers)`, and asks for the `failure_behind` an error. A handler's
    `wrap(then)` gives `then` of the buffer, in less time than a loop over the results.
    """

    __slots__ = (
        "_anew",
        "_calls_back",
        "_name",
        "cuts",
        "exact",
        "handlers",
        "launch",
        "outputs",
        "place",
        "raw",
        "results",
    )

    def __init__(
        self,
        raw: RawExecutable,
        compilation: Compilation,
        *,
        large: int = 0,
        raise_held: Callable[[], None] | None = None,
        anew: Anew | None = None,
    ) -> None:
        place, inputs = compilation.place, compilation.inputs
        self._name: Final = name_of(compilation.module)
        self._calls_back: Final = bool(compilation.callbacks)
        self._anew: Final = anew
        self.raw: Final = raw
        self.place: Final = place
        self.outputs: Final = tuple(compilation.outputs)
        shapes = [kind.shape for kind in self.outputs]
        parameters = _chosen_shardings(place, raw.get_parameter_shardings, inputs)
        results = _chosen_shardings(place, raw.get_output_shardings, shapes)
        self.cuts: Final = tuple([parameter.sharding for parameter in parameters])
        """Over a mesh, how each parameter is cut."""
        self.results: Final = tuple([result.sharding for result in results])
        """Over a mesh, how each result is cut."""
        self.exact: Final = all([chosen.exact for chosen in (*parameters, *results)])
        """True if the shardings say exactly how inputs and results are laid out."""
        where = [raw_sharding(result, len(shape)) for result, shape in zip(self.results, shapes)]
        if isinstance(place, Device):
            where = [place.sharding] * len(shapes)
        self.handlers: Final[Sequence[RawHandler[Buffer]]] = [
            _handler(kind, sharding) for kind, sharding in zip(self.outputs, where, strict=True)
        ]
        launch = partial(_run_to_the_end, raw, raise_held) if self._calls_back or large else raw.execute_sharded
        of_buffers: Launch = launch  # type: ignore[assignment]  # buffers are raw inside
        if large:
            of_buffers = partial(_run_with_room, of_buffers, self._name, large)
        if isinstance(place, DeviceMesh):
            if compilation.across_processes and (runtime := joined()) is not None:
                source = str(compilation.module)  # without the lines, which may differ between machines
                of_buffers = runtime.calls.remembering(place.group, of_buffers, raw.get_hlo_text(), source)
            of_buffers = _of_what_is_there(of_buffers)
        self.launch: Final = (
            _giving_away(of_buffers, donations) if (donations := compilation.given_away) else of_buffers
        )

    @property
    def loaded(self) -> bool:
        """True if it was loaded from disk."""
        return self._anew is not None

    def execute(self, buffers: Sequence[Buffer]) -> list[Buffer]:
        """Runs the program; DeletedArrayError if one of the buffers was donated before, and what a callback raises."""
        return self._launched(buffers, lambda results: results.consume_with_handlers(self.handlers))

    def _launched[T](self, buffers: Sequence[Buffer], take: Callable[[Results], T]) -> T:
        """Apply `take` to the results of a call."""
        forks.let_go()
        try:
            return take(self.launch(buffers))
        except (RuntimeError, ValueError) as error:
            failure = self.failure_behind(error)
            if failure is None and any([buffer.is_deleted() for buffer in buffers]):
                raise DeletedArrayError(DELETED) from error
            if failure is None:
                raise
        raise failure  # out here, so that it keeps its own context

    def parts(self, buffer: Buffer, indices: Sequence[int] | None = None) -> list[NDArray[np.generic]]:
        """Runs a program of one argument and one result over a mesh: what devices of this process get of it.

        The devices are all, or those `indices` by their positions among them.
        """
        parts = self._parts(buffer)
        some = parts if indices is None else [parts[i] for i in indices]
        await_buffers(some)
        return [part._to_np_array_did_copy()[0] for part in some]  # type: ignore[attr-defined]  # private to jaxlib

    def execute_across(self, buffer: Buffer, kind: BufferType, sharding: Sharding) -> Buffer:
        """Runs a program of one argument and one result over a mesh.

        It gives each device what it holds of a buffer of this kind, cut so over another mesh of these devices, or, in
        one process, what the device at its place there holds.
        """
        own_devices, their_devices = cast(DeviceMesh, self.place).here, device_mesh(sharding.mesh).here
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
        """The error of memory, or the exception of a callback, that an error of a call is about; else None."""
        return out_of_memory(self._name, error) or (failure_behind(error) if self._calls_back else None)

    def hlo_text(self) -> str:
        """The optimised HLO, with the user's lines: what was loaded from disk is compiled for that."""
        return (self.raw if self._anew is None else self._anew()).get_hlo_text()

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
    module, place, callbacks = compilation.module, compilation.place, compilation.callbacks
    raise_held = None
    functions = [protected(callback) for callback in callbacks]
    if isinstance(place, DeviceMesh):
        functions, raise_held = keep_alive(cast("Sequence[HostFunction]", callbacks))
    n_outputs = len(compilation.outputs)
    raw, anew = compile_raw(module, place, compilation.options, n_outputs, functions, compilation.depth)
    return Executable(raw, compilation, large=_large(raw, place), raise_held=raise_held, anew=anew)


def _bytes_of(raw: RawExecutable) -> int:
    """Memory that a call plans to use besides its arguments."""
    stats = raw.get_compiled_memory_stats()
    return stats.output_size_in_bytes + stats.temp_size_in_bytes - stats.alias_size_in_bytes


def _large(raw: RawExecutable, place: Place) -> int:
    """Memory that a call takes of this machine, if there may not be so much; else 0."""
    n_devices, least = (1, _LARGE) if isinstance(place, Device) else (len(place.here), _LARGE_TOGETHER)
    size = _bytes_of(raw) * n_devices if place.platform == "cpu" else 0
    return size if size > least else 0


def _run_with_room(launch: Launch, name: str, size: int, buffers: Sequence[Buffer]) -> Results:
    require_room(name, size)
    return launch(buffers)


def _run_to_the_end(raw: RawExecutable, raise_held: Callable[[], None] | None, buffers: Sequence[Buffer]) -> RawResults:
    """Runs a program and waits until it has ended, results or none."""
    results = raw.execute_sharded(buffers, with_tokens=True)  # type: ignore[arg-type]  # buffers are raw inside
    results.consume_token().block_until_ready()
    if raise_held is not None:
        raise_held()
    return results


def _of_what_is_there(launch: Launch) -> Launch:
    """Launch, but raise where an operand is gone: over a mesh the runtime does so with a page of its log."""

    def launched(buffers: Sequence[Buffer]) -> Results:
        for buffer in buffers:  # which takes half of what `any` does
            if buffer.is_deleted():
                raise DeletedArrayError(DELETED)
        return launch(buffers)

    return launched


def _giving_away(launch: Launch, donations: Mapping[int, int | None]) -> Launch:
    """Launch with donated operands, and delete those that are left.

    These are the ones whose memory no result took: none has a use for it, or it is NumPy's, too. The runtime refuses
    an operand that is donated and read, but only where a result takes its memory.
    """
    positions = tuple(donations)
    some_stay = None in donations.values()

    def refuse_read(buffers: Sequence[Buffer]) -> None:
        if len({id(buffer) for buffer in buffers}) < len(buffers):
            uses = Counter(map(id, buffers))
            if any([uses[id(buffers[i])] > 1 for i in positions]):
                raise ValueError("an operand is donated and read")  # as the runtime says

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
    place: Place, get_protos: Callable[[], Sequence[object] | None], shapes: Sequence[tuple[int, ...]]
) -> tuple[ChosenSharding, ...]:
    """Shardings that the partitioner chose for values of these shapes; nothing on a single device. It is silent on one
    part.

    Of no values it tells what the tuple of them is.
    """
    if isinstance(place, Device) or not shapes:
        return ()
    protos = get_protos() or []
    hlo = [xla_client.HloSharding.from_proto(proto) for proto in protos] or [xla_client.HloSharding.replicate()] * len(
        shapes
    )
    return tuple([found_sharding(place.mesh, proto, shape) for proto, shape in zip(hlo, shapes, strict=True)])

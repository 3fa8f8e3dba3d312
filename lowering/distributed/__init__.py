"""Several processes that run one program, each on devices of its own: they start, meet, tell each other, and end.

    from lowering import distributed, Mesh, devices

    distributed.initialize()               # as the launcher says: python -m lowering.launch -n 2 program.py
    mesh = Mesh({"data": len(devices())})  # over the devices of all processes

All processes run the same programs in the same order. When one of them dies, raises, stands still or calls other
programs, the others end within seconds and say which it was, with its traceback.
"""

from __future__ import annotations

import atexit
import os
from itertools import count
from typing import Final

from effects.arguments import number, refusal
from effects.arrays.array import Array, ArrayLike
from effects.arrays.concrete import Concrete, from_host
from effects.arrays.mesh import Mesh
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError, ConcretizationError, DeviceError
from lowering import pjrt
from lowering.distributed.membership import membership
from lowering.distributed.monitoring import Watch
from lowering.distributed.rendezvous import accept_all, connect
from lowering.pjrt import processes as runtime
from lowering.pjrt.collective_order import Calls
from lowering.placement.device_put import array_from_callback
from lowering.placement.parts import read

__all__ = ["barrier", "initialize", "process_allgather", "process_count", "process_index", "shutdown"]


def __dir__() -> list[str]:
    return __all__


_watches: Final[list[Watch]] = []
_exchange_numbers: Final = count(1)
"""Number of barriers and exchanges so far: each has a name of its own, the same in all processes."""


def initialize(
    address: str | None = None,
    processes: int | None = None,
    process: int | None = None,
    *,
    meet_within: float = 300.0,
    silent_for: float = 30.0,
) -> None:
    """Join this process, number `process` of `processes`, to the others: they meet at `address`, a port of process 0.

    Missing arguments are taken from the environment: `EFFAX_COORDINATOR`, `EFFAX_PROCESSES`, `EFFAX_PROCESS`, or else
    SLURM's, Open MPI's or torchrun's variables. Without any of these the process is alone, and nothing happens, so one
    program serves both. Call it before any device is used. Afterwards `devices()` are those of all processes; programs
    over a mesh of them are run by all. A program shuts down by itself when it ends.

    A process missing after `meet_within` seconds is an error in the others. One that later does not respond for
    `silent_for` seconds ends the others.

    Raises ArgumentError for what is wrong or said only in part, DeviceError where processes do not come, are told
    different things, the port is in use, devices are in use already, or when this process is joined already.

    >>> initialize()
    >>> process_index(), process_count()
    (0, 1)
    >>> initialize("localhost:1", 2, 2)
    Traceback (most recent call last):
    effects.errors.ArgumentError: initialize: process must be one of 0 to 1, of 2 processes, got 2
      at ...
    """
    this_process = membership(address, processes, process, os.environ)
    _check_seconds("initialize", meet_within=meet_within, silent_for=silent_for)
    if this_process is None:
        return
    if runtime.joined() is not None:
        raise DeviceError("initialize: this process is initialized already; call shutdown() first")
    if pjrt.started():
        raise DeviceError("initialize: devices are in use already; call it before anything is computed")
    if this_process.process:
        coordinator, port = connect(this_process, meet_within)
        others, service = {0: coordinator}, None
    else:
        others = accept_all(this_process, meet_within)
        port, service = runtime.serve(this_process.processes)
        for other in others.values():
            other.send({"port": port})
    calls = Calls()
    watch = Watch(this_process, others, silent_for, calls)
    try:
        runtime.join(
            this_process.host if this_process.process else "localhost",
            port,
            this_process.process,
            this_process.processes,
            service,
            calls,
        )
    except BaseException as error:
        watch.abandon(error)
        raise
    _watches.append(watch)
    atexit.register(_at_exit)


def _at_exit() -> None:
    for watch in _watches:
        watch.fail_if_exited()
    shutdown()


def _leave_in_fork() -> None:
    """Called in a fork, which is none of the processes: its end does not concern the others."""
    atexit.unregister(_at_exit)
    runtime.keep_alive_in_fork()
    while _watches:
        _watches.pop().forget_in_fork()


os.register_at_fork(after_in_child=_leave_in_fork)


def shutdown() -> None:
    """Leave the other processes when all of them do; nothing for a process alone.

    Raises DeviceError when the others do not come to leave in five minutes.
    """
    joined_runtime = runtime.joined()
    if joined_runtime is None:
        return
    atexit.unregister(_at_exit)
    for watch in _watches:
        watch.announce_end()
        watch.compare_at_end()  # a process that finds a difference does not leave, so it can still tell all others
    joined_runtime.leave()
    while _watches:
        _watches.pop().close()
    joined_runtime.stop()


def process_index() -> int:
    """The number of this process; 0 for one alone.

    >>> process_index()
    0
    """
    joined_runtime = runtime.joined()
    return 0 if joined_runtime is None else joined_runtime.process


def process_count() -> int:
    """Number of processes; 1 for one alone.

    >>> process_count()
    1
    """
    joined_runtime = runtime.joined()
    return 1 if joined_runtime is None else joined_runtime.processes


def barrier(name: str, within: float = 60.0) -> None:
    """Wait until all processes are here; DeviceError naming the barrier when they are not after `within` seconds.

    >>> barrier("data is there")
    """
    if not isinstance(name, str):
        raise refusal("barrier", "name", "a string", name)
    _check_seconds("barrier", within=within)
    if (joined_runtime := runtime.joined()) is not None:
        joined_runtime.barrier(f"{name}/{next(_exchange_numbers)}", within, f"barrier: {name!r}")


def process_allgather(x: ArrayLike) -> Array:
    """Gather the values of `x` of all processes, in every process.

    For an array sharded over a mesh this is the whole. Process-local arrays, of one shape and dtype, are stacked along
    a new first axis, and so is an array over a single device of one process alone. All processes call it.

    Raises ArgumentError where processes give different types, ConcretizationError for values that are not known.

    >>> process_allgather([1.0, 2.0])
    Array([[1., 2.]], float64)
    """
    array = as_array(x, "process_allgather", "x")
    if not isinstance(array, Concrete):
        raise ConcretizationError(f"process_allgather: x, {array.aval}, is not known here; call it outside of jit")
    if array.sharding.mesh.axes:
        return from_host(read(array, "process_allgather", whole=True))
    local = array.fetch()
    joined_runtime = runtime.joined()
    if joined_runtime is None:
        return from_host(local[None].copy())
    types = joined_runtime.exchange(f"types/{next(_exchange_numbers)}", str(array.aval))
    other = next((i for i, type_ in enumerate(types) if type_ != types[0]), None)
    if other is not None:
        raise ArgumentError(f"process_allgather: x is {types[0]} in process 0 and {types[other]} in process {other}")
    devices_per_process = len(pjrt.devices()) // joined_runtime.processes
    mesh = Mesh({"process": joined_runtime.processes, "device": devices_per_process})
    stacked = array_from_callback(
        (joined_runtime.processes, *local.shape),
        mesh.sharding("process"),
        lambda _: from_host(local[None]),
        array.aval.dtype,
    )
    assert isinstance(stacked, Concrete), "it is made of what is known"
    return from_host(read(stacked, "process_allgather", whole=True))


def _check_seconds(function: str, **timeouts: float) -> None:
    for name, seconds in timeouts.items():
        if not 0 < number(function, name, seconds) < float("inf"):
            raise refusal(function, name, "a positive number of seconds", seconds)

"""Several processes as one runtime: jaxlib's coordination service, which process 0 runs, and its clients.

A process that waits for the service, or misses its heartbeats, is aborted in C++. So the processes meet before they are
connected, and `lowering.distributed` finds processes that are gone: heartbeats here take years.
"""

from __future__ import annotations

import ctypes
import re
import socket
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from effects.errors import DeviceError
from lowering.pjrt.collective_order import Calls
from lowering.pjrt.protocols import native

_YEARS: Final = 10**8
"""Seconds after which XLA gives up a process that is silent."""
_TASK: Final = re.compile(r"^(?:\S*task:)?(\d+)$", re.MULTILINE)
_PATIENCE: Final = 300
"""Seconds that a process waits for the others when it leaves or exchanges messages."""


class Runtime(NamedTuple):
    """This process among `processes`, connected."""

    process: int
    processes: int
    client: Any
    service: Any
    calls: Calls

    def barrier(self, name: str, seconds: float, called: str) -> None:
        """Wait until all processes are here; DeviceError when they are not in time."""
        try:
            self.client.wait_at_barrier(name, max(int(seconds * 1000), 1))
        except native.JaxRuntimeError as error:
            missing = ", ".join(_TASK.findall(str(error).partition("timed out task names")[2]))
            reason = f"these did not: {missing}" if missing else str(error).splitlines()[0]
            raise DeviceError(f"{called}: not all processes came in {seconds:g} s; {reason}") from None

    def exchange(self, key: str, text: str) -> list[str]:
        """Messages of all processes, in their order; DeviceError if one sends none in time."""
        self.say(key, text)
        return [self.hear(key, i, _PATIENCE) for i in range(self.processes)]

    def say(self, key: str, text: str) -> None:
        """Send a message to the others."""
        self.client.key_value_set(f"{key}/{self.process}", text)

    def hear(self, key: str, process: int, seconds: float) -> str:
        """Message of a process; DeviceError when it does not come in time. An interrupt is noticed."""
        until = time.monotonic() + seconds
        while True:
            try:
                return str(self.client.blocking_key_value_get(f"{key}/{process}", _GLANCE))
            except native.JaxRuntimeError as error:
                if time.monotonic() > until or "DEADLINE_EXCEEDED" not in str(error):
                    reason = f"process {process} of {self.processes} has said nothing in {seconds:g} s"
                    raise DeviceError(f"{key}: {reason}: {str(error).splitlines()[0]}") from None

    def forget(self, key: str) -> None:
        """Delete a message of this process, when all have received it."""
        self.client.key_value_delete(f"{key}/{self.process}")

    def leave(self) -> None:
        """Wait until all leave; DeviceError when they do not."""
        for finish in before_leaving:
            finish()
        try:
            self.client.shutdown()
        except native.JaxRuntimeError as error:
            raise DeviceError(f"shutdown: the other processes do not end: {str(error).splitlines()[0]}") from None

    def stop(self) -> None:
        """End the service, and forget the other processes; their devices stay."""
        _joined.clear()
        if self.service is not None:
            self.service.shutdown()


_GLANCE: Final = 1000
"""Milliseconds that a process listens before it checks for an interrupt."""
_joined: Final[dict[str, Runtime]] = {}
before_leaving: Final[list[Callable[[], None]]] = []
"""Functions that end joint work of this process with the others."""


def keep_alive_in_fork() -> None:
    """Never free the runtime in a fork: it would say goodbye in the name of the parent."""
    for runtime in _joined.values():
        for shared in (runtime.client, runtime.service):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(shared))


def joined() -> Runtime | None:
    """The processes to which this one belongs; None for one alone."""
    return _joined.get("here")


def join(host: str, port: int, index: int, count: int, service: Any, calls: Calls) -> Runtime:
    """Connect this process to the service of process 0; clients that start from now on see the devices of all."""
    client = native.get_distributed_runtime_client(
        f"{host}:{port}",
        index,
        init_timeout=60,
        shutdown_timeout=_PATIENCE,
        heartbeat_timeout=_YEARS,
        use_compression=True,
    )
    client.connect()
    return _joined.setdefault("here", Runtime(index, count, client, service, calls))


def serve(count: int) -> tuple[int, Any]:
    """Start the service, in process 0, at a free port, since one in use would end the process; returns both."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        port: int = probe.getsockname()[1]
    bind = f"[::]:{port}" if socket.has_ipv6 else f"0.0.0.0:{port}"
    service = native.get_distributed_runtime_service(bind, count, heartbeat_timeout=_YEARS, shutdown_timeout=_PATIENCE)
    return port, service


def cpu_options() -> dict[str, Any]:
    """Options of the CPU's client that describe the other processes, with which its devices talk by gloo."""
    runtime = joined()
    if runtime is None:
        return {}
    options = {"distributed_client": runtime.client, "node_id": runtime.process, "num_nodes": runtime.processes}
    return {**options, "collectives": native.make_gloo_tcp_collectives(runtime.client)}


def plugin_options() -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of a plug-in that describe the other processes: its options, and the arguments of its client."""
    runtime = joined()
    if runtime is None:
        return {}, {}
    return {"node_id": runtime.process, "num_nodes": runtime.processes}, {"distributed_client": runtime.client}

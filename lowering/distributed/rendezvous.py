"""Rendezvous: the processes connect to process 0 by plain sockets, before XLA does anything.

XLA ends a process, in C++, if its port is in use or its peers do not come. Here these are errors that name the missing
processes. The connections stay open and report failures of a process (`monitoring`).
"""

from __future__ import annotations

import json
import selectors
import socket
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final, final

from effects.errors import DeviceError
from lowering.distributed.membership import Membership

_RETRY_INTERVAL: Final = 0.1
"""Seconds after which a process tries again to connect."""
_MAX_MESSAGE: Final = 1 << 20
_ANSWER_TIMEOUT: Final = 5.0
"""Seconds within which process 0 must answer."""
_RECEIVE_TIMEOUT: Final = 0.01
"""Seconds that process 0 listens to one process before it listens to the next one."""


@final
class Connection:
    """Lines of JSON to and from another process."""

    def __init__(self, to: socket.socket) -> None:
        self._sending_end: Final = to
        self._receiving_end: Final = to.dup()  # the threads that send and listen have different time limits
        self._read = b""

    def send(self, message: dict[str, Any], within: float = 5.0) -> None:
        """Send a message; OSError if the other process is gone, or does not receive it in time."""
        self._sending_end.settimeout(within)
        self._sending_end.sendall(json.dumps(message).encode() + b"\n")

    def receive(self, within: float) -> dict[str, Any] | None:
        """The next message; None when there will be none. TimeoutError when it does not come in time."""
        deadline = time.monotonic() + within
        while b"\n" not in self._read:
            if (remaining := deadline - time.monotonic()) <= 0:
                raise TimeoutError
            try:
                self._receiving_end.settimeout(remaining)  # raises if this process has closed it meanwhile
                received = self._receiving_end.recv(1 << 16)
            except TimeoutError:
                continue
            except OSError:
                return None
            if not received or len(self._read) > _MAX_MESSAGE:
                return None
            self._read += received
        line, _, self._read = self._read.partition(b"\n")
        try:
            message = json.loads(line)
        except ValueError:
            return None
        return message if isinstance(message, dict) else None

    def fileno(self) -> int:
        """The file descriptor, for `select`."""
        return self._receiving_end.fileno()

    def close_in_fork(self) -> None:
        """Close this process's end without a goodbye, as a fork does, whose parent keeps the connection."""
        for end in (self._sending_end, self._receiving_end):
            end.close()

    def close(self) -> None:
        for end in (self._sending_end, self._receiving_end):
            with suppress(OSError):  # the other end has closed it
                end.shutdown(socket.SHUT_RDWR)
            end.close()


def accept_all(membership: Membership, within: float) -> dict[int, Connection]:
    """Connections to all others, in process 0. DeviceError naming missing processes, or for a port that is in use."""
    deadline = time.monotonic() + within
    connected: dict[int, Connection] = {}
    try:
        server = socket.create_server(("", membership.port), backlog=max(membership.processes, 128))
    except OSError as error:
        raise DeviceError(
            f"initialize: process 0 cannot listen at port {membership.port}: {error.strerror}; give another address"
        ) from None
    with server, selectors.DefaultSelector() as selector:
        selector.register(server, selectors.EVENT_READ)
        while len(connected) < membership.processes - 1:
            events = selector.select(max(deadline - time.monotonic(), 0.0))
            if not events or time.monotonic() > deadline:
                raise _tell_and_refuse(connected.values(), _missing(membership, connected, within))
            for source in [key.fileobj for key, _ in events]:
                if not isinstance(source, Connection):
                    selector.register(Connection(server.accept()[0]), selectors.EVENT_READ)
                    continue
                try:
                    hello = source.receive(_RECEIVE_TIMEOUT)
                except TimeoutError:
                    continue  # its message is not complete
                selector.unregister(source)
                index, wrong = _introduction(hello or {}, membership, connected)
                if wrong is not None:
                    raise _tell_and_refuse([*connected.values(), source], wrong)
                if index is None:
                    source.close()
                else:
                    connected[index] = source
        strangers = [key.fileobj for key in selector.get_map().values()]
    for source in strangers:
        if isinstance(source, Connection):
            source.close()
    return connected


def _introduction(
    hello: Mapping[str, Any], membership: Membership, connected: dict[int, Connection]
) -> tuple[int | None, str | None]:
    """The number of the process that introduces itself, None for a stranger, and what is wrong with it, if anything."""
    index, count = hello.get("process"), hello.get("of")
    if not isinstance(index, int) or not isinstance(count, int):
        return None, None
    if count != membership.processes:
        return index, f"process {index} was told of {count} processes, and process 0 of {membership.processes}"
    if index in connected or not 0 < index < membership.processes:
        return index, f"two processes were told that they are process {index} of {membership.processes}"
    return index, None


def _missing(membership: Membership, connected: dict[int, Connection], within: float) -> str:
    missing = [i for i in range(1, membership.processes) if i not in connected]
    some = ", ".join(map(str, missing[:20])) + (", …" if len(missing) > 20 else "")
    return (
        f"{membership.processes} processes were to meet at {membership.host}:{membership.port}; after {within:g} s "
        f"these have not come: {some}"
    )


def _tell_and_refuse(others: Iterable[Connection], wrong: str) -> DeviceError:
    """The error, after it was sent to the others."""
    for other in others:
        try:
            other.send({"wrong": wrong})
        except OSError:
            continue
    return DeviceError(f"initialize: {wrong}")


def connect(membership: Membership, within: float) -> tuple[Connection, int]:
    """The connection to process 0, in another process, and the port of its service; DeviceError if there is none."""
    deadline = time.monotonic() + within
    connection = Connection(_connected_socket(membership, within))
    connection.send({"process": membership.process, "of": membership.processes})
    try:  # process 0 knows which processes are missing, so it may report first
        answer = connection.receive(max(deadline - time.monotonic(), 0.0) + _ANSWER_TIMEOUT) or {}
    except TimeoutError:
        answer = {}
    if "port" not in answer:
        reason = answer.get("wrong", f"process 0 at {membership.host}:{membership.port} does not answer, or is gone")
        raise DeviceError(f"initialize: {reason}")
    return connection, int(answer["port"])


def _connected_socket(membership: Membership, within: float) -> socket.socket:
    deadline = time.monotonic() + within
    while True:
        try:
            return socket.create_connection(
                (membership.host, membership.port), timeout=max(deadline - time.monotonic(), _RETRY_INTERVAL)
            )
        except OSError as error:
            if time.monotonic() + _RETRY_INTERVAL > deadline:
                raise DeviceError(
                    f"initialize: process {membership.process} found no process 0 at {membership.host}:"
                    f"{membership.port} in {within:g} s: {error}"
                ) from None
            time.sleep(_RETRY_INTERVAL)

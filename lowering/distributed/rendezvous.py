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

_AGAIN: Final = 0.1
"""Seconds after which a process tries again to connect."""
_LONGEST: Final = 1 << 20
_INTRODUCTION: Final = 5.0
"""Seconds within which process 0 must answer."""
_GLANCE: Final = 0.01
"""Seconds that process 0 listens to one process before it listens to the next one."""


@final
class Connection:
    """Lines of JSON to and from another process."""

    def __init__(self, to: socket.socket) -> None:
        self._to: Final = to
        self._from: Final = to.dup()  # the threads that send and listen have different time limits
        self._read = b""

    def send(self, message: dict[str, Any], within: float = 5.0) -> None:
        """Send a message; OSError if the other process is gone, or does not receive it in time."""
        self._to.settimeout(within)
        self._to.sendall(json.dumps(message).encode() + b"\n")

    def receive(self, within: float) -> dict[str, Any] | None:
        """The next message; None when there will be none. TimeoutError when it does not come in time."""
        until = time.monotonic() + within
        while b"\n" not in self._read:
            if (remaining := until - time.monotonic()) <= 0:
                raise TimeoutError
            try:
                self._from.settimeout(remaining)  # raises if this process has closed it meanwhile
                more = self._from.recv(1 << 16)
            except TimeoutError:
                continue
            except OSError:
                return None
            if not more or len(self._read) > _LONGEST:
                return None
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        try:
            message = json.loads(line)
        except ValueError:
            return None
        return message if isinstance(message, dict) else None

    def fileno(self) -> int:
        """The file descriptor, for `select`."""
        return self._from.fileno()

    def let_go(self) -> None:
        """Close this process's end without a goodbye, as a fork does, whose parent keeps the connection."""
        for end in (self._to, self._from):
            end.close()

    def close(self) -> None:
        for end in (self._to, self._from):
            with suppress(OSError):  # the other end has closed it
                end.shutdown(socket.SHUT_RDWR)
            end.close()


def gather(at: Membership, within: float) -> dict[int, Connection]:
    """Connections to all others, in process 0. DeviceError naming missing processes, or for a port that is in use."""
    until = time.monotonic() + within
    come: dict[int, Connection] = {}
    try:
        server = socket.create_server(("", at.port), backlog=max(at.processes, 128))
    except OSError as error:
        raise DeviceError(
            f"initialize: process 0 cannot listen at port {at.port}: {error.strerror}; give another address"
        ) from None
    with server, selectors.DefaultSelector() as waiting:
        waiting.register(server, selectors.EVENT_READ)
        while len(come) < at.processes - 1:
            events = waiting.select(max(until - time.monotonic(), 0.0))
            if not events or time.monotonic() > until:
                raise _tell_and_refuse(come.values(), _missing(at, come, within))
            for source in [key.fileobj for key, _ in events]:
                if not isinstance(source, Connection):
                    waiting.register(Connection(server.accept()[0]), selectors.EVENT_READ)
                    continue
                try:
                    hello = source.receive(_GLANCE)
                except TimeoutError:
                    continue  # its message is not complete
                waiting.unregister(source)
                index, wrong = _introduced(hello or {}, at, come)
                if wrong is not None:
                    raise _tell_and_refuse([*come.values(), source], wrong)
                if index is None:
                    source.close()
                else:
                    come[index] = source
        strangers = [key.fileobj for key in waiting.get_map().values()]
    for source in strangers:
        if isinstance(source, Connection):
            source.close()
    return come


def _introduced(hello: Mapping[str, Any], at: Membership, come: dict[int, Connection]) -> tuple[int | None, str | None]:
    """The number of the process that introduces itself, None for a stranger, and what is wrong with it, if anything."""
    index, count = hello.get("process"), hello.get("of")
    if not isinstance(index, int) or not isinstance(count, int):
        return None, None
    if count != at.processes:
        return index, f"process {index} was told of {count} processes, and process 0 of {at.processes}"
    if index in come or not 0 < index < at.processes:
        return index, f"two processes were told that they are process {index} of {at.processes}"
    return index, None


def _missing(at: Membership, come: dict[int, Connection], within: float) -> str:
    missing = [i for i in range(1, at.processes) if i not in come]
    some = ", ".join(map(str, missing[:20])) + (", …" if len(missing) > 20 else "")
    return (
        f"{at.processes} processes were to meet at {at.host}:{at.port}; after {within:g} s these have not come: {some}"
    )


def _tell_and_refuse(others: Iterable[Connection], wrong: str) -> DeviceError:
    """The error, after it was sent to the others."""
    for other in others:
        try:
            other.send({"wrong": wrong})
        except OSError:
            continue
    return DeviceError(f"initialize: {wrong}")


def knock(at: Membership, within: float) -> tuple[Connection, int]:
    """The connection to process 0, in another process, and the port of its service; DeviceError if there is none."""
    until = time.monotonic() + within
    connection = Connection(_opened(at, within))
    connection.send({"process": at.process, "of": at.processes})
    try:  # process 0 knows which processes are missing, so it may report first
        answer = connection.receive(max(until - time.monotonic(), 0.0) + _INTRODUCTION) or {}
    except TimeoutError:
        answer = {}
    if "port" not in answer:
        reason = answer.get("wrong", f"process 0 at {at.host}:{at.port} does not answer, or is gone")
        raise DeviceError(f"initialize: {reason}")
    return connection, int(answer["port"])


def _opened(at: Membership, within: float) -> socket.socket:
    until = time.monotonic() + within
    while True:
        try:
            return socket.create_connection((at.host, at.port), timeout=max(until - time.monotonic(), _AGAIN))
        except OSError as error:
            if time.monotonic() + _AGAIN > until:
                raise DeviceError(
                    f"initialize: process {at.process} found no process 0 at {at.host}:{at.port} in {within:g} s: "
                    f"{error}"
                ) from None
            time.sleep(_AGAIN)

"""Monitoring: when a process dies, raises or hangs, all others end and report it.

A collective waits for all processes, so without this a missing one would be waited for without end. Each process sends
process 0 heartbeats, and digests of the programs that it has called, which must agree in all processes of a mesh.
Process 0 forwards digests to the first process of each group, which compares them, and failures to all, which then end.
A closed connection means that a process has ended.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from types import TracebackType
from typing import Any, Final, final

from effects.errors import DeviceError
from lowering.distributed.membership import Membership
from lowering.distributed.rendezvous import Connection
from lowering.pjrt.collective_order import NO_CALL, Call, Calls, Group

_CAUSE_WAIT: Final = 0.5
"""Seconds that a process whose program raises waits for news that another process failed, which may be the cause."""
_SHUTDOWN_TIMEOUT: Final = 300.0
"""Seconds that a process at its end waits for the others to end."""
_MAX_TRACEBACK: Final = 1 << 16
"""Largest number of letters of a traceback that is sent to the others."""
ENDED_BY_ANOTHER: Final = 75
"""The exit status of a process that ended because another did."""


@final
class Watch:
    """The threads of this process that listen to the others, and the one that sends heartbeats."""

    def __init__(self, membership: Membership, others: dict[int, Connection], silent_for: float, calls: Calls) -> None:
        self.membership: Final = membership
        self.calls: Final = calls
        self.silent_for: Final = silent_for
        self._others: Final = others
        self._closed: Final = threading.Event()
        self._sending: Final = threading.Lock()
        self._ending: Final = threading.Lock()
        self._hook: Final = sys.excepthook
        self._exit: Final = sys.exit
        self._status: object = None
        self._uncompared: Final[dict[tuple[Group, int], Call]] = {}  # by the others, and not yet compared
        self._last_calls: Final[dict[int, dict[Group, Call]]] = {}
        self._all_ended: Final = threading.Event()
        sys.excepthook = self._except_hook
        sys.exit = self._exit_hook  # type: ignore[assignment]  # it does not return either
        for index, other in others.items():
            threading.Thread(target=self._listen, args=(index, other), daemon=True, name=f"process {index}").start()
        threading.Thread(target=self._send_heartbeats, daemon=True, name="this process").start()

    def close(self) -> None:
        """Say goodbye: connections that close afterwards are no failures."""
        self._leave()
        self._tell({"bye": self.membership.process})
        for other in self._others.values():
            other.close()

    def abandon(self, error: BaseException) -> None:
        """End the others after a failed initialisation, and leave this process as it was before."""
        self._leave()
        self._tell({"failed": self.membership.process, "why": f"could not join: {error}"})
        for other in self._others.values():
            other.close()

    def forget_in_fork(self) -> None:
        """Drop the connections in a fork, which is none of the processes."""
        sys.excepthook, sys.exit = self._hook, self._exit
        for other in self._others.values():
            other.close_in_fork()

    def _leave(self) -> None:
        self._closed.set()
        sys.excepthook, sys.exit = self._hook, self._exit

    def announce_end(self) -> None:
        """Tell the others that this process calls no more programs."""
        self._tell({"process": self.membership.process, "end": _encoded(self.calls.last())})
        self._record_end(self.membership.process, self.calls.last())

    def compare_at_end(self) -> None:
        """Wait until all processes call no more programs, and compare their calls; DeviceError if some do not."""
        if not self._all_ended.wait(_SHUTDOWN_TIMEOUT):
            others = [str(i) for i in range(self.membership.processes) if i not in self._last_calls]
            raise DeviceError(
                f"shutdown: the other processes do not end: after {_SHUTDOWN_TIMEOUT:g} s these still run: "
                f"{', '.join(others)}"
            )
        self._compare()

    def _tell(self, message: dict[str, Any], only: int | None = None) -> None:
        with self._sending:
            for other in self._others.values() if only is None else [self._others[only]]:
                try:
                    other.send(message)
                except OSError:  # it has ended, which its listener reports
                    continue

    def _send_heartbeats(self) -> None:
        while not self._closed.wait(min(1.0, self.silent_for / 4)):
            self._tell({"process": self.membership.process, "called": _encoded(self.calls.last())})
            self._compare()

    def _listen(self, index: int, other: Connection) -> None:
        while True:
            try:
                message = other.receive(self.silent_for)
            except TimeoutError:
                return self._end(index, f"has been silent for {self.silent_for:g} s")
            if message is None:
                return self._end(index, "is gone: it was killed, or left without an error")
            if "bye" in message:
                return None
            if "failed" in message:
                return self._end(int(message["failed"]), str(message["why"]))
            if "called" in message or "end" in message:
                self._receive(message)

    def _receive(self, message: dict[str, Any]) -> None:
        """Handle a message of a process. Process 0 forwards digests to the first of a group, and failures to all."""
        own, process = self.membership.process, int(message["process"])
        for group, call in _decoded(message.get("called", [])).items():
            if own == group[0] != process:
                self._uncompared.setdefault((group, process), call)
            elif own == 0 != group[0] != process:
                self._tell({"process": process, "called": _encoded({group: call})}, only=group[0])
        if "end" in message:
            if own == 0:
                self._tell(message)
            last = _decoded(message["end"])
            self._uncompared.update(
                {(group, process): call for group, call in last.items() if own == group[0] != process}
            )
            self._compare()
            self._record_end(process, last)

    def _record_end(self, index: int, last: dict[Group, Call]) -> None:
        self._last_calls[index] = last
        if len(self._last_calls) == self.membership.processes:
            self._all_ended.set()

    def _compare(self) -> None:
        """In the first process of a group: end all if processes have called different programs, or one calls alone."""
        own = self.membership.process
        last = self.calls.last()
        for (group, index), theirs in list(self._uncompared.items()):
            mine, group_text = self.calls.at(group, theirs.number), self._processes_of(group)
            if mine is not None and mine.digest != theirs.digest:
                self._end(
                    index,
                    f"calls other programs than process {own}: of those in which {group_text} meet number "
                    f"{theirs.number} is {theirs.name} in process {index} and {mine.name} in process {own}; these, "
                    "or some before, differ",
                )
            if mine is not None or theirs.number < last.get(group, NO_CALL).number:
                self._uncompared.pop((group, index), None)
        further = [(group, own, call) for group, call in last.items() if group[0] == own]
        further += [(group, other, call) for (group, other), call in list(self._uncompared.items())]
        for index, ends in list(self._last_calls.items()):
            for group, other, call in further:
                if index in group and call.number > (end := ends.get(group, NO_CALL)).number:
                    self._end(
                        index,
                        f"has come to its end after {end.number} programs in which {self._processes_of(group)} meet, "
                        f"and process {other} is in a further one, {call.name}",
                    )

    def _processes_of(self, group: Group) -> str:
        return "all processes" if len(group) == self.membership.processes else f"processes {', '.join(map(str, group))}"

    def _end(self, index: int, reason: str) -> None:
        """Report a failure to all, and end this process."""
        with self._ending:
            if self._closed.is_set():
                return
            self._tell({"failed": index, "why": reason})  # process 0 forwards it to all
            sys.stdout.flush()
            print(
                f"process {self.membership.process}: process {index} of {self.membership.processes} {reason}\n"
                "This process ends too: it would wait for the other for ever.",
                file=sys.stderr,
                flush=True,
            )
            os._exit(ENDED_BY_ANOTHER)

    def _except_hook(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """An uncaught error ends the process at once: an orderly end would wait for the others."""
        caused_by_another = "Gloo" in "".join(traceback.format_exception_only(error))
        time.sleep(self.silent_for + _CAUSE_WAIT if caused_by_another else _CAUSE_WAIT)
        trace_ = "".join(traceback.format_exception(kind, error, trace))
        if len(trace_) > _MAX_TRACEBACK:
            trace_ = f"{trace_[: _MAX_TRACEBACK // 2]}…{trace_[-_MAX_TRACEBACK // 2 :]}"
        reason = f"failed:\n{trace_}"
        with self._ending:
            self._hook(kind, error, trace)
            self._fail(reason, 130 if issubclass(kind, KeyboardInterrupt) else 1)

    def _exit_hook(self, status: object = None, /) -> None:
        self._status = status
        raise SystemExit(status)

    def fail_if_exited(self) -> None:
        """Report a failure at the end of the process, if its exit status is not 0."""
        if self._status not in (None, 0):
            with self._ending:
                status = self._status if isinstance(self._status, int) else 1
                status_text = "" if status is self._status else f": {self._status}"
                self._fail(f"left with the exit status {status}{status_text}", status)

    def _fail(self, reason: str, status: int) -> None:
        self._tell({"failed": self.membership.process, "why": reason})
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _encoded(calls: dict[Group, Call]) -> list[object]:
    return [[group, call] for group, call in calls.items()]


def _decoded(written: list[Any]) -> dict[Group, Call]:
    return {tuple(group): Call(*call) for group, call in written}

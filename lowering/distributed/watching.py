"""Watching: when a process dies, raises or stands still, all others end, and say why.

A collective waits for all processes, so one that is missing would be waited for. Each process tells process 0 that it
lives, and which programs it has called, which are to be the same in all; process 0 tells the others. A connection that
closes is a process that is gone.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from types import TracebackType
from typing import Any, Final, final

from lowering.distributed.addresses import Membership
from lowering.distributed.meeting import Connection
from lowering.pjrt.meetings import Call, Calls

_NEWS: Final = 0.5
"""Seconds that a process which raises waits for news of another: its own error may be what follows from that.

A collective that fails does follow from that, and who is silent is known after a while only.
"""
FOLLOWED: Final = 75
"""The exit status of a process that ended since another did."""


@final
class Watch:
    """Threads of this process that listen to the others, and one that says that it lives."""

    def __init__(self, here: Membership, others: dict[int, Connection], silent_for: float, calls: Calls) -> None:
        self.here: Final = here
        self.calls: Final = calls
        self.silent_for: Final = silent_for
        self._others: Final = others
        self._over: Final = threading.Event()
        self._sending: Final = threading.Lock()
        self._ending: Final = threading.Lock()
        self._hook: Final = sys.excepthook
        self._exit: Final = sys.exit
        self._status: object = None
        self._said: Final[dict[int, Call]] = {}  # by the others, and not yet compared
        self._at_their_end: Final[dict[int, Call]] = {}
        self._all_at_their_end: Final = threading.Event()
        sys.excepthook = self._raised
        sys.exit = self._exiting  # type: ignore[assignment]  # it does not return either
        for index, other in others.items():
            threading.Thread(target=self._listen, args=(index, other), daemon=True, name=f"process {index}").start()
        threading.Thread(target=self._live, daemon=True, name="this process").start()

    def close(self) -> None:
        """Say goodbye: what closes now is not a failure."""
        self._leave()
        self._tell({"bye": self.here.process})
        for other in self._others.values():
            other.close()

    def abandon(self, error: BaseException) -> None:
        """The processes did not come together: the others end, and this one is as it was before."""
        self._leave()
        self._tell({"failed": self.here.process, "why": f"could not join: {error}"})
        for other in self._others.values():
            other.close()

    def _leave(self) -> None:
        self._over.set()
        sys.excepthook, sys.exit = self._hook, self._exit

    def at_its_end(self) -> None:
        """Say that this process calls nothing more."""
        self._tell({"end": self.calls.last})
        self._ended(self.here.process, self.calls.last)

    def compared(self) -> None:
        """Wait until all have said that, and what they have called is compared."""
        if self.here.process == 0:
            self._all_at_their_end.wait(_NEWS)
            self._compare()

    def _tell(self, message: dict[str, Any]) -> None:
        with self._sending:
            for other in self._others.values():
                try:
                    other.send(message)
                except OSError:  # it is gone; who listens to it says so
                    continue

    def _live(self) -> None:
        while not self._over.wait(min(1.0, self.silent_for / 4)):
            self._tell({"called": self.calls.last})
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
            if self.here.process == 0 and "called" in message:
                self._said.setdefault(index, Call(*message["called"]))
            if self.here.process == 0 and "end" in message:
                self._said[index] = Call(*message["end"])
                self._compare()
                self._ended(index, Call(*message["end"]))

    def _ended(self, index: int, last: Call) -> None:
        self._at_their_end[index] = last
        if len(self._at_their_end) == self.here.processes:
            self._all_at_their_end.set()

    def _compare(self) -> None:
        """In process 0: whether all have called the same, as far as both have come, and nobody calls alone."""
        for index, said in list(self._said.items()):
            mine = self.calls.at(said.number)
            if mine is not None and mine.digest != said.digest:
                self._end(
                    index,
                    f"calls other programs than process 0: of those in which all processes meet number {said.number} "
                    f"is {said.name} in process {index} and {mine.name} in process 0; these, or some before, differ",
                )
            if mine is not None or said.number < self.calls.last.number:
                self._said.pop(index, None)
        for index, last in list(self._at_their_end.items()):
            for other, further in [(0, self.calls.last), *self._said.items()]:
                if further.number > last.number:
                    self._end(
                        index,
                        f"has come to its end after {last.number} programs in which all processes meet, and process "
                        f"{other} is in a further one, {further.name}",
                    )

    def _end(self, index: int, why: str) -> None:
        """Tell everybody, and end this process."""
        with self._ending:
            if self._over.is_set():
                return
            if self.here.process == 0:
                self._tell({"failed": index, "why": why})
            sys.stdout.flush()
            print(
                f"process {self.here.process}: process {index} of {self.here.processes} {why}\n"
                "This process ends too: it would wait for the other for ever.",
                file=sys.stderr,
                flush=True,
            )
            os._exit(FOLLOWED)

    def _raised(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """An error that nobody caught ends the process at once: an orderly end would wait for the others."""
        time.sleep(self.silent_for + _NEWS if "Gloo" in str(error) else _NEWS)
        why = "failed:\n" + "".join(traceback.format_exception(kind, error, trace))
        with self._ending:
            self._hook(kind, error, trace)
            self._fail(why, 130 if issubclass(kind, KeyboardInterrupt) else 1)

    def _exiting(self, status: object = None, /) -> None:
        self._status = status
        raise SystemExit(status)

    def fail_if_exited(self) -> None:
        """At the end of the process: where it asked for an exit status that is not 0, it has failed."""
        if self._status not in (None, 0):
            with self._ending:
                shown = self._status if isinstance(self._status, int) else 1
                self._fail(f"left with the exit status {self._status}", shown)

    def _fail(self, why: str, status: int) -> None:
        self._tell({"failed": self.here.process, "why": why})
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)

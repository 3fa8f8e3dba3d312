"""The cyclic collector while programs are recorded.

Equations make no reference cycles, and the collector would visit the growing program again and again, so it is paused
while the outermost program is recorded. Objects of a long recording are not visited afterwards either, since most are
alive. Garbage of users' functions is found by full collections, which take a small part of the time.
"""

from __future__ import annotations

import gc
import time
from collections import deque
from operator import call
from typing import Final, final

from effects.runtime.cpython.switches import OFF

_OFF: Final = "collector" in OFF
_LONG: Final = 0.005
_SHARE: Final = 0.05
_FROZEN_AT_START: Final = gc.get_freeze_count()  # the interpreter's own


@final
class Collector:
    """Python's collector, shared by all threads. Times are in seconds; `cost` is that of a full collection."""

    __slots__ = ("_asked_again", "_cost", "_unvisited")

    def __init__(self, cost: float = 0.02) -> None:
        self._cost = cost  # a guess until the first full collection
        self._unvisited = 0.0  # the time of recording since
        self._asked_again = 0.0  # the time of the last check, and its result

    def runs(self) -> bool:
        """True if the collector runs, and may be paused."""
        return not _OFF and gc.isenabled()

    def pause(self) -> None:
        """Stop the collector. The caller has recorded the time before, so that an interrupt here does no harm."""
        gc.disable()

    def resume(self, since: float) -> None:
        """Start the collector again, and handle the objects created since it was paused."""
        self._catch_up(since)
        gc.enable()

    def _catch_up(self, since: float) -> None:
        now = time.perf_counter()
        if now - since > _LONG and not self._user_froze(now):
            self._unvisited += now - since
            if self._unvisited * _SHARE > self._cost:
                gc.collect()
                self._cost = time.perf_counter() - now
                self._unvisited = 0.0
            else:  # new objects become old without a visit; one call, which no interrupt divides
                deque(map(call, (gc.freeze, gc.unfreeze)), 0)

    def _user_froze(self, now: float) -> bool:
        """Return True if the user froze objects; then this is rarely checked, since Python counts them one by one."""
        if now < self._asked_again:
            return True
        froze = gc.get_freeze_count() > _FROZEN_AT_START
        if froze:
            self._asked_again = now + (time.perf_counter() - now) / _SHARE
        return froze


collector: Final = Collector()

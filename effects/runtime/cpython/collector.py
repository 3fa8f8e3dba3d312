"""The cyclic collector while programs are recorded.

Equations make no reference cycles, and the collector would go over the growing program again and again: it rests while
the outermost program is recorded. Objects of a long recording are not visited when it resumes either, as most of them
are alive. The garbage that users' functions leave meanwhile is found by full collections, which come as often as keeps
them to a small part of the time.
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
    """Python's collector, which is one for all threads. Times are in seconds, `cost` that of a full collection."""

    __slots__ = ("_asked_again", "_cost", "_unvisited")

    def __init__(self, cost: float = 0.02) -> None:
        self._cost = cost  # of a full collection: a guess until there has been one
        self._unvisited = 0.0  # how long was recorded since
        self._asked_again = 0.0  # when, whether the user froze objects

    def runs(self) -> bool:
        """True if the collector runs, and may be paused."""
        return not _OFF and gc.isenabled()

    def pause(self) -> None:
        """Stop the collector; the caller has noted the time, so that an interrupt here leaves nothing undone."""
        gc.disable()

    def resume(self, since: float) -> None:
        """Start the collector again, and see to what was made since it was paused."""
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
            else:  # what was made is old then without having been visited; one call, between which is no interrupt
                deque(map(call, (gc.freeze, gc.unfreeze)), 0)

    def _user_froze(self, now: float) -> bool:
        """True if the user froze objects; where so, this is asked seldom, as Python counts them one by one."""
        if now < self._asked_again:
            return True
        froze = gc.get_freeze_count() > _FROZEN_AT_START
        if froze:
            self._asked_again = now + (time.perf_counter() - now) / _SHARE
        return froze


collector: Final = Collector()

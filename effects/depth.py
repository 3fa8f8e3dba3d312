"""Room for programs inside programs: who goes into them by nested Python calls brings the frames of a level."""

from __future__ import annotations

import sys
import threading
from typing import Final

FRAMES_PER_LEVEL: Final = 60
DEEPEST: Final = 10_000
"""Levels beyond this bring nothing: who stages itself without end gets a RecursionError, and not all of the memory."""


class _Deeper:
    """`with deeper:` around the work on one level of nesting; the limit is afterwards what it was."""

    __slots__ = ("_levels", "_limit", "_lock")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._levels = 0
        self._limit = 0

    def __enter__(self) -> None:
        with self._lock:  # the limit is the process's, the levels are those of all threads
            if not self._levels:
                self._limit = sys.getrecursionlimit()
            self._levels += 1
            sys.setrecursionlimit(self._wanted())

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._levels -= 1
            try:
                sys.setrecursionlimit(self._wanted())
            except RecursionError:  # the thread that leaves is deeper, in the user's frames: they stay
                return

    def _wanted(self) -> int:
        return self._limit + FRAMES_PER_LEVEL * min(self._levels, DEEPEST)


deeper: Final = _Deeper()

"""Stack frames for nested programs: each level of nested Python calls raises the recursion limit."""

from __future__ import annotations

import sys
import threading
from typing import Final, final

from effects.runtime.cpython.extent import Extent
from effects.runtime.cpython.switches import OFF

FRAMES_PER_LEVEL: Final = 60
DEEPEST: Final = 10_000
"""Levels beyond this do not raise the limit: endless nesting ends in a RecursionError, before memory is used up."""


@final
class Levels:
    """The nested levels of all threads; the limit is the process's, and is restored after the last one."""

    __slots__ = ("_inside", "_limit", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._inside: set[Extent] = set()
        self._limit = 0

    def enter(self, extent: Extent) -> None:
        """Add the frames of one level."""
        if "recursion" in OFF:
            return
        with self._lock:
            if not self._inside:
                self._limit = sys.getrecursionlimit()
            self._inside.add(extent)
            sys.setrecursionlimit(self._limit + FRAMES_PER_LEVEL * min(len(self._inside), DEEPEST))

    def leave(self, extent: Extent) -> None:
        """Remove the frames of a level, once."""
        with self._lock:
            if extent not in self._inside:
                return
            try:  # noqa: SIM105  # saves a frame
                sys.setrecursionlimit(self._limit + FRAMES_PER_LEVEL * min(len(self._inside) - 1, DEEPEST))
            except RecursionError:  # called deeper, in the user's frames: the limit stays
                pass
            self._inside.discard(extent)


levels: Final = Levels()


@final
class deeper(Extent):
    """`with deeper():` around the work on one level of nesting."""

    def __enter__(self) -> None:
        levels.enter(self)

    def leave(self) -> None:
        levels.leave(self)

"""Room for programs inside programs: who goes into them by nested Python calls brings the frames of a level."""

from __future__ import annotations

import sys
import threading
from typing import Final

FRAMES_PER_LEVEL: Final = 60


class deeper:
    """`with deeper():` around the work on one level of nesting; the limit is afterwards what it was."""

    __slots__ = ()
    _lock = threading.Lock()
    _levels = 0
    _limit = 0

    def __enter__(self) -> None:
        with deeper._lock:  # the limit is the process's, the levels are those of all threads
            if not deeper._levels:
                deeper._limit = sys.getrecursionlimit()
            deeper._levels += 1
            sys.setrecursionlimit(deeper._limit + FRAMES_PER_LEVEL * deeper._levels)

    def __exit__(self, *exception: object) -> None:
        with deeper._lock:
            deeper._levels -= 1
            _lower(deeper._limit + FRAMES_PER_LEVEL * deeper._levels)


def _lower(limit: int) -> None:
    try:
        sys.setrecursionlimit(limit)
    except RecursionError:  # the thread that leaves is deeper, in the user's frames: they stay
        return

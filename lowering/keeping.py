"""What is kept of programs, and how users say so."""

from __future__ import annotations

from effects.arguments import shown
from effects.errors import ArgumentError
from effects.runtime import caches
from effects.runtime.caches import PROGRAMS


def clear_caches() -> None:
    """Forget every compiled program, and all else that is kept to save work.

    What is needed again is made again: a jitted function is traced and compiled at its next call.

    >>> clear_caches()
    """
    caches.clear()


def keep_programs(count: int) -> None:
    """Keep at most `count` compiled programs (at first 1024), and as many of what they are made of.

    So many are kept for each jitted function, as long as it lives, and so many in all of functions that are gone and of
    loops outside `jit`. The least recently used go first, and are compiled again when they are needed. A program
    takes some 0.2 MB, a large one more.

    Raises ArgumentError for what is not a positive int.

    >>> keep_programs(1024)
    """
    given: object = count
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise ArgumentError(f"keep_programs: count must be a positive int, got {shown(given)}")
    PROGRAMS.count = given

"""The levels of a thread's C stack, which the registry of trees counts.

It counts a level for each nested node, and does not count back after an error. So a thread that catches such errors
would finally refuse all trees.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

from effects.runtime.cpython.switches import OFF

_enter: Final = ctypes.pythonapi.Py_EnterRecursiveCall
_enter.argtypes, _enter.restype = [ctypes.c_char_p], ctypes.c_int
_leave: Final = ctypes.pythonapi.Py_LeaveRecursiveCall
_leave.argtypes, _leave.restype = [], None
_LEVELS_COUNTED: Final = 20_000
"""Levels beyond which no more are counted."""
_LEVELS_NEEDED: Final = 50
"""Levels without which a tree is not walked, and others are given back first."""
_LEVELS_GIVEN_BACK: Final = 600


def levels_left() -> int:
    """Number of further levels in this thread."""
    entered = 0
    try:  # it would take a level
        while entered < _LEVELS_COUNTED and _enter(b"") == 0:
            entered += 1
    except RecursionError:
        pass
    give_back(entered)
    return entered


def give_back(levels: int) -> None:
    """Count back this number of levels."""
    for _ in range(levels):
        _leave()


def counted_back(flatten: Callable[..., object], *args: Any) -> None:
    """Count back the levels of a call of the registry that raised: as many as the same call leaves when repeated.

    A tree that contains itself uses up all levels, an unknown number; afterwards most trees fit again.
    """
    if "stack" in OFF:
        return
    before = levels_left()
    if before < _LEVELS_NEEDED:
        give_back(_LEVELS_GIVEN_BACK)
        return
    try:  # noqa: SIM105  # fewer frames, of which few may be left
        flatten(*args)
    except BaseException:
        pass
    give_back(2 * (before - levels_left()))

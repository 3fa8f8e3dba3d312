"""Nesting depth of trees: the levels of the C stack of a thread, as the registry counts them.

It counts a level for every node it is in, and does not count back when an error comes through it. So a thread that
catches such errors would in the end take no tree for flat enough.
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
_MOST: Final = 20_000
_FEW: Final = 50
_ROOM: Final = 600


def levels_left() -> int:
    """Number of further levels in this thread."""
    entered = 0
    try:  # which would take a level, when there is none
        while entered < _MOST and _enter(b"") == 0:
            entered += 1
    except RecursionError:
        pass
    give_back(entered)
    return entered


def give_back(levels: int) -> None:
    """Count so many levels back."""
    for _ in range(levels):
        _leave()


def counted_back(flatten: Callable[..., object], *args: Any) -> None:
    """Count back what a call of the registry that raised has left: as much as the same call leaves once more.

    A tree that contains itself uses up all levels, an unknown number; afterwards most trees fit again.
    """
    if "stack" in OFF:
        return
    before = levels_left()
    if before < _FEW:
        give_back(_ROOM)
        return
    try:  # noqa: SIM105  # fewer frames, where there may be hardly any
        flatten(*args)
    except BaseException:
        pass
    give_back(2 * (before - levels_left()))

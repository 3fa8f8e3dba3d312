"""Python functions that compiled programs call, and their exceptions.

The runtime turns an exception into an error of its own, with its text only. So exceptions are stored here under a
number that is part of the text, and the caller of the program raises the original one.
"""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from effects.operations.callbacks import HostFunction

_MOST_FAILURES: Final = 64
_failures: Final[dict[int, BaseException]] = {}
_numbers: Final = itertools.count(1)
_lock: Final = threading.Lock()
_NUMBER: Final = re.compile(r"CallbackFailure: effax callback failure (\d+)\b")


class CallbackFailure(Exception):
    """Error that stands for a Python exception in the runtime."""


def protected(function: Callable[..., tuple[object, ...]]) -> Callable[..., tuple[object, ...]]:
    """`function` with its exceptions stored, for the runtime."""

    def call(*arrays: object) -> tuple[object, ...]:
        try:
            return function(*arrays)
        except BaseException as error:
            number = next(_numbers)
            with _lock:
                _failures[number] = error
                if len(_failures) > _MOST_FAILURES:  # exceptions of programs that nobody waited for
                    del _failures[next(iter(_failures))]
            raise CallbackFailure(f"effax callback failure {number}") from None

    return call


def keep_alive(functions: Sequence[HostFunction]) -> tuple[list[Callable[..., tuple[object, ...]]], Callable[[], None]]:
    """`functions` for a program over a mesh, and a function that raises what one of them raised.

    An exception would end one device, and the others would wait for it in collectives without end. So the program gets
    zeros, calls nothing any more, and the exception is raised when the program has ended.
    """
    failed: list[CallbackFailure] = []

    def hold(function: HostFunction) -> Callable[..., tuple[object, ...]]:
        call = protected(function)

        def answered(*arrays: object) -> tuple[object, ...]:
            if not failed:
                try:
                    return call(*arrays)
                except CallbackFailure as failure:
                    failed.append(failure)
            return tuple([np.zeros(aval.shape, aval.dtype.dtype) for aval in function.results])

        return answered

    def raise_held() -> None:
        if failed:
            first = failed[0]
            failed.clear()
            raise RuntimeError(f"CallbackFailure: {first}")

    return [hold(function) for function in functions], raise_held


def failure_behind(error: BaseException) -> BaseException | None:
    """The exception of a callback behind an error of the runtime; None for another error."""
    match = _NUMBER.search(str(error))
    if match is None:
        return None
    with _lock:
        return _failures.pop(int(match[1]), None)

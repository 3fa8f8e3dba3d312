"""Tracebacks of errors without the library's own frames."""

from __future__ import annotations

from contextlib import ContextDecorator
from types import TracebackType
from typing import final

from effects.runtime.cpython.source import OWN


@final
class short_tracebacks(ContextDecorator):  # used like a function
    """Errors leave the block, or the function that is decorated, with the lines of your program alone.

    The frames of the library are left out of the traceback of the error and of those of its causes.

    >>> import traceback
    >>> import effects as fx
    >>> try:
    ...     with fx.short_tracebacks():
    ...         fx.ones(3) + fx.ones(4)
    ... except fx.ShapeError as error:
    ...     print(len(traceback.extract_tb(error.__traceback__)))
    1
    """

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        visited: set[int] = set()
        current = error
        while current is not None and id(current) not in visited:
            visited.add(id(current))
            current.__traceback__ = _shortened(current.__traceback__)
            current = current.__cause__ or current.__context__


def _shortened(trace: TracebackType | None) -> TracebackType | None:
    frames: list[TracebackType] = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    shortened: TracebackType | None = None
    for each in reversed(frames):
        if not each.tb_frame.f_code.co_filename.startswith(OWN):
            shortened = TracebackType(shortened, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return shortened or (frames[0] if frames else None)

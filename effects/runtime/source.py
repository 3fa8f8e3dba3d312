"""Where in the user's program something happened.

The library finds the user's line by walking out of its own three packages (and of what calls back from below: NumPy,
the standard library). A location is kept as a code object and
an instruction offset, which costs nothing to take; the line number is worked out only when somebody reads it.
"""

from __future__ import annotations

import functools
import sys
from contextvars import ContextVar
from pathlib import Path
from types import CodeType, FrameType
from typing import Final, NamedTuple, final

import numpy as np
import returns

from effects.runtime.caches import SMALL, Cache

_ROOT: Final = Path(__file__).parents[2]
_FUNCTIONS: Final = f"{_ROOT / 'effects' / 'functions'}/"
_PACKAGES: Final = (
    *[f"{_ROOT / package}/" for package in ("effects", "handlers", "lowering")],
    *[f"{Path(file).parent}/" for file in (np.__file__, returns.__file__) if file],
    "<effax ",
    "<frozen ",
)
_STANDARD: Final = f"{Path(functools.__file__).parent}/"
_internals: Final[Cache[str, bool]] = Cache(SMALL)
_is_internal: Final = _internals.recent


type Place = tuple[CodeType, int]
"""A code object and the offset of the instruction that was running: a `Source` as it is kept, a plain tuple because
one is made for every equation."""


@final
class Source(NamedTuple):
    """A place in the user's program, to be read."""

    code: CodeType
    offset: int

    @property
    def file(self) -> str:
        return self.code.co_filename

    @property
    def line(self) -> int:
        for index, (line, *_) in enumerate(self.code.co_positions()):
            if 2 * index >= self.offset and line is not None:
                return line
        return self.code.co_firstlineno

    def __str__(self) -> str:
        return f"{self.file}:{self.line} ({self.code.co_name})"


def _internal(filename: str) -> bool:
    standard = filename.startswith(_STANDARD) and "-packages/" not in filename[len(_STANDARD) :]
    return _internals.keep(filename, standard or filename.startswith(_PACKAGES))


def user_place(depth: int = 1) -> Place | None:
    """The innermost place outside the library among the callers, from `depth` frames up; None when there is none."""
    frame = sys._getframe(depth)
    while True:
        filename = frame.f_code.co_filename
        internal = _is_internal.get(filename)
        if internal is None:
            internal = _internal(filename)
        if not internal:
            return frame.f_code, frame.f_lasti
        if frame.f_back is None:
            return None
        frame = frame.f_back


located: Final[ContextVar[Place | None]] = ContextVar("located", default=None)
"""The user's place that the operations performed now belong to, where somebody knows it: a handler that performs
several operations in place of one, a program that is run again. None: it has to be looked for."""


def blame() -> tuple[Source | None, str]:
    """For an error that is being made: the user's place, and the public function that was called there ("" for none).

    What a program that is run again does belongs to where its equation was written.
    """
    function = ""
    rerun = False
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if not _is_internal.get(code.co_filename, False) and not _internal(code.co_filename):
            break
        if code.co_filename.startswith(_FUNCTIONS):
            function = code.co_name
        elif code.co_name == "eval_jaxpr":
            rerun = True
        frame = frame.f_back
    if rerun and (place := located.get()) is not None:
        return Source(*place), ""
    return None if frame is None else Source(frame.f_code, frame.f_lasti), function

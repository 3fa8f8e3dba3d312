"""Where in the user's program something happened.

The library finds the user's line by walking out of its own three packages. A location is kept as a code object and
an instruction offset, which costs nothing to take; the line number is worked out only when somebody reads it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import CodeType
from typing import Final, NamedTuple, final

_PACKAGES: Final = tuple(f"{Path(__file__).parents[1] / package}/" for package in ("effects", "handlers", "lowering"))
_GENERATED: Final = "<effax "
_is_internal: Final[dict[str, bool]] = {}


@final
class Source(NamedTuple):
    """A place in the user's program: a code object and the offset of the instruction that was running."""

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
    internal = filename.startswith((*_PACKAGES, _GENERATED)) or filename.startswith("<frozen ")
    _is_internal[filename] = internal
    return internal


def user_source(depth: int = 1) -> Source | None:
    """The innermost place outside the library among the callers, starting `depth` frames up; None when there is none."""
    frame = sys._getframe(depth)
    while True:
        filename = frame.f_code.co_filename
        internal = _is_internal.get(filename)
        if internal is None:
            internal = _internal(filename)
        if not internal:
            return Source(frame.f_code, frame.f_lasti)
        if frame.f_back is None:
            return None
        frame = frame.f_back

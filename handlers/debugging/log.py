"""`Log`: prints every operation on its way outward, with the types of its operands and of its result."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from typing import Final, TextIO, cast, final

from effects.arguments import refusal
from effects.arrays.array import Array
from effects.program.chain import Performed, WithoutCarriers, perform
from effects.program.operation import Operation
from effects.runtime.cpython.extent import setting

type Lines = list[tuple[TextIO, str]]

_running: Final[ContextVar[tuple[int, Lines] | None]] = ContextVar("running", default=None)
"""Number of Logs that wait for an operation to end, and the lines that follow theirs."""


@final
class Log(WithoutCarriers):
    """Prints the operations performed in its extent, one line each: the operation, and the types of its operands and
    results.

    Operations pass unchanged, so a Log can stand anywhere in a chain: outside a `Jvp` it shows the operations of the
    derivative, outside a `Stage` nothing, inside it the operations that are recorded. With several Logs in one chain,
    the operations that the outer ones see for an operation are printed below it, indented. An operation that raises is
    printed too. Lines begin with `prefix` and go to `file`, by default the standard output.

    >>> import effects as fx
    >>> with Log():
    ...     y = fx.sin(1.0) * 2.0
    sin float64[] -> float64[]
    mul float64[] float64[] -> float64[]
    """

    sees_all = True

    def __init__(self, prefix: str = "", file: TextIO | None = None) -> None:
        if not isinstance(cast(object, prefix), str):
            raise refusal("Log", "prefix", "a string", prefix)
        if file is not None and not callable(getattr(file, "write", None)):
            raise refusal("Log", "file", "an open text file or None", file)
        self.prefix = prefix
        self.file = file

    def interpret(self, op: Operation[Array], /) -> Performed:
        depth, lines = _running.get() or (0, [])
        place = len(lines)
        file = sys.stdout if self.file is None else self.file
        text = " ".join([self.prefix + "  " * depth + op.describe(), *[str(v.aval) for v in op.operands], "->"])
        lines.append((file, f"{text} an error"))
        try:
            with setting(_running, (depth + 1, lines)):
                results = perform(op)
            several = results if isinstance(results, tuple) else (results,)
            lines[place] = (file, " ".join([text, *[str(v.aval) for v in several]]))
            return results
        finally:
            if depth == 0:
                for where, line in lines:
                    print(line, file=where)

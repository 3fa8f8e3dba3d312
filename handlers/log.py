"""`Log`: prints every operation on its way outward, with the types of its operands and of its result."""

from __future__ import annotations

import sys
from typing import TextIO, final

from effects.array import Array
from effects.chain import Handler, Performed, perform
from effects.operation import Operation


@final
class Log(Handler[Array]):
    """Prints the operations performed in its extent, one line each, indented by the number of handlers further in.

    Operations pass on untouched, so that a Log can stand anywhere in a chain: outside a `Jvp` it shows what the
    derivative performs, outside a `Stage` nothing, inside it what is being written down.

    >>> import effects as fx
    >>> with Log():
    ...     y = fx.sin(1.0) * 2.0
    sin float64[] -> float64[]
    mul float64[] float64[] -> float64[]
    """

    sees_all = True

    def __init__(self, prefix: str = "", file: TextIO | None = None) -> None:
        self.prefix = prefix
        self.file = file

    def constant(self, value: Array, /) -> Array:
        return value

    def interpret(self, op: Operation[Array], /) -> Performed:
        results = perform(op)
        given = " ".join(str(v.aval) for v in op.operands)
        out = results if isinstance(results, tuple) else (results,)
        made = " ".join(str(v.aval) for v in out)
        print(f"{self.prefix}{op.describe()}{' ' if given else ''}{given} -> {made}", file=self.file or sys.stdout)
        return results

"""Detection of `from package import name` statements."""

from __future__ import annotations

import sys
from opcode import opmap

from effects.runtime.cpython.switches import OFF


def is_importing(depth: int) -> bool:
    """Return True if `from package import name` runs in the frame `depth` calls up from the caller's.

    Python replaces AttributeErrors there by its own error.
    """
    if "imports" in OFF:
        return False
    frame = sys._getframe(depth + 1)
    return frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]

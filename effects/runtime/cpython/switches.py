"""Switches for what depends on the insides of CPython, for interpreters in which one of these has changed.

`EFFAX_WITHOUT=source,collector` in the environment turns these off, `EFFAX_WITHOUT=all` turns off all. Results are the
same without; the last column is what is lost.

| name | uses | without it |
| --- | --- | --- |
| `source` | frames, and the instructions in them | errors name neither your lines nor the function, programs no lines |
| `collector` | pauses of the garbage collector | recording of long programs takes longer |
| `recursion` | the limit of nested calls | deeply nested programs raise RecursionError |
| `stack` | the count of C calls | a tree that contains itself may leave a thread with fewer levels |
| `extents` | reference counts of what a `with` block calls | an interrupt next to a block may leave it open |
| `calls` | frames, and a profile function | `show` has no columns for the inner functions of transformations |
| `imports` | the instruction that asks for a name | `from effects import …` of an unknown name says less |
"""

from __future__ import annotations

import os
import warnings
from typing import Final

NAMES: Final = ("source", "collector", "recursion", "stack", "extents", "calls", "imports")


def _off(text: str) -> frozenset[str]:
    words = frozenset(word.strip() for word in text.split(",")) - {""}
    if unknown := sorted(words - {*NAMES, "all"}):
        known = ", ".join(NAMES)
        warnings.warn(f"EFFAX_WITHOUT: {', '.join(unknown)} is none of {known}, all", RuntimeWarning, stacklevel=2)
    return frozenset(NAMES) if "all" in words else words


OFF: Final = _off(os.environ.get("EFFAX_WITHOUT", ""))

"""Advice for errors where Python or NumPy needs a value that is not known: as a key of a list or a NumPy array, say."""

from __future__ import annotations

import os
import sys
from typing import Final

from effects.arguments import shown
from effects.runtime.cpython.source import callers, running, user_place
from effects.types.avals import ShapedArray
from effects.types.dtypes import bool_


def at_a_key(aval: ShapedArray, purpose: str, instead: str) -> tuple[str, str]:
    """Caller and advice where the caller's caller reads or writes a list or a NumPy array at a key, or is a function of
    SciPy's for NumPy's arrays alone; else the arguments unchanged.
    """
    match running(3):
        case "BINARY_SUBSCR" if aval.dtype is bool_:
            return "table[mask] of a NumPy array", _MASKED
        case "BINARY_SUBSCR" | "BINARY_SLICE":
            return "table[key] of a list or a NumPy array", _READ
        case "STORE_SUBSCR" | "STORE_SLICE":
            return "table[key] = x of a list or a NumPy array", _WRITTEN
        case _:
            place = user_place(3)
            if place is None or "/scipy/" not in place[0].co_filename:
                return purpose, instead
            if (own := _own_of_scipy()) is not None:
                return purpose, f"This function of SciPy's takes NumPy's arrays only: write fx.{own}"
            return purpose, instead if os.environ.get("SCIPY_ARRAY_API") else _SCIPY


def _own_of_scipy() -> str | None:
    """The function here for the one that runs, of SciPy's linear algebra or a method of its distributions."""
    for frame in callers():
        filename, name = frame.f_code.co_filename, frame.f_code.co_name
        if "/scipy/linalg/" in filename and hasattr(sys.modules["effects"].linalg, name):
            return f"linalg.{name}"
        if filename.endswith("/scipy/stats/_distn_infrastructure.py"):
            distribution = getattr(frame.f_locals.get("self"), "name", None)
            if hasattr(getattr(sys.modules["effects"].stats, str(distribution), None), name):
                return f"stats.{distribution}.{name}"
    return None


def _written(key: object) -> str:
    """A key as it stands between brackets."""
    if key is Ellipsis:
        return "..."
    if isinstance(key, slice):
        ends = ["" if end is None else shown(end) for end in (key.start, key.stop)]
        return ":".join(ends if key.step is None else [*ends, shown(key.step)])
    return shown(key)


def immutable(key: object) -> str:
    """The message for an assignment to an ordinary array at a key."""
    text = ", ".join(map(_written, key)) if isinstance(key, tuple) and key else _written(key)
    memory = sys.modules.get("handlers.assignment.memory")
    own = (
        ""
        if memory is None or memory.memory_here() is None
        else "; xp.asarray(x) gives one that can be assigned to, with xp = y.__array_namespace__() of one that can"
    )
    return f"x[{text}] = … : arrays are immutable. Write x = x.at[{text}].set(…){own}"


_READ: Final = (
    "Only arrays of effects take such keys: write fx.asarray(table)[key]; for a slice dynamic_slice(fx.asarray(table), "
    "starts, sizes); for a list of functions switch(key, functions, …), of handlers"
)
_MASKED: Final = (
    "Write fx.where(mask, table, other), which keeps the shape: how many elements a mask chooses is not known either"
)
_WRITTEN: Final = "Only arrays of effects take such keys and values: write table = fx.asarray(table).at[key].set(x)"

_SCIPY: Final = (
    "Set SCIPY_ARRAY_API=1 in the environment before SciPy is imported: only then its functions take other arrays than "
    "NumPy's"
)

STATIC: Final = (
    "Sizes, shapes, axes and ranges must be static: mark the argument static (static_argnums); in place of range(n) "
    "write fori_loop(0, n, body, init), of handlers"
)
OURS: Final = (
    "Use the functions of `effects` in place of NumPy's: fx.asarray(x), fx.stack([x, y]) for numpy.array([x, y]), "
    "fx.sum(fx.stack([x, y])) for numpy.sum([x, y]), fx.concat([x, y]) for numpy.r_[x, y], fx.column_stack([x, y]) for "
    "numpy.c_[x, y], fx.lexsort((x, y)), fx.full, fx.arange"
)

"""Advice in errors about `x[key]`: for lists and NumPy arrays with an unknown key, and for assignment to an array."""

from __future__ import annotations

import sys
from typing import Final

from effects.arguments import shown
from effects.runtime.cpython.source import augmented, callers, running
from effects.runtime.libraries import in_library, library
from effects.types.avals import ShapedArray
from effects.types.dtypes import bool_


def where_asked(aval: ShapedArray, purpose: str, instead: str, hashed: bool) -> tuple[str, str]:
    """Purpose and advice for an unknown value that a list, a NumPy array or another library needs; else the arguments.

    With `hashed` the value is needed for its hash, as a key of a dict.
    """
    if other := in_library():
        return purpose, other
    match "" if hashed else running(next(filter(lambda frame: frame.f_code.co_name not in _ASKING, callers()))):
        case "BINARY_SUBSCR" if aval.dtype is bool_:
            return "table[mask] of a NumPy array", _MASKED
        case "BINARY_SUBSCR" | "BINARY_SLICE":
            return "table[key] of a list or a NumPy array", _READ
        case "STORE_SUBSCR" | "STORE_SLICE":
            written = writing("table = fx.asarray(table).at[key].set(x)")
            return "table[key] = x of a list or a NumPy array", f"Only arrays of effects take those: {written}"
        case _:
            return purpose, instead


def _written(key: object) -> str:
    """The text of a key between brackets."""
    if key is Ellipsis:
        return "..."
    if isinstance(key, slice):
        ends = ["" if end is None else _written(end) for end in (key.start, key.stop)]
        return ":".join(ends if key.step is None else [*ends, _written(key.step)])
    aval = getattr(key, "aval", None)
    return shown(key) if aval is None else "mask" if aval.dtype is bool_ else "i" if not aval.ndim else "indices"


def _update(text: str, operator: str) -> str:
    """The text of the update that replaces `x[text] = v`, or `x[text] += v`."""
    return f"x = x.at[{text}].{_METHODS.get(operator, 'apply(f)')}"


def immutable(key: object, assigned: str = "x") -> str:
    """The message for an assignment to an ordinary array at a key."""
    text = ", ".join(map(_written, key)) if isinstance(key, tuple) and key else _written(key)
    operator = augmented()
    return f"{assigned}[{text}] {operator or '='} … : arrays are immutable; {writing(_update(text, operator))}"


def at_a_mask() -> str:
    """Advice for reading elements at an unknown mask."""
    if operator := augmented():
        update = f"x[...] = where(mask, x {operator[:-1]} y, x)" if _inside() else _update("mask", operator)
        return f"Write {update}, which keeps the shape"
    return (
        "Choose with where(mask, x, y), which keeps the shape, or make the mask of NumPy arrays or of static arguments"
    )


def writing(instead: str) -> str:
    """Advice on how to write into an array: by `instead`, or into one that can be assigned to."""
    inside = _inside()
    if name := library():
        how = "all arrays must be arguments of writable" if inside else "run the call in writable, of handlers"
        return f"{name} writes into it: {how}, or give it numpy.asarray(x)"
    if inside:
        return f"write {instead}, or make the array by xp = y.__array_namespace__(), of an argument y: xp.asarray(x)"
    return f"write {instead}, or run the function by writable, of handlers"


def _inside() -> bool:
    """Return True inside a function with arrays that can be assigned to."""
    memory = sys.modules.get("handlers.assignment.memory")
    return memory is not None and memory.memory_here() is not None


_ASKING: Final = ("where_asked", "_demand", "_number", "__array__", "__complex__", "__float__", "__index__")
"""Names of the methods by which Python gets an array's value."""
_METHODS: Final = {
    "": "set(…)",
    "+=": "add(…)",
    "-=": "subtract(…)",
    "*=": "multiply(…)",
    "/=": "divide(…)",
    "**=": "power(…)",
}
_READ: Final = (
    "Only arrays of effects take such keys: write fx.asarray(table)[key]; for a slice dynamic_slice(fx.asarray(table), "
    "starts, sizes); for a list of functions switch(key, functions, …), of handlers"
)
_MASKED: Final = (
    "Write fx.where(mask, table, other), which keeps the shape: how many elements a mask chooses is not known either"
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

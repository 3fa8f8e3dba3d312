"""What NumPy has a function for, to the last bit, and here takes many operations: it computes that at once."""

from __future__ import annotations

import numpy as np

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, Host, OnAccelerator
from effects.program.chain import ROOT, current


def hosts(*xs: Array) -> list[Host] | None:
    """The elements of arrays of real numbers of NumPy's, where all are on the host and no handler sees operations."""
    if current() is not ROOT:
        return None
    try:
        found = [x.host for x in xs if isinstance(x, Concrete)]
    except OnAccelerator:
        return None
    usual = len(found) == len(xs) and all([x.dtype.isbuiltin == 1 and x.dtype.kind != "c" for x in found])
    return found if usual else None


def has_both_zeros(x: Host) -> bool:
    """Whether there may be equal elements that can be told apart: a -0 and another zero."""
    return x.dtype.kind == "f" and bool(np.signbit(x[x == 0]).any())

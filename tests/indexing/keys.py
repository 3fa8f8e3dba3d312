"""Random arrays and keys that NumPy takes for them, and some that it refuses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

type Key = Any

shapes = st.lists(st.integers(0, 4), max_size=3).map(tuple)
_bound = st.one_of(st.none(), st.integers(-5, 5))
_slices = st.builds(slice, _bound, _bound, st.sampled_from([None, 1, 2, 3, -1, -2]))
_common = st.sampled_from([(), (1,), (3,), (2, 1), (2, 3), (0,)])


def host(shape: tuple[int, ...]) -> Any:
    """An array of different numbers."""
    return np.arange(0.5, 0.5 + math.prod(shape)).reshape(shape)


@st.composite
def keys(draw: st.DrawFn, shape: tuple[int, ...], wrong: bool = False) -> Key:
    """A key for an array of `shape`; with `wrong` positions may be out of bounds, and masks of another shape."""
    entries: list[Any] = []
    axis = 0
    common = draw(_common)
    slack = 1 if wrong and draw(st.integers(0, 3)) == 0 else 0
    while axis < len(shape) + slack and len(entries) < 6:
        n = shape[axis] if axis < len(shape) else 2
        kind = draw(st.sampled_from(["int", "slice", "slice", "none", "array", "array", "list", "mask", "stop"]))
        if kind == "stop":
            break
        positions = st.integers(-n - slack, n - 1 + slack) if n or slack else None
        if kind in ("int", "array", "list") and positions is None:
            kind = "slice"
        if kind == "int":
            assert positions is not None
            entries.append(draw(st.one_of(positions, positions.map(np.int64))))
        elif kind == "slice":
            entries.append(draw(_slices))
        elif kind == "none":
            entries.append(None)
        elif kind == "mask":
            rank = draw(st.integers(0, min(2, len(shape) - axis)))
            size = shape[axis : axis + rank]
            count = math.prod(size)
            bools = draw(st.lists(st.booleans(), min_size=count, max_size=count))
            entries.append(np.array(bools, bool).reshape(size))
            axis += rank
        else:
            assert positions is not None
            own = draw(st.sampled_from([common, common[-1:], (1,) * len(common), ()]))
            count = math.prod(own)
            values = np.array(draw(st.lists(positions, min_size=count, max_size=count)), np.int64).reshape(own)
            entries.append(values.tolist() if kind == "list" and own else values)
        if kind in ("int", "slice", "array", "list"):
            axis += 1
    if draw(st.booleans()):
        entries.insert(draw(st.integers(0, len(entries))), ...)
    return tuple(entries) if len(entries) != 1 or draw(st.booleans()) else entries[0]


@st.composite
def arrays_and_keys(draw: st.DrawFn, wrong: bool = False) -> tuple[Any, Key]:
    shape = draw(shapes)
    return host(shape), draw(keys(shape, wrong))

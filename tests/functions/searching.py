"""Calls of the functions that search, and of sets of a given size, with what NumPy gives for the same arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tests.functions.calls import COMPLEX, SPECIAL, Call, normal, whole

_TIES: Final = np.array([[2, 0, 2], [1, 0, 5]])
_BYTES: Final = np.array([3, -1, 3], np.int8)
_LINE: Final = np.array([-1.5, 0.0, 0.0, 1.0, 2.5])
_OTHERS: Final = np.array([[0.0, 3.0, -2.0], [2.5, 0.5, 1.0]])


def _filled(found: Any, size: int, fill: Any) -> Any:
    """The first of what was found, and then what fills it up."""
    found = np.asarray(found)
    more = np.full((max(size - len(found), 0), *found.shape[1:]), fill, found.dtype)
    return np.concatenate([found[:size], more])


def _positions(x: Any, size: int, fill_value: int = 0) -> Any:
    return [_filled(found, size, fill_value) for found in np.nonzero(x)]


def _rows(x: Any, size: int, fill_value: int = 0) -> Any:
    return _filled(np.argwhere(x), size, fill_value)


def _flat(x: Any, size: int, fill_value: int = 0) -> Any:
    return _filled(np.flatnonzero(x), size, fill_value)


def _all(x: Any, size: int, fill_value: Any = None) -> Any:
    values, index, inverse, counts = np.unique_all(x)
    fill = values[0] if fill_value is None else fill_value
    return _filled(values, size, fill), _filled(index, size, 0), inverse, _filled(counts, size, 0)


def _some(*which: int) -> Callable[..., Any]:
    def run(x: Any, size: int, fill_value: Any = None) -> Any:
        found = _all(x, size, fill_value)
        return found[which[0]] if len(which) == 1 else [found[i] for i in which]

    return run


def _unique(x: Any, return_counts: bool, size: int, equal_nan: bool = True) -> Any:
    values, counts = np.unique(x, return_counts=True, equal_nan=equal_nan)
    return _filled(values, size, values[0]), _filled(counts, size, 0)


def _of_two(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x1, x2, size, fill_value: _filled(f(x1, x2), size, fill_value)


_OF_TWO: Final = {n: _of_two(getattr(np, n)) for n in ("intersect1d", "setdiff1d", "setxor1d", "union1d")}
_UNIQUE: Final = {
    "unique_values": _some(0),
    "unique_counts": _some(0, 3),
    "unique_inverse": _some(0, 2),
    "unique_all": _some(0, 1, 2, 3),
}


def _searched() -> list[Call]:
    places = {"nonzero": _positions, "argwhere": _rows, "flatnonzero": _flat}
    sorter = np.argsort(normal(5))
    return [
        *[Call(n, f, (_TIES,), {"size": s, "fill_value": -1}) for n, f in places.items() for s in (0, 3, 4, 9)],
        *[Call(n, f, (np.zeros((0, 2)),), {"size": 2, "fill_value": -3}) for n, f in places.items()],
        *[Call("searchsorted", np.searchsorted, (_LINE, _OTHERS), {"side": s}) for s in ("left", "right")],
        *[Call("searchsorted", np.searchsorted, (np.sort(SPECIAL), SPECIAL), {"side": s}) for s in ("left", "right")],
        Call("searchsorted", np.searchsorted, (np.arange(5), 2.5)),
        Call("searchsorted", np.searchsorted, (np.arange(5), 2, "right")),
        Call("searchsorted", np.searchsorted, (np.zeros(0), _OTHERS)),
        Call("searchsorted", np.searchsorted, (_LINE[np.argsort(sorter)], _OTHERS), {"sorter": sorter}),
        *[
            Call("digitize", np.digitize, (_OTHERS, e), {"right": r})
            for e in (_LINE, _LINE[::-1])
            for r in (False, True)
        ],
        Call("digitize", np.digitize, (_OTHERS, np.array([np.nan, 3.0, -np.inf]))),
        *[Call("isin", np.isin, (_TIES, np.array(e)), {"invert": i}) for e in ([2, 7], [1]) for i in (False, True)],
        Call("isin", np.isin, (_TIES, np.array([2]), True, True)),
        Call("isin", np.isin, (SPECIAL, np.array([0.0, np.nan, np.inf]))),
        Call("isin", np.isin, (_TIES, np.zeros(0, np.int64))),
    ]


def _sets() -> list[Call]:
    left, right = whole(8) % 5, whole(6) % 4 + 2
    return [
        *[Call(n, f, (_TIES,), {"size": s, "fill_value": 9}) for n, f in _UNIQUE.items() for s in (0, 3, 4, 7)],
        *[
            Call(n, f, (v,), {"size": 20})
            for n, f in _UNIQUE.items()
            for v in (SPECIAL, COMPLEX, whole(3, dtype="int8"))
        ],
        Call("unique", _unique, (SPECIAL,), {"return_counts": True, "size": 14}),
        Call("unique", _unique, (np.array([np.nan, 1, np.nan]),), {"return_counts": True, "size": 2}),
        *[Call(n, f, (left, right), {"size": size, "fill_value": -7}) for n, f in _OF_TWO.items() for size in (2, 12)],
        *[
            Call(n, f, (np.array([np.nan, 2.0, np.nan]), x), {"size": 8, "fill_value": -7})
            for n, f in _OF_TWO.items()
            for x in (np.array([2.0, np.nan, 5.0, np.nan]), np.array([5.0]))
        ],
        *[Call(n, f, (left, normal(3)), {"size": 12, "fill_value": -7}) for n, f in _OF_TWO.items()],
    ]


SEARCHING: Final = [*_searched(), *_sets()]

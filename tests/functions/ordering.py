"""Calls of the functions that fold along an axis, sort and search, with what NumPy gives for the same arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tests.functions.calls import COMPLEX, INTEGERS, SPECIAL, Call, normal, whole

_NAN: Final = np.array([[1.0, np.nan, -np.inf, 0.0], [np.inf, 2.0, -0.0, np.nan]])


def _with_initial(f: Callable[..., Any], first: int) -> Callable[..., Any]:
    def run(x: Any, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
        out = f(x, axis=0 if axis is None else axis, dtype=dtype)
        shape = list(out.shape)
        shape[axis or 0] = 1
        return np.concatenate([np.full(shape, first, out.dtype), out], axis or 0) if include_initial else out

    return run


def _extreme(ufunc: np.ufunc) -> Callable[..., Any]:
    def run(x: Any, axis: int | None = None, reverse: bool = False) -> Any:
        x, axis = (x.reshape(-1), 0) if axis is None else (x, axis)
        return np.flip(ufunc.accumulate(np.flip(x, axis), axis), axis) if reverse else ufunc.accumulate(x, axis)

    return run


def _cumulative() -> list[Call]:
    x = normal(2, 5, 3)
    folds = {"cumsum": np.cumsum, "cumprod": np.cumprod}
    standard = {"cumulative_sum": _with_initial(np.cumsum, 0), "cumulative_prod": _with_initial(np.cumprod, 1)}
    extremes = {"cummax": _extreme(np.maximum), "cummin": _extreme(np.minimum)}
    ordered = {**extremes, "cumlogsumexp": _extreme(np.logaddexp)}
    return [
        *[Call(n, f, (x,), {"axis": a}, smooth=True) for n, f in (folds | ordered).items() for a in (None, 0, -2)],
        *[
            Call(n, f, (x,), {"axis": 1, "include_initial": initial}, smooth=True)
            for n, f in standard.items()
            for initial in (False, True)
        ],
        *[Call(n, f, (normal(4),), smooth=True) for n, f in standard.items()],
        *[Call(n, f, (x,), {"axis": 1, "reverse": True}, smooth=True) for n, f in ordered.items()],
        *[Call(n, f, (v,), {"axis": -1}) for n, f in (folds | ordered).items() for v in (_NAN, SPECIAL)],
        *[Call(n, f, (np.zeros((2, 0)),), {"axis": a}) for n, f in (folds | ordered).items() for a in (0, 1)],
        *[Call(n, f, (COMPLEX,)) for n, f in folds.items()],
        *[Call(n, f, (np.array([True, False, True]),)) for n, f in (folds | extremes).items()],
        *[Call(n, f, (whole(3, 4, dtype=d),), {"axis": 1}) for n, f in (folds | extremes).items() for d in INTEGERS],
        *[Call(n, f, (whole(5, dtype="int8"),), {"dtype": "float32"}) for n, f in folds.items()],
    ]


def _descending(f: Callable[..., Any]) -> Callable[..., Any]:
    """The stable order from the greatest element on, by counting from the end."""

    def run(x: Any, axis: int | None = -1, descending: bool = False) -> Any:
        x, axis = (x.reshape(-1), 0) if axis is None else (x, axis)
        if not descending:
            return f(x, axis=axis, kind="stable")
        found = np.flip(f(np.flip(x, axis), axis=axis, kind="stable"), axis)
        return x.shape[axis] - 1 - found if f is np.argsort else found

    return run


def _top(x: Any, k: int, axis: int = -1) -> Any:
    order = np.take(_descending(np.argsort)(x, axis, True), np.arange(k), axis)
    return np.take_along_axis(x, order, axis), order


def _together(xs: Any, num_keys: int = 1, axis: int = -1, descending: bool = False) -> Any:
    order = np.lexsort(xs[:num_keys][::-1], axis)
    return [np.take_along_axis(x, order, axis) for x in xs]


def _sorting() -> list[Call]:
    x, ties = normal(3, 4, 2), whole(4, 6) % 3
    both = {"sort": _descending(np.sort), "argsort": _descending(np.argsort)}
    down = {"descending": True}
    return [
        *[Call(n, f, (x,), {"axis": a}, smooth=n == "sort") for n, f in both.items() for a in (None, 0, 1, -1)],
        *[Call(n, f, (x,), {"axis": 1, **down}, smooth=n == "sort") for n, f in both.items()],
        *[Call(n, f, (v,), d) for n, f in both.items() for v in (_NAN, SPECIAL, ties, COMPLEX) for d in ({}, down)],
        *[Call(n, f, (np.zeros((0, 3)),), {"axis": a}) for n, f in both.items() for a in (0, 1)],
        *[Call(n, f, (whole(3, 4, dtype=d),), down) for n, f in both.items() for d in INTEGERS],
        *[Call(n, f, (np.array([True, False, True]),)) for n, f in both.items()],
        *[Call(n, getattr(np, n), (x, 1, "stable")) for n in both],
        Call("lexsort", np.lexsort, ([ties, normal(4, 6), ties],), {"axis": 0}),
        Call("lexsort", np.lexsort, ([normal(6), whole(6) % 2],)),
        Call("lexsort", np.lexsort, (whole(3, 4) % 2,)),
        *[Call("top_k", _top, (x, k), {"axis": a}, smooth=True) for k, a in ((2, 0), (3, 1), (2, -1), (0, 1))],
        *[Call("top_k", _top, (v, 2)) for v in (_NAN, ties, np.array([True, False, True]))],
        Call("sort_together", _together, ([ties, normal(4, 6)],), {"axis": 0}),
        Call("sort_together", _together, ([ties, whole(4, 6) % 2, normal(4, 6)],), {"num_keys": 2}),
        *[
            Call(n, f, (x, k), {"axis": a})
            for n, f in _PARTITIONS.items()
            for k, a in ((1, 1), ((0, 2), 0), (-1, None))
        ],
    ]


_PARTITIONS: Final[dict[str, Callable[..., Any]]] = {
    "partition": lambda x, kth, axis: np.sort(x, axis),
    "argpartition": lambda x, kth, axis: np.argsort(x, axis, kind="stable"),
}

ORDERING: Final = [*_cumulative(), *_sorting()]

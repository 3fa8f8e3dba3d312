"""Calls of the functions that take elements at positions, with what NumPy gives for the same arguments."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tests.functions.calls import Call, normal, whole


def _put_along_axis(x: Any, indices: Any, values: Any, axis: int | None = -1) -> Any:
    out = x.copy()
    np.put_along_axis(out, indices, values, axis)
    return out


def _compress(condition: Any, x: Any, axis: int | None = None) -> Any:
    return np.compress(condition, x, axis)


def _positions() -> list[Call]:
    x = normal(2, 3, 4)
    by_axis = {0: whole(1, 3, 4) % 2, 1: whole(2, 5, 4) % 6 - 3, -1: whole(2, 3, 2) % 8 - 4}
    unique = np.stack([np.random.default_rng(3).permutation(4)[:2] for _ in range(6)]).reshape(2, 3, 2)
    return [
        Call("take", np.take, (x, [5, -1, 0])),
        *[Call("take", np.take, (x, [1, -1, 0]), {"axis": axis}, smooth=True) for axis in (0, 1, -1)],
        Call("take", np.take, (x, [[1, 0], [2, 2]]), {"axis": 1}, smooth=True),
        Call("take", np.take, (x, 1), {"axis": 2}, smooth=True),
        *[Call("take", np.take, (x, [7, -9, 1]), {"axis": 1, "mode": m}, smooth=True) for m in ("clip", "wrap")],
        Call("take", np.take, (whole(5), np.array([1, 2], "uint8"))),
        *[
            Call("take_along_axis", np.take_along_axis, (x, i), {"axis": axis}, about=str(axis))
            for axis, i in by_axis.items()
        ],
        Call("take_along_axis", np.take_along_axis, (x, np.array([3, -1])), {"axis": None}),
        Call("put_along_axis", _put_along_axis, (x, unique, normal(2, 3, 2)), {"axis": -1}),
        Call("put_along_axis", _put_along_axis, (x, unique[:1, :1], 2.5), {"axis": -1}),
        Call("put_along_axis", _put_along_axis, (x, np.array([3, -1]), normal(2)), {"axis": None}),
        Call("choose", np.choose, ([[0], [2]], [normal(2, 3), normal(3), normal(1)])),
        *[Call("choose", np.choose, ([0, 7, -4], [normal(3), normal(3)]), {"mode": m}) for m in ("clip", "wrap")],
        Call("choose", np.choose, ([1, 0], normal(2, 2))),
        Call("compress", _compress, ([True, False, True], x), {"axis": 1}, smooth=True),
        Call("compress", _compress, ([True, False, False, True], x)),
        Call("compress", _compress, ([False, True], x), {"axis": 2}, smooth=True),
    ]


POSITIONS: Final = _positions()

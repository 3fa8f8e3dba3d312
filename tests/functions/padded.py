"""Calls of `pad` in all of its modes, with what NumPy gives for the same arguments."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tests.functions.calls import COMPLEX, Call, normal, whole

_X: Final = normal(3, 4)
_WIDTHS: Final[tuple[Any, ...]] = (2, (1, 3), ((0, 2), (5, 1)))
_OF_COPIES: Final = ("edge", "reflect", "symmetric", "wrap")
_STATISTICS: Final = ("maximum", "mean", "median", "minimum")


def _pads() -> list[Call]:
    modes = (*_OF_COPIES, *_STATISTICS, "linear_ramp")
    mirrored = [{"mode": m, "reflect_type": "odd"} for m in ("reflect", "symmetric")]
    line, single = normal(5), normal(1)
    return [
        *[Call("pad", np.pad, (_X, w), {"mode": m}, smooth=True) for m in modes for w in _WIDTHS],
        *[Call("pad", np.pad, (_X, w), o, smooth=True) for o in mirrored for w in _WIDTHS],
        *[Call("pad", np.pad, (line, (11, 17)), {"mode": m}) for m in _OF_COPIES],
        *[Call("pad", np.pad, (line, (11, 17)), o) for o in mirrored],
        *[Call("pad", np.pad, (single, (2, 3)), {"mode": m}) for m in modes],
        *[Call("pad", np.pad, (single, (2, 3)), o) for o in mirrored],
        *[Call("pad", np.pad, (whole(2, 3), 2), {"mode": m}) for m in modes],
        *[Call("pad", np.pad, (whole(5, dtype="uint8"), 7), o) for o in mirrored],
        *[Call("pad", np.pad, (np.array([True, False, True]), 2), {"mode": m}) for m in modes if m != "median"],
        *[Call("pad", np.pad, (COMPLEX[:5], 2), {"mode": m}) for m in (*_OF_COPIES, "mean", "linear_ramp")],
        *[Call("pad", np.pad, (line.astype("float32"), 2), {"mode": m}) for m in modes],
        *[
            Call("pad", np.pad, (_X, 2), {"mode": m, "stat_length": n}, smooth=True)
            for m in _STATISTICS
            for n in (2, ((1, 3), (2, 9)))
        ],
        Call("pad", np.pad, (_X, 2), {"mode": "linear_ramp", "end_values": ((1, -2), (0.5, 3))}, smooth=True),
        Call("pad", np.pad, (whole(4), 3), {"mode": "linear_ramp", "end_values": (-7, 20)}),
        Call("pad", np.pad, (_X, {0: (1, 2), -1: 1}), {"constant_values": 3.0}),
        Call("pad", np.pad, (np.array([1.0, np.nan, np.inf]), 2), {"mode": "reflect"}),
        Call("pad", np.pad, (np.array([1.0, np.nan, np.inf]), 2), {"mode": "maximum"}),
        Call("pad", np.pad, (np.zeros((0, 2)), ((0, 0), (1, 2))), {"mode": "wrap"}),
    ]


PADDED: Final = _pads()

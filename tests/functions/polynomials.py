"""Calls of cross, Kronecker and polynomial products and convolutions, with what NumPy gives for the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from typing import Any, Final

import numpy as np

from tests.functions.calls import COMPLEX, Call, normal, whole

_MODES: Final = ("full", "same", "valid")
_LENGTHS: Final = ((5, 3), (3, 5), (4, 4), (6, 2), (2, 5), (1, 3), (3, 1), (1, 1))
_FLAGS: Final = np.array([True, False, True, True])


def _slid(name: str, f: Callable[..., Any]) -> list[Call]:
    return [
        *[Call(name, f, (normal(n), normal(m)), {"mode": how}, True) for (n, m), how in product(_LENGTHS, _MODES)],
        *[Call(name, f, (COMPLEX[:6], COMPLEX[3:7]), {"mode": how}) for how in _MODES],
        *[Call(name, f, (COMPLEX[:3], COMPLEX[3:7]), {"mode": how}) for how in _MODES],
        *[Call(name, f, (whole(6, dtype=d), whole(3, dtype=d))) for d in ("int8", "int64", "uint8")],
        Call(name, f, (normal(6, dtype="float32"), normal(3, dtype="float32"))),
        Call(name, f, (_FLAGS, _FLAGS[:2])),
        Call(name, f, (whole(4), normal(2))),
    ]


def _kron() -> list[Call]:
    shapes: tuple[tuple[int, ...], ...] = ((), (3,), (2, 3), (1, 2, 2), (0, 2), (2,), (3, 1))
    return [
        *[Call("kron", np.kron, (normal(*a), normal(*b)), smooth=True) for a, b in pairwise(shapes)],
        Call("kron", np.kron, (whole(2, 2), whole(3, 2))),
        Call("kron", np.kron, (_FLAGS, _FLAGS[:2])),
        Call("kron", np.kron, (COMPLEX[:4], normal(3))),
    ]


_SCALED: Final = (True, "unscaled")
_POINTS: Final = np.linspace(-1.0, 2.0, 6)
_LINE: Final = np.sin(_POINTS)


def _fit(x: Any, y: Any, deg: int, full: bool) -> Any:
    """With the rank as a whole number of the default size."""
    polyfit: Any = np.polyfit
    c, residuals, rank, *rest = polyfit(x, y, deg, full=full)
    return c, residuals, np.int64(rank), *rest


def _polynomials() -> list[Call]:
    p, q, x = normal(4), normal(2), normal(2, 3)
    return [
        *[Call("polyval", np.polyval, (p[:n], x), smooth=True) for n in (1, 2, 4)],
        Call("polyval", np.polyval, (p[:0], x)),
        Call("polyval", np.polyval, (whole(3), whole(4))),
        Call("polyval", np.polyval, (COMPLEX[:3], x)),
        *[
            Call(f"poly{name}", f, pair, smooth=pair[0].dtype == float)
            for name, f in (("add", np.polyadd), ("sub", np.polysub), ("mul", np.polymul))
            for pair in ((p, q), (q, p), (p, p[:1]), (1 + abs(whole(3)), 1 + abs(whole(2))), (COMPLEX[:3], q))
        ],
        *[Call("polyder", np.polyder, (v,), {"m": m}) for v in (p, whole(3), COMPLEX[:4]) for m in (0, 1, 2)],
        *[Call("polyint", np.polyint, (v,), {"m": m}) for v in (p, COMPLEX[:4]) for m in (0, 1, 3)],
        *[Call("polyint", np.polyint, (p,), {"m": 2, "k": k}) for k in ([3.0, -1.0], [3.0])],
        Call("polyint", np.polyint, (p, 2, np.array([3.0, -1.0]))),
        Call("polyint", np.polyint, (whole(3),), {"k": 2.5}),
        Call("polyint", np.polyint, (p,), smooth=True),
        Call("polyder", np.polyder, (p,), smooth=True),
        *[Call("poly", np.poly, (p[:n],), smooth=True) for n in (1, 2, 4)],
        *[
            Call("roots", lambda p: np.roots(p).astype(complex), (v,))
            for v in (p, p[:1], np.array([3, 1, -2, 5]), COMPLEX[:4])
        ],
        *[Call("polyfit", np.polyfit, (np.sin(_POINTS), _POINTS), {"deg": n}, smooth=True) for n in (0, 1, 3)],
        Call("polyfit", np.polyfit, (_POINTS, np.outer(_LINE + 2, q)), {"deg": 2, "w": 1 + _POINTS, "rcond": 1e-3}),
        *[Call("polydiv", np.polydiv, (p[:3], _LINE[:n]), smooth=True) for n in (1, 3)],
        *[
            Call("polyfit", np.polyfit, (_POINTS, y, 1), {"cov": c})
            for y, c in product((_LINE, np.outer(_LINE, q)), _SCALED)
        ],
        Call("polyfit", _fit, (_POINTS, np.outer(_LINE, q), 2), {"full": True}),
        Call("polydiv", np.polydiv, (p, q), smooth=True),
        Call("polydiv", np.polydiv, (np.resize(_LINE, 90), np.array([2.0, 0.5, 0.25])), smooth=True),
        Call("polydiv", np.polydiv, (q, p), smooth=True),
        Call("polydiv", np.polydiv, (COMPLEX[:4], COMPLEX[1:3])),
    ]


def _cross() -> list[Call]:
    pairs = (((3,), (3,)), ((2, 3), (3,)), ((4, 1, 3), (2, 3)), ((0, 3), (3,)))
    return [
        *[Call("cross", np.cross, (normal(*a), normal(*b)), smooth=True) for a, b in pairs],
        *[Call("cross", np.cross, (normal(3, 4, 2), normal(3, 4, 2)), {"axis": a}, smooth=True) for a in (0, -3)],
        Call("cross", np.cross, (whole(2, 3), normal(3, dtype="float32"))),
        Call("cross", np.cross, (COMPLEX[:3], whole(3))),
        Call("cross", np.cross, (np.array([np.inf, 0.0, np.nan]), np.array([1.0, -0.0, 2.0])), about="special"),
    ]


POLYNOMIALS: Final = (
    *_cross(),
    *_slid("convolve", np.convolve),
    *_slid("correlate", np.correlate),
    *_kron(),
    *_polynomials(),
)

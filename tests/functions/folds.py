"""Calls of statistics, differences and reductions without NaN, with what NumPy gives for the same arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tests.functions.calls import COMPLEX, SPECIAL, Call, normal, whole

_NAN: Final = np.array([[1.0, np.nan, 3.0, -2.0], [0.5, 2.0, np.nan, np.nan], [4.0, 0.25, -1.5, 2.5]])
_EMPTY_ROW: Final = np.array([[np.nan, np.nan], [1.0, np.nan]])

_NAN_FOLDS: Final[dict[str, Callable[..., Any]]] = {
    "nansum": np.nansum,
    "nanprod": np.nanprod,
    "nanmax": np.nanmax,
    "nanmin": np.nanmin,
    "nanmean": np.nanmean,
}


def _of_deviations(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, correction=0, **options: f(x, ddof=correction, **options)


def _with_signs(y: Any, x: Any) -> Any:
    return np.trapezoid(y, x.astype(float))


_WEIGHTS: Final = (((0, 2), (3, 4)), ((2, 0), (4, 3)), (-2, (6,)))
_NAN_SPREADS: Final = {"nanvar": _of_deviations(np.nanvar), "nanstd": _of_deviations(np.nanstd)}


def _without_nan() -> list[Call]:
    every = _NAN_FOLDS | _NAN_SPREADS
    return [
        *[Call(n, f, (_NAN,), {"axis": a, "keepdims": a == 1}) for n, f in every.items() for a in (None, 0, 1, (0, 1))],
        *[Call(n, f, (v,)) for n, f in every.items() for v in (whole(3, 4), normal(4, dtype="float32"), SPECIAL)],
        *[Call(n, f, (_EMPTY_ROW,), {"axis": 1}) for n, f in every.items()],
        *[Call(n, f, (normal(3, 4),), {"axis": 0}, smooth=True) for n, f in every.items()],
        *[Call(n, f, (_NAN,), {"axis": 0, "correction": 1}) for n, f in _NAN_SPREADS.items()],
        *[Call(n, f, (COMPLEX,)) for n, f in every.items() if n not in ("nanmax", "nanmin")],
        *[
            Call(n, f, (_NAN,), {"axis": a})
            for n, f in (("nancumsum", np.nancumsum), ("nancumprod", np.nancumprod))
            for a in (None, 0, 1)
        ],
        *[
            Call(n, f, (v,), {"axis": a})
            for n, f in (("nanargmax", np.nanargmax), ("nanargmin", np.nanargmin))
            for v in (_NAN, whole(3, 4))
            for a in (None, 0, 1)
        ],
    ]


def _differences() -> list[Call]:
    x, places = normal(3, 5, 4), np.array([0.0, 0.5, 1.75, 2.0, 3.5])
    flags = np.array([True, True, False, True])
    return [
        *[Call("diff", np.diff, (x,), {"axis": a, "n": n}, smooth=True) for a in (0, 1, -1) for n in (0, 1, 2)],
        Call("diff", np.diff, (whole(4),), {"n": 6}),
        Call("diff", np.diff, (flags,)),
        Call("diff", np.diff, (x,), {"axis": 1, "prepend": 0.5, "append": normal(3, 2, 4)}),
        Call("diff", np.diff, (whole(5, dtype="uint8"),), {"append": np.array([3], "uint8")}),
        Call("diff", np.diff, (np.zeros((2, 0)),)),
        Call("ediff1d", np.ediff1d, (normal(2, 3),), smooth=True),
        Call("ediff1d", np.ediff1d, (whole(4),), {"to_begin": -9, "to_end": np.array([7, 8])}),
        *[
            Call("gradient", np.gradient, (x,), {"axis": a, "edge_order": o}, smooth=True)
            for a in (None, 0, (1, 2))
            for o in (1, 2)
        ],
        Call("gradient", np.gradient, (normal(5, 3), 2.0)),
        Call("gradient", np.gradient, (normal(5, 3), places, 0.5)),
        *[Call("gradient", np.gradient, (normal(5, 3), places), {"axis": 0, "edge_order": o}) for o in (1, 2)],
        Call("gradient", np.gradient, (whole(6),)),
        Call("gradient", np.gradient, (np.array([2.0, np.nan, 1.0, np.inf, -1.0, 3.0]),), about="special"),
        *[Call("trapezoid", np.trapezoid, (x,), {"axis": a, "dx": 0.5}, smooth=True) for a in (0, 1, -1)],
        Call("trapezoid", np.trapezoid, (x, places), {"axis": 1}, smooth=True),
        *[Call("trapezoid", np.trapezoid, (x, None, normal(*w)), smooth=True) for w in ((1, 1, 3), (5, 3), (3,))],
        Call("trapezoid", np.trapezoid, (whole(3, 4), whole(3, 4))),
        Call("trapezoid", _with_signs, (normal(3), np.array([3, 2, 1], np.uint8))),
        Call("trapezoid", np.trapezoid, (np.zeros((2, 0)),)),
    ]


def _statistics() -> list[Call]:
    x, y = normal(3, 6), normal(2, 6)
    counts, shares = np.array([1, 2, 1, 3, 1, 2]), np.array([0.5, 1.0, 0.25, 2.0, 1.5, 0.75])
    return [
        *[Call("ptp", np.ptp, (x,), {"axis": a, "keepdims": a == 0}, smooth=True) for a in (None, 0, 1)],
        Call("ptp", np.ptp, (whole(4, 3),), {"axis": (0, 1)}),
        *[Call("average", np.average, (x,), {"axis": a}, smooth=True) for a in (None, 0, 1)],
        Call("average", np.average, (x,), {"axis": 1, "weights": shares}),
        Call("average", np.average, (x,), {"weights": normal(3, 6) ** 2, "keepdims": True}),
        *[Call("average", np.average, (normal(3, 6, 4), a, normal(*s) ** 2), smooth=True) for a, s in _WEIGHTS],
        Call("average", np.average, (x,), {"axis": 0, "weights": normal(3, 6) ** 2}),
        Call("average", np.average, (whole(6),), {"weights": counts}),
        *[Call("cov", np.cov, (v,), smooth=True) for v in (x, normal(5))],
        Call("cov", np.cov, (x, y), smooth=True),
        Call("cov", np.cov, (x,), {"rowvar": False, "bias": True}, smooth=True),
        Call("cov", np.cov, (x,), {"ddof": 0}),
        Call("cov", np.cov, (x,), {"fweights": counts}),
        Call("cov", np.cov, (x,), {"aweights": shares}),
        Call("cov", np.cov, (x,), {"aweights": shares, "fweights": counts, "bias": True}),
        Call("cov", np.cov, (whole(3, 5),)),
        *[Call(n, f, (np.stack([COMPLEX, COMPLEX[::-1]]),)) for n, f in (("cov", np.cov), ("corrcoef", np.corrcoef))],
        *[Call("corrcoef", np.corrcoef, (x, v)) for v in (None, y)],
        Call("corrcoef", np.corrcoef, (normal(4),)),
    ]


FOLDS: Final = [*_without_nan(), *_differences(), *_statistics()]

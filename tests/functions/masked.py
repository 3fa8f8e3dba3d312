"""Calls of reductions of some elements only, and from a value on, with what NumPy gives for the same arguments."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tests.functions.calls import COMPLEX, INTEGERS, Call, normal, whole

_X: Final = normal(3, 4)
_GAPS: Final = np.array([[1.0, np.nan, 3.0, -2.0], [0.5, 2.0, np.nan, np.nan], [4.0, 0.25, -1.5, 2.5]])
_SOME: Final = np.array([[True, False, True, True], [False, False, False, False], [True, True, True, False]])
_ROW: Final = np.array([True, False, True, True])
_COLUMN: Final = np.array([[True], [False], [True]])
_MASKS: Final = (_SOME, _ROW, _COLUMN)

_FROM_ONE: Final[dict[str, Any]] = {"sum": np.sum, "prod": np.prod, "nansum": np.nansum, "nanprod": np.nanprod}
_EXTREMES: Final[dict[str, Any]] = {"max": np.max, "min": np.min, "nanmax": np.nanmax, "nanmin": np.nanmin}
_SHORT: Final[dict[str, Any]] = {"sum": np.sum, "prod": np.prod, "max": np.max, "nanmin": np.nanmin}
_MEANS: Final[dict[str, Any]] = {"mean": np.mean, "var": np.var, "std": np.std}
_NAN_MEANS: Final[dict[str, Any]] = {"nanmean": np.nanmean, "nanvar": np.nanvar, "nanstd": np.nanstd}
_TRUTH: Final[dict[str, Any]] = {"any": np.any, "all": np.all}
_NONE: Final = np.zeros((2, 0))


def _folds() -> list[Call]:
    both: dict[str, Any] = _FROM_ONE | _EXTREMES
    return [
        *[
            Call(n, f, (_X,), {"axis": a, "where": m, "initial": 0.75, "keepdims": a == 1}, smooth=True)
            for n, f in both.items()
            for a, m in zip((None, 0, -1), _MASKS, strict=True)
        ],
        *[Call(n, f, (_X,), {"axis": 0, "where": _SOME}, smooth=True) for n, f in _FROM_ONE.items()],
        *[Call(n, f, (_X,), {"axis": 0, "initial": 0.3}, smooth=True) for n, f in both.items()],
        *[Call(n, f, (_GAPS,), {"axis": (-1, 0), "where": _ROW, "initial": 1.5}) for n, f in both.items()],
        *[
            Call(n, f, (whole(3, 4, dtype=d),), {"where": _ROW, "initial": 3})
            for n, f in both.items()
            for d in INTEGERS
        ],
        *[Call(n, f, (_X.astype("float32"),), {"where": _ROW, "initial": 2}) for n, f in both.items()],
        *[Call(n, f, (_NONE,), {"axis": 1, "initial": 2.0}) for n, f in both.items()],
        *[Call(n, f, (COMPLEX,), {"where": COMPLEX.real > 0}) for n, f in _FROM_ONE.items()],
        *[Call(n, f, (_SOME,), {"axis": 0, "where": _COLUMN, "initial": True}) for n, f in _EXTREMES.items()],
        *[Call(n, f, (_SOME,), {"axis": 0, "where": _COLUMN}) for n, f in _FROM_ONE.items()],
    ]


def _means() -> list[Call]:
    every: dict[str, Any] = _MEANS | _NAN_MEANS
    spreads = {n: f for n, f in every.items() if not n.endswith("mean")}
    middle = np.full((3, 1), 0.25)
    return [
        *[
            Call(n, f, (_X,), {"axis": a, "where": m, "keepdims": a == 1})
            for n, f in every.items()
            for a, m in zip((1, (0, -1)), _MASKS, strict=False)
        ],
        *[Call(n, f, (_X,), {"axis": 0, "where": _COLUMN}, smooth=True) for n, f in every.items()],
        *[Call(n, f, (_GAPS,), {"axis": 1, "where": _SOME}) for n, f in every.items()],
        *[Call(n, f, (whole(3, 4),), {"where": _ROW}) for n, f in every.items()],
        *[Call(n, f, (COMPLEX,), {"where": COMPLEX.real > 0}) for n, f in every.items()],
        *[Call(n, f, (_X.astype("float32"),), {"where": _ROW}) for n, f in every.items()],
        *[Call(n, f, (whole(3, 4),), {"dtype": "float32", "axis": 1}) for n, f in every.items()],
        *[Call(n, f, (_X.astype("float32"),), {"dtype": "float64"}) for n, f in _MEANS.items()],
        *[Call(n, f, (_X,), {"axis": 1, "where": _SOME, "ddof": d}) for n, f in spreads.items() for d in (1, 5)],
        *[Call(n, f, (_GAPS,), {"axis": 1, "ddof": d}) for n, f in spreads.items() for d in (1, 3)],
        *[Call(n, f, (_GAPS,), {"axis": 1, "mean": middle}) for n, f in spreads.items()],
    ]


def _truth() -> list[Call]:
    zeros = np.where(_X > 0, _X, 0)
    return [
        Call(n, f, (x,), {"axis": a, "where": m})
        for n, f in _TRUTH.items()
        for x in (zeros, _SOME, _GAPS, zeros.astype("int8"))
        for a, m in zip((None, 0, -1), _MASKS, strict=True)
    ]


MASKED: Final = [*_folds(), *_means(), *_truth()]

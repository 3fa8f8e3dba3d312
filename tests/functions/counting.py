"""Calls of quantiles, histograms, interpolation and segments, with what NumPy gives for the same arguments."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import effects as fx
from effects.functions.statistics.quantile_methods import METHODS
from tests.functions.calls import Call, normal, whole

_NAN: Final = np.array([[1.0, np.nan, 3.0, -2.0], [np.nan, np.nan, np.nan, np.nan], [4.0, 0.25, -1.5, 2.5]])
_INFINITE: Final = np.array([[-np.inf, 1.0, np.inf], [np.inf, np.inf, 2.0]])


_GAPS: Final = np.array([[3.0, 1.0, np.nan, 2.0], [0.5, 4.0, 1.5, -1.0], [2.0, 2.0, 5.0, -3.0]])
_HEAVY: Final = np.array([[1.0, 0.0, 2.0, 0.5], [0.0, 3.0, 1.0, 1.0], [2.0, 0.25, 0.0, 1.0]])


def _quantiles() -> list[Call]:
    x, q = normal(3, 4, 5), np.array([0.0, 0.1, 0.5, 0.75, 1.0])
    every = {"quantile": np.quantile, "nanquantile": np.nanquantile}
    return [
        *[
            Call(n, f, (_GAPS, q), {"axis": a, "weights": w, "method": "inverted_cdf"})
            for n, f in (every | {"percentile": np.percentile, "nanpercentile": np.nanpercentile}).items()
            for q in (np.array([0.0, 0.3, 0.5, 1.0]), 0.75)
            for a, w in ((None, _HEAVY), (0, _HEAVY), (1, _HEAVY[1]))
            if a != 1 or not n.startswith("nan")  # where NumPy's take no vector
        ],
        Call("quantile", np.quantile, (whole(5), 0.4), {"weights": np.arange(5), "method": "inverted_cdf"}),
        *[Call("quantile", np.quantile, (x, 0.3), {"axis": a, "keepdims": a == 1}) for a in (None, 0, 1, (0, 2))],
        *[Call("quantile", np.quantile, (x, v), {"axis": 1}, smooth=True) for v in (0.35, np.array([[0.15, 0.55]]))],
        *[Call(n, f, (x, q), {"axis": 1, "method": m}) for n, f in every.items() for m in METHODS],
        *[Call(n, f, (whole(7), q), {"method": m}) for n, f in every.items() for m in METHODS],
        *[Call("nanquantile", np.nanquantile, (_NAN, q), {"axis": a}) for a in (0, 1)],
        Call("quantile", np.quantile, (_NAN, q), {"axis": 1}),
        Call("quantile", np.quantile, (normal(1), q)),
        *[Call(n, f, (x, 30), {"axis": 0}) for n, f in (("percentile", np.percentile),)],
        Call("nanpercentile", np.nanpercentile, (_NAN, np.array([20.0, 60.0])), {"axis": 1}),
        *[Call("median", np.median, (v,), {"axis": a}, smooth=True) for v in (x,) for a in (None, 0, 1)],
        *[Call("median", np.median, (v,), {"axis": -1}) for v in (_NAN, _INFINITE, whole(3, 4))],
        Call("median", np.median, (x,), {"axis": (0, 1), "keepdims": True}),
        *[
            Call(n, getattr(np, n), (np.array([[-1.0, np.inf], [-np.inf, 2.0], [np.inf, np.inf], [0.1, 0.3]]), 1))
            for n in ("median", "nanmedian")
        ],
        *[Call("nanmedian", np.nanmedian, (_NAN,), {"axis": a}) for a in (None, 0, 1)],
    ]


def _histograms() -> list[Call]:
    x, y = normal(40), normal(40)
    edges, shares = np.array([-1.0, -0.25, 0.0, 0.5, 2.0]), np.abs(normal(40))
    points = np.stack([x, y], 1)
    return [
        Call("histogram_bin_edges", np.histogram_bin_edges, (x, 7)),
        Call("histogram_bin_edges", np.histogram_bin_edges, (whole(9), 4), {"range": (-3, 5)}),
        *[
            Call("histogram", np.histogram, (x,), {"bins": b, "density": d, "weights": w})
            for b in (5, edges)
            for d in (False, True)
            for w in (None, shares)
        ],
        Call("histogram", np.histogram, (x,), {"range": (-0.5, 1.0)}),
        Call("histogram", np.histogram, (x.astype("float32"),), {"range": (-1.0, 2.5)}),
        Call("histogram", np.histogram, (np.arange(7), 10)),
        Call("histogram", np.histogram, (whole(30), 6)),
        Call("histogram", np.histogram, (np.full(3, 2.0), 4)),
        Call("histogram", np.histogram, (np.zeros(0), 3)),
        Call("histogram", np.histogram, (np.arange(12).reshape(3, 4),), {"bins": np.arange(6)}),
        *[
            Call("histogram2d", np.histogram2d, (x, y), {"bins": b, "weights": shares})
            for b in (4, [3, edges], [edges, edges])
        ],
        Call("histogramdd", _listed, (points, [3, 4]), {"weights": shares}),
        Call("histogramdd", _listed, (points, 3), {"density": True, "range": [(-1, 1), (-2, 2)]}),
    ]


def _listed(*args: Any, **options: Any) -> Any:
    counts, edges = np.histogramdd(*args, **options)
    return [counts, *edges]


def _lines() -> list[Call]:
    places, values = np.array([-1.0, 0.0, 0.5, 2.0]), np.array([3.0, -1.0, 4.0, 0.5])
    at = np.array([[-2.0, -1.0, -0.4, 0.0], [0.25, 1.0, 2.0, 3.0]])
    return [
        Call("interp", np.interp, (at, places, values)),
        Call("interp", np.interp, (at, places, values), {"left": -9.0, "right": 9.0}),
        Call("interp", np.interp, (np.array([-0.4, 0.3, 1.1]), places, values), smooth=True),
        Call("interp", np.interp, (np.array([np.nan, np.inf, -np.inf]), places, values)),
        Call("interp", np.interp, (at, places[::-1].copy(), values), {"period": 0.7, "left": 3.0}),
        Call("interp", np.interp, (at, np.array([1.0]), np.array([5.0]))),
    ]


def _of_segments(f: np.ufunc, start: float) -> Any:
    def run(data: Any, ids: Any, count: int) -> Any:
        out = np.full((count, *data.shape[1:]), start, data.dtype)
        for number, row in zip(ids, data, strict=True):
            if 0 <= number < count:
                out[number] = f(out[number], row)
        return out

    return run


def _segments() -> list[Call]:
    folds = {
        "segment_sum": _of_segments(np.add, 0),
        "segment_prod": _of_segments(np.multiply, 1),
        "segment_max": _of_segments(np.maximum, -np.inf),
        "segment_min": _of_segments(np.minimum, np.inf),
    }
    ids = np.array([0, 3, 0, -1, 7, 1, 3])
    numbers = np.array([1, 4, 1, 0])

    def counted(x: Any, weights: Any = None, minlength: int = 0, length: int = 0) -> Any:
        return np.bincount(x, weights, max(minlength, length))[:length]

    return [
        *[Call(n, f, (normal(7, 2), ids, 5), smooth=False) for n, f in folds.items()],
        *[Call(n, f, (normal(0, 2), np.zeros(0, int), 3)) for n, f in folds.items()],
        Call("bincount", counted, (numbers,), {"length": 6}),
        Call("bincount", counted, (numbers, normal(4)), {"length": 3}),
        Call("bincount", counted, (np.zeros(0, int),), {"length": 2}),
    ]


def _slid(fold: Any, x: Any, window: Any, strides: Any, margins: Any, dilation: int, fill: float) -> Any:
    """The fold of each window, one after the other."""
    x = np.pad(x, margins, constant_values=fill)
    spans = [(w - 1) * dilation + 1 for w in window]
    counts = [(n - span) // step + 1 for n, span, step in zip(x.shape, spans, strides, strict=True)]
    out = np.empty(counts)
    for at in np.ndindex(*counts):
        cut = tuple([slice(i * s, i * s + span, dilation) for i, s, span in zip(at, strides, spans, strict=True)])
        out[at] = fold(x[cut])
    return out


def _windows() -> list[Call]:
    x = normal(6, 5)
    folds = {"window_sum": (np.sum, 0.0), "window_max": (np.max, -np.inf), "window_min": (np.min, np.inf)} | {
        "window_prod": (np.prod, 1.0)
    }
    calls = []
    for name, (fold, fill) in folds.items():
        for window, strides, padding, margins, dilation in (
            ((2, 2), (2, 2), "VALID", ((0, 0), (0, 0)), 1),
            ((3, 2), (2, 1), "SAME", ((0, 1), (0, 1)), 1),
            ((2, 3), (1, 2), ((1, 0), (2, 2)), ((1, 0), (2, 2)), 2),
        ):

            def expected(*args: Any, dilation: int, fold: Any = fold, margins: Any = margins, fill: Any = fill) -> Any:
                x, given, by, _ = args
                return _slid(fold, x, given, by, margins, dilation, fill)

            calls.append(Call(name, expected, (x, window, strides, padding), {"dilation": dilation}, smooth=True))
    return [
        *calls,
        *[
            Call("reduce", lambda x, init, f, axis: np.max(x, axis), (x, -np.inf, fx.maximum), {"axis": a}, smooth=True)
            for a in (None, 0, 1)
        ],
        Call("reduce", lambda x, init, f, axis: np.prod(x, axis), (np.ones((0, 3)), 1.0, fx.multiply), {"axis": 0}),
        Call(
            "reduce_window",
            lambda x, init, f, window: _slid(np.prod, x, window, (1, 1), 0, 1, 1.0),
            (x, 1.0, fx.multiply, (2, 3)),
            smooth=True,
        ),
    ]


COUNTING: Final = [*_windows(), *_quantiles(), *_histograms(), *_lines(), *_segments()]

"""What NumPy computes at once is, to the last bit, what the operations here give; so are orders of many, and words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import dtypes
from effects.functions import at_once
from handlers.evaluate import sorting, threefry

_RNG: Final = np.random.default_rng(5)
_KINDS: Final = ("bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "bfloat16", "complex64")


def _elements(kind: str, size: int, zeros: bool = True, nan: bool = True) -> Any:
    """Some elements often, zeros of both signs, NaN and infinities where there are."""
    x = _RNG.normal(size=size).round(1) * 3
    if zeros:
        x[::5], x[1::7] = 0.0, -0.0
    else:
        x += x == 0
    if kind[0] in "fb" and kind != "bool":
        x[2::11] = np.inf
        if nan:
            x[3::9] = np.nan
    return np.asarray(fx.asarray(np.abs(x) if kind[0] == "u" else x).astype(dtypes.as_dtype(kind)))


def _same(one: Any, other: Any) -> None:
    for a, b in zip(fx.tree_leaves(one), fx.tree_leaves(other), strict=True):
        x, y = np.asarray(a), np.asarray(b)
        assert x.dtype == y.dtype and x.shape == y.shape
        if x.dtype.kind in "fcV":
            assert np.array_equal(np.isnan(x), np.isnan(y))
            x, y = [np.where(np.isnan(v), 0, v).astype(v.dtype) for v in (x, y)]
        assert x.tobytes() == y.tobytes()


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **{f"unique_{n}": getattr(fx, f"unique_{n}") for n in ("values", "counts", "inverse", "all")},
    "unique": fx.unique,
    "one NaN": lambda x: fx.unique(x, True, True),
    **{f: lambda x, f=f: getattr(fx, f)(x, x[::2]) for f in ("union1d", "intersect1d", "setdiff1d", "setxor1d")},
    "both positions": lambda x: fx.intersect1d(x[1:], x[::3], return_indices=True),
    "of another dtype": lambda x: fx.setdiff1d(x, np.array([1, 3], "int8")),
    "histogram": lambda x: fx.histogram(x, 7, (-2.5, 3.0)),
    "edges": lambda x: fx.histogram(x, np.array([-4.0, -1.0, 0.0, 0.5, 6.0])),
    "one element": lambda x: fx.histogram(x, np.array([1.0, 1.0])),
    "bincount": lambda x: fx.bincount(fx.abs(x) if x.dtype != fx.int8 else x * 0, minlength=3, length=4),
    "median": fx.median,
    "median along an axis": lambda x: fx.median(x.reshape(2, -1), axis=1),
    "quantile": lambda x: fx.quantile(x, np.array([0.0, 0.17, 0.5, 0.93, 1.0])),
    **{m: lambda x, m=m: fx.quantile(x, 0.37, method=m) for m in ("lower", "nearest", "hazen", "closest_observation")},
    "percentile": lambda x: fx.percentile(x, 71),
    "nonzero": lambda x: fx.nonzero(x.reshape(2, -1)),
    "digitize": lambda x: fx.digitize(x, np.array([-2.0, 0.0, 0.0, 4.0])),
    "digitize down": lambda x: fx.digitize(x, np.array([4.0, 0.0, -2.0]), True),
}


@pytest.mark.parametrize("kind", _KINDS)
def test_what_numpy_has_a_function_for(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = [fx.asarray(_elements(kind, n, z, a)) for n in (0, 2, 30) for z in (True, False) for a in (True, False)]

    def results() -> list[Any]:
        found = []
        for f in FUNCTIONS.values():
            for x in given:
                try:
                    found.append(f(x))
                except fx.EffaxError as error:
                    found.append(np.asarray(len(str(error))))
        return found

    now = results()
    assert sum([type(r) is not np.ndarray for r in now]) > 40
    monkeypatch.setattr(at_once, "hosts", lambda *xs: None)
    for one, other in zip(now, results(), strict=True):
        _same(one, other)


@pytest.mark.parametrize(
    "kind", ["bool", "int8", "uint16", "int32", "uint32", "int64", "float16", "float32", "float64"]
)
@pytest.mark.parametrize("nan", [False, True])
def test_orders_of_many(kind: str, nan: bool) -> None:
    x = _elements(kind, sorting._MANY + 3, nan=nan)
    wide = x if kind == "bool" else (x * np.array(3000, "int64")).astype(kind) if kind[0] != "f" else x
    second = _RNG.integers(0, 3, len(x))
    for line in (x, wide):
        order = line.argsort(kind="stable")
        down = (len(line) - 1 - line[::-1].argsort(kind="stable"))[::-1]
        assert np.array_equal(fx.argsort(line), order) and np.array_equal(fx.argsort(line, descending=True), down)
        assert np.array_equal(fx.lexsort([line, second]), np.lexsort([line, second]))
        assert np.array_equal(fx.lexsort(np.array([line, second])), np.lexsort([line, second]))
        for k in (0, 1, 40, 3000):
            values, places = fx.top_k(line, k)
            assert np.array_equal(places, down[:k])
            np.testing.assert_array_equal(values, line[down[:k]])


@pytest.mark.parametrize("size", [1, 2, 7, 128, 129])
def test_words_of_few_are_those_of_many(size: int) -> None:
    keys, counters = _RNG.integers(0, 2**64, (2, size), dtype=np.uint64)
    out = np.empty(size, np.uint64)
    for key in (keys, keys[:1]):
        threefry._blocks(key, counters, out)
        assert np.array_equal(threefry._lanes(np.broadcast_to(key, size), counters), out)
        assert np.array_equal(threefry.threefry(key, counters), out)

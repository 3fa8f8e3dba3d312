"""What is counted and ordered of known elements is, to the last bit, what programs give and what NumPy does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import dtypes
from handlers.evaluate import sorting
from lowering import jit

_RNG: Final = np.random.default_rng(5)


_KINDS: Final = ("bool", "int8", "uint64", "bfloat16", "float32", "float64", "complex64")


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


def _same(name: str, one: Any, other: Any) -> None:
    for a, b in zip(fx.tree_leaves(one), fx.tree_leaves(other), strict=True):
        x, y = np.asarray(a), np.asarray(b)
        assert x.dtype == y.dtype and x.shape == y.shape, name
        if x.dtype.kind in "fcV":
            assert np.array_equal(np.isnan(x), np.isnan(y)), name
            x, y = [np.where(np.isnan(v), 0, v).astype(v.dtype) for v in (x, y)]
        assert x.tobytes() == y.tobytes(), f"{name}: {x} and {y}"


type OfSize = Callable[..., Any]
COUNTED: Final[dict[str, OfSize]] = {
    **{n: lambda x, size, n=n: getattr(fx, n)(x, size=size) for n in ("flatnonzero", "unique_values", "unique_counts")},
    **{n: lambda x, size, n=n: getattr(fx, n)(x, size=size) for n in ("unique_inverse", "unique_all", "unique")},
    "nonzero": lambda x, size: fx.nonzero(x.reshape(2, -1), size=size),
    "one NaN": lambda x, size: fx.unique(x, True, True, size=size),
    "rows": lambda x, size: fx.unique(x.reshape(-1, 2), True, True, True, axis=0, size=size),
    **{
        f: lambda x, size, f=f: getattr(fx, f)(x, x[::2] + x[1::2], size=size)
        for f in ("union1d", "intersect1d", "setdiff1d", "setxor1d")
    },
    "both positions": lambda x, size: fx.intersect1d(x[1:], x[::3], return_indices=True, size=size),
    "of another dtype": lambda x, size: fx.setdiff1d(x, np.array([1, 3], "int8"), size=size),
    "bincount": lambda x, size: fx.bincount(abs(x), minlength=3, length=5),
}
"""Functions of as many results as values say, each with the number of them."""
METHODS: Final = ("lower", "nearest", "hazen", "closest_observation")
FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "histogram": lambda x: fx.histogram(x, 7, (-2.5, 3.0)),
    "weights": lambda x: fx.histogram(x, 7, (-2.5, 3.0), weights=x),
    "edges": lambda x: fx.histogram(x, np.array([-4.0, -1.0, 0.0, 0.5, 6.0])),
    "one element": lambda x: fx.histogram(x, np.array([1.0, 1.0])),
    "median": fx.median,
    "median along an axis": lambda x: fx.median(x.reshape(2, -1), axis=1),
    "quantile": lambda x: fx.quantile(x, np.array([0.0, 0.17, 0.5, 0.93, 1.0])),
    "many quantiles": lambda x: fx.quantile(x, np.linspace(0, 1, 11)),
    "nanquantile": lambda x: fx.nanquantile(x, 0.3),
    "nanmedians": lambda x: fx.nanmedian(x.reshape(2, -1), axis=1),
    "of nothing": lambda x: fx.nanmedian(x * np.nan),
    "zeros": lambda x: fx.nanmedian(x * 0),
    **{m: lambda x, m=m: fx.quantile(x, 0.37, method=m) for m in METHODS},
    "percentile": lambda x: fx.percentile(x, 71),
    "searchsorted": lambda x: fx.searchsorted(fx.sort(x[::2]), x),
    "searchsorted in no order": lambda x: fx.searchsorted(fx.real(x[::2]), fx.real(x), "right"),
    "isin": lambda x: fx.isin(x, x[::3]),
    "wrapping sums": lambda x: fx.segment_sum(fx.full(x.shape, 100, dtype="int8"), fx.real(x).astype("int64"), 3),
    "sums at places in rows": lambda x: fx.zeros(3).at[fx.arange(x.size).reshape(1, -1) % 3].add(fx.real(x)[None]),
    "digitize": lambda x: fx.digitize(x, np.array([-2.0, 0.0, 0.0, 4.0])),
    "digitize down": lambda x: fx.digitize(x, np.array([4.0, 0.0, -2.0]), True),
    "cross": lambda x: fx.cross(x.reshape(-1, 3), x[:3]),
}


def _all(x: fx.Array, sizes: dict[str, int]) -> dict[str, Any]:
    calls: dict[str, Callable[[], Any]] = {
        **{name: partial(f, x, sizes.get(name)) for name, f in COUNTED.items()},
        **{name: partial(f, x) for name, f in FUNCTIONS.items()},
    }
    results = {}
    for name, call in calls.items():
        try:
            results[name] = call()
        except fx.EffaxError:
            results[name] = None  # of what the dtype has not
    return results


@pytest.mark.parametrize(("kind", "size"), [*[(kind, 30) for kind in _KINDS], ("float64", 0), ("int8", 6), ("bool", 6)])
def test_what_is_counted_compiled(kind: str, size: int) -> None:
    x = fx.asarray(_elements(kind, size))
    eager = _all(x, {})
    assert sum([result is not None for result in eager.values()]) > 15
    sizes = {name: fx.tree_leaves(r)[0].shape[0] for name, r in eager.items() if name in COUNTED and r is not None}
    compiled = jit(lambda x: _all(x, sizes))(x)
    for name, result in eager.items():
        _same(name, compiled[name], result)


@pytest.mark.parametrize(
    ("kind", "other"), [("int8", "int8"), ("int64", "int32"), ("uint64", "int64"), ("uint64", "uint8")]
)
def test_many_close_integers_contain_what_they_do_for_numpy(kind: str, other: str) -> None:
    random = np.random.default_rng(7)
    limits, reach = np.iinfo(kind), np.iinfo(other)
    some = random.integers(max(limits.min, -2000), min(limits.max, 2000), 900).tolist()
    x = np.array([*some, limits.min, limits.max], kind)
    for low in (max(reach.min, -500), reach.max - 100):
        high = min(low + 3000, reach.max)
        line = random.integers(low, high, (2, 700), other, endpoint=True)
        expected = [int(v) in set(line.ravel().tolist()) for v in x]
        assert fx.isin(x, line).tolist() == jit(fx.isin)(x, line).tolist() == expected
        assert jit(lambda x, line=line: fx.isin(x, fx.asarray(line)))(x).tolist() == expected


def _calls(x: Any, y: Any) -> list[Callable[[Any], Any]]:
    line = np.sort(y)
    return [
        lambda m: m.unique(x, return_index=True, return_inverse=True, return_counts=True),
        *[lambda m, n=n: getattr(m, n)(x, y) for n in ("union1d", "setdiff1d", "setxor1d", "isin")],
        lambda m: m.intersect1d(x, y, return_indices=True),
        *[lambda m, s=s, n=n: m.searchsorted(line[::n], x, s) for s in ("left", "right") for n in (1, 100)],
        lambda m: m.digitize(x, np.unique(y)[::-1]),
        lambda m: m.histogram(x, np.array([-3, 0, 0.5, 2, 2, 7])),
        lambda m: m.histogram(y, 40),
        lambda m: m.bincount(y.astype("int64") + 9, minlength=30),
        lambda m: m.nonzero(x.reshape(50, -1)),
        lambda m: m.median(x.reshape(50, -1), axis=1),
        lambda m: m.quantile(y, [0.1, 0.5, 0.77]),
    ]


@pytest.mark.parametrize("kind", ["int16", "int64", "float32", "float64"])
def test_what_is_counted_of_many_as_numpy_does(kind: str) -> None:
    x, y = _elements(kind, 5000), _RNG.integers(-9, 9, 700).astype(kind)
    for number, call in enumerate(_calls(x, y)):
        wanted = call(np)
        leaves = wanted if isinstance(wanted, tuple) else (wanted,)
        for actual, expected in zip(fx.tree_leaves(call(fx)), leaves, strict=True):
            np.testing.assert_allclose(np.asarray(actual), expected, rtol=1e-15, err_msg=f"{number}")


@pytest.mark.parametrize(
    "kind", ["bool", "int8", "uint16", "int32", "uint32", "int64", "float16", "float32", "float64"]
)
@pytest.mark.parametrize("nan", [False, True])
def test_orders_of_many(kind: str, nan: bool) -> None:
    x = _elements(kind, sorting._VECTORS_FROM + 3, nan=nan)
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

"""What is drawn has the distribution that it is said to have, by tests of scipy; and derivatives follow parameters."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pytest
import scipy.stats as st

import effects as fx
from effects import random
from effects.types.dtypes import Named
from handlers import grad, vmap
from lowering import jit

KEY: Final = random.key(2024)
SIZE: Final = 20_000
SURE: Final = 1e-3
"""The least probability of what was drawn: a right generator fails a test with a new key this often."""

type Draw = Callable[..., fx.Array]

CONTINUOUS: Final[dict[str, tuple[Draw, Any]]] = {
    "uniform": (random.uniform, st.uniform()),
    "uniform-ends": (lambda key, n, d: random.uniform(key, n, d, -3.0, 5.0), st.uniform(-3, 8)),
    "normal": (random.normal, st.norm()),
    "exponential": (random.exponential, st.expon()),
    "laplace": (random.laplace, st.laplace()),
    "logistic": (random.logistic, st.logistic()),
    "gumbel": (random.gumbel, st.gumbel_r()),
    "cauchy": (random.cauchy, st.cauchy()),
    "rayleigh": (lambda key, n, d: random.rayleigh(key, 2.5, n, d), st.rayleigh(scale=2.5)),
    "pareto": (lambda key, n, d: random.pareto(key, 1.5, n, d), st.pareto(1.5)),
    "weibull_min": (lambda key, n, d: random.weibull_min(key, 2.0, 0.7, n, d), st.weibull_min(0.7, scale=2.0)),
    "weibull_min-steep": (lambda key, n, d: random.weibull_min(key, 1.0, 4.0, n, d), st.weibull_min(4.0)),
    "lognormal": (lambda key, n, d: random.lognormal(key, 0.6, n, d), st.lognorm(0.6)),
    "maxwell": (random.maxwell, st.maxwell()),
    **{
        f"truncated_normal{ends}": (
            lambda key, n, d, low=ends[0], high=ends[1]: random.truncated_normal(key, low, high, n, d),
            st.truncnorm(*ends),
        )
        for ends in ((-1.0, 2.5), (-8.0, 8.0), (0.5, 0.6), (2.0, 3.5), (-4.0, -3.0))
    },
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous(name: str, dtype: str) -> None:
    draw, expected = CONTINUOUS[name]
    x = np.asarray(draw(KEY, (SIZE,), dtype))
    assert x.dtype == dtype and x.shape == (SIZE,) and np.isfinite(x).all()
    assert st.kstest(x.astype("float64"), expected.cdf).pvalue > SURE
    # Of the outermost hundredths, which the whole hardly shows, each has its share, and its own form.
    for low, high in ((0.0, 0.01), (0.99, 1.0)):
        at = expected.cdf(x.astype("float64"))
        tail = at[(at >= low) & (at <= high)]
        assert st.binomtest(len(tail), SIZE, 0.01).pvalue > SURE
        assert st.kstest((tail - low) / 0.01, "uniform").pvalue > SURE


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["uniform", "normal", "exponential", "laplace", "logistic", "gumbel", "cauchy"])
def test_narrow_floats_are_of_the_distribution_as_far_as_they_go(name: str, dtype: str) -> None:
    draw, expected = CONTINUOUS[name]
    x = np.asarray(draw(KEY, (SIZE,), dtype)).astype("float64")
    assert np.isfinite(x).all()
    grid = 2.0 ** (-10 if dtype == "float16" else -7)
    assert st.kstest(x, expected.cdf).statistic < 2 * grid + 1.95 / SIZE**0.5


def test_uniform_stays_within_its_ends() -> None:
    for dtype in ("bfloat16", "float16", "float32", "float64"):
        x = np.asarray(random.uniform(KEY, (SIZE,), dtype)).astype("float64")
        assert x.min() >= 0 and x.max() < 1 and x.min() < 0.01 and x.max() > 0.99


def _counted(x: fx.Array, chances: Any) -> float:
    counts = np.bincount(np.asarray(x).ravel(), minlength=len(chances))
    assert len(counts) == len(chances) and not counts[np.asarray(chances) == 0].any()
    some = np.asarray(chances) > 0
    return float(st.chisquare(counts[some], np.asarray(chances)[some] * x.size).pvalue)


CHANCES: Final = ([0.5, 0.25, 0.25], [0.9, 0.05, 0.05, 0.0], [0.01] * 100, [1.0])


@pytest.mark.parametrize("chances", CHANCES, ids=["few", "none of one", "many", "one"])
def test_discrete(chances: list[float]) -> None:
    p, n = fx.asarray(chances), len(chances)
    assert n == 1 or _counted(random.categorical(KEY, fx.log(p), shape=(SIZE,)), chances) > SURE
    assert n == 1 or _counted(random.choice(KEY, n, (SIZE,), p=p), chances) > SURE
    assert n == 1 or _counted(random.choice(KEY, n, (SIZE,)), np.full(n, 1 / n)) > SURE
    if n == 1:
        assert not np.asarray(random.categorical(KEY, fx.log(p), shape=(100,))).any()


@pytest.mark.parametrize("p", [0.0, 0.03, 0.5, 0.97, 1.0])
def test_bernoulli(p: float) -> None:
    heads = int(np.asarray(random.bernoulli(KEY, p, (SIZE,))).sum())
    assert st.binomtest(heads, SIZE, p).pvalue > SURE
    signs = np.asarray(random.rademacher(KEY, (SIZE,), "int8"))
    assert set(signs.tolist()) == {-1, 1} and st.binomtest(int((signs == 1).sum()), SIZE).pvalue > SURE


@pytest.mark.parametrize("p", [0.02, 0.4, 0.9])
def test_geometric(p: float) -> None:
    x = np.asarray(random.geometric(KEY, p, (SIZE,)))
    ends = sorted(set(st.geom(p).ppf(np.linspace(0.05, 0.95, 12)).astype(int).tolist()))
    shares = np.diff([0.0, *st.geom(p).cdf(ends), 1.0])
    counts = np.histogram(x, [1, *[e + 1 for e in ends], np.inf])[0]
    assert x.min() == 1 and st.chisquare(counts, shares * SIZE).pvalue > SURE


RANGES: Final = [
    ("int8", -128, 128),
    ("uint8", 0, 256),
    ("int16", -7, 3),
    ("int32", -(2**31), 2**31),
    ("int32", -(2**30), 2**31),  # where remainders of 32 bits would come out twice as often below
    ("uint32", 5, 3 * 2**30),
    ("int64", 0, 10),
    ("int64", -(2**63), 2**63),
    ("int64", -(2**62), 2**63),
    ("uint64", 1, 2**64),
    ("uint64", 0, 3 * 2**62),
]


@pytest.mark.parametrize(("dtype", "low", "high"), RANGES)
def test_randint(dtype: Named, low: int, high: int) -> None:
    x = random.randint(KEY, (SIZE,), low, high, dtype)
    numbers = np.array([int(v) for v in np.asarray(x).tolist()], object)
    assert str(x.dtype) == dtype and numbers.min() >= low and numbers.max() < high
    parts = min(high - low, 12)
    ends = [low + (high - low) * i // parts for i in range(parts + 1)]
    counts = [((numbers >= a) & (numbers < b)).sum() for a, b in pairwise(ends)]
    chances = [(b - a) / (high - low) for a, b in pairwise(ends)]
    assert st.chisquare(counts, np.array(chances) * SIZE).pvalue > SURE
    kind = x.dtype.dtype.type
    inside = high <= np.iinfo(dtype).max
    if inside:
        assert fx.array_equal(random.randint(KEY, (SIZE,), kind(low), kind(high), dtype), x)


def test_ends_of_integers_that_are_arrays() -> None:
    low, high = fx.asarray([0, -5, 7, 100, -(2**63)]), fx.asarray([1, 5, 7, 3, 2**63 - 1])
    for f in (random.randint, jit(random.randint, static_argnums=(1, 4))):
        x = np.asarray(f(KEY, (1000, 5), low, high, "int64"))
        assert not x[:, 0].any() and set(x[:, 1].tolist()) == set(range(-5, 5))
        assert (x[:, 2] == 7).all() and (x[:, 3] == 100).all() and abs(x[:, 4].astype(float).mean()) < 2**60
        small = np.asarray(f(KEY, (1000, 2), fx.asarray([-1000, 0]), fx.asarray([1000, 300]), "uint8"))
        assert small.min() == 0 and small.max() == 255


def test_orders_are_all_as_likely() -> None:
    orders = vmap(lambda key: random.permutation(key, 4))(random.split(KEY, 6000))
    assert (np.sort(orders, axis=1) == np.arange(4)).all()
    numbers = np.asarray(orders) @ [64, 16, 4, 1]
    counts = np.unique(numbers, return_counts=True)[1]
    assert len(counts) == 24 and st.chisquare(counts).pvalue > SURE


def test_elements_drawn_without_replacement() -> None:
    p = [0.5, 0.3, 0.2, 0.0]
    pairs = np.asarray(
        vmap(lambda key: random.choice(key, 4, (2,), replace=False, p=fx.asarray(p)))(random.split(KEY, 6000))
    )
    assert (pairs[:, 0] != pairs[:, 1]).all() and _counted(fx.asarray(pairs[:, 0]), p) > SURE
    second = [sum(p[i] * p[j] / (1 - p[i]) for i in range(3) if i != j) for j in range(4)]
    assert _counted(fx.asarray(pairs[:, 1]), second) > SURE
    equal = np.asarray(vmap(lambda key: random.choice(key, 5, (3,), replace=False))(random.split(KEY, 2000)))
    assert all(len(set(row)) == 3 for row in equal.tolist()) and _counted(fx.asarray(equal), [0.2] * 5) > SURE
    rows = random.categorical(KEY, fx.zeros((2, 5)), shape=(5, 2), replace=False)
    assert np.array_equal(np.sort(rows, axis=0), np.repeat(np.arange(5)[:, None], 2, 1))


def test_elements_of_arrays() -> None:
    x = fx.reshape(fx.arange(24), (4, 6))
    rows = np.asarray(random.permutation(KEY, x))
    assert np.array_equal(rows[np.argsort(rows[:, 0])], x)
    columns = np.asarray(random.permutation(KEY, x, axis=1))
    assert np.array_equal(np.sort(columns, axis=1), x) and (np.diff(columns, axis=0) == 6).all()
    apart = np.asarray(random.permutation(KEY, x, axis=1, independent=True))
    assert np.array_equal(np.sort(apart, axis=1), x) and not (np.diff(apart, axis=0) == 6).all()
    chosen = random.choice(KEY, x, (2, 3), axis=1)
    assert chosen.shape == (4, 2, 3) and np.array_equal(np.asarray(chosen)[0] + 6, np.asarray(chosen)[1])
    assert random.choice(KEY, x).shape == (6,) and random.choice(KEY, 0, (0,)).shape == (0,)
    assert random.permutation(KEY, 0).shape == (0,)


def test_streams_of_keys_are_unrelated() -> None:
    keys = random.split(KEY, 200)
    x = np.asarray(vmap(lambda key: random.normal(key, (200,)))(keys))
    for table in (x, np.asarray(vmap(lambda i: random.normal(random.fold_in(KEY, i), (200,)))(fx.arange(200)))):
        correlated = np.corrcoef(table)[np.triu_indices(200, 1)] * 200**0.5
        assert st.kstest(correlated, "norm").pvalue > SURE
        assert st.kstest(table.ravel(), "norm").pvalue > SURE


def test_derivatives_follow_the_parameters() -> None:
    def drawn(ends: tuple[fx.Array, fx.Array], of: str) -> fx.Array:
        if of == "uniform":
            return random.uniform(KEY, (50,), "float64", *ends)
        if of == "weibull_min":
            return random.weibull_min(KEY, ends[0] + 2, ends[1], (50,), "float64")
        if of == "of one":
            return random.pareto(KEY, ends[1], (50,)) + random.rayleigh(KEY, ends[1], (50,)) * ends[0]
        return random.truncated_normal(KEY, *ends, (50,), "float64")

    ends, step = (fx.asarray(-0.7), fx.asarray(1.3)), 1e-6
    for of in ("uniform", "truncated_normal", "weibull_min", "of one"):
        slopes = grad(lambda ends, of=of: fx.sum(fx.sin(drawn(ends, of))))(ends)
        for i in range(2):
            by = step * (i == 0), step * (i == 1)
            moved = [(ends[0] + s * by[0], ends[1] + s * by[1]) for s in (1, -1)]
            ahead, behind = [float(fx.sum(fx.sin(drawn(m, of)))) for m in moved]
            assert abs(float(slopes[i]) - (ahead - behind) / (2 * step)) < 1e-6


@pytest.mark.parametrize("ends", [(9.0, 10.0), (-10.0, -9.0), (9.0, np.inf), (30.0, 31.0), (6.5, 6.6), (1e5, np.inf)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_normal_numbers_far_out(ends: tuple[float, float], dtype: Named) -> None:
    x = np.asarray(random.truncated_normal(KEY, *ends, (400,), dtype)).astype(float)
    u = np.asarray(random.uniform(KEY, (400,), dtype)).astype(float)
    low, high = ends if ends[0] > 0 else (-ends[1], -ends[0])
    lost = st.norm.logsf(high) - st.norm.logsf(low)
    share = st.norm.logsf(np.abs(x)) - st.norm.logsf(low)
    wanted = np.log1p(u * np.expm1(lost))
    rounded = (2 * low**2 + 8 + np.exp(-wanted)) * np.finfo(dtype).eps  # x itself, and 1 - u next to 0
    assert (np.abs(share - wanted) <= rounded + 1e-11).all()
    assert (np.sign(x) == np.sign(ends[1])).all()


def test_derivatives_far_out() -> None:
    def f(a: Any, b: Any) -> fx.Array:
        return fx.sum(random.truncated_normal(KEY, a, b, (5,)))

    for a, b in ((8.0, 8.5), (-8.5, -8.0), (9.0, np.inf)):
        slopes = grad(f, (0, 1))(a, b)
        h = 1e-5
        np.testing.assert_allclose(slopes[0], float(f(a + h, b) - f(a - h, b)) / (2 * h), rtol=1e-6)
        np.testing.assert_allclose(slopes[1], float(f(a, b + h) - f(a, b - h)) / (2 * h), rtol=1e-6, atol=1e-8)


def test_waiting_times_and_lengths_are_those_of_jax() -> None:
    key = random.key(42)
    expected = [2.6101486342144358, 5.795884058247333, 2.1068921475580344]
    np.testing.assert_allclose(random.rayleigh(key, 2.0, (3,)), expected, rtol=1e-13)
    assert random.geometric(key, 0.3, (6,)).tolist() == [3, 12, 2, 1, 2, 2]

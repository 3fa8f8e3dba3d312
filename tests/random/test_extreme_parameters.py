"""Parameters far out: what is drawn has the distribution that they say, where its parts leave the range of floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.stats as st

import effects as fx
from effects import random
from effects.types.dtypes import Named
from lowering import jit

KEY: Final = random.key(77)
SIZE: Final = 4000
SURE: Final = 1e-3

type Draw = Callable[..., fx.Array]
CASES: Final[list[tuple[str, Named, Draw, Any]]] = [
    ("t of few degrees", "float64", lambda d: random.t(KEY, 0.02, (SIZE,), d), st.t(0.02)),
    ("t of few degrees", "float32", lambda d: random.t(KEY, 0.1, (SIZE,), d), st.t(0.1)),
    ("F of few degrees", "float64", lambda d: random.f(KEY, 0.02, 0.02, (SIZE,), d), st.f(0.02, 0.02)),
    ("F of few degrees", "float32", lambda d: random.f(KEY, 0.15, 0.15, (SIZE,), d), st.f(0.15, 0.15)),
    ("F of many degrees", "float64", lambda d: random.f(KEY, 9.0, 1e300, (SIZE,), d), st.gamma(4.5, scale=2 / 9)),
    ("F of many degrees", "float32", lambda d: random.f(KEY, 9.0, 1e35, (SIZE,), d), st.gamma(4.5, scale=2 / 9)),
    ("of a high power", "float64", lambda d: random.generalized_normal(KEY, 1e7, (SIZE,), d), st.uniform(-1, 2)),
    ("of a high power", "float32", lambda d: random.generalized_normal(KEY, 1e5, (SIZE,), d), st.uniform(-1, 2)),
    ("of no power", "float64", lambda d: random.generalized_normal(KEY, np.inf, (SIZE,), d), st.uniform(-1, 2)),
    ("in a cube", "float64", lambda d: random.ball(KEY, 2, np.inf, (SIZE,), d)[:, 1], st.uniform(-1, 2)),
    ("Wald, slow", "float64", lambda d: random.wald(KEY, 1e30, (SIZE,), d), st.levy()),
    ("Wald, slow", "float32", lambda d: random.wald(KEY, 1e10, (SIZE,), d), st.levy()),
    ("Wald, slow", "float16", lambda d: random.wald(KEY, 6e4, (SIZE,), d), st.levy()),
    ("Wald, endless", "float64", lambda d: random.wald(KEY, np.inf, (SIZE,), d), st.levy()),
]


@pytest.mark.parametrize(("name", "dtype", "draw", "expected"), CASES, ids=[f"{c[0]}, {c[1]}" for c in CASES])
def test_distributions(name: str, dtype: Named, draw: Draw, expected: Any) -> None:
    runs: list[Draw] = [lambda: draw(dtype), jit(lambda: draw(dtype))]
    eager, compiled = [np.asarray(f()).astype(float) for f in runs]
    steps = {"float64": 1e-11, "float32": 2e-4, "float16": 1e-2}[dtype]  # logarithms of numbers far out are large
    np.testing.assert_allclose(compiled, eager, rtol=steps, atol=float(np.finfo(dtype).tiny))
    within = np.clip(eager, -float(np.finfo(dtype).max), float(np.finfo(dtype).max))
    assert st.kstest(within, expected.cdf).pvalue > SURE
    for tail in (expected.cdf(eager), expected.sf(eager)):
        if dtype != "float16":
            assert st.binomtest(int((tail < 0.02).sum()), SIZE, 0.02).pvalue > SURE


def test_negative_zeros_are_zeros() -> None:
    draws: list[Draw] = [
        *(random.gamma, random.loggamma, random.chisquare, random.t, random.pareto, random.wald),
        random.generalized_normal,
        lambda key, p: random.weibull_min(key, 1.0, p),
    ]

    def drawn(p: float) -> fx.Array:
        return fx.stack([draw(KEY, p) for draw in draws])

    for f in (drawn, jit(drawn)):
        np.testing.assert_array_equal(np.asarray(f(-0.0)), np.asarray(f(0.0)))
        assert np.isnan(np.asarray(f(-1.0))).all()


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_ends_that_are_close(dtype: Named) -> None:
    """Where no number is between, or the distribution function says the same of both."""
    low = fx.asarray([0.0, -0.0, 2.0, 7.0, 3.25, -3.25, 0.5], dtype=dtype)
    high = fx.asarray([0.0, 0.0, 2.0, 7.0, 3.0, -3.5, float("nan")], dtype=dtype)
    narrow = fx.asarray([3.25, -3.3125, 1.8125, 5.0], dtype=dtype)
    width = fx.asarray(2.0**-4 if dtype == "bfloat16" else 2.0**-7 if dtype == "float16" else 2.0**-18, dtype=dtype)
    for f in (random.truncated_normal, jit(lambda k, a, b: random.truncated_normal(k, a, b, dtype=dtype))):
        given: dict[str, Any] = {"dtype": dtype} if f is random.truncated_normal else {}
        assert np.isnan(np.asarray(f(KEY, low, high, **given), "float64")).all()
        x = f(KEY, narrow, narrow + width, **given)
        assert fx.all(x >= narrow) and fx.all(x <= narrow + width)

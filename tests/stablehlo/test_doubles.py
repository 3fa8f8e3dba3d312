"""log and log1p of many doubles: to 1½ units in the last place beside extended precision, and at the edges."""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from lowering import jit

RNG: Final = np.random.default_rng(0)
SIZES: Final = 10.0 ** RNG.uniform(-18, 0, 20000)
SIGNS: Final = RNG.choice([-1.0, 1.0], 20000)
POINTS: Final = {
    "log": np.concatenate(
        [np.exp(RNG.uniform(-700.0, 700.0, 40000)), 1.0 + SIGNS * SIZES / 2, RNG.uniform(0.6, 3, 40000)]
    ),
    "log1p": np.concatenate([SIGNS * SIZES * 0.999, 10.0 ** RNG.uniform(-3, 300, 20000), RNG.uniform(-0.5, 3, 40000)]),
}
TINY: Final = sys.float_info.min
EDGES: Final = [0.0, -0.0, 1.0, -1.0, -2.0, np.inf, -np.inf, np.nan, TINY, sys.float_info.max]


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="the platform has no extended precision")
def test_many_doubles(name: str) -> None:
    f: Any = jit(getattr(fx, name))
    x = POINTS[name]
    exact = getattr(np, name)(x.astype(np.longdouble))
    units = np.abs(np.asarray(f(x)) - exact) / np.spacing(np.abs(exact).astype(np.float64))
    assert units.max() < 1.5
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(np.array(EDGES))
    actual = np.asarray(f(np.resize(np.array(EDGES), 600)))[: len(EDGES)]
    np.testing.assert_allclose(actual, expected, rtol=1e-15, atol=0)
    np.testing.assert_array_equal(np.signbit(actual) | np.isnan(actual), np.signbit(expected) | np.isnan(expected))

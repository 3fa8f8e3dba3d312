"""exp and log for results in single precision, to ten digits those in double precision, and slopes by them, to all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import mpmath as mp
import numpy as np
import pytest

import effects as fx
from effects.runtime.cpython.extent import setting
from effects.special.calling import SHORT, tolerance
from handlers import grad
from handlers.special import short
from lowering import jit

type Numbers = np.typing.NDArray[np.float64]
EXPONENTS: Final = np.linspace(-708, 709, 10001)
EDGES: Final = np.array([-np.inf, -1e300, -0.0, 0.0, 720.0, 1e300, np.inf, np.nan])


def compiled(f: Callable[[fx.Array], fx.Array], x: Numbers) -> Numbers:
    def rounded_later(x: fx.Array) -> fx.Array:
        with setting(tolerance, SHORT):
            return f(x)

    return np.asarray(jit(rounded_later)(fx.asarray(x)))


def test_the_exponential() -> None:
    np.testing.assert_allclose(compiled(short.exp, EXPONENTS), np.exp(EXPONENTS), rtol=1e-10)
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(compiled(short.exp, EDGES), np.exp(EDGES), rtol=1e-10)


def test_the_logarithm() -> None:
    x = np.concatenate([np.exp(EXPONENTS), 1.0 + EXPONENTS / 1500.0, [1.0]])
    np.testing.assert_allclose(compiled(short.log, x), np.log(x), rtol=3e-11)
    assert np.isnan(compiled(short.log, np.array([-1.0, -np.inf, np.nan]))).all()


@pytest.mark.parametrize("a", [0.25, 2.5, 19.0])
def test_slopes_in_single_precision(a: float) -> None:
    x = np.random.default_rng(0).gamma(a, size=200).astype(np.float32)
    x = np.concatenate([x, [0.0, np.inf, np.nan, -1.0]]).astype(np.float32)
    with mp.workdps(60):
        inside = [float(mp.mpf(v) ** (a - 1) * mp.exp(-mp.mpf(v)) / mp.gamma(a)) for v in x[:-4].tolist()]
    expected = [*inside, np.inf if a < 1 else 0.0, 0.0, np.nan, 0.0]
    slope = grad(lambda x: fx.sum(fx.stats.gamma.cdf(x, a)))
    for f in (slope, jit(slope)):
        np.testing.assert_allclose(f(fx.asarray(x)), expected, rtol=1.2e-7)

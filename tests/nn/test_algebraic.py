"""Activations without exponentials beside 120 digits, with their limits and those of their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import mpmath
import numpy as np
import pytest

import effects as fx
from handlers import grad, jet, vmap
from lowering import jit

nn, mp = fx.nn, mpmath.mp.clone()
mp.dps = 120

FORMULAS: Final[dict[str, Callable[[Any], Any]]] = {
    "squareplus": lambda x: (x + mp.sqrt(x * x + 4)) / 2,
    "soft_sign": lambda x: x / (1 + abs(x)),
    "sparse_plus": lambda x: 0 if x <= -1 else x if x >= 1 else (x + 1) ** 2 / 4,
    "sparse_sigmoid": lambda x: min(max((x + 1) / 2, mp.mpf(0)), mp.mpf(1)),
    "log1mexp": lambda x: mp.log1p(-mp.exp(-x)),
}
POINTS: Final = (-1e30, -300.0, -2.0, -1.0, -0.5, -1e-20, 0.0, 1e-30, 0.3, 0.69, 0.7, 1.0, 3.0, 80.0, 1e30)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", FORMULAS)
def test_values_and_slopes_beside_120_digits(name: str, dtype: Any) -> None:
    x = np.asarray([p for p in POINTS if name != "log1mexp" or p > 0], dtype)
    f, eps, tiny = getattr(nn, name), float(np.finfo(dtype).eps), float(np.finfo(dtype).tiny)
    exact = [float(FORMULAS[name](mp.mpf(float(p)))) for p in x]
    for g in (f, jit(f)):
        np.testing.assert_allclose(g(fx.asarray(x)), exact, rtol=4 * eps, atol=tiny)
    smooth = np.asarray([p for p in x if abs(p) not in (0.0, 1.0) and abs(p) < 1e20], dtype)
    slopes = [float(mp.diff(FORMULAS[name], mp.mpf(float(p)), h=mp.mpf(10) ** -40)) for p in smooth]
    np.testing.assert_allclose(vmap(grad(f))(fx.asarray(smooth)), slopes, rtol=16 * eps, atol=tiny)


LIMITS: Final[dict[str, tuple[float, float, float, float]]] = {
    "squareplus": (0, np.inf, 0, 1),
    "soft_sign": (-1, 1, 0, 0),
    "sparse_plus": (0, np.inf, 0, 1),
    "sparse_sigmoid": (0, 1, 0, 0),
    "log1mexp": (np.nan, 0, np.nan, 0),
}


@pytest.mark.parametrize("dtype", [fx.float64, fx.float32, fx.bfloat16, fx.float16])
@pytest.mark.parametrize("name", LIMITS)
def test_limits(name: str, dtype: Any) -> None:
    f, (low, high, low_slope, high_slope) = getattr(nn, name), LIMITS[name]
    ends = fx.asarray([-np.inf, np.inf, np.nan], dtype=dtype)
    wraps: tuple[Callable[[Any], Any], ...] = (lambda g: g, jit)
    for wrap in wraps:
        np.testing.assert_array_equal(wrap(f)(ends).astype(fx.float64), [low, high, np.nan])
        slopes = wrap(vmap(grad(f)))(ends).astype(fx.float64)
        np.testing.assert_array_equal(slopes, [low_slope, high_slope, np.nan])
        second = np.asarray(wrap(vmap(grad(grad(f))))(ends[:2]).astype(fx.float64))
        assert second[1] == 0 and (second[0] == 0 or name == "log1mexp")


def test_soft_sign_at_0_is_as_on_the_left() -> None:
    orders = jet(nn.soft_sign, (0.0,), ([1.0, 0.0, 0.0],))[1]
    assert [float(slope) for slope in orders] == [1.0, 2.0, 6.0]
    assert float(grad(grad(nn.soft_sign))(0.0)) == 2.0


def test_squareplus_of_width_0_is_relu() -> None:
    x = fx.asarray([-2.0, 0.0, 3.0])
    np.testing.assert_array_equal(nn.squareplus(x, 0.0), nn.relu(x))


def test_the_log_of_the_end_is_minus_infinity() -> None:
    assert nn.log1mexp(0.0) == -np.inf and grad(nn.log1mexp)(0.0) == np.inf
    assert np.isnan(float(nn.log1mexp(-1.0)))


def test_logs_of_means() -> None:
    x = np.random.default_rng(0).normal(size=(3, 4)) * 500
    mask = np.asarray([[True, False, True, True], [False] * 4, [True] * 4])
    rows = [[mp.exp(mp.mpf(v)) for v in row[line]] for row, line in zip(x, mask, strict=True)]
    means = [float(mp.log(mp.fsum(row) / len(row))) if row else np.nan for row in rows]
    total = float(mp.log(mp.fsum([mp.exp(mp.mpf(v)) for v in x.ravel()]) / x.size))
    for f in (nn.logmeanexp, jit(nn.logmeanexp, static_argnames=("axis",))):
        np.testing.assert_allclose(f(fx.asarray(x), axis=1, where=fx.asarray(mask)), means, rtol=1e-14)
        np.testing.assert_allclose(f(fx.asarray(x)), total, rtol=1e-14)
    for dtype in (fx.float16, fx.bfloat16):
        thousandths = fx.full((1000,), 0.001, dtype=dtype)
        assert nn.logmeanexp(thousandths) == thousandths[0]
    softened = grad(lambda x: fx.sum(nn.logmeanexp(x, axis=1)))(fx.asarray(x))
    np.testing.assert_allclose(softened, nn.softmax(fx.asarray(x), axis=1), rtol=1e-12, atol=1e-300)

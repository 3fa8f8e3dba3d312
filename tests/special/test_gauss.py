"""Gauss's hypergeometric function against mpmath: regions, special values as SciPy's, digits that are lost."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest
import scipy.special as sp

import effects as fx
from effects import special
from handlers import jvp, vmap
from lowering import jit

RNG: Final = np.random.default_rng(31)
N: Final = 60


def _up(low: float, high: float) -> Any:
    return RNG.uniform(low, high, N)


REGIONS: Final[dict[str, tuple[Any, Any, Any, Any, float]]] = {
    "small": (_up(-5, 5), _up(-5, 5), _up(-5, 5), _up(-0.9, 0.9), 3e-14),
    "next to 1": (_up(-5, 5), _up(-5, 5), _up(0, 5), _up(0.9, 1), 5e-14),
    "at the singular point": (_up(-3, 3), _up(-3, 3), _up(0, 3), 1 - 10 ** _up(-15, -1), 3e-13),
    "far": (_up(-5, 5), _up(-5, 5), _up(0, 5), -(10 ** _up(0, 12)), 1e-12),
    "large": (_up(-20, 20), _up(-20, 20), _up(0, 20), _up(-5, 0.99), 2e-13),
    "c below 0": (_up(-5, 5), _up(-5, 5), _up(-5, 0), _up(-50, 1), 1e-10),
    "polynomials": (-RNG.integers(0, 12, N).astype(float), _up(-5, 5), _up(0.2, 5), _up(-3, 3), 1e-11),
    "differences that are whole": (
        RNG.integers(1, 5, N) * 1.0,
        RNG.integers(1, 5, N) * 1.0,
        RNG.integers(1, 9, N) * 1.0,
        _up(-9, 1),
        1e-13,
    ),
}


def _exact(row: tuple[Any, ...]) -> Any:
    with mp.workdps(60):
        return mp.hyp2f1(*map(mp.mpf, map(float, row)))


@pytest.mark.parametrize("name", REGIONS)
def test_values(name: str) -> None:
    *args, tolerance = REGIONS[name]
    exact = [float(_exact(row)) for row in zip(*args, strict=True)]
    compiled = jit(special.hyp2f1)(*args)
    np.testing.assert_allclose(compiled, exact, rtol=tolerance)
    np.testing.assert_allclose(special.hyp2f1(*map(fx.asarray, args)), compiled, rtol=1e-13)
    np.testing.assert_allclose(jit(vmap(special.hyp2f1))(*args), compiled, rtol=1e-13)
    args[3] = np.where(args[3] < 1, np.minimum(args[3], 1 - 2.0**-20), args[3])
    single = [np.asarray(x, np.float32) for x in args]
    rounded = np.array([float(_exact(row)) for row in zip(*single, strict=True)])
    usual = (np.abs(rounded) > 1e-36) & (np.abs(rounded) < 1e38)
    values = np.asarray(special.hyp2f1(*map(fx.asarray, single)))
    np.testing.assert_allclose(values[usual], rounded[usual], rtol=6e-8)


def test_what_loses_its_digits_is_nan() -> None:
    args = _up(-20, 20), _up(-20, 20), _up(-20, -6), _up(-3, 0.99)
    values = np.asarray(jit(special.hyp2f1)(*args))
    kept = ~np.isnan(values)
    assert N / 2 < kept.sum() < N
    exact = np.array([float(_exact(row)) for row in np.array(args).T])
    np.testing.assert_allclose(values[kept], exact[kept], rtol=1e-5)


INF: Final = float("inf")
ENDS: Final = [
    *[(1, 2, 3, 1), (1, 1, 3, 1), (1, 2, 2.5, 1), (0.5, 0.5, 1.5, 1), (-1.5, 2, 2, 1), (1, 2, 2, 1), (0, 2, 1, 1)],
    *[(1, 2, 3, 1.5), (-2, 2, 3, 1.5), (0, 2, 3, 5), (1, 2, 2, 2), (1.5, 2, 2, 2), (1, 2, 3, INF), (1, 2, 3, -INF)],
    *[(1, 2, -2, 0.5), (-1, 2, -2, 0.5), (-2, 2, -2, 0.5), (-3, 2, -2, 0.5), (1, 2, 0, 0.5), (0, 1, 0, 0.5)],
    *[(1, 2, 0, 0), (1, 2, -2, 0), (0, 0, 0, 0), (1, 2, 3, 0), (1, 2, 3, np.nan), (np.nan, 2, 3, 0.5)],
    *[(1, 2, 2, 0.5), (1, 2, 2, -3), (1, 2, 3, -1e300), (300, 1, 2, 0.5), (-300.5, 1, 2, 0.5)],
]


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["eager", "compiled"])
def test_special_values(run: Any) -> None:
    args = np.array(ENDS, float).T
    with np.errstate(all="ignore"):
        expected = sp.hyp2f1(*args)
    np.testing.assert_allclose(run(special.hyp2f1)(*map(fx.asarray, args)), expected, rtol=1e-12)
    assert run(special.hyp2f1)(*[fx.zeros(0)] * 4).shape == (0,)


SLOPES: Final = [
    *[(0.5, 1.5, 2.5, -2.0), (2.5, -1.5, 3.0, 0.75), (-2.0, 1.5, 2.5, 0.75), (1.5, 2.5, 2.5, 0.5)],
    *[(0.5, 0.5, 1.5, 0.9375), (1.5, 0.5, -1.5, 0.375), (1.0, 1.0, 2.0, 0.0)],
]


@pytest.mark.parametrize("i", range(3))
def test_derivatives_in_the_parameters(i: int) -> None:
    args = [fx.asarray(column) for column in zip(*SLOPES, strict=True)]
    f: Any = lambda v: special.hyp2f1(*[v if k == i else arg for k, arg in enumerate(args)])
    for order, tolerance in enumerate((1e-13, 1e-13, 1e-12, 1e-11), 1):
        f = lambda v, f=f: jvp(f, (v,), (fx.ones_like(v),))[1]
        with mp.workdps(40):
            exact = [float(mp.diff(lambda v, p=p: mp.hyp2f1(*p[:i], v, *p[i + 1 :]), p[i], order)) for p in SLOPES]
        np.testing.assert_allclose(f(args[i]), exact, rtol=tolerance, atol=1e-14)


def test_mixed_derivatives() -> None:
    a, b, c, x = SLOPES[0]
    f: Any = lambda a, c: special.hyp2f1(a, b, c, x)
    g: Any = lambda c: jvp(lambda a: jvp(lambda c: f(a, c), (c,), (1.0,))[1], (a,), (1.0,))[1]
    with mp.workdps(40):
        exact = [float(mp.diff(lambda a, c: mp.hyp2f1(a, b, c, x), (a, c), orders)) for orders in ((1, 1), (1, 2))]
    np.testing.assert_allclose([float(y) for y in jvp(g, (c,), (1.0,))], exact, rtol=1e-13)


def _of_order(n: int, a: float, b: float, c: float, x: float) -> Any:
    return mp.rf(a, n) * mp.rf(b, n) / mp.rf(c, n) * mp.hyp2f1(a + n, b + n, c + n, x)


def test_derivatives_in_x_are_functions_of_their_own() -> None:
    a, b, c, x = [fx.asarray(column) for column in zip(*SLOPES, strict=True)]
    f: Any = lambda x: special.hyp2f1(a, b, c, x)
    for order in range(1, 5):
        f = lambda x, f=f: jvp(f, (x,), (fx.ones_like(x),))[1]
        with mp.workdps(40):
            exact = [float(_of_order(order, *p)) for p in SLOPES]
        np.testing.assert_allclose(f(x), exact, rtol=1e-12, atol=1e-60)

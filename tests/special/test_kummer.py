"""Kummer's function against its series in 400 digits, and the functions of negative arguments that sums give."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any, Final

import numpy as np
import pytest
import scipy.special as sp

import effects as fx
from effects import special
from handlers import grad
from lowering import jit

RNG: Final = np.random.default_rng(5)
N: Final = 25


def _up(low: float, high: float) -> Any:
    return RNG.uniform(low, high, N)


def _whole(low: int, high: int) -> Any:
    return RNG.integers(low, high, N).astype(float)


REGIONS: Final[dict[str, tuple[Any, Any, Any, float]]] = {
    "terms of one sign": (_up(0, 30), _up(0.1, 30), _up(0, 60), 2e-14),
    "waves": (_up(-60, 0), _up(0.1, 30), _up(0, 60), 1e-11),
    "waves mirrored": (_up(0, 30), _up(0.1, 30), _up(-60, 0), 1e-11),
    "mirrored": (_up(-60, 0), _up(0.1, 30), _up(-60, 0), 2e-14),
    "far": (_up(-5, 5), _up(0.1, 5), _up(-700, 700), 1e-12),
    "polynomials": (_whole(-30, 1), _whole(1, 5), _up(-100, 300), 2e-13),
    "terms that cancel": (_up(-30, 30), _up(-30, 0), _up(-40, 40), 1e-9),
    "polynomials whose terms cancel": (_whole(-30, 1), _up(-30, 0), _up(-40, 40), 1e-9),
    "terms that rise before they fall": (_up(-18, -5), _up(4, 18), _up(230, 600), 1e-12),
}

LOST: Final = 50.9, -119.5, -50.9


def _exact(a: float, b: float, x: float) -> float:
    with localcontext() as context:
        context.prec = 400
        p, q, z = Decimal(a), Decimal(b), Decimal(x)
        term = total = Decimal(1)
        for n in range(4000):
            term *= (p + n) / (q + n) * z / (n + 1)
            total += term
            if not term or (n > 2 * abs(a) + abs(b) and abs(term) < abs(total) * Decimal("1e-40")):
                return float(total)
    raise AssertionError("too few terms")


@pytest.mark.parametrize("name", REGIONS)
def test_values_are_those_of_the_series(name: str) -> None:
    *args, tolerance = REGIONS[name]
    found = jit(special.hyp1f1)(*args)
    np.testing.assert_allclose(found, [_exact(*row) for row in zip(*args, strict=True)], rtol=tolerance)
    np.testing.assert_allclose(special.hyp1f1(*map(fx.asarray, args)), found, rtol=1e-10)


def test_what_loses_its_digits_is_nan() -> None:
    args = np.append(_up(-60, 60), LOST[0]), np.append(_up(-200, -100), LOST[1]), np.append(_up(-100, 100), LOST[2])
    actual = np.asarray(special.hyp1f1(*map(fx.asarray, args)))
    assert np.isnan(actual[-1]) and np.isnan(actual).sum() < N / 2
    numbers = ~np.isnan(actual)
    expected = np.array([_exact(*row) for row in np.array(args).T[numbers]])
    np.testing.assert_allclose(actual[numbers], expected, rtol=1e-9)


@pytest.mark.parametrize(
    "point",
    [(-2.0, 1.5, 3.0), (0.5, 1.5, -30.0), (-7.3, 2.0, 20.0), (2.5, 0.7, 4.0), (0.0, 1.0, 2.0), (5.3, -12.4, 20.0)],
)
def test_derivatives_in_all_arguments(point: tuple[float, ...]) -> None:
    for i in range(3):
        step = 1e-4 * np.eye(3)[i]
        around = [_exact(*(np.array(point) + k * step)) for k in (-2, -1, 1, 2)]
        difference = (around[0] - 8 * around[1] + 8 * around[2] - around[3]) / 12e-4
        slope: Any = grad(special.hyp1f1, i)
        np.testing.assert_allclose(slope(*point), difference, rtol=1e-8, atol=1e-11)


def test_polygamma_and_zeta_below_zero() -> None:
    x = np.concatenate([_up(-20, 0), [-0.5, -1e-9, -1e3 - 0.25, 3.0]])
    runs: list[Callable[[Any], Any]] = [lambda f: f, jit]
    for run in runs:
        for n in range(2, 6):
            found = run(lambda x, n=n: special.polygamma(n, x))(fx.asarray(x))
            size = sp.gamma(n + 1) * abs(x - np.round(x) + (x > 0)) ** -(n + 1.0)
            np.testing.assert_array_less(abs(np.asarray(found) - sp.polygamma(n, x)), 1e-12 * size)
        np.testing.assert_allclose(run(special.zeta)(fx.asarray(3.0), fx.asarray(x)), sp.zeta(3.0, x), rtol=1e-9)
    assert np.isnan(float(special.zeta(2.5, -0.5))) and float(special.polygamma(2, -3.0)) == -np.inf
    slope = grad(lambda x: special.polygamma(2, x))(-1.3)
    np.testing.assert_allclose(slope, sp.polygamma(3, -1.3), rtol=1e-12)

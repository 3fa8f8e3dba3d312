"""Slopes of densities at the ends of the support, one-sided: against those of what the densities are there."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from handlers import grad, jvp
from lowering import jit

stats: Any = fx.stats

SLOPES: Final[list[tuple[str, int, tuple[float, ...], float]]] = [
    ("gamma", 0, (0.0, 2.0), 1.0),
    ("gamma", 0, (0.0, 2.0, 0.0, 2.0), 0.25),
    ("gamma", 0, (0.0, 3.0), 0.0),
    ("gamma", 1, (0.0, 2.0), 0.0),
    ("gamma", 0, (0.0, 1.0), -1.0),
    ("gamma", 0, (0.0, 1.5), math.inf),
    ("gamma", 0, (0.0, 20.0), 0.0),
    ("gamma", 2, (1.0, 2.0, 1.0), -1.0),
    ("rayleigh", 0, (0.0,), 1.0),
    ("beta", 0, (1.0, 1.0, 2.0), -2.0),
    ("beta", 0, (0.0, 2.0, 3.0), 12.0),
    ("beta", 0, (1.0, 2.0, 3.0), 0.0),
    ("beta", 0, (1.0, 3.0, 3.0), 0.0),
    ("beta", 0, (0.0, 20.0, 30.0), 0.0),
    ("beta", 1, (0.0, 2.0, 3.0), 0.0),
    ("weibull_min", 0, (0.0, 2.0), 2.0),
    ("chi2", 0, (0.0, 4.0), 0.25),
    ("f", 0, (0.0, 4.0, 5.0), 16 * 0.35),
    ("expon", 0, (0.0,), -1.0),
    ("lognorm", 0, (0.0, 0.7), 0.0),
    ("bernoulli", 1, (1.0, 0.0), 1.0),
    ("binom", 2, (1.0, 7.0, 0.0), 7.0),
    ("binom", 2, (6.0, 7.0, 1.0), -7.0),
    ("poisson", 1, (1.0, 0.0), 1.0),
    ("poisson", 1, (0.0, 0.0), -1.0),
    ("geom", 1, (2.0, 1.0), -1.0),
    ("nbinom", 2, (1.0, 3.0, 1.0), -3.0),
]
CURVATURES: Final[list[tuple[str, tuple[float, ...], float]]] = [
    ("gamma", (0.0, 2.0), -2.0),
    ("gamma", (0.0, 3.0), 1.0),
    ("beta", (0.0, 3.0, 3.0), 60.0),
    ("beta", (1.0, 1.0, 2.0), 0.0),
    ("weibull_min", (0.0, 2.0), 0.0),
    ("rayleigh", (0.0,), 0.0),
]


def _density(name: str) -> Callable[..., Any]:
    distribution = getattr(stats, name)
    f: Callable[..., Any] = distribution.pdf if hasattr(distribution, "pdf") else distribution.pmf
    return f


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["eager", "compiled"])
def test_slopes_at_ends(run: Any) -> None:
    def found() -> list[Any]:
        return [grad(_density(name), i)(*args) for name, i, args, _ in SLOPES]

    for (name, i, args, expected), slope in zip(SLOPES, run(found)(), strict=True):
        np.testing.assert_allclose(float(slope), expected, rtol=1e-12, atol=1e-14, err_msg=f"{name}{args}, of {i}")


def test_forwards_and_curvatures() -> None:
    for name, args, expected in CURVATURES:
        f = _density(name)
        slope = grad(f)(*args)
        _, forwards = jvp(f, args, (1.0, *[0.0] * (len(args) - 1)))
        np.testing.assert_allclose(forwards, slope)
        np.testing.assert_allclose(float(grad(grad(f))(*args)), expected, rtol=1e-12, atol=1e-13, err_msg=name)


LIMITS: Final[list[tuple[str, str, float, tuple[float, ...], float]]] = [
    ("gumbel_r", "pdf", -800.0, (), 0.0),
    ("gumbel_r", "pdf", -1e300, (), 0.0),
    ("gumbel_l", "pdf", 1e5, (), 0.0),
    ("gumbel_r", "pdf", -6.5, (), 5.995617558626638e-284),
    ("gumbel_r", "logpdf", -800.0, (), math.inf),
    ("rayleigh", "logpdf", 0.0, (), math.inf),
    ("rayleigh", "cdf", 1.7e308, (), 0.0),
    ("halfnorm", "pdf", 1.7e308, (), 0.0),
    ("gamma", "logcdf", 0.0, (0.5,), math.inf),
    ("chi2", "logcdf", 0.0, (0.5,), math.inf),
    ("norm", "logcdf", -1e200, (), 1e200),
]
"""Where a density vanishes, its logarithm is infinite, or squares overflow."""


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["eager", "compiled"])
def test_limits(run: Any) -> None:
    for name, method, x, shapes, expected in LIMITS:
        f = getattr(getattr(stats, name), method)
        slopes = run(lambda x, f=f, shapes=shapes: [grad(f)(x, *shapes), jvp(lambda x: f(x, *shapes), (x,), (1.0,))[1]])
        np.testing.assert_allclose(slopes(x), [expected] * 2, rtol=1e-11, err_msg=f"{name}.{method}({x})")


def test_infinite_densities_have_none() -> None:
    assert float(stats.gamma.pdf(0.0, 0.5)) == math.inf
    assert not math.isfinite(float(grad(stats.gamma.pdf)(0.0, 0.5)))
    assert float(stats.beta.pdf(0.0, 2.0, 1e200)) == 0.0


def test_vectors_at_the_edge() -> None:
    x, alpha = np.array([0.0, 0.0, 1.0]), np.array([2.0, 1.0, 1.0])  # 6 times the first of them
    np.testing.assert_allclose(grad(stats.dirichlet.pdf)(x, alpha), [6.0, 0.0, 0.0], rtol=1e-12)


def test_densities_are_rounded_once() -> None:
    x = np.linspace(8.0, 12.0, 50).astype(np.float32)
    for single, double in (
        (stats.norm.pdf(x), stats.norm.pdf(x.astype(float))),
        (stats.poisson.pmf(np.arange(40, 60, dtype=np.float32), 2.0), stats.poisson.pmf(np.arange(40.0, 60.0), 2.0)),
    ):
        small = np.asarray(double) < 1.2e-38
        np.testing.assert_array_equal(np.asarray(single)[~small], np.asarray(double).astype(np.float32)[~small])


def test_single_precision_has_the_slopes_of_double() -> None:
    for name, x, shapes in (("gamma", 0.25, (1.5,)), ("beta", 0.25, (1.5, 0.5)), ("gamma", 0.0, (3.0,))):
        args = (x, *shapes)
        slopes = grad(_density(name), tuple(range(len(args))))
        expected = [float(s) for s in slopes(*args)]
        np.testing.assert_allclose([float(s) for s in slopes(*map(np.float32, args))], expected, rtol=1e-6)

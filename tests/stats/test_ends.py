"""Slopes of densities at the ends of the support, one-sided: against those of what the densities are there."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.special as sp
import scipy.stats as st

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


DIGAMMA: Final = sp.digamma
ALL_SLOPES: Final[dict[tuple[str, str, float, tuple[float, ...]], tuple[float, ...]]] = {
    ("f", "cdf", 0.0, (1.0, 3.0)): (math.inf, 0.0, 0.0),
    ("f", "sf", 0.0, (1.0, 3.0)): (-math.inf, 0.0, 0.0),
    ("f", "sf", 0.0, (2.0, 3.0)): (-1.0, 0.0, 0.0),
    ("f", "logcdf", 0.0, (1.0, 3.0)): (math.inf, -math.inf, -1 / 6 - 0.5 * (DIGAMMA(1.5) - DIGAMMA(2.0))),
    ("f", "logsf", 0.0, (1.0, 3.0)): (-math.inf, 0.0, 0.0),
    ("beta", "cdf", 0.0, (0.5, 2.0)): (math.inf, 0.0, 0.0),
    ("beta", "sf", 1.0, (2.0, 0.5)): (-math.inf, 0.0, 0.0),
    ("beta", "logcdf", 0.0, (0.5, 2.0)): (math.inf, -math.inf, DIGAMMA(2.5) - DIGAMMA(2.0)),
    ("beta", "logsf", 0.0, (0.5, 2.0)): (-math.inf, 0.0, 0.0),
    ("beta", "logcdf", 1.0, (2.0, 0.5)): (math.inf, 0.0, 0.0),
    ("beta", "logsf", 1.0, (2.0, 0.5)): (-math.inf, DIGAMMA(2.5) - DIGAMMA(2.0), -math.inf),
    ("beta", "logcdf", 1.0, (3.0, 1.0)): (3.0, 0.0, 0.0),
    ("gamma", "logsf", 0.0, (0.5,)): (-math.inf, 0.0),
    ("gamma", "logsf", 0.0, (1.0,)): (-1.0, 0.0),
    ("chi2", "logsf", 0.0, (1.0,)): (-math.inf, 0.0),
    ("weibull_min", "logcdf", 0.0, (0.5,)): (math.inf, -math.inf),
    ("weibull_min", "logcdf", 0.0, (2.0,)): (math.inf, -math.inf),
    ("weibull_min", "pdf", 1e300, (1.5,)): (0.0, 0.0),
    ("rayleigh", "logcdf", 0.0, ()): (math.inf,),
    ("pareto", "logcdf", 1.0, (2.0,)): (math.inf, 0.5),
    ("lognorm", "logcdf", 0.0, (0.7,)): (math.inf, math.inf),
    ("lognorm", "cdf", 0.0, (0.7,)): (0.0, 0.0),
    ("truncnorm", "logcdf", -1.0, (-1.0, 2.0)): (math.inf, -math.inf, -st.truncnorm.pdf(2.0, -1.0, 2.0)),
    ("truncnorm", "logsf", 2.0, (-1.0, 2.0)): (-math.inf, st.truncnorm.pdf(-1.0, -1.0, 2.0), math.inf),
    ("truncnorm", "logsf", -1.0, (-1.0, 2.0)): tuple([s * st.truncnorm.pdf(-1.0, -1.0, 2.0) for s in (-1, 1, 0)]),
    **{("gennorm", method, x, (3.0,)): (0.0, 0.0) for method in ("pdf", "cdf", "sf") for x in (1e300, -1e300)},
    ("gennorm", "logcdf", -1e300, (3.0,)): (math.inf, -math.inf),
    ("gennorm", "logcdf", 1e300, (3.0,)): (0.0, 0.0),
    ("gennorm", "logsf", 1e300, (1.5,)): (-1.5e150, -math.inf),
    ("t", "cdf", -1e200, (0.5,)): (1.6035048770711145e-301, -1.4777669909688464e-98),
    ("t", "cdf", 1e200, (0.5,)): (1.6035048770711145e-301, 1.4777669909688464e-98),
    ("t", "sf", 1e300, (1e-3,)): (-2.495566532717524e-304, -173.29756318542675),
}
"""In x and the shape parameters: limits of closed forms, of which mpmath computed those of Student's distribution."""


def _along(f: Callable[..., Any], args: tuple[float, ...], i: int) -> Any:
    """The derivative in one argument, forwards: the others have no tangents."""
    return jvp(lambda v: f(*args[:i], v, *args[i + 1 :]), (args[i],), (1.0,))[1]


@pytest.mark.parametrize("run", [lambda f: f, pytest.param(jit, marks=pytest.mark.slow)], ids=["eager", "compiled"])
def test_slopes_in_all_arguments(run: Any) -> None:
    def found() -> list[Any]:
        both = []
        for name, method, x, shapes in ALL_SLOPES:
            f, args = getattr(getattr(stats, name), method), (x, *shapes)
            forwards = [_along(f, args, i) for i in range(len(args))]
            both.append((grad(f, tuple(range(len(args))))(*args), forwards))
        return both

    for (case, expected), slopes in zip(ALL_SLOPES.items(), run(found)(), strict=True):
        for mode in slopes:
            np.testing.assert_allclose(mode, expected, rtol=1e-11, atol=1e-15, err_msg=f"{case}")


QUANTILES: Final[dict[str, list[tuple[float, ...]]]] = {
    **{name: [()] for name in ("norm", "uniform", "expon", "laplace", "logistic", "cauchy", "gumbel_r", "gumbel_l")},
    **{name: [()] for name in ("rayleigh", "halfnorm")},
    **{name: [(0.5,), (1.0,), (2.5,)] for name in ("gamma", "weibull_min", "gennorm")},
    **{name: [(0.5,), (2.0,), (5.0,)] for name in ("chi2", "pareto", "lognorm", "t")},
    "beta": [(0.5, 0.5), (1.0, 3.0), (3.0, 1.0), (2.0, 2.0)],
    "f": [(1.0, 3.0), (2.0, 3.0), (3.0, 3.0)],
    "truncnorm": [(-1.0, 2.0), (-1.0, math.inf), (-math.inf, 6.0)],
}


@pytest.mark.parametrize("name", QUANTILES)
def test_slopes_of_quantiles_at_0_and_1(name: str) -> None:
    """Of SciPy's densities at the ends of the support; no other argument moves an end that is one number."""
    for shapes in QUANTILES[name]:
        scipys = getattr(st, name)(*shapes)
        ends = scipys.support()
        with np.errstate(all="ignore"):
            low, high = [2.0 / scipys.pdf(x) if math.isfinite(x) else math.inf for x in ends]
        for method, at_ends in (("ppf", (low, high)), ("isf", (-high, -low))):
            f = getattr(getattr(stats, name), method)
            args = (*shapes, 0.5, 2.0)
            for q, slope, end in zip((0.0, 1.0), at_ends, ends if method == "ppf" else ends[::-1], strict=True):
                backwards = grad(f, tuple(range(len(args))))(q, *args)
                forwards = _along(f, (q, *args), 0)
                np.testing.assert_allclose([backwards[0], forwards], [slope] * 2, rtol=1e-12, err_msg=f"{q}")
                moved = [float(name == "truncnorm" and shape == end) * 2.0 for shape in shapes]
                np.testing.assert_array_equal(backwards[1:], [*moved, 1.0])


def test_second_slopes_of_quantiles_do_not_meet_the_ends() -> None:
    slope = grad(stats.gamma.ppf)
    step = 1e-5
    expected = (float(slope(0.3, 2.5 + step)) - float(slope(0.3, 2.5 - step))) / (2 * step)
    np.testing.assert_allclose(jit(grad(slope, 1))(0.3, 2.5), expected, rtol=1e-7)


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

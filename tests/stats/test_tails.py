"""Far out: where a probability underflows its logarithm does not, and derivatives are numbers.

What is expected was computed by mpmath with 40 digits where scipy has not that many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.stats as st

import effects as fx
from handlers import grad, vmap

stats: Any = fx.stats

LOGARITHMS: Final = [
    ("t", "logcdf", (-100.0, 1e6), -4980.6846603626201),
    ("t", "logcdf", (-10.0, 1e6), -53.228735551124929),
    ("t", "logcdf", (-1e300, 3.5), -2417.1378675243883),
    ("t", "logsf", (40.0, 1e4), -746.63428247820686),
    ("f", "logsf", (1e300, 3.0, 7.0), -2413.903705635252),
    ("f", "logcdf", (1e-250, 3.0, 7.0), -863.04795930581998),
    ("beta", "logcdf", (0.01, 300.0, 200.0), -1051.2680419418743),
    ("beta", "logsf", (0.99, 300.0, 200.0), -591.34215393167934),
    ("gamma", "logcdf", (40.0, 1e4), -45260.129288056771),
    ("gamma", "logcdf", (9995000000.0, 1e10), -1255.24818391894),
    ("gamma", "logsf", (10005000000.0, 1e10), -1254.4148508599684),
    ("beta", "logcdf", (0.25 - 2.0**-13, 1e10, 3e10), -1594.7536759957334),
    ("weibull_min", "logcdf", (1e-300, 20.0), 20 * np.log(1e-300)),
    ("rayleigh", "logcdf", (1e-200,), 2 * np.log(1e-200) - np.log(2)),
    ("cauchy", "logsf", (1.7e308,), -np.log(np.pi) - np.log(1.7e308)),
    ("truncnorm", "logsf", (100.0, 30.0, np.inf), st.norm.logsf(100) - st.norm.logsf(30)),
    ("truncnorm", "logcdf", (-800.0, -np.inf, 0.0), st.norm.logcdf(-800) + np.log(2)),
    ("gumbel_r", "logsf", (-800.0,), 0.0),
    ("gumbel_l", "logcdf", (800.0,), 0.0),
    ("halfnorm", "logsf", (1e-100,), -np.sqrt(2 / np.pi) * 1e-100),
    ("truncnorm", "logcdf", (-1e-100, -np.inf, 0.0), -np.sqrt(2 / np.pi) * 1e-100),
]


@pytest.mark.parametrize("case", LOGARITHMS, ids=lambda c: f"{c[0]}-{c[1]}-{c[2][0]:g}")
def test_logarithms_far_out(case: tuple[str, str, tuple[float, ...], float]) -> None:
    name, method, values, expected = case
    f: Callable[..., Any] = getattr(getattr(stats, name), method)
    np.testing.assert_allclose(f(*values), expected, rtol=1e-13)
    slopes = grad(f, tuple(range(len(values))))(*values)
    finite = [bool(np.isfinite(float(s))) for s, v in zip(slopes, values, strict=True) if np.isfinite(v)]
    assert all(finite)
    density = getattr(stats, name).logpdf(*values)
    expected_slope = np.exp(float(density) - float(f(*values))) * (1 if method == "logcdf" else -1)
    np.testing.assert_allclose(float(slopes[0]), expected_slope, rtol=1e-9)


def test_slopes_far_out_to_the_fourth_order() -> None:
    """The logarithm is nearly -|x|ᵇ here, which is beyond all digits of the quotient of density and probability."""
    f: Callable[[Any], Any] = lambda x: stats.gennorm.logcdf(x, 20.0)
    power = np.longdouble(30) ** 20
    for n in range(1, 5):
        f = grad(f)
        power *= np.longdouble(21 - n) / 30
        np.testing.assert_allclose(f(-30.0), (-1) ** (n + 1) * float(power), rtol=1e-14)
    np.testing.assert_array_equal(stats.gennorm.logcdf(-1e300, 4.0), -np.inf)
    for x in (6.001, 50.0):  # of -x - exp(-x) / 2 + exp(-2x) / 24
        second = -np.exp(-x) / 2 + np.exp(-2 * x) / 6
        np.testing.assert_allclose(grad(grad(stats.gumbel_r.logsf))(x), second, rtol=1e-8)


def test_values_far_out() -> None:
    expected: list[tuple[str, str, tuple[float, ...], float]] = [
        ("t", "cdf", (-10.0, 1e6), 7.6393053840891248e-24),
        ("t", "logpdf", (1e300, 3.5), float(st.t.logpdf(1e100, 3.5)) - 4.5 * 200 * np.log(10)),
        ("t", "ppf", (0.001, 1e10), -3.0902323069828264),
        ("f", "cdf", (1.7e308, 3.0, 7.0), 1.0),
        ("f", "isf", (1e-300, 2.0, 2.0), 1e300),
        ("truncnorm", "sf", (1e300, 30.0, np.inf), 0.0),
        ("truncnorm", "sf", (-1e-100, -np.inf, 0.0), np.sqrt(2 / np.pi) * 1e-100),
        ("truncnorm", "isf", (1e-300, 30.0, np.inf), 47.755864424165965),
        ("nbinom", "cdf", (1e300, 2.5, 0.4), 1.0),
        ("nbinom", "sf", (np.inf, 2.5, 0.4), 0.0),
        ("geom", "pmf", (np.inf, 0.3), 0.0),
        ("nbinom", "ppf", (1 - 1e-12, 2.5, 0.4), float(st.nbinom.isf(1e-12, 2.5, 0.4))),
    ]
    for name, method, values, value in expected:
        actual = getattr(getattr(stats, name), method)(*values)
        np.testing.assert_allclose(actual, value, rtol=1e-13, err_msg=f"{name}.{method}{values}")


SLOPES: Final = {
    "norm": (),
    "laplace": (),
    "logistic": (),
    "cauchy": (),
    "gumbel_r": (),
    "gumbel_l": (),
    "weibull_min": (20.0,),
    "lognorm": (0.7,),
    "gamma": (1.0,),
    "chi2": (2.0,),
    "beta": (1.0, 1.0),
    "t": (3.5,),
    "f": (2.0, 2.0),
    "truncnorm": (-0.5, 2.0),
}
X: Final = np.array([-1.7e308, -1e10, -1e3, -40.0, -0.5, 0.0, 1e-300, 0.3, 1.0, 40.0, 1e3, 1e10, 1e300])


@pytest.mark.parametrize("name", SLOPES)
def test_slopes_are_densities(name: str) -> None:
    """Also at the edges of the support, and no derivative of a number is NaN."""
    distribution, shapes = getattr(stats, name), SLOPES[name]
    density = np.asarray(distribution.pdf(X, *shapes))
    count = len(shapes) + 3
    for method, sign in (("cdf", 1.0), ("sf", -1.0)):
        f = getattr(distribution, method)
        along = vmap(grad(lambda *v, f=f: f(*v), tuple(range(count))), in_axes=(0, *[None] * (count - 1)))
        slopes = [np.asarray(s) for s in along(X, *shapes, 0.0, 1.0)]
        np.testing.assert_allclose(slopes[0], sign * density, rtol=1e-9, atol=1e-300, err_msg=method)
        assert not np.isnan(slopes).any()


def test_quantiles_next_to_an_end_have_slopes() -> None:
    for q in (1e-300, 1e-20):
        slope = float(grad(stats.truncnorm.ppf)(q, -0.5, 2.0))
        np.testing.assert_allclose(slope, 1 / float(stats.truncnorm.pdf(-0.5, -0.5, 2.0)), rtol=1e-12)
    slopes = grad(stats.f.sf, (1, 2))(1e-100, 0.1, 0.2)  # as those of what is left
    others = grad(stats.f.cdf, (1, 2))(1e-100, 0.1, 0.2)
    np.testing.assert_allclose(np.asarray(slopes), -np.asarray(others), rtol=1e-10)

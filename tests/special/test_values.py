"""Special functions against scipy's, in every region and dtype, eagerly and compiled; and where scipy rounds more."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.special as sp

import effects as fx
from effects import special
from handlers import grad
from handlers.special.rows import ROWS
from lowering import jit

RNG: Final = np.random.default_rng(11)
N: Final = 300


def _log(low: float, high: float) -> Any:
    return 10 ** RNG.uniform(low, high, N)


def _up(low: float, high: float) -> Any:
    return RNG.uniform(low, high, N)


def _signed(x: Any) -> Any:
    return np.concatenate([x, -x])


_ALL: Final = np.concatenate([_log(-30, 2), _up(0, 30)])
_BETA: Final = _log(-2, 3), _log(-2, 3)
_MEAN: Final = _BETA[0] / (_BETA[0] + _BETA[1])
REGIONS: Final[dict[str, tuple[tuple[Any, ...], float]]] = {
    **{name: ((_signed(_ALL),), 32) for name in ("i0", "i0e", "i1", "i1e")},
    **dict.fromkeys(("ellipkm1", "k0", "k0e", "k1", "k1e", "exp1"), ((_ALL,), 32)),
    "j0": ((_signed(_ALL),), 0),
    "j1": ((_signed(_ALL),), 0),
    "y0": ((_ALL,), 0),
    "y1": ((_ALL,), 0),
    "exprel": ((_signed(_ALL),), 32),
    "dawsn": ((_signed(_ALL),), 64),
    "expi": ((np.concatenate([_up(0.5, 600), -_log(-30, 2), _log(-30, -1)]),), 100),
    "spence": ((np.concatenate([_log(-30, 30), _up(0, 5)]),), 64),
    "erfc": ((_up(-6, 9),), 200),
    "erfcx": ((np.concatenate([_up(-9, 50), _log(-30, 100)]),), 200),
    "erfinv": ((np.concatenate([_up(-1, 1), _log(-30, 0), 1 - _log(-15, -1)]),), 16),
    "erfcinv": ((np.concatenate([_log(-300, 0), _up(0, 2)]),), 16),
    "ndtr": ((_up(-9, 9),), 200),
    "ndtri": ((np.concatenate([_log(-300, 0), _up(0, 0.4), _up(0.6, 1)]),), 32),
    "log_ndtr": ((np.concatenate([_up(-40, 9), -_log(-5, 100)]),), 200),
    "gamma": ((np.concatenate([_up(0, 171), _log(-300, 0), -_up(0, 20)]),), 64),
    "gammaln": ((np.concatenate([_up(2.2, 100), _log(1, 300), _log(-300, -1)]),), 32),
    "digamma": ((np.concatenate([_up(1.6, 100), _log(1, 300), _up(0, 1.4)]),), 32),
    "polygamma": ((RNG.integers(0, 6, N).astype(float), _up(0.1, 40)), 64),
    "zeta": ((1 + _log(-8, 1.5), _log(-2, 6)), 32),
    "beta": ((_log(-2, 1.4), _log(-2, 1.4)), 64),
    "betaln": ((_up(0.1, 6), _up(0.1, 6)), 0),
    "gammainc": ((_log(-2, 1.3), _log(-2, 1.3)), 4000),
    "gammaincc": ((_log(-2, 1.3), _log(-2, 1.3)), 4000),
    "betainc": ((*_BETA, np.clip(_MEAN * _up(0.7, 1.3), 1e-6, 1 - 1e-6)), 4000),
    "hyp1f1": ((_up(0.1, 6), _up(0.1, 6), _up(0, 100)), 200),
    "binom": ((RNG.integers(0, 60, N).astype(float), RNG.integers(0, 60, N).astype(float)), 64),
    "poch": ((_up(0.1, 20), _up(0.1, 20)), 200),
    "factorial": ((np.arange(0.0, 171.0),), 64),
    "logit": ((_up(0, 1),), 16),
    "log_expit": ((_up(-800, 40),), 16),
    "xlogy": ((_up(0, 3), _up(0, 3)), 16),
    "xlog1py": ((_up(0, 3), _up(0, 3)), 16),
    "entr": ((_up(0, 3),), 16),
    "rel_entr": ((_log(-5, 5), _log(-5, 5)), 64),
    "kl_div": ((_up(0.1, 1), _up(2, 3)), 64),
    "rgamma": ((np.concatenate([_up(-160, 160), _log(-300, 0)]),), 32),
    "ellipk": ((np.concatenate([_up(-3, 1), -_log(-30, 30), -_log(295, 308.2)]),), 32),
    "ellipe": ((np.concatenate([_up(-3, 1), -_log(-30, 30), -_log(295, 308.2)]),), 32),
    "betaincc": ((*_BETA, np.clip(_MEAN * _up(0.7, 1.3), 1e-6, 1 - 1e-6)), 4000),
    "chdtr": ((_log(-2, 1.6), _log(-2, 1.6)), 4000),
    "chdtrc": ((_log(-2, 1.6), _log(-2, 1.6)), 4000),
    "fdtr": ((_log(-1, 2), _log(-1, 2), _log(-3, 3)), 4000),
    "fdtrc": ((_log(-1, 2), _log(-1, 2), _log(-3, 3)), 4000),
    "stdtr": ((_log(-1, 3), _signed(_log(-3, 1))[::2]), 4000),
    "stdtrit": ((_log(-0.3, 3), np.concatenate([_up(0, 0.45), _up(0.55, 1)])[::2]), 4000),
}
"""Arguments, and how many units in the last place of float64 scipy's own errors leave; 0 where values cross 0."""


def _expected(name: str, args: tuple[Any, ...]) -> Any:
    with np.errstate(all="ignore"):
        return getattr(sp, name)(*([args[0].astype(int), *args[1:]] if name == "polygamma" else args))


@pytest.mark.parametrize("name", REGIONS)
def test_agrees_with_scipy(name: str) -> None:
    f: Callable[..., fx.Array] = getattr(special, name)
    args, digits = REGIONS[name]
    expected = _expected(name, args)
    eps = float(np.finfo(float).eps)
    rtol, atol = (digits * eps, 1e-305) if digits else (1e-9, 8 * eps)
    eager = np.asarray(f(*map(fx.asarray, args)))
    np.testing.assert_allclose(eager, expected, rtol=rtol, atol=atol)
    compiled = np.asarray(jit(f)(*map(fx.asarray, args)))
    np.testing.assert_allclose(compiled, eager, rtol=rtol, atol=atol)


@pytest.mark.parametrize("name", [name for name in REGIONS if name not in ("entr", "xlogy", "xlog1py")])
def test_single_precision_is_rounded_once(name: str) -> None:
    with np.errstate(all="ignore"):
        args = [x.astype(np.float32) for x in REGIONS[name][0]]
    usual = np.all([(np.abs(x) > 1e-30) & (np.abs(x) < 1e30) for x in args], axis=0) | (name in ("binom", "factorial"))
    args = [x[usual] for x in args]
    expected = _expected(name, tuple([x.astype(float) for x in args]))
    result = np.asarray(getattr(special, name)(*map(fx.asarray, args)))
    assert result.dtype == np.float32
    with np.errstate(all="ignore"):
        rounded = expected.astype(np.float32)
        ordinary = np.isfinite(rounded) & (np.abs(rounded) > 1e-36)
        apart = np.abs(result - expected)[ordinary] / np.spacing(np.abs(rounded[ordinary]))
    assert apart.max() < 0.51


@pytest.mark.parametrize("name", [kind.value for kind, row in ROWS.items() if row.single])
def test_compiled_single_precision_is_right_to_four_units(name: str) -> None:
    f: Callable[..., fx.Array] = getattr(special, name)
    with np.errstate(all="ignore"):
        args = [x.astype(np.float32) for x in REGIONS[name][0]]
    args = [np.where(np.abs(x) < np.finfo(np.float32).tiny, np.float32(0.5), x) for x in args]  # subnormal is 0 to XLA
    exact = np.asarray(f(*[fx.asarray(x.astype(float)) for x in args]))
    found = np.asarray(jit(f)(*map(fx.asarray, args)))
    assert found.dtype == np.float32
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
    usual = np.isfinite(rounded) & (np.abs(rounded) > 1.2e-38)
    assert np.max(np.abs(found[usual] - exact[usual]) / np.spacing(np.abs(rounded[usual]))) < 4.0
    np.testing.assert_array_equal(np.isnan(found), np.isnan(exact))


KNOWN: Final = {
    "digamma": (-45.99999967357413, -3063478.8486424661),
    "erfc": (24.224494516775067, 3.2467511107796624e-257),
    "gammaln": (1.0000053648211904, -3.0966351588814089e-06),
    "expi": (0.3727427956793672, 9.1692860720707889e-04),
    "j0": (2.404875907303878, -2.6138599396489127e-05),
}
"""Where scipy has lost digits: computed with 60 of them by mpmath."""


@pytest.mark.parametrize("name", KNOWN)
def test_next_to_roots_and_poles(name: str) -> None:
    x, expected = KNOWN[name]
    np.testing.assert_allclose(np.asarray(getattr(special, name)(x)), expected, rtol=4e-16)


EDGES: Final[dict[str, list[float]]] = {
    **{n: [0.0, -0.0, -1.0, -2.5, np.inf, np.nan] for n in ("gammaln", "digamma", "gammasgn", "factorial")},
    "gamma": [0.0, -0.0, -1.0, -2.5, np.inf, -np.inf, np.nan],
    **{key: [0.0, 1.0, 2.0, -1.0, 1.5, np.nan] for key in ("erfinv", "erfcinv", "ndtri", "logit")},
    **{key: [0.0, -1.0, np.inf, np.nan] for key in ("k0", "k1", "k0e", "exp1")},
    "expi": [0.0, 1e5, 1.7e308, np.inf, np.nan],
    "spence": [0.0, -1.0, np.nan],
    **{key: [0.0, -np.inf, np.inf, np.nan] for key in ("i0e", "i1e", "erfc", "erfcx", "log_ndtr", "ndtr")},
    "entr": [0.0, -1.0, np.nan],
    "zeta": [0.0, 0.5, 1.0, -2.0, -3.5, -0.5, 30.0],
}


@pytest.mark.parametrize("name", EDGES)
def test_edges(name: str) -> None:
    x = np.array(EDGES[name])
    with np.errstate(all="ignore"):
        expected = getattr(sp, name)(x)
    np.testing.assert_allclose(np.asarray(getattr(special, name)(fx.asarray(x))), expected, rtol=1e-14, atol=1e-17)


PAIRS: Final = [
    *((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (-1.0, 1.0), (1.0, -1.0)),
    *((np.inf, 1.0), (1.0, np.inf), (np.nan, 1.0), (2.5, 1e300), (1e-9, 1e300)),
]


@pytest.mark.parametrize(
    "name", ["chdtr", "chdtrc", "stdtr", "gammainc", "gammaincc", "xlogy", "xlog1py", "rel_entr", "kl_div"]
)
def test_edges_of_two(name: str) -> None:
    x, y = np.array(PAIRS).T
    with np.errstate(all="ignore"):
        expected = getattr(sp, name)(x, y)
    if name == "stdtr":  # whose square overflows in SciPy; by 50 digits
        expected[PAIRS.index((1e-9, 1e300))] = 0.50000035091503085701
    np.testing.assert_allclose(np.asarray(getattr(special, name)(fx.asarray(x), fx.asarray(y))), expected, rtol=1e-14)


def test_incomplete_beta_next_to_one() -> None:
    a, b = np.repeat([5e5, 2e7, 3e3], 4), np.tile([0.5, 0.02], 6)
    x = 1 - np.tile([0.3, 2.0, 40.0, 300.0], 3) / a
    found = np.asarray(special.betainc(fx.asarray(a), fx.asarray(b), fx.asarray(x)))
    np.testing.assert_allclose(found, sp.betainc(a, b, x), rtol=1e-8)


def test_spherical_harmonics() -> None:
    n, m = np.meshgrid(np.arange(7), np.arange(-7, 8))
    for theta, phi in ((0.7, 1.1), (0.0, 0.0), (2.9, -4.0), (4.0, 0.5), (-0.5, 1.0)):
        expected = sp.sph_harm_y(n, m, theta, phi)
        np.testing.assert_allclose(np.asarray(special.sph_harm_y(n, m, theta, phi)), expected, atol=1e-14)
    compiled: Any = jit(lambda n, m, t, p: special.sph_harm_y(n, m, t, p, n_max=6))
    np.testing.assert_allclose(np.asarray(compiled(n, m, 0.4, 0.3)), sp.sph_harm_y(n, m, 0.4, 0.3), atol=1e-14)


def test_spherical_harmonics_in_single_precision() -> None:
    n, m = np.array([100, 200, 20, 3]), np.array([-60, 189, -2, 0])
    theta, phi = np.array([[0.98346883, 2.3853123, 1.1785591, 0.4], [0.6, 0.7, -1.4, 2.0]], np.float32)
    found = np.asarray(special.sph_harm_y(n, m, fx.asarray(theta), fx.asarray(phi)))
    assert found.dtype == np.complex64
    np.testing.assert_allclose(found, sp.sph_harm_y(n, m, theta.astype(float), phi.astype(float)), rtol=1e-7)


def test_large_binomials_and_multigammaln() -> None:
    n, k = np.array([160.0, 500.0, 1000.0]), np.array([80.0, 3.0, 200.0])
    np.testing.assert_allclose(np.asarray(special.comb(n, k)), sp.comb(n, k), rtol=1e-12)
    for d in (1, 2, 5):
        expected = sp.multigammaln(4.5, d)
        np.testing.assert_allclose(np.asarray(special.multigammaln(4.5, d)), expected, rtol=1e-14)


def test_betaln_where_quotients_are_subnormal() -> None:
    a, b = np.array([1.7e308, 1.0, 1.7e308, 1e22]), np.array([1.0, 1.2e308, 3.0, 0.3])
    np.testing.assert_allclose(np.asarray(jit(special.betaln)(a, b)), sp.betaln(a, b), rtol=1e-13)


EXTREMES: Final[list[tuple[str, tuple[float, ...], float]]] = [
    ("gammaln", (-1e-300,), 300 * np.log(10)),
    ("gammaln", (-1.7e308,), np.inf),
    ("gamma", (-1e-300,), -1e300),
    ("zeta", (-1e-10,), -0.5 + 0.9189385332046727e-10),
    ("zeta", (-1e-300,), -0.5),
    ("zeta", (-700.0,), 0.0),
    ("zeta", (1.5, 1e300), 2e-150),
    ("zeta", (3.0, np.inf), 0.0),
    ("polygamma", (1.0, 1e300), 1e-300),
    ("polygamma", (100.0, -0.5), float(sp.polygamma(100, -0.5))),
    ("poch", (1e10, -1.0), 1 / (1e10 - 1)),
    ("poch", (1e10, -10.0), float(sp.poch(1e10, -10.0))),
    ("poch", (1e10, -0.5), float(sp.poch(1e10, -0.5))),
    ("poch", (1e-10, -2.0), 1 / ((1e-10 - 1) * (1e-10 - 2))),
    ("poch", (-50.0, 30.0), math.factorial(50) / math.factorial(20)),
    ("poch", (-50.0, 29.0), -math.factorial(50) / math.factorial(21)),
    ("poch", (-50.0, -30.0), math.factorial(50) / math.factorial(80)),
    ("poch", (-200.0, 13.0), -float(math.factorial(200) // math.factorial(187))),
    ("poch", (-50.0, 200.0), 0.0),
    ("poch", (-3.0, -2.5), 0.0),
    ("binom", (-2.5, 170.6), float(sp.binom(-2.5, 170.6))),
    ("binom", (-200.5, 50.0), math.prod([(-200.5 - j) / (j + 1) for j in range(50)])),
    ("binom", (-2.5, -170.6), float(sp.binom(-2.5, -170.6))),
    ("binom", (-50.3, -20.1), float(sp.binom(-50.3, -20.1))),
    ("binom", (2.0, 202.5), 2 / (200.5 * 201.5 * 202.5 * math.pi)),
    ("binom", (1.5, 1000.0), math.prod([(1.5 - j) / (j + 1) for j in range(1000)])),
    ("binom", (300.5, -2.5), math.prod([(300.5 - j) / (j + 1) for j in range(303)])),
    ("binom", (2.5, 20.5), 0.0),
    ("binom", (1e-20, 1e15), -1e-35),
    ("binom", (1e-10, 1.0), 1e-10),
    ("binom", (1e300, 1.0), 1e300),
    ("binom", (np.inf, 3.0), np.inf),
    ("binom", (1e300, 0.5), float(sp.binom(1e300, 0.5))),
    ("binom", (np.nan, 0.0), np.nan),
    ("betaln", (1e10, -0.5), float(sp.betaln(1e10, -0.5))),
    ("betaln", (-0.5, 1.7e308), float(sp.betaln(-0.5, 1.7e308))),
    ("beta", (-0.5, 1e10), float(sp.beta(-0.5, 1e10))),
    ("kl_div", (2.0, -np.inf), np.inf),
    ("kl_div", (np.inf, 0.0), np.inf),
    ("hyp1f1", (1.0, -1.0, np.nan), np.nan),
    ("hyp1f1", (-7.0, -9.0, -6.0), float(sp.hyp1f1(-7.0, -9.0, -6.0))),
    ("hyp1f1", (-14.0, -14.0, -15.0), float(sp.hyp1f1(-14.0, -14.0, -15.0))),
    ("poch", (8.0, -9.0), np.inf),
    ("poch", (9.0, -14.0), np.inf),
]


def test_extremes() -> None:
    for name, args, expected in EXTREMES:
        f = getattr(special, name)
        np.testing.assert_allclose(np.asarray(f(*args)), expected, rtol=2e-13, err_msg=f"{name}{args}")
    actual = jit(lambda: [getattr(special, name)(*map(fx.asarray, args)) for name, args, _ in EXTREMES])()
    np.testing.assert_allclose(np.asarray(actual), [expected for *_, expected in EXTREMES], rtol=1e-12)


def test_beta_at_poles() -> None:
    a = np.array([-1.0, -2.0, -2.0, 1.0, 2.0, -50.0, -100.0, -1.5, 0.0, np.nan, -1.0])
    b = np.array([0.5, 1.0, 3.0, -1.0, -3.0, 3.0, 40.0, -0.5, 0.0, -1.0, np.nan])
    expected = np.where(np.isnan(a + b), np.nan, sp.beta(a, b))
    for run in (special.beta, jit(special.beta)):
        np.testing.assert_allclose(np.asarray(run(fx.asarray(a), fx.asarray(b))), expected, rtol=1e-13)


def test_large_and_tiny_parameters() -> None:
    slopes: Any = grad(special.gammainc, (0, 1))(1e10, 1e10)
    np.testing.assert_allclose([float(s) for s in slopes], [-3.989422804047572e-06, 3.989422803981082e-06], rtol=1e-12)
    np.testing.assert_allclose(float(grad(special.gammainc, 1)(1e10, 1e10 + 1e5)), 2.419691113903898e-06, rtol=1e-11)
    np.testing.assert_allclose(float(grad(special.betainc, 2)(1e10, 1e10, 0.5)), 112837.91670814, rtol=1e-11)
    np.testing.assert_allclose(float(special.gammainccinv(1e-300, 1e-300)), 0.26473701045154513, rtol=1e-12)


_ROUNDED_ONCE: Final = ("gammaln", "digamma", "betaln", "j0", "gammainc", "k0", "k1", "spence")


@pytest.mark.parametrize("name", [*_ROUNDED_ONCE, "ndtri", "erfcx", "erfc", "ndtr", "i0e", "i1e"])
def test_single_precision_is_double_precision_rounded(name: str) -> None:
    """To four units in the last place of what is computed in single precision."""
    count = {"betaln": 2, "gammainc": 2}.get(name, 1)
    x = np.random.default_rng(5).uniform(0.01, 30.0, (count, 20000)).astype(np.float32)
    x = x % np.float32(1.0) if name == "ndtri" else x
    f: Any = jit(getattr(special, name))
    single, double = np.asarray(f(*map(fx.asarray, x))), np.asarray(f(*map(fx.asarray, x.astype(float))))
    ordinary = np.abs(double) > 1e-36
    apart = np.abs(single - double) / np.spacing(np.abs(double.astype(np.float32)))
    assert apart[ordinary].max() <= (0.51 if name in _ROUNDED_ONCE else 4.0)


def test_known_parameters_change_no_value() -> None:
    """What they do not need is left out of the programs: in every region, and where nothing is defined."""
    x = fx.asarray(np.concatenate([np.linspace(0, 1, 150), np.geomspace(1e-300, 0.1, 50), [np.nan, 2]]))
    beta = jit(fx.special.betainc)
    for a, b in ((2, 3), (0.3, 0.4), (9, 30), (1e9, 2e9), (1e-5, 2), (1e9, 0.5), (0, 1), (math.inf, 1)):
        known = jit(lambda x, a=a, b=b: fx.special.betainc(float(a), float(b), x))(x)
        np.testing.assert_array_equal(known, beta(float(a), float(b), x), err_msg=f"{a}, {b}")
    for f in (fx.special.gammainc, fx.special.gammaincc):
        for a in (0.3, 9.0, 20.0, 25.0, 0.0, math.inf):
            known = jit(lambda x, f=f, a=a: f(a, x))(30 * x)
            np.testing.assert_allclose(known, jit(f)(a, 30 * x), rtol=2e-14, err_msg=f"{a}")
    for q in (0.5, math.inf, 0.0, -1.5):
        known = jit(lambda s, q=q: fx.special.zeta(s, q))(40 * x)
        np.testing.assert_array_equal(known, jit(fx.special.zeta)(40 * x, q), err_msg=f"{q}")

"""Distributions against scipy's: densities, distribution functions, quantiles, also in tails; derivatives, errors."""

from __future__ import annotations

import pydoc
import warnings
from collections.abc import Callable
from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest
import scipy.special as sp
import scipy.stats as st

import effects as fx
from effects.errors import ArgumentError, DTypeError, LinearAlgebraError, ShapeError
from handlers import grad, vmap
from lowering import jit

stats: Any = fx.stats
CONTINUOUS: Final[dict[str, tuple[float, ...]]] = {
    **dict.fromkeys(("norm", "uniform", "expon", "laplace", "logistic", "cauchy", "gumbel_r", "gumbel_l"), ()),
    **dict.fromkeys(("rayleigh", "halfnorm"), ()),
    "weibull_min": (1.7,),
    "pareto": (2.3,),
    "lognorm": (0.7,),
    "gamma": (2.5,),
    "chi2": (3.0,),
    "beta": (2.0, 0.7),
    "t": (3.5,),
    "f": (3.0, 7.0),
    "truncnorm": (-0.5, 2.0),
    "gennorm": (1.7,),
    "vonmises": (2.3,),
}
DISCRETE: Final[dict[str, tuple[float, ...]]] = {
    "bernoulli": (0.3,),
    "binom": (7, 0.4),
    "poisson": (3.2,),
    "geom": (0.3,),
    "nbinom": (2.5, 0.4),
    "betabinom": (7, 2.0, 0.5),
}
X: Final = np.array([*np.linspace(-6, 9, 31), 40.0, -35.0, np.inf, -np.inf, np.nan])
Q: Final = np.array([0.0, 1e-9, 0.1, 0.3, 0.5, 0.8, 0.999, 1.0, -0.1, 1.2])


def _theirs(name: str, method: str, *args: Any, **kwargs: Any) -> Any:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(getattr(st, name), method)(*args, **kwargs)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous(name: str) -> None:
    shapes, x = CONTINUOUS[name], X
    for loc, scale in ((0.0, 1.0), (0.7, 2.2)):
        for method in ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf"):
            ours = getattr(getattr(stats, name), method)(x, *shapes, loc=loc, scale=scale)
            expected = _theirs(name, method, x, *shapes, loc=loc, scale=scale)
            lost = np.isinf(x) & np.isnan(expected)  # scipy subtracts infinities in densities
            expected = np.where(lost, -np.inf if method == "logpdf" else 0.0, expected)
            assert method in ("logpdf", "pdf") or not lost.any()
            if name == "gennorm" and method.startswith("log") and method != "logpdf":  # so are scipy's of its tails
                lost = np.isneginf(expected) & np.isfinite(x)
                assert np.all(np.asarray(ours)[lost] < -50.0)
                expected = np.where(lost, ours, expected)
            if name == "halfnorm" and method == "logsf":  # scipy's is the logarithm of what underflows
                inside = np.maximum((x - loc) / scale, 0.0)
                expected = np.where(np.isnan(x), np.nan, st.norm.logsf(inside) + np.log(2.0))
            np.testing.assert_allclose(np.asarray(ours), expected, rtol=2e-11, atol=1e-300, err_msg=method)
    for method in ("ppf", "isf"):
        ours = getattr(getattr(stats, name), method)(Q, *shapes, loc=0.7, scale=2.2)
        expected = _theirs(name, method, Q, *shapes, loc=0.7, scale=2.2)
        np.testing.assert_allclose(np.asarray(ours), expected, rtol=1e-7 if name == "f" else 1e-10, err_msg=method)


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete(name: str) -> None:
    shapes, k = DISCRETE[name], np.array([-1, 0, 1, 2, 3.0, 5, 7, 8, 20, 2.5, np.nan])
    for method in ("logpmf", "pmf", "cdf", "sf"):
        ours = np.asarray(getattr(getattr(stats, name), method)(k, *shapes))
        np.testing.assert_allclose(ours, _theirs(name, method, k, *shapes), rtol=1e-11, err_msg=method)
    moved = np.asarray(getattr(stats, name).logpmf(k, *shapes, loc=2))
    np.testing.assert_allclose(moved, _theirs(name, "logpmf", k, *shapes, loc=2), rtol=1e-11)


@pytest.mark.parametrize("name", ["bernoulli", "poisson", "geom"])
def test_quantiles_of_counts(name: str) -> None:
    q = np.array([0.0, 1e-10, 0.1, 0.3, 0.5, 0.8, 0.999, 1.0, -0.1])
    ours = np.asarray(getattr(stats, name).ppf(q, *DISCRETE[name]))
    np.testing.assert_array_equal(ours, _theirs(name, "ppf", q, *DISCRETE[name]))


def test_vectors() -> None:
    rng = np.random.default_rng(3)
    x, alpha = rng.dirichlet([1.0, 2.0, 3.0], 4), np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(np.asarray(stats.dirichlet.logpdf(x, alpha)), st.dirichlet.logpdf(x.T, alpha))
    assert np.asarray(stats.dirichlet.logpdf(np.array([0.5, 0.6]), alpha[:2])) == -np.inf
    cov, mean, points = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([0.0, 1.0]), rng.normal(size=(3, 2))
    expected = st.multivariate_normal.logpdf(points, mean, cov)
    np.testing.assert_allclose(np.asarray(stats.multivariate_normal.logpdf(points, mean, cov)), expected)
    np.testing.assert_allclose(
        np.asarray(jit(vmap(lambda x: stats.multivariate_normal.pdf(x, mean, cov)))(points)), np.exp(expected)
    )


COUNTS: Final[list[tuple[Any, Any, Any]]] = [
    ([1, 2, 0], 3, [0.3, 0.3, 0.4]),
    ([[1, 2], [0, 3], [4, -1], [1.5, 1.5]], 3, [0.25, 0.75]),
    ([2, 1], [3, 4], [0.5, 0.5]),
    ([3, 0], 3, [1.0, 0.0]),
    ([2, 1], 3, [1.0, 0.0]),
    ([0, 0], 0, [0.5, 0.5]),
    ([0, 0], -1, [0.5, 0.5]),
    ([1, 2], 3, [-0.5, 1.5]),
    ([1, 2], 3, [0.3, 0.3]),
    ([3], 3, [1.0]),
]


@pytest.mark.parametrize("case", COUNTS, ids=str)
def test_counts_of_outcomes(case: tuple[Any, Any, Any]) -> None:
    for method in ("logpmf", "pmf"):
        f: Any = getattr(stats.multinomial, method)
        expected = _theirs("multinomial", method, *case)
        for actual in (f(*case), jit(f)(*map(np.asarray, case))):
            np.testing.assert_allclose(actual, expected, rtol=1e-13)
            assert actual.shape == np.shape(expected)


def test_slopes_of_counts_of_outcomes() -> None:
    p = fx.asarray([0.25, 0.0, 0.75])
    np.testing.assert_allclose(grad(stats.multinomial.logpmf, 2)(np.array([1.0, 0, 2]), 3, p), [4.0, 0.0, 8 / 3])
    for counts, exact in (([3e9 - 1e5, 3e9, 2e9 + 1e5], -27.133259863850098), ([0, 8, 0], 8 * np.log(0.375))):
        value = stats.multinomial.logpmf(np.array(counts, float), float(sum(counts)), [0.375, 0.375, 0.25])
        np.testing.assert_allclose(value, exact, rtol=1e-13)
    many = stats.betabinom.logpmf(3, 7, 1e8, 2e8)  # which is next to the binomial distribution
    np.testing.assert_allclose(many, st.binom.logpmf(3, 7, 1 / 3), rtol=1e-7)
    assert np.isnan(stats.betabinom.pmf(1, 7.5, 1.0, 1.0)) and np.isnan(stats.betabinom.pmf(1, 7, -1.0, 1.0))


def test_tails_of_beta_binomials() -> None:
    """Sums of probabilities, whose derivatives in a and b are such sums: of any order, compiled, of many."""
    k, n, a, b = np.array([0.0, 2, 5, 6]), 7, 2.0, 0.5
    slopes = jit(vmap(grad(stats.betabinom.cdf, (2, 3)), (0, None, None, None)))(k, n, a, b)
    curved = jit(vmap(grad(grad(stats.betabinom.sf, 2), 3), (0, None, None, None)))(k, n, a, b)

    def share(k: float, a: Any, b: Any) -> Any:
        return mp.fsum(mp.binomial(n, j) * mp.beta(j + a, n - j + b) / mp.beta(a, b) for j in range(int(k) + 1))

    for i, last in enumerate(k):
        exact = [mp.diff(lambda a, b, k=last: share(k, a, b), (a, b), order) for order in ((1, 0), (0, 1), (1, 1))]
        actual = [slopes[0][i], slopes[1][i], -curved[i]]
        np.testing.assert_allclose([float(v) for v in actual], [float(v) for v in exact], rtol=1e-12)
    far = [stats.betabinom.cdf(10, 1000, 30.0, 70.0), stats.betabinom.sf(989, 1000, 70.0, 30.0)]
    np.testing.assert_allclose(far, 2.124388636757843e-25, rtol=1e-13)


TAILS: Final = [
    ("t", (1e6,)),
    ("t", (300.0,)),
    ("t", (1.0,)),
    ("f", (50.0, 3.0)),
    ("cauchy", ()),
    ("beta", (0.01, 5.0)),
    ("truncnorm", (40.0, 41.0)),
    ("truncnorm", (-41.0, -40.0)),
    ("truncnorm", (0.0, np.inf)),
]


@pytest.mark.parametrize(("name", "shapes"), TAILS)
def test_quantiles_lead_back(name: str, shapes: tuple[float, ...]) -> None:
    """By scipy's functions of the probability of less and of more, which are exact in their tails."""
    q, distribution = np.array([1e-3, 0.3, 0.5, 0.8, 0.999]), getattr(stats, name)
    if name in ("t", "f", "cauchy"):
        q = np.array([1e-11, *q])
    for method, back in (("ppf", "logcdf"), ("isf", "logsf")):
        x = np.asarray(getattr(distribution, method)(q, *shapes))
        np.testing.assert_allclose(_theirs(name, back, x, *shapes), np.log(q), rtol=1e-9, atol=3e-13, err_msg=method)


def test_next_to_the_median() -> None:
    for name, shapes in (("t", (4.0,)), ("t", (0.7,)), ("cauchy", ())):
        middle = _theirs(name, "pdf", 0.0, *shapes)
        for distance in (0.0, 1e-12, -1e-6, 2e-9):
            found = float(getattr(stats, name).ppf(0.5 + distance, *shapes))
            np.testing.assert_allclose(found, ((0.5 + distance) - 0.5) / middle, rtol=1e-10)
        for x in (0.0, 1e-12, -1e-7):
            np.testing.assert_allclose(float(grad(getattr(stats, name).cdf)(x, *shapes)), middle, rtol=1e-12)
        np.testing.assert_allclose(float(grad(getattr(stats, name).ppf)(0.5, *shapes)), 1 / middle, rtol=1e-12)


SMOOTH: Final = {
    "gamma": (1.3, 2.5),
    "t": (0.8, 3.5),
    "norm": (0.4,),
    "beta": (0.3, 2.0, 0.7),
    "weibull_min": (1.2, 1.7),
    "gennorm": (-0.8, 1.7),
    "vonmises": (0.8, 2.3),
}


WHERE_TERMS_VANISH: Final = {
    "gamma": (1.3, 1.0),
    "beta": (0.3, 1.0, 1.0),
    "weibull_min": (1.2, 1.0),
    "chi2": (1.2, 2.0),
    "f": (1.2, 2.0, 2.0),
}


@pytest.mark.parametrize("args", [*SMOOTH.items(), *WHERE_TERMS_VANISH.items()], ids=str)
def test_derivatives(args: tuple[str, tuple[float, ...]]) -> None:
    name, point = args
    h = 1e-6
    for method in ("logpdf", "cdf", "ppf"):
        given = [0.3 if method == "ppf" else point[0], *point[1:], 0.1, 1.5]
        given[0] = given[0] if method == "ppf" else given[0] * 1.5 + 0.1
        f = getattr(getattr(stats, name), method)
        slopes = grad(f, tuple(range(len(given))))(*given)
        for i, slope in enumerate(slopes):
            moved = [[v + s * h * (i == j) for j, v in enumerate(given)] for s in (1, -1)]
            ahead, behind = [float(_theirs(name, method, *m)) for m in moved]
            np.testing.assert_allclose(float(slope), (ahead - behind) / (2 * h), rtol=2e-5, atol=1e-8)


def test_dtypes_and_domains() -> None:
    single = stats.norm.logpdf(fx.asarray([0.5, 1.0], dtype=fx.float32), 0.0, 1.0)
    assert single.dtype is fx.float32
    for value in (
        stats.norm.logpdf(0.0, scale=-1.0),
        stats.gamma.cdf(1.0, -2.0),
        stats.poisson.pmf(1, -1.0),
        stats.binom.pmf(1, 2.5, 0.5),
        stats.beta.ppf(0.5, 0.0, 1.0),
        stats.dirichlet.logpdf(np.array([0.5, 0.5]), np.array([-1.0, 1.0])),
    ):
        assert np.isnan(np.asarray(value))
    compiled: Any = jit(lambda x, a: stats.gamma.ppf(stats.gamma.cdf(x, a), a))
    np.testing.assert_allclose(np.asarray(compiled(np.array([0.2, 3.0]), 2.5)), [0.2, 3.0], rtol=1e-12)


def test_refusals() -> None:
    with pytest.raises(ArgumentError, match=r"^gamma.logpdf takes \(x, a, loc=0, scale=1\), got no a\n  at "):
        stats.gamma.logpdf(1.0)
    with pytest.raises(DTypeError, match=r"norm\.cdf: x must be real"):
        stats.norm.cdf(1j)
    with pytest.raises(ArgumentError, match=r"norm\.cdf: scale must be an array or a number"):
        stats.norm.cdf(1.0, scale="a")
    with pytest.raises(ShapeError, match="cov must have square matrices"):
        stats.multivariate_normal.logpdf(fx.zeros(2), fx.zeros(2), fx.ones((2, 3)))
    with pytest.raises(AttributeError, match="write norm"):
        _ = stats.normal
    assert repr(stats.norm) == "stats.norm"


def test_what_distributions_do_not_have() -> None:
    with pytest.raises(ArgumentError, match=r"^stats\.norm is not callable: .* norm\.cdf\(x, \.\.\.\)"):
        stats.norm(0, 1)
    for name, method, advice in [
        ("norm", "rvs", r"stats\.norm has no `rvs`: .*effects\.random"),
        ("norm", "mean", "write the moments out"),
        ("gamma", "median", r"write gamma\.ppf\(0\.5"),
        ("norm", "logpmf", "logpdf"),
        ("poisson", "logpdf", "logpmf"),
        ("poisson", "nnlf", r"-poisson\.logpmf"),
    ]:
        with pytest.raises(AttributeError, match=advice):
            getattr(getattr(stats, name), method)
    assert not hasattr(stats.norm, "nothing")
    assert "gamma of the shape parameters a; its methods take (x, a, loc=0, scale=1)" in stats.gamma.__doc__
    assert pydoc.render_doc(stats.gamma).count("shape parameters a") == 1
    refused: list[tuple[Callable[[], Any], str]] = [
        (lambda: stats.norm.pdf("a"), "norm.pdf: x must be an array"),
        (lambda: stats.poisson.pmf("a", 1.0), "poisson.pmf: k must be an array"),
        (lambda: stats.dirichlet.pdf(1.0, [1.0]), "dirichlet.pdf: x must be a vector"),
    ]
    for call, message in refused:
        with pytest.raises((ArgumentError, ShapeError)) as caught:
            call()
        assert caught.value.message.startswith(message)


def _log_sum(x: float, a: int) -> float:
    """log of the sum of xᵏ / k! e⁻ˣ over k < a, from its last term on."""
    terms = np.cumprod(np.arange(a - 1, a - 10000, -1) / x)
    return float((a - 1) * np.log(x) - x - sp.gammaln(a) + np.log1p(terms.sum()))


FAR: Final = [
    ("gamma", "logsf", (800.0, 3.0), -800 + np.log1p(800 + 320000)),  # sums of xᵏ / k!, of whole a
    ("gamma", "logsf", (1e5, 2.0), -1e5 + np.log1p(1e5)),
    ("chi2", "logsf", (3000.0, 4.0), -1500 + np.log1p(1500)),
    ("gamma", "logsf", (1.05e6, 1e6), _log_sum(1.05e6, 10**6)),
    ("gamma", "logsf", (150.0, 2.5), st.gamma.logsf(150, 2.5)),
    ("laplace", "logcdf", (-800.0,), -800 - np.log(2)),
    ("laplace", "logsf", (800.0,), -800 - np.log(2)),
    ("gumbel_r", "logsf", (800.0,), -800.0),
    ("gumbel_l", "logcdf", (-800.0,), -800.0),
    ("halfnorm", "logsf", (50.0,), st.norm.logsf(50) + np.log(2)),
    ("beta", "sf", (1e-10, 0.01, 5.0), st.beta.sf(1e-10, 0.01, 5)),
    ("f", "sf", (1e-12, 0.02, 3.0), st.f.sf(1e-12, 0.02, 3)),
]


@pytest.mark.parametrize("case", FAR, ids=lambda c: f"{c[0]}-{c[2][0]:g}")
def test_where_tails_underflow(case: tuple[str, str, tuple[float, ...], float]) -> None:
    name, method, values, expected = case
    f: Callable[..., Any] = getattr(getattr(stats, name), method)
    np.testing.assert_allclose(f(*values), expected, rtol=1e-11)
    if method != "sf":
        assert np.isfinite(float(grad(f)(*values)))


def test_shapes_that_do_not_broadcast_are_named() -> None:
    refused: list[tuple[Callable[[], Any], str]] = [
        (lambda: stats.norm.logpdf(fx.ones(3), fx.ones(2)), "norm.logpdf: shapes do not broadcast: x [3], loc [2]"),
        (lambda: stats.gamma.ppf(fx.ones(3), 2.0, scale=fx.ones(2)), "gamma.ppf: shapes do not broadcast: q [3], "),
        (lambda: stats.poisson.pmf(fx.ones(3), fx.ones(2)), "poisson.pmf: shapes do not broadcast: k [3], mu [2]"),
        (lambda: fx.special.gammainc(fx.ones(3), fx.ones(2)), "gammainc: shapes do not broadcast: a [3], x [2]"),
        (lambda: stats.dirichlet.logpdf(fx.ones(3), fx.ones(2)), "dirichlet.logpdf: x has vectors of 3 elements"),
    ]
    for call, message in refused:
        with pytest.raises(ShapeError) as caught:
            call()
        assert caught.value.message.startswith(message)


def test_covariances_are_named() -> None:
    bad = -fx.eye(2)
    with pytest.raises(LinearAlgebraError) as caught:
        stats.multivariate_normal.logpdf(fx.ones(2), fx.ones(2), bad)
    assert caught.value.message.startswith("multivariate_normal.logpdf: cov, float64[2,2], is not positive definite")
    with pytest.raises(LinearAlgebraError) as caught:
        fx.random.multivariate_normal(fx.random.key(0), fx.ones(2), bad)
    assert caught.value.message.startswith("multivariate_normal: cov, float64[2,2], is not positive definite")
    assert {"logpdf", "TYPE_CHECKING"}.isdisjoint(dir(fx.linalg)) and "svd" in dir(fx.linalg)

"""What is drawn by rejection, or of several numbers: jax's numbers, scipy's distributions, derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.special
import scipy.stats as st

import effects as fx
from effects.errors import ArgumentError, DTypeError, ShapeError
from handlers import grad, jvp, vmap
from lowering import jit
from tests.random.of_jax import DRAWN

random: Any = fx.random  # which takes lists, too; to the type checker it does not
KEY: Final = random.key(42)
OTHER: Final = random.key(2024)
SIZE: Final = 4000
SURE: Final = 1e-3
SHAPES: Final = fx.asarray([0.01, 0.5, 1.0, 2.5, 30.0, 1e4])
MATRIX: Final = fx.asarray([[2.0, 0.5], [0.5, 1.0]])
CALLS: Final[dict[str, Callable[[], fx.Array]]] = {
    "gamma|float64": lambda: random.gamma(KEY, SHAPES),
    "gamma|float32": lambda: random.gamma(KEY, SHAPES, dtype=fx.float32),
    "loggamma|float64": lambda: random.loggamma(KEY, SHAPES),
    "beta|float64": lambda: random.beta(KEY, SHAPES, SHAPES[::-1]),
    "dirichlet|float64": lambda: random.dirichlet(KEY, [[0.5, 2.0, 3.0], [1.0, 1.0, 9.0]]),
    "chisquare|float64": lambda: random.chisquare(KEY, SHAPES),
    "t|float64": lambda: random.t(KEY, SHAPES[1:]),
    "f|float64": lambda: random.f(KEY, SHAPES[1:], SHAPES[:0:-1]),
    "triangular|float64": lambda: random.triangular(KEY, 0.0, 1.0, 3.0, (4,)),
    "generalized_normal|float64": lambda: random.generalized_normal(KEY, 4.0, (4,)),
    "ball|float64": lambda: random.ball(KEY, 3, 2.0, (2,)),
    "wald|float64": lambda: random.wald(KEY, 2.0, (4,)),
    "poisson|int64": lambda: random.poisson(KEY, [0.0, 0.3, 4.0, 9.99, 10.0, 50.0, 1e4]),
    "binomial|float64": lambda: random.binomial(
        KEY, [10.0, 10.0, 100.0, 1000.0, 3.0, 1e5], [0.3, 0.8, 0.02, 0.4, 1.0, 0.5]
    ),
    "multinomial|float64": lambda: random.multinomial(KEY, [10.0, 1000.0], [[0.2, 0.3, 0.5], [0.1, 0.0, 0.9]]),
    "multivariate_normal|float64": lambda: random.multivariate_normal(KEY, [0.0, 1.0], MATRIX, (2,)),
    "orthogonal|float64": lambda: random.orthogonal(KEY, 3),
    "dloggamma|float64": lambda: fx.stack([grad(lambda a: random.loggamma(KEY, a))(v) for v in (0.01, 0.5, 2.5, 30.0)]),
}


@pytest.mark.parametrize("name", CALLS)
def test_numbers_are_those_of_jax(name: str) -> None:
    result = np.asarray(CALLS[name]())
    assert result.dtype == name.split("|")[1]
    np.testing.assert_allclose(result, DRAWN[name], rtol=1e-6 if "float32" in name else 1e-12)


type Draw = Callable[..., fx.Array]
CONTINUOUS: Final[dict[str, tuple[Draw, Any]]] = {
    **{f"gamma({a})": (lambda n, a=a: random.gamma(OTHER, a, n), st.gamma(a)) for a in (0.2, 1.0, 7.5, 400.0)},
    **{f"beta{ab}": (lambda n, ab=ab: random.beta(OTHER, *ab, n), st.beta(*ab)) for ab in ((0.3, 0.4), (2.0, 5.0))},
    **{f"t({df})": (lambda n, df=df: random.t(OTHER, df, n), st.t(df)) for df in (1.0, 4.5)},
    "chisquare": (lambda n: random.chisquare(OTHER, 3.0, n), st.chi2(3.0)),
    "f": (lambda n: random.f(OTHER, 3.0, 8.0, n), st.f(3.0, 8.0)),
    "triangular": (lambda n: random.triangular(OTHER, -1.0, 2.0, 3.0, n), st.triang(0.75, -1.0, 4.0)),
    "generalized_normal": (lambda n: random.generalized_normal(OTHER, 3.0, n), st.gennorm(3.0)),
    "wald": (lambda n: random.wald(OTHER, 2.0, n), st.invgauss(2.0)),
    "dirichlet": (lambda n: random.dirichlet(OTHER, [0.5, 2.0, 3.0], n)[:, 1], st.beta(2.0, 3.5)),
    "ball": (lambda n: fx.sum(random.ball(OTHER, 3, 2.0, n) ** 2, axis=-1) ** 1.5, st.uniform()),
    "normal of a matrix": (
        lambda n: random.multivariate_normal(OTHER, [0.0, 1.0], MATRIX, n) @ fx.asarray([1.0, 2.0]),
        st.norm(2.0, 8.0**0.5),
    ),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous(name: str) -> None:
    draw, expected = CONTINUOUS[name]
    x = np.asarray(draw((SIZE,)))
    assert np.isfinite(x).all() and st.kstest(x, expected.cdf).pvalue > SURE
    for tail in (expected.cdf(x), expected.sf(x)):
        assert st.binomtest(int((tail < 0.02).sum()), SIZE, 0.02).pvalue > SURE


COUNTS: Final[dict[str, tuple[Draw, Any]]] = {
    **{
        f"poisson({lam})": (lambda n, m=lam: random.poisson(OTHER, m, n), st.poisson(lam))
        for lam in (0.4, 6.0, 80.0, 1e7, 1e9)
    },
    **{
        f"binomial{np_}": (lambda n, np_=np_: random.binomial(OTHER, *np_, n), st.binom(*np_))
        for np_ in ((7, 0.3), (40, 0.9), (500, 0.4))
    },
    "negative_binomial": (lambda n: random.negative_binomial(OTHER, 3.5, 0.3, n), st.nbinom(3.5, 0.3)),
    "multinomial": (lambda n: random.multinomial(OTHER, 20, [0.2, 0.3, 0.5], shape=n)[:, 1], st.binom(20, 0.3)),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str) -> None:
    draw, expected = COUNTS[name]
    x = np.asarray(draw((SIZE,))).astype(int)
    ends = sorted(set(expected.ppf(np.linspace(0.05, 0.95, 12)).astype(int).tolist()))
    shares = np.diff([0.0, *expected.cdf(ends), 1.0])
    counts = np.histogram(x, [-np.inf, *[e + 0.5 for e in ends], np.inf])[0]
    some = shares > 1e-9
    assert not counts[~some].any() and st.chisquare(counts[some], shares[some] * SIZE).pvalue > SURE


def test_orthogonal_matrices() -> None:
    q = np.asarray(random.orthogonal(OTHER, 3, (50,)))
    np.testing.assert_allclose(q @ q.transpose(0, 2, 1), np.broadcast_to(np.eye(3), q.shape), atol=1e-13)
    assert abs(np.linalg.det(q).mean()) < 0.5
    flat = np.asarray(random.orthogonal(OTHER, 2, m=4))
    np.testing.assert_allclose(flat @ flat.T, np.eye(2), atol=1e-14)


def test_a_key_a_lane_is_a_loop() -> None:
    keys, a = random.split(KEY, 4), fx.asarray([0.3, 1.5, 20.0, 3.0])
    for f in (random.gamma, random.poisson, lambda k, a: random.binomial(k, 30, a / 30)):
        lanes = np.asarray(vmap(f)(keys, a))
        np.testing.assert_array_equal(lanes, [np.asarray(f(keys[i], a[i])) for i in range(4)])
        np.testing.assert_allclose(np.asarray(jit(vmap(f))(keys, a)), lanes, rtol=1e-13)


def test_implicit_derivatives() -> None:
    """Of what is drawn, and of means: E[x] of gamma is a, E[log x] of beta is digamma(a) - digamma(a + b)."""
    many: Any = jit(lambda a: fx.mean(random.gamma(OTHER, a, (SIZE,))))
    assert abs(float(grad(many)(2.5)) - 1.0) < 0.05
    slopes = grad(lambda a, b: fx.mean(fx.log(random.beta(OTHER, a, b, (SIZE,)))), (0, 1))(2.0, 3.0)
    expected = [fx.special.polygamma(1, 2.0) - fx.special.polygamma(1, 5.0), -fx.special.polygamma(1, 5.0)]
    np.testing.assert_allclose([float(s) for s in slopes], [float(e) for e in expected], rtol=0.06)
    shares = grad(lambda a: fx.mean(random.dirichlet(OTHER, a, (SIZE,))[:, 0]))(fx.asarray([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(np.asarray(shares), [5 / 36, -1 / 36, -1 / 36], atol=0.01)
    quantile = float(st.gamma.cdf(float(random.gamma(KEY, 2.5)), 2.5))
    h = 1e-5
    along = (st.gamma.ppf(quantile, 2.5 + h) - st.gamma.ppf(quantile, 2.5 - h)) / (2 * h)
    np.testing.assert_allclose(float(grad(lambda a: random.gamma(KEY, a))(2.5)), along, rtol=1e-6)


@pytest.mark.parametrize("mu", [0.05, 2.0, 300.0])
def test_the_derivatives_of_wald(mu: float) -> None:
    """At a fixed quantile, in both tails: of scipy's quantiles, of the moments, and those of the derivative itself."""

    def drawn(m: Any) -> Any:
        return random.wald(OTHER, m, (SIZE,))

    def slope(m: Any) -> fx.Array:
        along: fx.Array = jvp(drawn, (m,), (1.0,))[1]
        return along

    x, along = (np.asarray(v) for v in jit(lambda m: jvp(drawn, (m,), (1.0,)))(mu))
    at = np.argsort(x)[[0, 40, SIZE // 2, -40, -1]]
    h = 1e-5 * mu
    ends = [
        np.where(
            st.invgauss.sf(x[at], mu) < 0.5,
            st.invgauss.isf(st.invgauss.sf(x[at], mu), mu + side),
            st.invgauss.ppf(st.invgauss.cdf(x[at], mu), mu + side),
        )
        for side in (h, -h)
    ]
    np.testing.assert_allclose(along[at], (ends[0] - ends[1]) / (2 * h), rtol=1e-6)
    if mu < 10.0:
        assert abs(along.mean() - 1.0) < 0.05
        np.testing.assert_allclose((2 * x * along).mean(), 3 * mu**2 + 2 * mu, rtol=0.2)
    second = np.asarray(jvp(slope, (mu,), (1.0,))[1])[at]
    ends = []
    for side in (h, -h):  # along the quantile
        root = np.sqrt(x[at] + side * along[at])
        b = (root / (mu + side) + 1 / root) / np.sqrt(2)
        ends.append(np.sqrt(2 * np.pi) * root**3 / (mu + side) ** 2 * scipy.special.erfcx(b))
    np.testing.assert_allclose(second, (ends[0] - ends[1]) / (2 * h), rtol=1e-5, atol=1e-9 / mu)
    single = fx.asarray(mu, dtype=fx.float32)
    found = jvp(lambda m: random.wald(OTHER, m, (9,), fx.float32), (single,), (fx.ones_like(single),))
    x, along = (np.asarray(v, "float64") for v in found)
    m = float(single)
    b = (x / m + 1) / np.sqrt(2 * x)
    np.testing.assert_allclose(along, np.sqrt(2 * np.pi) * x**1.5 / m**2 * scipy.special.erfcx(b), rtol=1e-6)


SLOPES: Final[dict[str, tuple[Callable[[Any, Any], fx.Array], float, Callable[[float], Any]]]] = {
    "uniform": (lambda a, n: random.uniform(OTHER, n, minval=0.0, maxval=a), 2.0, lambda a: st.uniform(0, a)),
    "truncated": (lambda a, n: random.truncated_normal(OTHER, a, 2.0, n), -0.5, lambda a: st.truncnorm(a, 2.0)),
    "lognormal": (lambda a, n: random.lognormal(OTHER, a, n), 0.3, st.lognorm),
    "rayleigh": (lambda a, n: random.rayleigh(OTHER, a, n), 0.5, lambda a: st.rayleigh(scale=a)),
    "pareto": (lambda a, n: random.pareto(OTHER, a, n), 30.0, st.pareto),
    "weibull": (lambda a, n: random.weibull_min(OTHER, 2.0, a, n), 2.5, lambda a: st.weibull_min(a, scale=2.0)),
    "gamma": (lambda a, n: random.gamma(OTHER, a, n), 0.7, st.gamma),
    "loggamma": (lambda a, n: random.loggamma(OTHER, a, n), 0.7, st.loggamma),
    "beta": (lambda a, n: random.beta(OTHER, 0.5, a, n), 2.0, lambda a: st.beta(0.5, a)),
    "chisquare": (lambda a, n: random.chisquare(OTHER, a, n), 3.0, st.chi2),
    "t": (lambda a, n: random.t(OTHER, a, n), 9.0, st.t),
    "f": (lambda a, n: random.f(OTHER, a, 40.0, n), 5.0, lambda a: st.f(a, 40.0)),
    "generalized_normal": (lambda a, n: random.generalized_normal(OTHER, a, n), 1.7, st.gennorm),
    "triangular": (lambda a, n: random.triangular(OTHER, 0.0, a, 3.0, n), 1.2, lambda a: st.triang(a / 3, 0, 3)),
    "wald": (lambda a, n: random.wald(OTHER, a, n), 0.7, st.invgauss),
    "normal of a matrix": (
        lambda a, n: random.multivariate_normal(OTHER, [0.0, 0.0], MATRIX * a, n, method="eigh")[:, 0],
        2.0,
        lambda a: st.norm(0, np.sqrt(2 * a)),
    ),
}


@pytest.mark.parametrize("name", SLOPES)
def test_derivatives_of_moments(name: str) -> None:
    draw, at, expected = SLOPES[name]
    x, along = (np.asarray(v) for v in jvp(lambda a: draw(a, (10 * SIZE,)), (at,), (1.0,)))
    for slopes, moment in ((along, "mean"), (2 * (x - x.mean()) * along, "var")):
        right = (getattr(expected(at + 1e-4), moment)() - getattr(expected(at - 1e-4), moment)()) / 2e-4
        assert abs(slopes.mean() - right) < 5 * slopes.std() / np.sqrt(x.size) + 1e-3


@pytest.mark.parametrize("method", ["eigh", "svd"])
def test_singular_covariances(method: str) -> None:
    def drawn(cov: Any, dtype: Any = fx.float64) -> Any:
        cov = fx.asarray(cov, dtype=dtype)
        return np.asarray(
            random.multivariate_normal(KEY, fx.zeros(len(cov), dtype), cov, (3,), method=method), "float64"
        )

    for dtype in (fx.float64, fx.float32, fx.bfloat16):
        x = drawn(np.ones((3, 3)), dtype)
        eps = 2.0**-7 if dtype is fx.bfloat16 else float(np.finfo(dtype.dtype).eps)
        np.testing.assert_allclose(x, x[:, :1] + 0 * x, atol=4 * np.sqrt(3 * eps))  # roots of rounding
    part = np.random.default_rng(0).normal(size=(40, 3))
    assert np.isfinite(drawn(part @ part.T)).all() and np.isfinite(drawn(part @ part.T, fx.float32)).all()
    assert not drawn(np.zeros((2, 2))).any() and drawn(np.zeros((0, 0))).shape == (3, 0)
    for indefinite in ([[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, -1e-6]], -np.eye(2)):
        assert np.isnan(drawn(indefinite)).all()
    lanes = jit(lambda c: random.multivariate_normal(KEY, fx.zeros(2), c, method=method))(fx.stack([MATRIX, -MATRIX]))
    np.testing.assert_array_equal(np.isnan(np.asarray(lanes)), [[False] * 2, [True] * 2])
    equal = jvp(lambda c: random.multivariate_normal(KEY, fx.zeros(2), c, method=method), (fx.eye(2),), (MATRIX,))[1]
    assert np.isnan(np.asarray(equal)).any()


def test_outside_of_their_domains() -> None:
    for drawn in (
        random.gamma(KEY, -1.0),
        random.beta(KEY, -1.0, 1.0),
        random.t(KEY, -2.0),
        random.binomial(KEY, 3, 1.5),
        random.binomial(KEY, -3, 0.5),
        random.triangular(KEY, 0.0, 4.0, 3.0),
        random.dirichlet(KEY, [1.0, -1.0])[0],
        random.wald(KEY, -1.0),
    ):
        assert np.isnan(np.asarray(drawn))
    assert int(jit(random.poisson)(KEY, -1.0)) == -1 and int(random.negative_binomial(KEY, 3, 0.0)) == -1
    assert np.isinf(np.asarray(random.binomial(KEY, np.inf, 0.5)))


def test_refusals() -> None:
    most = np.iinfo(np.int64).max
    for run in (random.poisson, jit(random.poisson)):
        assert np.asarray(run(KEY, fx.asarray([1e300] + [np.inf] * 6))).tolist() == [most] * 7
    with pytest.raises(ArgumentError, match="poisson: lam must not be negative"):
        random.poisson(KEY, -1.0)
    with pytest.raises(ArgumentError, match=r"multinomial: p must sum to 1.*the sum 0.7; write p / sum\(p, axis"):
        random.multinomial(KEY, 3, [0.5, 0.2])
    with pytest.raises(ShapeError, match="dirichlet: alpha must have an axis"):
        random.dirichlet(KEY, 1.0)
    with pytest.raises(ShapeError, match=r"multivariate_normal: cov must be \[2, 2\]"):
        random.multivariate_normal(KEY, [0.0, 1.0], fx.ones((3, 3)))
    with pytest.raises(DTypeError, match="poisson: dtype must be of integers"):
        random.poisson(KEY, 1.0, dtype=float)

"""Distributions and special functions of several arguments: one dtype stays, and so does x's shape where it is sure."""

from typing import reveal_type

import numpy as np

import effects as fx
from effects import F64, Array, Scalar, f32, f64, i64, random, special, stats
from handlers import grad, jacfwd, value_and_grad, vmap


def densities(a: Array[f32], v: Array[f64, tuple[int]], s: fx.Scalar[f64], m: Array[f64, tuple[int, int]]) -> None:
    reveal_type((stats.norm.logpdf(v), stats.norm.pdf(v, 0.0, 1.0)))  # 2 × Array[float64, tuple[int]]
    reveal_type((stats.norm.cdf(v, v, scale=v), stats.gamma.sf(v, s, scale=s)))  # 2 × Array[float64, tuple[int]]
    reveal_type(stats.norm.ppf(v, m))  # Array[float64, Any]
    reveal_type((stats.beta.isf(a, a, a, loc=a, scale=2.0), stats.norm.logcdf(a)))  # 2 × Array[float32, Any]
    reveal_type((stats.dirichlet.logpdf(a, a), stats.multivariate_normal.pdf(a, 0.0, a)))  # 2 × Array[float32, Any]
    reveal_type(stats.multivariate_normal.logpdf(a, a, a))  # Array[float32, Any]
    reveal_type(stats.multivariate_normal.logpdf(a, mean=a, cov=a))  # Array[float32, Any]
    reveal_type(stats.dirichlet.pdf(a, alpha=a))  # Array[float32, Any]
    reveal_type(stats.norm.logsf(0.5))  # Array[Any, tuple[()]]
    reveal_type((stats.norm.logpdf(a, v), stats.beta.logpdf(v, a, v)))  # 2 × Array[Any, Any]
    reveal_type(stats.beta.logpdf(v, a, np.zeros(3), scale=s))  # Array[Any, Any]


def by_name(a: Array[f32], v: Array[f64, tuple[int]], s: fx.Scalar[f64]) -> None:
    reveal_type(stats.gamma.logpdf(v, a=2.0))  # Array[float64, tuple[int]]
    reveal_type(stats.beta.logpdf(v, a=s, b=3.0, scale=s))  # Array[float64, tuple[int]]
    reveal_type(stats.t.cdf(a, df=a, loc=a))  # Array[float32, Any]
    reveal_type(stats.poisson.logpmf(1, mu=2.0))  # Array[Any, tuple[()]]
    reveal_type((stats.norm.logpdf(x=1.0), stats.norm.ppf(q=v, loc=0.0)))  # 2 × Array[Any, Any]
    reveal_type(stats.poisson.pmf(k=1, mu=s))  # Array[Any, Any]


def counts(a: Array[f32], v: Array[f64, tuple[int]], k: Array[i64, tuple[int]]) -> None:
    reveal_type((stats.poisson.pmf(k, 3.0), stats.poisson.logpmf(v, v)))  # 2 × Array[float64, tuple[int]]
    reveal_type(stats.bernoulli.ppf(v, 0.5, loc=1.0))  # Array[float64, tuple[int]]
    reveal_type((stats.binom.cdf(a, 10, 0.5), stats.beta.pdf(a, 3.0, b=0.5)))  # 2 × Array[float32, Any]
    reveal_type(stats.poisson.sf(k, a))  # Array[Any, Any]


def several(a: Array[f32], v: Array[f64, tuple[int]], s: fx.Scalar[f64], k: Array[i64]) -> None:
    reveal_type((special.betainc(v, v, v), special.betainc(1.0, 2.0, v)))  # 2 × Array[float64, tuple[int]]
    reveal_type((special.betaincinv(v, 2.0, 0.5), special.hyp2f1(1.0, 2.0, 3.0, v)))  # 2 × Array[float64, tuple[int]]
    reveal_type((special.gammainc(v, 0.5), special.multigammaln(v, 2)))  # 2 × Array[float64, tuple[int]]
    reveal_type((special.hyp1f1(a, a, a), special.hyp2f1(a, a, 1.0, a), special.loggamma(a)))  # 3 × Array[float32, Any]
    reveal_type(special.fresnel(a)[0])  # Array[float32, Any]
    reveal_type((special.betainc(1.0, s, v), special.expn(k, v)))  # 2 × Array[float64, Any]
    reveal_type(special.betainc(0.5, 1.0, 0.5))  # Array[Any, tuple[()]]
    reveal_type(special.betainc(a, a, v))  # Array[Any, Any]
    reveal_type(special.sici(v))  # tuple[Array[float64, tuple[int]], Array[float64, tuple[int]]]
    reveal_type(special.wofz(v))  # Array[complex128, tuple[int]]
    reveal_type(special.sph_harm_y(k, 1, v, 0.0))  # Array[complex128, Any]
    reveal_type(special.sph_harm_y(2, 1, a, a))  # Array[complex64, Any]


def fits(a: Array[f32], i: Array[i64]) -> None:
    reveal_type((fx.polyfit(a, a, 2), fx.polyfit(a, a, 2, full=True).residuals, fx.poly(a)))  # 3 × Array[float32, Any]
    reveal_type(fx.linalg.lstsq(a, a).x)  # Array[float32, Any]
    reveal_type(fx.polyfit(i, a, 2))  # Array[float64, Any]
    reveal_type(fx.polyfit(a, a, 2, cov=True))  # tuple[Array[float32, Any], Array[float32, Any]]
    reveal_type(fx.polydiv(a, a))  # tuple[Array[float32, Any], Array[float32, Any]]
    reveal_type(fx.polyder(i))  # Array[int64, Any]
    reveal_type(fx.polyint(i))  # Array[float64, Any]


def of_any(d: stats.Continuous, x: Array[f64]) -> Array:
    return d.logpdf(x, 1.0)


def slopes(a: Array[f32]) -> None:
    reveal_type(of_any(stats.norm, fx.ones(2)))  # Array[Any, Any]
    reveal_type(of_any(stats.gamma, fx.ones(2)))  # Array[Any, Any]
    reveal_type(grad(stats.norm.logpdf)(2.0))  # Array[Any, Any]
    reveal_type(grad(stats.gamma.logpdf, (0, 1))(2.0, 1.5))  # tuple[Array[Any, Any], Array[Any, Any]]
    reveal_type(grad(special.gammainc, (0, 1))(2.0, 1.5))  # tuple[Array[Any, Any], Array[Any, Any]]
    reveal_type(grad(special.gammaln)(2.0))  # Array[Any, Any]
    reveal_type(special.gammaln(a))  # Array[float32, Any]
    reveal_type(special.j0(0.5))  # Array[Any, tuple[()]]


def derivatives_of_several(a: Array[f32], s: Scalar[f32], v: F64[int], x: Array[f64], key: random.Key) -> None:
    reveal_type((grad(special.gammainc)(2.0, 1.5), grad(special.gammainc, 1)(2.0, 1.5)))  # 2 × Array[Any, Any]
    reveal_type(grad(special.gammainc)(s, s))  # Array[float32, tuple[()]]
    reveal_type(grad(special.betainc, (0, 1, 2))(2.0, 3.0, 0.5))
    #: tuple[Array[Any, Any], Array[Any, Any], Array[Any, Any]]
    reveal_type(grad(special.betaln, (0, 1))(s, s))  # tuple[Array[float32, tuple[()]], Array[float32, tuple[()]]]
    reveal_type(value_and_grad(special.betainc)(2.0, 3.0, 0.5))  # tuple[Array[Any, tuple[()]], Array[Any, Any]]
    reveal_type((jacfwd(special.hyp1f1)(a, a, a), grad(fx.linalg.cond)(a)))  # 2 × Array[float32, Any]
    reveal_type((grad(fx.trace)(a), random.multivariate_normal(key, a, a)))  # 2 × Array[float32, Any]
    reveal_type((jacfwd(fx.remainder)(a, a), grad(fx.var)(a)))  # 2 × Array[float32, Any]
    reveal_type((grad(fx.add)(1.0, 2.0), grad(fx.dot, 1)(a, a)))  # 2 × Array[Any, Any]
    reveal_type(grad(fx.where, 1)(s > 0, s, s))  # Array[Any, Any]
    reveal_type(grad(fx.multiply, (0, 1))(s, s))  # tuple[Array[float32, tuple[()]], Array[float32, tuple[()]]]
    reveal_type(grad(fx.floor_divide, 1)(1.0, 2.0))  # Array[Any, Any]
    reveal_type(value_and_grad(fx.power)(s, s))  # tuple[Array[Any, tuple[()]], Array[float32, tuple[()]]]
    reveal_type(grad(fx.max)(v))  # Array[float64, tuple[int]]
    reveal_type(grad(fx.abs)(s))  # Array[float32, tuple[()]]
    reveal_type(random.gamma(key, fx.exp(a), dtype=f32))  # Array[float32, Any]
    reveal_type(vmap(special.hyp1f1)(v, v, v))  # Array[float64, Any]
    reveal_type(random.multivariate_normal(key, a, a, dtype=f64))  # Array[float64, Any]
    reveal_type(grad(special.multigammaln)(s, 2))  # Array[float32, tuple[()]]
    reveal_type((special.zeta(2.0), special.gammainc(1.0, 2.0)))  # tuple[Array[Any, tuple[()]], Array[Any, Any]]
    reveal_type((special.zeta(v), fx.atan2(v, v)))  # 2 × Array[float64, tuple[int]]
    reveal_type(random.multivariate_normal(key, a, x))  # Array[Any, Any]
    reveal_type(fx.fft.rfft(fx.zeros(4, dtype=i64)))  # Array[complex128, Any]

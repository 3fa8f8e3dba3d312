"""Arguments by the names that scipy has for them, and what is said of others."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import pytest
import scipy.stats as st

import effects as fx
from effects.errors import ArgumentError, UnknownAttribute
from effects.runtime.spellings import names_of
from handlers import grad
from lowering import jit

stats: Any = fx.stats

NAMED: Final[list[tuple[str, str, dict[str, float]]]] = [
    ("gamma", "logpdf", {"x": 1.0, "a": 2.0}),
    ("poisson", "logpmf", {"k": 1.0, "mu": 2.0}),
    ("t", "logpdf", {"x": 1.0, "df": 3.0}),
    ("beta", "logpdf", {"x": 0.5, "a": 2.0, "b": 3.0}),
    ("norm", "logpdf", {"x": 1.0}),
    ("norm", "ppf", {"q": 0.5, "loc": 2.0}),
    ("poisson", "pmf", {"k": 1.0, "mu": 2.0}),
    ("f", "isf", {"q": 0.1, "dfn": 3.0, "dfd": 4.0, "scale": 2.0}),
    ("binom", "cdf", {"k": 1.0, "n": 7.0, "p": 0.4, "loc": 1.0}),
    ("weibull_min", "sf", {"x": 1.0, "c": 2.0}),
    ("pareto", "logsf", {"x": 2.0, "b": 2.0}),
    ("lognorm", "logcdf", {"x": 2.0, "s": 2.0}),
]


@pytest.mark.parametrize("case", NAMED, ids=lambda c: f"{c[0]}.{c[1]}")
def test_names(case: tuple[str, str, dict[str, float]]) -> None:
    name, method, arguments = case
    ours, theirs = getattr(getattr(stats, name), method), getattr(getattr(st, name), method)
    first, *others = arguments
    values = [arguments[n] for n in others]
    named = dict(zip(others, values, strict=True))
    expected = theirs(arguments[first], **named)
    np.testing.assert_allclose(ours(**arguments), expected, rtol=1e-12)
    np.testing.assert_allclose(ours(arguments[first], **named), expected, rtol=1e-12)
    np.testing.assert_allclose(jit(ours)(**arguments), expected, rtol=1e-12)


OTHERS: Final[dict[str, dict[str, float]]] = {
    "arcsine": {},
    "betaprime": {"a": 2.0, "b": 3.0},
    "burr12": {"c": 2.0, "d": 3.0},
    "dgamma": {"a": 2.0},
    "dweibull": {"c": 1.5},
    "exponweib": {"a": 2.0, "c": 1.5},
    "fisk": {"c": 1.4},
    "foldnorm": {"c": 1.4},
    "gengamma": {"a": 2.0, "c": 1.5},
    "genextreme": {"c": 0.2},
    "genpareto": {"c": 0.3},
    "gibrat": {},
    "gompertz": {"c": 1.3},
    "halfcauchy": {},
    "halflogistic": {},
    "hypergeom": {"M": 20.0, "n": 7.0, "N": 6.0},
    "invgamma": {"a": 2.0},
    "invgauss": {"mu": 1.4},
    "invweibull": {"c": 1.7},
    "johnsonsu": {"a": 0.3, "b": 1.2},
    "levy": {},
    "loglaplace": {"c": 1.4},
    "lomax": {"c": 1.4},
    "maxwell": {},
    "nakagami": {"nu": 1.3},
    "powerlaw": {"a": 1.4},
    "skewnorm": {"a": 1.4},
    "weibull_max": {"c": 1.4},
    "zipf": {"a": 2.5},
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_to_be_written_for_other_distributions_is_their_density(name: str) -> None:
    advice = names_of("scipy")["effects.stats"][name]
    words = re.sub(r"^write |, (for|of|with) .*$", "", advice)
    spaces: list[Any] = [fx, fx.special if "with" in advice else stats]
    functions = {n: getattr(space, n) for space in spaces for n in re.findall(r"\w+", words) if hasattr(space, n)}
    x = {"hypergeom": 2.0, "zipf": 2.0, "weibull_max": -0.7}.get(name, 0.7)
    written = eval(words, functions, {**OTHERS[name], "x": fx.asarray(x), "k": x})
    theirs = getattr(st, name)
    method = "pmf" if name == "hypergeom" else "logpmf" if name == "zipf" else "logpdf"
    np.testing.assert_allclose(written, getattr(theirs, method)(x, **OTHERS[name]), rtol=1e-13, atol=1e-14)


def test_slopes_of_what_is_named() -> None:
    slope = grad(lambda a: stats.gamma.logpdf(1.0, a=a))(2.0)
    np.testing.assert_array_equal(slope, grad(stats.gamma.logpdf, 1)(1.0, 2.0))


def test_vectors_by_name() -> None:
    mean, cov, x = np.array([0.0, 1.0]), np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([0.3, 0.4])
    expected = st.multivariate_normal.pdf(x, mean=mean, cov=cov)
    np.testing.assert_allclose(stats.multivariate_normal.pdf(x, mean=mean, cov=cov), expected, rtol=1e-12)
    np.testing.assert_allclose(stats.multivariate_normal.logpdf(x=x, mean=mean, cov=cov), np.log(expected), rtol=1e-12)
    np.testing.assert_allclose(stats.dirichlet.pdf(x=[0.3, 0.7], alpha=[1.0, 2.0]), 1.4, rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stats.gamma.logpdf(1.0, shape=2.0), r"gamma\.logpdf takes \(x, a, loc=0, scale=1\), got shape="),
        (lambda: stats.gamma.logpdf(1.0, 2.0, a=2.0), r"gamma\.logpdf takes .*, got a twice"),
        (lambda: stats.norm.ppf(x=0.5), r"norm\.ppf takes \(q, loc=0, scale=1\), got x= and no q"),
        (lambda: stats.poisson.cdf(1, 2.0, scale=1.0), r"poisson\.cdf takes \(k, mu, loc=0\), got scale="),
        (lambda: stats.norm.pdf(1, 2, 3, 4), r"norm\.pdf takes \(x, loc=0, scale=1\), got 4 arguments: \(1, 2, 3, 4\)"),
        (lambda: stats.beta.pdf(0.5, a=3.0), r"beta\.pdf takes \(x, a, b, loc=0, scale=1\), got no b"),
        (lambda: stats.dirichlet.logpdf([0.5, 0.5]), r"dirichlet\.logpdf takes \(x, alpha\), got no alpha"),
        (lambda: stats.multinomial.pmf([1, 2], 3, p=1, q=2), r"multinomial\.pmf takes \(x, n, p\), got q="),
        (lambda: stats.multivariate_normal.pdf([0.0]), r".*pdf takes \(x, mean, cov\), got no mean and no cov"),
        (lambda: stats.multivariate_normal.logpdf(1, 2, 3, 4), r".*\.logpdf takes \(x, mean, cov\), got 4 arguments"),
        (lambda: stats.dirichlet([1.0]), r"stats\.dirichlet is not callable"),
        (lambda: stats.multivariate_normal([0.0], [[1.0]]), r"stats\.multivariate_normal is not callable"),
        (lambda: stats.multinomial(7, [1.0]), r"stats\.multinomial is not callable: .* multinomial\.logpmf"),
    ],
)
def test_other_arguments(call: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=rf"^{message}[^\n]*\n  at .*test_names\.py"):
        call()


def test_other_methods_of_vectors() -> None:
    densities = [(d, "logpdf and pdf") for d in (stats.dirichlet, stats.multivariate_normal)]
    for distribution, own in [*densities, (stats.multinomial, "logpmf and pmf")]:
        for method, advice in (("rvs", r"effects\.random"), ("cdf", own), ("mean", "moments")):
            with pytest.raises(UnknownAttribute, match=rf"^{distribution!r} has no `{method}`: .*{advice}"):
                getattr(distribution, method)
        assert not hasattr(distribution, "nothing")

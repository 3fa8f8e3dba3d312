"""Derivatives of orders 0 to 4 of distributions, where code changes over, and next to that, with 60 digits.

    python -m tests.stats.reference_derivatives > tests/stats/derivatives.txt

Names behind that are those of the functions to write lines of, in place of all. It takes mpmath.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

import mpmath as mp

from tests.sixty_digits import (
    HALF,
    SMALL,
    Function,
    Real,
    beta_part,
    both,
    differentiated,
    expit,
    gamma_part,
    gamma_rest,
    inverse,
    line,
    log_expit,
    ndtr,
    wanted,
)


def _upper(lower: Function, upper: Function) -> Function:
    """log(upper), by what it lacks to 1 where that is less."""

    def logarithm(x: Real, *shapes: Real) -> Real:
        value = upper(x, *shapes)
        return mp.log(value) if value < HALF else mp.log1p(-lower(x, *shapes))

    return logarithm


def _t_tail(x: Real, n: Real) -> Real:
    tail = beta_part(n / 2, HALF, n / (n + x * x)) / 2 if x else HALF
    return 1 - tail if x < 0 else tail


def _norm_between(a: Real, b: Real) -> Real:
    return ndtr(b) - ndtr(a) if a < 0 else ndtr(-a) - ndtr(-b)


def _normal(x: Real) -> Real:
    return -x * x / 2 - mp.log(2 * mp.pi) / 2


def _gennorm_tail(x: Real, b: Real) -> Real:
    tail = gamma_rest(1 / b, abs(x) ** b) / 2
    return 1 - tail if x < 0 else tail


@cache
def _circular_terms(kappa: Real, digits: int) -> tuple[Real, list[Real]]:
    """I₀(κ), and of the series of the distribution function on the circle all that matter beside it."""
    terms: list[Real] = []
    first = mp.besseli(0, kappa)
    while not terms or abs(terms[-1]) > mp.mpf(10) ** -digits * mp.exp(-2 * kappa):
        terms.append(mp.besseli(len(terms) + 1, kappa) / first / (len(terms) + 1))
    return first, terms


def _circular(x: Real, kappa: Real) -> Real:
    terms = _circular_terms(kappa, mp.mp.dps)[1]
    sines = mp.fsum([c * mp.sin((j + 1) * x) for j, c in enumerate(terms)])
    return HALF + x / (2 * mp.pi) + sines / mp.pi


_LINE: Final = tuple([x for (x,) in both(0.0, SMALL, 0.5, 1.0, 5.0, 14.0, 40.0)])
_RAY: Final = (0.0, SMALL, 0.5, 0.6875, 1.0, 5.0, 20.0, 40.0)
_UNIT: Final = (0.0, SMALL, 0.25, 0.5, 0.5 + SMALL, 0.875, 1.0 - SMALL, 1.0)
_INF: Final = mp.inf

type _Distribution = tuple[Function, Function, Function, list[tuple[float, ...]], tuple[float, ...], float, float]
"""The logarithm of the density, cdf and sf; shapes, points, and the ends."""
STATS: Final[dict[str, _Distribution]] = {
    "norm": (_normal, ndtr, lambda x: ndtr(-x), [()], _LINE, -_INF, _INF),
    "uniform": (lambda x: 0 * x, lambda x: x, lambda x: 1 - x, [()], _UNIT, 0.0, 1.0),
    "expon": (lambda x: -x, lambda x: -mp.expm1(-x), lambda x: mp.exp(-x), [()], _RAY, 0.0, _INF),
    "laplace": (
        lambda x: -abs(x) - mp.log(2),
        lambda x: mp.exp(x) / 2 if x < 0 else 1 - mp.exp(-x) / 2,
        lambda x: mp.exp(-x) / 2 if x > 0 else 1 - mp.exp(x) / 2,
        [()],
        _LINE,
        -_INF,
        _INF,
    ),
    "logistic": (lambda x: log_expit(x) + log_expit(-x), expit, lambda x: expit(-x), [()], _LINE, -_INF, _INF),
    "cauchy": (
        lambda x: -mp.log(mp.pi) - mp.log1p(x * x),
        lambda x: mp.atan2(1, -x) / mp.pi,
        lambda x: mp.atan2(1, x) / mp.pi,
        [()],
        (*_LINE, 1e3, -(2.0**40)),
        -_INF,
        _INF,
    ),
    "gumbel_r": (
        lambda x: -x - mp.exp(-x),
        lambda x: mp.exp(-mp.exp(-x)),
        lambda x: -mp.expm1(-mp.exp(-x)),
        [()],
        (*_LINE, 0.375),
        -_INF,
        _INF,
    ),
    "gumbel_l": (
        lambda x: x - mp.exp(x),
        lambda x: -mp.expm1(-mp.exp(x)),
        lambda x: mp.exp(-mp.exp(x)),
        [()],
        (*_LINE, -0.375),
        -_INF,
        _INF,
    ),
    "weibull_min": (
        lambda x, c: mp.log(c) + (c - 1) * mp.log(x) - x**c,
        lambda x, c: -mp.expm1(-(x**c)),
        lambda x, c: mp.exp(-(x**c)),
        [(1.0,), (2.0,), (3.0,), (1.5,)],
        _RAY,
        0.0,
        _INF,
    ),
    "pareto": (
        lambda x, b: mp.log(b) - (b + 1) * mp.log(x),
        lambda x, b: -mp.expm1(-b * mp.log(x)),
        lambda x, b: x**-b,
        [(1.0,), (2.5,)],
        (1.0, 1.0 + SMALL, 1.5, 2.0, 10.0, 1e3),
        1.0,
        _INF,
    ),
    "lognorm": (
        lambda x, s: _normal(mp.log(x) / s) - mp.log(s * x),
        lambda x, s: ndtr(mp.log(x) / s),
        lambda x, s: ndtr(-mp.log(x) / s),
        [(1.0,), (0.5,)],
        (SMALL, 0.25, 0.5, 1.0, 1.0 + SMALL, 2.0, 10.0, 1e3),
        0.0,
        _INF,
    ),
    "rayleigh": (
        lambda x: mp.log(x) - x * x / 2,
        lambda x: -mp.expm1(-x * x / 2),
        lambda x: mp.exp(-x * x / 2),
        [()],
        (*_RAY, 1.4140625),
        0.0,
        _INF,
    ),
    "halfnorm": (
        lambda x: mp.log(2 / mp.pi) / 2 - x * x / 2,
        lambda x: mp.erf(x / mp.sqrt(2)),
        lambda x: mp.erfc(x / mp.sqrt(2)),
        [()],
        _RAY,
        0.0,
        _INF,
    ),
    "gamma": (
        lambda x, a: (a - 1) * mp.log(x) - x - mp.loggamma(a),
        lambda x, a: gamma_part(a, x),
        lambda x, a: gamma_rest(a, x),
        [(1.0,), (2.0,), (2.5,), (16.0,), (30.0,)],
        (0.0, SMALL, 0.5, 1.0, 2.0, 10.0, 16.0, 22.0, 30.0, 60.0, 200.0),
        0.0,
        _INF,
    ),
    "chi2": (
        lambda x, n: (n / 2 - 1) * mp.log(x / 2) - x / 2 - mp.loggamma(n / 2) - mp.log(2),
        lambda x, n: gamma_part(n / 2, x / 2),
        lambda x, n: gamma_rest(n / 2, x / 2),
        [(2.0,), (4.0,)],
        (0.0, SMALL, 0.5, 2.0, 10.0),
        0.0,
        _INF,
    ),
    "beta": (
        lambda x, a, b: (a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x) - mp.log(mp.beta(a, b)),
        lambda x, a, b: beta_part(a, b, x),
        lambda x, a, b: beta_part(b, a, 1 - x),
        [(1.0, 1.0), (2.0, 2.0), (2.0, 3.0), (2.5, 4.0), (16.0, 16.0), (30.0, 20.0)],
        _UNIT,
        0.0,
        1.0,
    ),
    "t": (
        lambda x, n: -mp.log(mp.beta(n / 2, HALF)) - mp.log(n) / 2 - (n + 1) / 2 * mp.log1p(x * x / n),
        lambda x, n: _t_tail(-x, n),
        _t_tail,
        [(1.0,), (4.0,), (40.0,)],
        (*[x for x in _LINE if abs(x) < 20], 2.0**-29, 2.0**-31),
        -_INF,
        _INF,
    ),
    "f": (
        lambda x, m, n: (
            (m / 2 - 1) * mp.log(m * x / n)
            - (m + n) / 2 * mp.log1p(m * x / n)
            + mp.log(m / n)
            - mp.log(mp.beta(m / 2, n / 2))
        ),
        lambda x, m, n: beta_part(m / 2, n / 2, m * x / (m * x + n)),
        lambda x, m, n: beta_part(n / 2, m / 2, n / (m * x + n)),
        [(2.0, 2.0), (4.0, 6.0), (40.0, 40.0)],
        (0.0, SMALL, 0.5, 1.0, 1.0 + SMALL, 2.0, 5.0),
        0.0,
        _INF,
    ),
    "truncnorm": (
        lambda x, a, b: _normal(x) - mp.log(_norm_between(a, b)),
        lambda x, a, b: _norm_between(a, x) / _norm_between(a, b),
        lambda x, a, b: _norm_between(x, b) / _norm_between(a, b),
        [(-1.0, 1.0), (-0.5, 2.0), (6.0, 8.0)],
        (-1.0, -0.5, 0.0, SMALL, 0.25, 0.5, 1.0, 2.0, 6.0, 6.125, 7.0, 8.0),
        -_INF,
        _INF,
    ),
}
STATS["gennorm"] = (
    lambda x, b: -(abs(x) ** b) + mp.log(b / 2) - mp.loggamma(1 / b),
    lambda x, b: _gennorm_tail(-x, b),
    _gennorm_tail,
    [(1.5,), (2.0,), (4.0,), (20.0,)],
    (*[x for x in _LINE if abs(x) < 20], 1.25, -1.25),
    -_INF,
    _INF,
)
STATS["vonmises"] = (
    lambda x, kappa: kappa * mp.cos(x) - mp.log(2 * mp.pi * _circular_terms(kappa, mp.mp.dps)[0]),
    _circular,
    lambda x, kappa: _circular(-x, kappa),
    [(0.5,), (4.0,), (60.0,)],
    (-3.125, -2.0, -1.0, -SMALL, 0.0, SMALL, 0.5, 1.0, 3.0),
    -_INF,
    _INF,
)
_QUANTILES: Final = (2.0**-60, 2.0**-20, 0.25, 0.5, 0.5 + SMALL, 0.875)


def _of_distribution(name: str) -> Iterator[str]:
    log_density, lower, upper, shapes_, points, low, high = STATS[name]
    rests = {"cdf": upper, "sf": lower}
    methods: dict[str, Function] = {
        "logpdf": log_density,
        "pdf": lambda x, *v: mp.exp(log_density(x, *v)),
        "cdf": lower,
        "sf": upper,
        "logcdf": _upper(upper, lower),
        "logsf": _upper(lower, upper),
    }
    for shapes in shapes_:
        exact = [mp.mpf(v) for v in shapes]
        first, last = (shapes if name == "truncnorm" else (low, high))[:2]
        for method, f in methods.items():
            for x in points:
                if not first <= x <= last:
                    continue
                side = 1 if x == first else -1 if x == last else 0
                if (name, method, x) == ("laplace", "pdf", 0.0) or (name, shapes, x) == ("gennorm", (1.5,), 0.0):
                    continue
                fractional = any(v % 1 for v in shapes) and name != "truncnorm"
                if side and (fractional or method.startswith("log") or method == "pdf"):
                    continue
                sides = (-1, 1) if name == "laplace" and x == 0 else (side,)
                found = []
                for s in sides:
                    value, *slopes = differentiated(lambda v, f=f, exact=exact: f(v, *exact), x, s)
                    if method in rests and value > HALF:  # whose slopes may be too small beside 1
                        rest = rests[method]
                        slopes = [-d for d in differentiated(lambda v, f=rest, exact=exact: f(v, *exact), x, s)[1:]]
                    found.append([value, *slopes])
                yield line(f"{name}.{method}", 0, (x, *shapes), found)
        begin, until = (first, last) if first > -_INF and last < _INF else (-1.0, 1.5) if first < 0 else (1.0, 1.5)
        for q in _QUANTILES:
            for method, f, increasing in (("ppf", lower, True), ("isf", upper, False)):
                quantile = inverse(lambda x, f=f, exact=exact: f(x, *exact), increasing, begin, until)
                if q == 0.5 and (name == "laplace" or (name, shapes) == ("gennorm", (1.5,))):
                    continue
                yield line(f"{name}.{method}", 0, (q, *shapes), [quantile(q)])


def _stats() -> Iterator[str]:
    for name in filter(wanted, STATS):
        yield from _of_distribution(name)


if __name__ == "__main__":
    for each in _stats():
        print(each, flush=True)

"""The polynomials of `handlers.special` from the functions that they stand for, with 50 digits.

Each interpolates its function at two or three roots of Chebyshev's polynomial more than it has coefficients: the last
terms of the sum of Chebyshev's polynomials that it is are left out. Those of Temme's expansion are power series.
`python -m tests.special.coefficients` prints the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import zip_longest
from textwrap import wrap
from typing import Any, Final, NamedTuple

import mpmath as mp

type Real = Any
type Function = Callable[[Real], Real]


def _scaled_i(order: int) -> Function:
    return lambda y: mp.exp(-y) * mp.besseli(order, y) / y**order


def _far_i(order: int) -> Function:
    return lambda u: mp.exp(-1 / u) * mp.besseli(order, 1 / u) / mp.sqrt(u)


def _slope_of_scaled_i(order: int, y: Real) -> Real:
    """Of exp(-y) I(y)."""
    first = mp.besseli(1, y)
    along = first if order == 0 else mp.besseli(0, y) - (first / y if y else mp.mpf(1) / 2)
    return mp.exp(-y) * (along - mp.besseli(order, y))


def _slope_of_i(order: int) -> Function:
    return lambda y: _slope_of_scaled_i(order, y)


def _far_slope_of_i(order: int) -> Function:
    return lambda u: _slope_of_scaled_i(order, 1 / u) / mp.sqrt(u) ** 3


def _far_k(order: int) -> Function:
    return lambda u: mp.exp(1 / u) * mp.besselk(order, 1 / u) / mp.sqrt(u)


def _small_k(order: int) -> Function:
    """Without the logarithm of y / 2, times y for order 1; of y²."""

    def of_square(square: Real) -> Real:
        y = mp.sqrt(square)
        sign = (-1) ** order
        return y**order * (mp.besselk(order, y) + sign * mp.log(y / 2) * mp.besseli(order, y))

    return of_square


def _small_i(order: int) -> Function:
    return lambda square: mp.besseli(order, mp.sqrt(square)) / mp.sqrt(square) ** order


def _near_j(order: int) -> Function:
    def of_square(square: Real) -> Real:
        y, root = mp.sqrt(square), mp.besseljzero(order, 1)
        return mp.besselj(order, y) / y**order / (square - root * root)

    return of_square


def _middle_j(order: int) -> Function:
    return lambda y: mp.besselj(order, y) / (y - mp.besseljzero(order, 2))


def _near_y(order: int) -> Function:
    """Without its logarithm, over y for order 1 and without its pole; of y²."""

    def of_square(square: Real) -> Real:
        y = mp.sqrt(square)
        pole = 1 / y if order else mp.mpf(0)
        return (mp.bessely(order, y) - 2 / mp.pi * (mp.log(y) * mp.besselj(order, y) - pole)) / y**order

    return of_square


def _dawsn(x: Real) -> Real:
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def _hankel(order: int, u: Real) -> Real:
    """P + iQ (DLMF 10.17), of 1 / y²."""
    y = 1 / mp.sqrt(u)
    turned = mp.expjpi(-(y / mp.pi - mp.mpf(1 + 2 * order) / 4))
    return mp.hankel1(order, y) * mp.sqrt(mp.pi * y / 2) * turned


def _ei_near(y: Real) -> Real:
    root = mp.findroot(mp.ei, mp.mpf("0.3725074107813666"))
    return (mp.ei(y) - mp.log(y / root)) / (y - root)


def _erfcx(t: Real) -> Real:
    x = mp.mpf("3.75") * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def _erfinv(w: Real) -> Real:
    """The inverse of erf at y = √(1 - exp(-w)), over y, by Newton's method for the logarithm of erfc."""
    y = mp.sqrt(-mp.expm1(-w))
    if w < 1:
        return mp.erfinv(y) / y if w else mp.sqrt(mp.pi) / 2
    wanted = -w - mp.log1p(y)
    x = mp.sqrt(-wanted)
    for _ in range(12):
        scaled = mp.erfc(x) * mp.exp(x * x)
        x += (mp.log(scaled) - x * x - wanted) * scaled * mp.sqrt(mp.pi) / 2
    return x / y


def _stirling(u: Real) -> Real:
    x = 1 / mp.sqrt(u)
    return x * (mp.loggamma(x) - (x - 0.5) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


def _digamma_far(u: Real) -> Real:
    x = 1 / mp.sqrt(u)
    return (mp.log(x) - 0.5 / x - mp.digamma(x)) * x * x


_TERMS: Final = 120


@cache
def _temme_series() -> list[list[Real]]:
    """The power series of Temme's C₀, C₁, …, in η (DLMF 8.12.10): µ µ' = η (1 + µ), C₀ = 1 / µ - 1 / η."""
    mu = [mp.mpf(0), mp.mpf(1)]
    for n in range(2, _TERMS + 2):  # of ηⁿ in µ µ' = Σ k µ[k] µ[n + 1 - k]
        known = mp.fsum(k * mu[k] * mu[n + 1 - k] for k in range(2, n))
        mu.append((mu[n - 1] - known) / (n + 1))
    inverse = [mp.mpf(1)]  # of η / µ
    for n in range(1, _TERMS + 1):
        inverse.append(-mp.fsum(mu[k + 1] * inverse[n - k] for k in range(1, n + 1)))
    first = inverse[1:]
    series = [first]
    for _ in range(9):
        slope = [n * c for n, c in enumerate(series[-1])][1:]
        series.append([further - slope[0] * c for further, c in zip(slope[1:], first, strict=False)])
    return series


def _temme(order: int) -> Function:
    return lambda eta: mp.polyval(_temme_series()[order][::-1], eta)


FUNCTIONS: Final[dict[str, Function]] = {
    **{f"I{n}E_{part}": _scaled_i(n) for n in (0, 1) for part in ("NEAR", "MID")},
    **{f"I{n}E_FAR": _far_i(n) for n in (0, 1)},
    **{f"I{n}E_SLOPE_{part}": _slope_of_i(n) for n in (0, 1) for part in ("NEAR", "MID")},
    **{f"I{n}E_SLOPE_FAR": _far_slope_of_i(n) for n in (0, 1)},
    **{f"K{n}_NEAR": _small_k(n) for n in (0, 1)},
    **{f"I{n}_SMALL": _small_i(n) for n in (0, 1)},
    **{f"K{n}_{part}": _far_k(n) for n in (0, 1) for part in ("MID", "FAR", "OUT")},
    **{f"J{n}_NEAR": _near_j(n) for n in (0, 1)},
    **{f"J{n}_MID": _middle_j(n) for n in (0, 1)},
    **{f"Y{n}_NEAR": _near_y(n) for n in (0, 1)},
    "DAWSN_NEAR": lambda square: _dawsn(mp.sqrt(square)) / mp.sqrt(square),
    "DAWSN_MID": _dawsn,
    "DAWSN_FAR": lambda u: _dawsn(1 / mp.sqrt(u)) / mp.sqrt(u),
    "J0_P": lambda u: mp.re(_hankel(0, u)),
    "J1_P": lambda u: mp.re(_hankel(1, u)),
    "J0_Q": lambda u: mp.im(_hankel(0, u)) / mp.sqrt(u),
    "J1_Q": lambda u: mp.im(_hankel(1, u)) / mp.sqrt(u),
    "E1_NEAR": lambda y: mp.e1(y) + mp.log(y),
    **{f"E1_{part}": lambda u: mp.e1(1 / u) * mp.exp(1 / u) / u for part in ("MID", "FAR", "OUT")},
    "EI_NEAR": _ei_near,
    **{f"EI_{part}": lambda u: mp.ei(1 / u) * mp.exp(-1 / u) / u for part in ("MID", "FAR", "OUT", "LAST")},
    "SPENCE": lambda w: mp.polylog(2, w) / w if w else mp.mpf(1),
    **{f"LGAMMA_{i}": lambda y: mp.loggamma(y) / ((y - 1) * (y - 2)) for i in (1, 2, 3)},
    "STIRLING": _stirling,
    "DIGAMMA_1": lambda y: mp.digamma(y) / (y - mp.findroot(mp.digamma, mp.mpf("1.4616321449683622"))),
    "DIGAMMA_2": mp.digamma,
    "DIGAMMA_3": mp.digamma,
    "DIGAMMA_FAR": _digamma_far,
    "GAMMA": mp.gamma,
    "ERFCX": _erfcx,
    "ERFINV_NEAR": _erfinv,
    **{f"ERFINV_{part}": lambda u: _erfinv(1 / u**2) * u for part in ("FAR", "OUT")},
    "LOG1PMX": lambda v: (mp.log1p(v) - v) / v**2,
    **{f"TEMME_{k}": _temme(k) for k in range(10)},
}


class Interval(NamedTuple):
    """Where a polynomial is good, by fractions, and how many coefficients that takes."""

    low: str
    high: str
    terms: int


TABLES: Final[dict[str, dict[str, Interval]]] = {
    "table_gamma": {
        "LGAMMA_1": Interval("1/2", "3/2", 30),
        "LGAMMA_2": Interval("3/2", "3", 23),
        "LGAMMA_3": Interval("3", "8", 28),
        "STIRLING": Interval("0", "1/64", 8),
        "DIGAMMA_1": Interval("3/4", "7/4", 27),
        "DIGAMMA_2": Interval("7/4", "7/2", 25),
        "DIGAMMA_3": Interval("7/2", "8", 26),
        "DIGAMMA_FAR": Interval("0", "1/64", 9),
        "GAMMA": Interval("1", "2", 24),
        "ERFCX": Interval("-1", "1", 27),
        "ERFINV_NEAR": Interval("0", "25/4", 27),
        "ERFINV_FAR": Interval("4/41", "2/5", 41),
        "ERFINV_OUT": Interval("1/28", "4/41", 20),
        "LOG1PMX": Interval("-2/5", "2/5", 26),
        "TEMME_0": Interval("-1", "1", 16),
        "TEMME_1": Interval("-1", "1", 16),
        "TEMME_2": Interval("-1", "1", 16),
        "TEMME_3": Interval("-1", "1", 16),
        "TEMME_4": Interval("-1", "1", 16),
        "TEMME_5": Interval("-1", "1", 16),
        "TEMME_6": Interval("-1", "1", 16),
        "TEMME_7": Interval("-1", "1", 16),
        "TEMME_8": Interval("-1", "1", 16),
        "TEMME_9": Interval("-1", "1", 16),
    },
    "table_bessel": {
        "I0E_NEAR": Interval("0", "4", 24),
        "I0E_MID": Interval("4", "8", 21),
        "I0E_FAR": Interval("0", "1/8", 27),
        "I1E_NEAR": Interval("0", "4", 24),
        "I1E_MID": Interval("4", "8", 21),
        "I1E_FAR": Interval("0", "1/8", 27),
        "I0E_SLOPE_NEAR": Interval("0", "4", 24),
        "I0E_SLOPE_MID": Interval("4", "8", 22),
        "I0E_SLOPE_FAR": Interval("0", "1/8", 27),
        "I1E_SLOPE_NEAR": Interval("0", "4", 24),
        "I1E_SLOPE_MID": Interval("4", "8", 22),
        "I1E_SLOPE_FAR": Interval("0", "1/8", 27),
        "K0_NEAR": Interval("0", "1", 9),
        "K1_NEAR": Interval("0", "1", 9),
        "I0_SMALL": Interval("0", "1", 8),
        "I1_SMALL": Interval("0", "1", 8),
        "K0_MID": Interval("1/3", "1", 20),
        "K0_FAR": Interval("1/10", "1/3", 16),
        "K0_OUT": Interval("0", "1/10", 14),
        "K1_MID": Interval("1/3", "1", 20),
        "K1_FAR": Interval("1/10", "1/3", 16),
        "K1_OUT": Interval("0", "1/10", 14),
        "J0_NEAR": Interval("0", "16", 12),
        "J0_MID": Interval("4", "15/2", 19),
        "J0_P": Interval("0", "1/56", 15),
        "J0_Q": Interval("0", "1/56", 18),
        "J1_NEAR": Interval("0", "25", 13),
        "J1_MID": Interval("5", "17/2", 19),
        "J1_P": Interval("0", "1/72", 14),
        "J1_Q": Interval("0", "1/72", 15),
        "Y0_NEAR": Interval("0", "225/4", 18),
        "Y1_NEAR": Interval("0", "289/4", 18),
        "DAWSN_NEAR": Interval("0", "9", 26),
        "DAWSN_MID": Interval("3", "5", 24),
        "DAWSN_FAR": Interval("0", "1/25", 21),
        "EI_NEAR": Interval("0", "3", 17),
        "EI_MID": Interval("1/6", "1/3", 23),
        "EI_FAR": Interval("1/12", "1/6", 23),
        "EI_OUT": Interval("1/24", "1/12", 20),
        "EI_LAST": Interval("0", "1/24", 24),
        "E1_NEAR": Interval("0", "1", 14),
        "E1_MID": Interval("1/3", "1", 24),
        "E1_FAR": Interval("1/10", "1/3", 21),
        "E1_OUT": Interval("0", "1/10", 20),
        "SPENCE": Interval("-1/2", "1/2", 27),
    },
}


def _interpolated(function: Function, interval: Interval) -> tuple[list[Real], Real, Real]:
    """The coefficients of the powers of t, the lowest first, and the middle of the interval and half of its length."""
    low, high = [mp.mpf(Fraction(end).numerator) / Fraction(end).denominator for end in interval[:2]]
    middle, half = (low + high) / 2, (high - low) / 2
    n = interval.terms + 2 + interval.terms % 2
    angles = [mp.pi * (2 * i + 1) / (2 * n) for i in range(n)]
    values = [function(middle + half * mp.cos(angle)) for angle in angles]
    total = [mp.mpf(0)] * interval.terms
    before: list[Real] = []
    chebyshev = [mp.mpf(1)]
    for k in range(interval.terms):
        term = mp.fsum(v * mp.cos(k * a) for v, a in zip(values, angles, strict=True)) * (2 if k else 1) / n
        total = [c + term * p for c, p in zip_longest(total, chebyshev, fillvalue=mp.mpf(0))]
        doubled = [mp.mpf(0), *[(2 if k else 1) * p for p in chebyshev]]
        before, chebyshev = chebyshev, [p - q for p, q in zip_longest(doubled, before, fillvalue=mp.mpf(0))]
    return total, middle, half


def coefficients(name: str, interval: Interval) -> list[float]:
    """Those of the powers of t, which goes from -1 to 1 over the interval, the highest first."""
    with mp.workdps(50):
        if name.startswith("TEMME"):
            return [float(c) for c in _temme_series()[int(name[-1])][: interval.terms][::-1]]
        return [float(c) for c in _interpolated(FUNCTIONS[name], interval)[0][::-1]]


def logarithm() -> tuple[float, ...]:
    """Of (log(1 + x) - x + x² / 2) / x³ between √½ - 1 and √2 - 1, the lowest power of x first."""
    with mp.workdps(50):
        of_t, middle, half = _interpolated(
            lambda x: (mp.log1p(x) - x + x * x / 2) / x**3, Interval("-0.293", "0.4143", 20)
        )
        total: list[Real] = []
        for c in of_t[::-1]:  # by Horner's rule, of t = (x - middle) / half
            moved = [mp.mpf(0), *total]
            total = [(p - middle * q) / half for p, q in zip_longest(moved, total, fillvalue=mp.mpf(0))]
            total[0] += c
        return tuple(map(float, total))


def table(name: str) -> str:
    """The text of one of the tables."""
    lines: list[str] = []
    for function, interval in TABLES[name].items():
        lines.append(f"{function} {float(Fraction(interval.low))} {float(Fraction(interval.high))}")
        lines += wrap(
            " ".join(map(repr, coefficients(function, interval))), 116, initial_indent=" ", subsequent_indent=" "
        )
    return "\n".join(lines)


if __name__ == "__main__":
    for each in TABLES:
        print(f"{each}:\n{table(each)}\n")
    print(f"logarithm:\n{logarithm()}")

"""The polynomials of `handlers.special` from the functions that they stand for, with 50 digits.

Each interpolates its function at two or three roots of Chebyshev's polynomial more than it has coefficients: the last
terms of the sum of Chebyshev's polynomials that it is are left out. Those of Temme's expansion are power series.
`python -m tests.special.coefficients` prints the tables.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import zip_longest
from textwrap import wrap
from typing import Final, NamedTuple

import mpmath as mp

from tests.special.fitted import FUNCTIONS, Function, Real, temme_series


class Interval(NamedTuple):
    """Where a polynomial is good, by fractions, and how many coefficients that takes."""

    low: str
    high: str
    terms: int


TABLES: Final[dict[str, dict[str, Interval]]] = {
    "gamma": {
        "LGAMMA_NEAR": Interval("-1/4", "1/4", 18),
        "LGAMMA_MID": Interval("-1/4", "1/4", 18),
        "LGAMMA_FAR": Interval("0", "1/16", 12),
        "LGAMMA_1": Interval("1", "3/2", 17),
        "STIRLING": Interval("0", "1/64", 8),
        "DIGAMMA": Interval("-5/19", "5/19", 20),
        "DIGAMMA_FAR": Interval("0", "1/16", 12),
        "COTANGENT": Interval("0", "1/4", 10),
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
    "bessel": {
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
    },
    "integrals": {
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
        "SI_NEAR": Interval("0", "25", 13),
        "CI_NEAR": Interval("0", "4", 9),
        "CI_MID": Interval("2", "5", 27),
        "SICI_F": Interval("1/81", "1/25", 21),
        "SICI_G": Interval("1/81", "1/25", 22),
        "SICI_F_FAR": Interval("0", "1/81", 28),
        "SICI_G_FAR": Interval("0", "1/81", 32),
        "FRESNEL_S": Interval("0", "81/16", 12),
        "FRESNEL_C": Interval("0", "81/16", 12),
        "FRESNEL_F": Interval("2/5", "2/3", 17),
        "FRESNEL_G": Interval("2/5", "2/3", 19),
        "FRESNEL_F_FAR": Interval("0", "16/625", 24),
        "FRESNEL_G_FAR": Interval("0", "16/625", 28),
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
            return [float(c) for c in temme_series()[int(name[-1])][: interval.terms][::-1]]
        return [float(c) for c in _interpolated(FUNCTIONS[name], interval)[0][::-1]]


def logarithm() -> tuple[float, ...]:
    """Of (log((1 + s) / (1 - s)) - 2s) / s³ as a polynomial in s², s between ±(3 - √8), the lowest power first."""
    with mp.workdps(50):
        of_t, middle, half = _interpolated(
            lambda z: 2 * (mp.atanh(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, Interval("0", "0.0295", 7)
        )
        total: list[Real] = []
        for c in of_t[::-1]:  # by Horner's rule, of t = (z - middle) / half
            moved = [mp.mpf(0), *total]
            total = [(p - middle * q) / half for p, q in zip_longest(moved, total, fillvalue=mp.mpf(0))]
            total[0] += c
        return tuple(map(float, total))


def gauss_legendre(count: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The points and weights of Gauss and Legendre's rule on [0, 1], the least point first."""
    points, weights = [], []
    with mp.workdps(50):
        for k in range(count, 0, -1):
            near = mp.cos(mp.pi * (k - mp.mpf(1) / 4) / (count + mp.mpf(1) / 2))
            point = mp.findroot(lambda t: mp.legendre(count, t), (near, near + mp.mpf("1e-6")))
            slope = count * (point * mp.legendre(count, point) - mp.legendre(count - 1, point)) / (point**2 - 1)
            points.append(float((1 + point) / 2))
            weights.append(float(1 / ((1 - point**2) * slope**2)))
    return tuple(points), tuple(weights)


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
    print(f"logarithm:\n{logarithm()}\n\nrule:\n{gauss_legendre(24)}")

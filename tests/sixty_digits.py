"""Derivatives of orders 0 to 4 with 60 digits, for the tables of `tests.derivatives`; takes mpmath.

A line has a name, the number of the argument that varies, the arguments, and five numbers; at a kink the derivatives
from the left and from the right. Arguments are exact in single precision.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

import mpmath as mp

type Real = Any
type Function = Callable[..., Real]
type Points = list[tuple[float, ...]]
HALF: Final = mp.mpf(1) / 2
TINY: Final = 2.0**-27
SMALL: Final = 2.0**-13


def differentiated(f: Function, x: float | Real, side: int = 0) -> list[Real]:
    """f and its derivatives at x: those of a polynomial through nine points next to it, on one side for -1 and 1."""
    with mp.workdps(180):
        x = mp.mpf(x)
        step = mp.mpf(2) ** -70 * (abs(x) or 1)
        offsets = [mp.mpf(k) * (side or 1) for k in (range(9) if side else range(-4, 5))]
        values = [f(x + k * step) for k in offsets]
        size = max(map(abs, values))
        powers = mp.lu_solve(mp.matrix([[k**n for n in range(9)] for k in offsets]), mp.matrix(values))
        derivatives = [mp.re(powers[n]) * mp.factorial(n) / step**n for n in range(5)]
        errors = [size * (mp.mpf(10) ** -95 + mp.mpf(10) ** -170 / step**n) for n in range(5)]
        return [v if abs(v) > error else mp.mpf(0) for v, error in zip(derivatives, errors, strict=True)]


def _reverted(derivatives: list[Real], y: Real) -> list[Real]:
    """Of the inverse function, whose value is y, from those of the function there."""
    _, a, b, c, d = derivatives
    second, third = -b / a**3, (3 * b**2 - a * c) / a**5
    return [y, 1 / a, second, third, (-15 * b**3 + 10 * a * b * c - a**2 * d) / a**7]


def inverse(f: Function, increasing: bool = True, low: float = 0.0, high: float = 1.0) -> Function:
    """The derivatives of the inverse of f, by halving an interval that is widened until it has the result."""

    def derivatives(q: float) -> list[Real]:
        with mp.workdps(100):
            first, last, wanted = mp.mpf(low), mp.mpf(high), mp.mpf(q)
            if low != 0.0 or high != 1.0:
                while (f(last) < wanted) == increasing:
                    last = 2 * last
                while (f(first) < wanted) != increasing and first:
                    first = 2 * first if first < 0 else first / 2
            for _ in range(330):
                middle = (first + last) / 2
                if (f(middle) < wanted) == increasing:
                    first = middle
                else:
                    last = middle
            y = (first + last) / 2
            y = y if abs(y) > mp.mpf(10) ** -35 else mp.mpf(0)
        return _reverted(differentiated(f, y), y)

    return derivatives


def ndtr(x: Real) -> Real:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def expit(x: Real) -> Real:
    return 1 / (1 + mp.exp(-x))


def log_expit(x: Real) -> Real:
    return -mp.log1p(mp.exp(-x)) if x > 0 else x - mp.log1p(mp.exp(x))


def gamma_part(a: Real, x: Real) -> Real:
    return mp.gammainc(a, 0, x, regularized=True)


def gamma_rest(a: Real, x: Real) -> Real:
    return mp.gammainc(a, x, mp.inf, regularized=True)


def beta_part(a: Real, b: Real, x: Real) -> Real:
    return mp.betainc(a, b, 0, x, regularized=True)


def both(*xs: float) -> Points:
    return [(x,) for x in sorted({*xs, *[-x for x in xs]})]


def _number(value: Real) -> str:
    return repr(float(value) + 0.0)


def line(name: str, i: int, args: tuple[float, ...], alternatives: list[list[Real]]) -> str:
    """Of alternatives that are the same one."""
    sides = [[_number(v) for v in derivatives] for derivatives in alternatives]
    numbers = ["|".join(dict.fromkeys(pair)) for pair in zip(*sides, strict=True)]
    return f"{name} {i} ({', '.join(map(repr, args))}) {' '.join(numbers)}"


def wanted(name: str) -> bool:
    return name in (sys.argv[1:] or [name])

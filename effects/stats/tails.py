"""Tails of distributions where they are too small, or next to 1, for the functions that they are by definition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from effects import special
from effects.functions.logic import where
from effects.functions.transcendental import exp, expm1, log
from effects.stats.distribution import logarithm

if TYPE_CHECKING:
    from effects.arrays.array import Array


def log_gumbel(x: Array) -> Array:
    """log(1 - exp(-exp(-x))), which goes to -x."""
    far = x > 40.0
    near = logarithm(lambda x: -expm1(-exp(-x)), lambda x: exp(-exp(-x)))
    return where(far, -x, near(where(far, 0.0, x)))


_LEVELS: Final = 12
_log_near: Final = logarithm(lambda x, a: special.gammaincc(a, x), lambda x, a: special.gammainc(a, x))


def log_tail(x: Array, a: Array) -> Array:
    """log(gammaincc(a, x)): far out, before that underflows, by its continued fraction (DLMF 8.9.2)."""
    far = (x > a) & ((x - a) * (x - a) > 100.0 * x)
    y, b = where(far, x, 200.0), where(far, a, 1.0)
    rest = y - b
    fraction = rest + (2.0 * _LEVELS + 1.0)
    for n in range(_LEVELS, 0, -1):
        fraction = rest + (2.0 * n - 1.0) - n * (n - b) / fraction
    beyond = b * log(y) - y - special.gammaln(b) - log(fraction)
    return where(far, beyond, _log_near(where(far, 1.0, x), where(far, 1.0, a)))


def rest(a: Array, b: Array, x: Array, y: Array) -> Array:
    """1 - betainc(a, b, x) for y = 1 - x: below the mean, where it is not small, without y, which is rounded."""
    below = x < a / (a + b)
    share = special.betainc(where(below, a, b), where(below, b, a), where(below, x, y))
    return where(below, 1.0 - share, share)

"""Tails of distributions: logarithms where what they are of underflows, and no infinite steps on the way to 0 or 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

from effects import special
from effects.functions.elementwise import arithmetic, transcendental, unary
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import exp, expm1, log, log1p
from effects.operations.special import SpecialKind
from effects.special.calling import has_more_digits, of as special_of
from effects.stats.distribution import logarithm

if TYPE_CHECKING:
    from effects.arrays.array import Array

_LEAST: Final = 1e-250
"""Below, the logarithm of a probability is computed without it."""
_LEVELS: Final = 8
"""Of continued fractions where they are that small; as many as are needed 10 deviations from the mean."""
_MOST: Final = 700.0
"""Beyond, the exponential overflows."""
_VAST: Final = 1e10
"""Beside the square of this, 1 is nothing."""


def safe_log(x: Array) -> Array:
    """log(x), whose derivative is taken for 0 at 0."""
    inside = x > 0
    return where(inside, log(where(inside, x, 1.0)), -math.inf)


def log_per(x: Array, s: Array) -> Array:
    """log(x) / s of x ≥ 0, whose derivative is taken for 0 at 0."""
    inside = x > 0
    return where(inside, log(where(inside, x, 1.0)) / s, -math.inf)


def bounded(x: Array) -> Array:
    """exp(x), but finite: its product with what it makes 0 is not NaN."""
    return exp(arithmetic.minimum(x, _MOST))


def raised(x: Array, c: Array) -> Array:
    """xᶜ of x ≥ 0, likewise."""
    far = c * log(x) > _MOST
    return where(far, bounded(_MOST + 0.0 * x), arithmetic.pow(where(far, 1.0, x), c))


def log_gumbel(x: Array) -> Array:
    """log(1 - exp(-exp(-x))), which goes to -x."""
    far = x > 40.0
    near = logarithm(lambda x: -expm1(-bounded(-x)), lambda x: exp(-bounded(-x)))
    return where(far, -x, near(where(far, 0.0, x)))


def log_less(y: Array, log_y: Array) -> Array:
    """log(1 - exp(-y)) of y ≥ 0, which may underflow."""
    far, near = y < 1e-20, y > 1.0
    value = where(near, log1p(-exp(-where(near, y, 1.0))), log(-expm1(-where(far | near, 1.0, y))))
    return where(far, log_y, value)


def _square_slope(_: Array, x: Array, unit: Array) -> Array:
    """2x / (x² + unit²), as 2 / x where the square may overflow."""
    inverse = 1.0 / unit
    ratio = x * inverse
    far = unary.abs(ratio) > _VAST
    return where(far, 1.0, ratio) / where(far, ratio, ratio * ratio + 1.0) * (inverse + inverse)


@with_derivatives(_square_slope, lambda _, x, unit: -(x / unit) * _square_slope(_, x, unit))
def log_square(x: Array, unit: Array) -> Array:
    """log(1 + (x / unit)²), also where the square overflows, as it does not of what was in single precision."""
    ratio = x * (1.0 / unit)
    if has_more_digits(x):
        return log1p(ratio * ratio)
    size = unary.abs(ratio)
    far = size > _VAST
    value = log1p(where(far, size - 1.0, ratio * ratio))
    return where(far, value + value, value)


def cauchy(x: Array) -> Array:
    """½ + atan(x) / π, by what is left beyond x far from 0."""
    far = unary.abs(x) > 1.0
    left = transcendental.atan(where(far, -1.0 / where(far, x, 1.0), x)) / math.pi
    return where(far, where(x < 0.0, 0.0, 1.0), 0.5) + left


def half(p: Array, positive: Callable[[Array], Array]) -> Array:
    """A quantile of a symmetric distribution, by that of the lesser tail."""
    lower = p < 0.5
    tail = positive(where(lower, p, 1.0 - p))
    return where(lower, -tail, tail)


def cotangent(q: Array) -> Array:
    """Next to ½ by the distance from it, else by the lesser tail: both are exact."""
    central = unary.abs(q - 0.5) < 0.25
    middle = transcendental.tan(math.pi * where(central, q - 0.5, 0.0))
    return where(central, middle, half(where(central, 0.25, q), lambda p: 1.0 / transcendental.tan(math.pi * p)))


def log_cauchy(x: Array) -> Array:
    """log(½ - atan(x) / π), far out by its first term."""
    far = x > 1e20
    near = logarithm(lambda x: cauchy(-x), cauchy)
    return where(far, -math.log(math.pi) - log(where(far, x, 1.0)), near(where(far, 0.0, x)))


def log_half_normal(x: Array) -> Array:
    """log(erfc(x / √2))"""
    near = x < 1.0
    below = log1p(-transcendental.erf(where(near, x, 0.5) * math.sqrt(0.5)))
    return where(near, below, special.log_ndtr(-x) + math.log(2))


def log_share(share: Array, rest: Array, beyond: Callable[[Array], Array]) -> Array:
    """log(share) by `rest` = 1 - share where that is less, and where it underflows as `beyond` says, given where."""
    far, near = share < _LEAST, rest < 0.5
    value = log(where(far | near, 1.0, share))
    return where(far, beyond(far), where(near, log1p(-where(near, rest, 0.0)), value))


def log_lower(x: Array, a: Array) -> Array:
    """log(gammainc(a, x)), far out by the continued fraction of γ(a, x) / xᵃ e⁻ˣ (DLMF 8.9.1)."""

    def beyond(far: Array) -> Array:
        y, b = where(far, x, 1.0), where(far, a, 1e3)
        fraction: Array = b + 2.0 * _LEVELS
        for n in range(_LEVELS, 0, -1):
            fraction = b + (2.0 * n - 1.0) + float(n) * y / fraction
            fraction = b + (2.0 * n - 2.0) - (b + (n - 1.0)) * y / fraction
        return b * log(y) - y - special.gammaln(b) - log(fraction)

    return log_share(special.gammainc(a, x), special.gammaincc(a, x), beyond)


def log_upper(x: Array, a: Array) -> Array:
    """log(gammaincc(a, x)), far out by its continued fraction (DLMF 8.9.2)."""

    def beyond(far: Array) -> Array:
        y, b = where(far, x, 1e3), where(far, a, 1.0)
        more = y - b
        fraction = more + (2.0 * _LEVELS + 1.0)
        for n in range(_LEVELS, 0, -1):
            fraction = more + (2.0 * n - 1.0) - n * (n - b) / fraction
        return b * log(y) - y - special.gammaln(b) - log(fraction)

    return log_share(special.gammaincc(a, x), special.gammainc(a, x), beyond)


def odds(q: Array, a: Array, b: Array) -> Array:
    """y / (1 - y) of the y with I(y; a, b) = q."""
    return special_of(SpecialKind.BETA_ODDS, a, b, q)


@final
@dataclass(frozen=True)
class Part:
    """Iₓ(a, b), of x and y = 1 - x with their logarithms: what may be small is not had from what is next to 1."""

    a: Array
    b: Array
    x: Array
    y: Array
    log_x: Array
    log_y: Array

    def value(self) -> Array:
        return special_of(SpecialKind.BETA_PART, self.a, self.b, self.x, self.y)

    def rest(self) -> Part:
        """The part that is left, 1 - Iₓ(a, b)."""
        return Part(self.b, self.a, self.y, self.x, self.log_y, self.log_x)

    def logarithm(self) -> Array:
        return log_share(self.value(), self.rest().value(), self._beyond)

    def _beyond(self, far: Array) -> Array:
        """By the even part of the continued fraction of DLMF 8.17.22."""
        a, b, x, y = (
            where(far, self.a, 1e3),
            where(far, self.b, 1.0),
            where(far, self.x, 0.25),
            where(far, self.y, 0.75),
        )
        gap = a * y - b * x + 1.0
        fraction: Array = 0.0 * a
        for m in range(_LEVELS, 0, -1):
            twice, left = a + 2.0 * m, m * (b - m)
            root = x / (twice - 1.0)
            below = m + left * root + (a + m) / (twice + 1.0) * (gap + m * (2.0 - x))
            fraction = ((a + (m - 1.0)) * root) * ((a + b + (m - 1.0)) * root) * left / (below + fraction)
        powers = a * where(far, self.log_x, 0.0) + b * where(far, self.log_y, 0.0)
        return powers - special.betaln(a, b) - log(a / (a + 1.0) * gap + fraction)


def f_share(x: Array, m: Array, n: Array) -> Part:
    """Of the distribution of quotients of variances."""
    ratio = n / m
    total = x + ratio
    log_total = log(total)
    return Part(m / 2.0, n / 2.0, x / total, ratio / total, safe_log(x) - log_total, log(ratio) - log_total)

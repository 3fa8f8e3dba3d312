"""Tails of distributions: logarithms where what they are of underflows, and no infinite steps on the way to 0 or 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from effects import special
from effects.arrays.array import Array
from effects.functions.elementwise import arithmetic, transcendental, unary
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import exp, expm1, log, log1p
from effects.functions.reductions import reduction
from effects.operations.special import SpecialKind
from effects.special.calling import has_more_digits, of as special_of, where_some
from effects.stats import densities
from effects.stats.standard import Function, log_of, logarithm

_LEVELS: Final = 20
"""Of continued fractions; as many as are needed for four derivatives so far out:"""
_FAR: Final = 110.0
"""Square of the distance from the mean per variance, from where on what is left is a continued fraction."""
MOST: Final = 700.0
"""Beyond, the exponential overflows."""
_LEAST: Final = -46.0
"""Below, the exponential is nothing beside 1."""


def safe_log(x: Array) -> Array:
    """log(x), whose derivative is taken for 0 at 0: for logarithms of which some elements are masked later."""
    least = x <= 0
    return where(least, -math.inf, log(where(least, 1.0, x)))


def log_per(x: Array, s: Array) -> Array:
    """log(x) / s of x ≥ 0, whose derivative is taken for 0 at 0."""
    least = x <= 0
    return where(least, -math.inf, log(where(least, 1.0, x)) / s)


def bounded(x: Array) -> Array:
    """exp(x), but finite: its product with what it makes 0 is not NaN."""
    return exp(arithmetic.minimum(x, MOST))


def raised(x: Array, c: Array) -> Array:
    """xᶜ of x ≥ 0, likewise."""
    far = c * log(x) > MOST
    return where(far, bounded(MOST + 0.0 * x), arithmetic.pow(where(far, 1.0, x), c))


def vanishing(c: Array) -> Array:
    """The x beyond which exp(-xᶜ) is 0, whatever factors it has, and slopes of xᶜ may overflow."""
    return arithmetic.pow(2000.0 + 0.0 * c, 1.0 / c)


def log_gumbel(x: Array) -> Array:
    """log(1 - exp(-exp(-x))), which goes to -x, by the series of the rest far out."""
    far = x > 6.0
    u = exp(-where(far, x, 6.0))
    rest = 0.5 * u * (1.0 - u / 12.0 * (1.0 - u * u / 120.0))
    near = logarithm(lambda x: -expm1(-bounded(-x)), lambda x: exp(-bounded(-x)))
    return where(far, -x - rest, near(where(far, 0.0, x)))


def log_less(y: Callable[..., Array], log_y: Array, x: Array, *shapes: Array) -> Array:
    """log(1 - exp(-y)) of y(x, *shapes) ≥ 0, which may underflow, and at 0 have infinite slopes."""
    far = log_y < _LEAST
    value = y(where(far, 2.0, x), *shapes)
    near = value > 1.0
    return where(far, log_y, where(near, log1p(-exp(-where(near, value, 1.0))), log(-expm1(-where(near, 1.0, value)))))


def _half_range(x: Array) -> int:
    """The power of two whose square overflows."""
    return int(np.finfo(x.aval.dtype.dtype).maxexp) // 2


def _square_slope(_: Array, x: Array, unit: Array) -> Array:
    """2x / (x² + unit²), as 2 / x where the square may overflow."""
    inverse = 1.0 / unit
    ratio = x * inverse
    far = unary.abs(ratio) > 2.0 ** (_half_range(x) - 2)
    quotient = where(far, 1.0, ratio) / where(far, x, ratio * ratio + 1.0)
    return quotient * where(far, 2.0, inverse + inverse)


@with_derivatives(_square_slope, lambda _, x, unit: -(x / unit) * _square_slope(_, x, unit))
def log_square(x: Array, unit: Array) -> Array:
    """log(1 + (x / unit)²), also where the square overflows, as it does not of what was in single precision."""
    inverse = 1.0 / unit
    ratio = x * inverse
    if has_more_digits(x):
        return log1p(ratio * ratio)
    size, half = unary.abs(x), _half_range(x)
    far = size * inverse > 2.0 ** (half - 2)
    value = log1p(where(far, size * 2.0**-half * inverse - 1.0, ratio * ratio))
    return where(far, value + value + 2.0 * half * math.log(2.0), value)


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


def far_out(far: Array, value: Callable[..., Array], *numbers: Array) -> Array:
    """value(*numbers) of numbers that are masked by `far`; it costs nothing where none is far."""
    return where_some(reduction.any(far), value, lambda first, *_: 0.0 * first, *numbers)


def log_share(share: Array, rest: Array, far: Array, log_far: Array) -> Array:
    """log(share) by `rest` = 1 - share where that is less, else by `log_far` far out, where slopes of share cancel."""
    return where(far, log_far, log_of(where(far, 1.0, share), rest))


def log_lower(x: Array, a: Array) -> Array:
    """log(gammainc(a, x)), far out by the continued fraction xᵃ e⁻ˣ / γ(a, x) = a - x + x / (a - x + 1 + 2x / …)."""
    left = a - x
    far = (x < 0.3 * a) | (left > 0.0) & (left * left > _FAR * a)

    def beyond(x: Array, a: Array) -> Array:
        left = a - x
        fraction: Array = left + float(_LEVELS)
        for n in range(_LEVELS, 0, -1):
            fraction = left + (n - 1.0) + n * x / fraction
        return densities.gamma_in_log(x, a) - log(fraction)

    log_far = far_out(far, beyond, where(far, x, 1.0), where(far, a, 1e3))
    x = where(far, 1.0, x)  # at 0 slopes may be infinite
    return log_share(special.gammainc(a, x), special.gammaincc(a, x), far, log_far)


def is_far_above(x: Array, a: Array) -> Array:
    """Mask of where the continued fraction of Γ(a, x) has all digits."""
    more = x - a
    return (x > 12.0) & (more > 0.0) & (more * more > _FAR * a)


def upper_fraction(x: Array, a: Array) -> Array:
    """d in xᵃ e⁻ˣ / Γ(a, x) = x + (1 - a) (1 - 1 / d) far above (DLMF 8.9.2)."""
    more = x - a
    fraction = more + (2.0 * _LEVELS + 1.0)
    for n in range(_LEVELS, 1, -1):
        fraction = more + (2.0 * n - 1.0) - n * (n - a) / fraction
    return fraction


def log_upper(x: Array, a: Array) -> Array:
    """log(gammaincc(a, x)), far out by its continued fraction."""

    def beyond(x: Array, a: Array) -> Array:
        return densities.gamma_in_log(x, a) - log(x - a + 1.0 + (a - 1.0) / upper_fraction(x, a))

    far = is_far_above(x, a)
    log_far = far_out(far, beyond, where(far, x, 1e3), where(far, a, 1.0))
    return log_share(special.gammaincc(a, x), special.gammainc(a, x), far, log_far)


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

    def is_far(self) -> Array:
        """Mask of where the continued fraction has all digits."""
        a, b = self.a, self.b
        gap = a * self.y - b * self.x
        return (gap > 0.7 * a) | (gap > 12.0) & (gap * gap > _FAR * (a / (a + b) * b))

    def fraction(self) -> Array:
        """r in xᵃ yᵇ / (B(a, b) Iₓ(a, b)) = a / (a + 1) (a y - b x + 1) + r, by the even part of DLMF 8.17.22."""
        a, b, x = self.a, self.b, self.x
        gap = a * self.y - b * x + 1.0
        fraction: Array = 0.0 * a
        for m in range(_LEVELS, 0, -1):
            twice, left = a + 2.0 * m, m * (b - m)
            root = x / (twice - 1.0)
            below = m + left * root + (a + m) / (twice + 1.0) * (gap + m * (2.0 - x))
            fraction = ((a + (m - 1.0)) * root) * ((a + b + (m - 1.0)) * root) * left / (below + fraction)
        return fraction

    def far_out(self, far: Array, value: Callable[[Part], Array]) -> Array:
        """value(self) where it is far, else a number."""
        values = (self.a, 1e3), (self.b, 1.0), (self.x, 0.25), (self.y, 0.75), (self.log_x, 0.0), (self.log_y, 0.0)
        return far_out(far, lambda *v: value(Part(*v)), *[where(far, v, usual) for v, usual in values])

    def logarithm_far_out(self) -> Array:
        a, b, x, y = self.a, self.b, self.x, self.y
        fraction = a / (a + 1.0) * (a * y - b * x + 1.0) + self.fraction()
        return densities.beta_in_logit(a, b, x, y, self.log_x, self.log_y) - log(fraction)


def log_part(part: Callable[..., Part], share: Function, rest: Function, x: Array, *shapes: Array) -> Array:
    """log(share) of x and shape parameters, that of a part, masked where it is made, as slopes may be infinite."""
    far = part(x, *shapes).is_far()
    log_far = far_out(far, lambda *v: part(*v).logarithm_far_out(), *[where(far, v, 0.5) for v in (x, *shapes)])
    x = where(far, 0.5, x)
    return log_share(share(x, *shapes), rest(x, *shapes), far, log_far)

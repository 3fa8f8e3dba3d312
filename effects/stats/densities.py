"""Densities: powers, of which slopes are known where they vanish, and the logarithm of the rest.

Where parameters are large it is had by deviances: no large logarithms cancel.

After Loader, Fast and accurate computation of binomial probabilities (2000).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np

import handlers
from effects import special
from effects.arrays.array import Array
from effects.functions.elementwise import arithmetic, unary
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import exp, log, log1p
from effects.functions.manipulation import movement, repetition
from effects.functions.reductions import reduction
from effects.special.calling import tolerance, where_some
from effects.special.information import divergence_of_near
from effects.types import dtypes
from effects.types.shapes import broadcast_all

_LARGE: Final = 16.0
_LARGE_IN_SINGLE: Final = 4096.0
"""Below, digits are left where large logarithms have cancelled, for results that are rounded to single precision."""
_LARGE_OF_SINGLE: Final = 8.0
"""Below, single precision loses few digits where they cancel."""
_MODERATE: Final = 0.28
"""So large may the logarithms of three factors be, by that of the greatest number: no product of them overflows."""
HALF_LOG_2_PI: Final = 0.9189385332046728
_STIRLING: Final = (1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)


def _slope_in_base(_: Array, x: Array, e: Array) -> Array:
    some = where(e == 0.0, 1.0, e)
    return where(e == 0.0, 0.0, some * _power(x, some - 1.0))


@with_derivatives(_slope_in_base, lambda y, x, e: y * log(where(x > 0.0, x, 1.0)))
def _power(x: Array, e: Array) -> Array:
    """xᵉ of x ≥ 0, which may lose digits that single precision has not, with slopes that are powers."""
    inside = x > 0.0
    edge = where(e > 0.0, 0.0, where(e == 0.0, 1.0, math.inf))
    return where(inside, exp(e * log(where(inside, x, 1.0))), edge)


@final
@dataclass(frozen=True)
class Power:
    """xᵉ, or (1 - x)ᵉ of a `complement`."""

    x: Array
    exponent: Array
    complement: bool = False

    def logarithm(self, unless: Array | bool = False) -> Array:
        """Its logarithm, 0 where `unless`."""
        if self.complement:
            return special.xlog1py(self.exponent, -where(unless, 0.0, self.x))
        return special.xlogy(self.exponent, where(unless, 1.0, self.x))

    def vanishes(self) -> Array:
        """Mask of the elements where the base is 0 and the power is finite."""
        return (self.x == float(self.complement)) & (self.exponent >= 0)

    def is_moderate(self, bound: float) -> Array:
        """Mask of the elements where the size of its logarithm is below a bound, and few digits of 1 - x are lost."""
        size = unary.abs(self.exponent)
        limit = exp(bound / size)
        base = self._base()
        within = (base < limit) & (base > 1.0 / limit)
        return within & (size < _limit(self.x)) if self.complement else within

    def value(self, only: Array) -> Array:
        """The power itself, 1 unless `only`, by the exponent as it is: powers to numbers that are known are short."""
        exponent = where(unary.isfinite(self.exponent), self.exponent, 1.0)
        return (_power if tolerance.get() else arithmetic.pow)(where(only, self._base(), 1.0), exponent)

    def _base(self) -> Array:
        return 1.0 - self.x if self.complement else self.x + 0.0  # of -0 as of 0


@final
@dataclass(frozen=True)
class Density:
    """The product of powers and of the exponential of the rest, and of what is the same for all x: a `constant`.

    It is the product itself where nothing overflows in it, and at the ends of the support, where a base is 0: there the
    density has slopes, which the powers have, and the logarithm has none. Elsewhere it is that of the logarithm.
    """

    rest: Array
    powers: tuple[Power, ...] = ()
    constant: Array | float = 0.0

    def over(self, divisor: Array | float) -> Density:
        return replace(self, constant=self.constant - log(divisor))

    def logarithm(self) -> Array:
        total = self.rest
        for power in self.powers:
            total = total + power.logarithm()
        return total + self.constant

    def value(self) -> Array:
        most = math.floor(math.log(np.finfo(self.rest.aval.dtype.dtype).max))
        rest = self.rest + self.constant
        moderate = unary.abs(rest) < _MODERATE * most
        for power in self.powers:
            moderate = moderate & (power.vanishes() | power.is_moderate(_MODERATE * most))
        total = rest
        products = [moderate | power.vanishes() for power in self.powers]
        for power, plain in zip(self.powers, products, strict=True):
            total = total + power.logarithm(unless=plain)
            total = where(power.vanishes(), arithmetic.minimum(total, most), total)  # so that its product with 0 is 0
        value = exp(total)
        for power, plain in zip(self.powers, products, strict=True):
            value = value * power.value(only=plain)
        return value


def _stirling(x: Array) -> Array:
    """log Γ(x) - (x - ½) log(x) + x - ½ log(2π), for x ≥ 16 (DLMF 5.11.1)."""
    inverse = 1.0 / x
    square = inverse * inverse
    total: Array = 0.0 * x
    for c in _STIRLING:
        total = total * square + c
    return total * inverse


def _stirling_slope(x: Array) -> Array:
    """The derivative of `_stirling`."""
    square = 1.0 / (x * x)
    total: Array = 0.0 * x
    for i, c in enumerate(_STIRLING):
        total = total * square - (2 * (len(_STIRLING) - i) - 1) * c
    return total * square


def _deviance(x: Array, y: Array) -> Array:
    """x log(x / y) - x + y of x ≥ 16 and y > 0."""
    half = np.finfo(x.aval.dtype.dtype).maxexp // 2
    ratio, near = y / x, unary.abs(y - x) < 0.4 * x
    tiny = ratio < 2.0 ** (16 - 2 * half)
    ratio = where(near, 1.0, where(tiny, (y * 2.0**half) / (x * 2.0**-half), ratio))
    apart = x * (where(tiny, 2.0 * half * math.log(2.0), 0.0) - log(ratio)) + (y - x)
    return where(near, divergence_of_near(x, where(near, y, x)), apart)


def of(logarithm: Array | Density) -> Density:
    """The density of which the logarithm is given, or itself."""
    return logarithm if isinstance(logarithm, Density) else Density(logarithm)


def _limit(x: Array) -> float:
    """From where on a parameter is large."""
    if x.aval.dtype is not dtypes.float64:
        return _LARGE_OF_SINGLE
    return _LARGE_IN_SINGLE if tolerance.get() else _LARGE


@with_derivatives(lambda _, b, y: 0.5 / b - _stirling_slope(b) + log(y / b), lambda _, b, y: (b - y) / y)
def _large_gamma(b: Array, y: Array) -> Array:
    """log(yᵇ e⁻ʸ / Γ(b)) of b ≥ 16."""
    return 0.5 * log(b) - HALF_LOG_2_PI - _stirling(b) - _deviance(b, y)


def gamma_in_log(x: Array, a: Array) -> Array:
    """log(xᵃ e⁻ˣ / Γ(a)), which is the density in log(x)."""
    large = a >= _limit(x)
    small = where(large, 1.0, a)
    beyond = _large_gamma(where(large, a, _LARGE), where(large, x, _LARGE))
    return where(large, beyond, small * log(where(large, 1.0, x)) - x - special.gammaln(small))


def gamma(x: Array, a: Array) -> Density:
    """xᵃ⁻¹ e⁻ˣ / Γ(a)"""
    large = a >= _limit(x)

    def some_large(x: Array, a: Array) -> Array:
        large, positive = a >= _limit(x), x > 0.0
        y = where(large & positive, x, _LARGE)
        beyond = _large_gamma(where(large, a, _LARGE), y) - log(y)
        return where(large, where(positive, beyond, -math.inf), -x)

    x = movement.broadcast_to(x, broadcast_all([x.aval.shape, a.aval.shape]))
    rest = where_some(reduction.any(large), some_large, lambda x, a: -x, x, a)
    return Density(rest, (Power(x, where(large, 0.0, a - 1.0)),), -special.gammaln(where(large, 1.0, a)))


def _parameter_slope(p: Array, n: Array, x: Array) -> Array:
    """The derivative in p of what follows, n being p + q."""
    return 0.5 / p - 0.5 / n + _stirling_slope(n) - _stirling_slope(p) + log(n * x / p)


@with_derivatives(
    lambda _, p, q, x, y: _parameter_slope(p, p + q, x),
    lambda _, p, q, x, y: _parameter_slope(q, p + q, y),
    lambda _, p, q, x, y: p / x - (p + q),
    lambda _, p, q, x, y: q / y - (p + q),
)
def _large_beta(p: Array, q: Array, x: Array, y: Array) -> Array:
    """log(xᵖ y^q / B(p, q)) of p ≥ 16, q ≥ 16, x > 0 and y = 1 - x > 0."""
    n = p + q
    corrections = _stirling(n) - _stirling(p) - _stirling(q)
    return 0.5 * log(p / n * q) - HALF_LOG_2_PI + corrections - _deviance(p, n * x) - _deviance(q, n * y)


def beta_in_logit(a: Array, b: Array, x: Array, y: Array, log_x: Array, log_y: Array) -> Array:
    """log(xᵃ yᵇ / B(a, b)) of y = 1 - x, which is the density in log(x / y); the logarithms go on where x or y is 0."""
    limit = _limit(a)
    large = (a >= limit) & (b >= limit) & (x > 0.0) & (y > 0.0)
    beyond = _large_beta(*[where(large, v, _LARGE) for v in (a, b)], *[where(large, v, 0.5) for v in (x, y)])
    c, d = where(large, 1.0, a), where(large, 1.0, b)
    return where(large, beyond, c * log_x + d * log_y - special.betaln(c, d))


def beta(near: Density, a: Array, b: Array, x: Array, y: Array, per: Array) -> Density:
    """xᵃ yᵇ / B(a, b) / per of y = 1 - x, which is `near` unless a and b are large."""
    limit = _limit(a)
    large = (a >= limit) & (b >= limit)

    def some_large(rest: Array, *args: Array) -> Array:
        a, b, x, y, per = args
        large, inside = (a >= limit) & (b >= limit), (x > 0.0) & (y > 0.0)
        both = large & inside
        parameters = [where(both, v, _LARGE) for v in (a, b)]
        beyond = _large_beta(*parameters, *[where(both, v, 0.5) for v in (x, y)]) - log(where(both, per, 1.0))
        return where(large, where(inside, beyond, -math.inf), rest)

    args = (near.rest, a, b, x, y, per)
    rest = movement.broadcast_to(near.rest, broadcast_all([v.aval.shape for v in args]))
    rest = where_some(reduction.any(large), some_large, lambda rest, *_: rest, rest, *args[1:])
    powers = [replace(power, exponent=where(large, 0.0, power.exponent)) for power in near.powers]
    return Density(rest, tuple(powers), where(large, 0.0, near.constant))


def beta_binomial(k: Array, n: Array, a: Array, b: Array) -> Array:
    """log((n choose k) B(k + a, n - k + b) / B(a, b)), by negative binomial distributions of k and of n - k given n.

    Their probability of success may be any; no large numbers cancel where their mean is n.
    """
    total = a + b + n
    success, failure = [handlers.stop_gradient(v / total) for v in (a + b, where(n > 0, n, 1.0))]
    log_success, log_failure = [
        where(rest < 0.5, log1p(-where(rest < 0.5, rest, 0.0)), log(chance))
        for chance, rest in ((success, failure), (failure, success))
    ]
    n, k, a, b = repetition.broadcast_arrays(n, k, a, b)
    counts, sizes = movement.stack([k, n - k, n]), movement.stack([a, b, a + b])
    some = where(counts <= 0, 1.0, counts)
    ways = where(counts <= 0, 0.0, some * log_failure - special.betaln(sizes, some) - log(some))
    near = Density(ways + sizes * log_success)
    of_k, of_rest, of_sum = movement.unstack(beta(near, sizes, counts, success, failure, counts).logarithm())
    return of_k + of_rest - of_sum


def multinomial(k: Array, n: Array, p: Array) -> Array:
    """log(n! Π pᵢ^kᵢ / kᵢ!) along the last axis, of p divided by their sum, which may be rounded.

    By Poisson's distributions of the counts, given that of their sum. Slopes are those of the powers.
    """
    each = gamma(movement.expand_dims(n, axis=-1) * p, k + 1.0).logarithm()
    total = reduction.sum(p, axis=-1)
    along = n * (total - handlers.stop_gradient(total))
    return reduction.sum(each, axis=-1) - gamma(n, n + 1.0).logarithm() + along

"""Densities: powers, of which slopes are known where they vanish, and the logarithm of the rest.

Where parameters are large it is had by deviances: no large logarithms cancel.

After Loader, Fast and accurate computation of binomial probabilities (2000).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, final

import numpy as np

from effects import special
from effects.functions import arithmetic, elementwise
from effects.functions.logic import where
from effects.functions.transcendental import exp, log
from effects.special.information import divergence_of_near

if TYPE_CHECKING:
    from effects.arrays.array import Array

_LARGE: Final = 16.0
_MODERATE: Final = 0.28
"""So large may the logarithms of three factors be, by that of the greatest number: no product of them overflows."""
_HALF_LOG_2_PI: Final = 0.9189385332046728
_STIRLING: Final = (1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)


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
        """Where the base is 0 and the power is finite."""
        return (self.x == float(self.complement)) & (self.exponent >= 0)

    def value(self, only: Array) -> Array:
        """The power itself, 1 unless `only`."""
        base = 1.0 - self.x if self.complement else self.x
        return arithmetic.pow(where(only, base, 1.0), where(only, self.exponent, 1.0))


@final
@dataclass(frozen=True)
class Density:
    """The product of powers and of the exponential of the rest.

    It is the product itself where nothing overflows in it, and at the ends of the support, where a base is 0: there the
    density has slopes, which the powers have, and the logarithm has none. Elsewhere it is that of the logarithm.
    """

    rest: Array
    powers: tuple[Power, ...] = ()

    def over(self, divisor: Array | float) -> Density:
        return replace(self, rest=self.rest - log(divisor))

    def logarithm(self) -> Array:
        total = self.rest
        for power in self.powers:
            total = total + power.logarithm()
        return total

    def value(self) -> Array:
        most = math.floor(math.log(np.finfo(self.rest.aval.dtype.dtype).max))
        moderate = elementwise.abs(self.rest) < _MODERATE * most
        for power in self.powers:
            moderate = moderate & (power.vanishes() | (elementwise.abs(power.logarithm()) < _MODERATE * most))
        total = self.rest
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


def _deviance(x: Array, y: Array) -> Array:
    """x log(x / y) - x + y of x ≥ 16 and y > 0."""
    near, tiny = elementwise.abs(y - x) < 0.4 * x, y < 1e-290
    shift = where(tiny, 60.0 * math.log(2.0), 0.0)
    apart = x * (shift - log(where(near, 1.0, where(tiny, y * 2.0**60, y) / x))) + (y - x)
    return where(near, divergence_of_near(x, where(near, y, x)), apart)


def of(logarithm: Array | Density) -> Density:
    """The density of which the logarithm is given, or itself."""
    return logarithm if isinstance(logarithm, Density) else Density(logarithm)


def gamma(x: Array, a: Array) -> Density:
    """xᵃ⁻¹ e⁻ˣ / Γ(a)"""
    large, positive = a >= _LARGE, x > 0.0
    b, y = where(large, a, _LARGE), where(large & positive, x, _LARGE)
    beyond = 0.5 * log(b) - _HALF_LOG_2_PI - _stirling(b) - _deviance(b, y) - log(y)
    c = where(large, 1.0, a)
    rest = where(large, where(positive, beyond, -math.inf), -x - special.gammaln(c))
    return Density(rest, (Power(x, c - 1.0),))


def beta(near: Density, a: Array, b: Array, x: Array, y: Array, per: Array) -> Density:
    """xᵃ yᵇ / B(a, b) / per of y = 1 - x, which is `near` unless a and b are large."""
    large, inside = (a >= _LARGE) & (b >= _LARGE), (x > 0.0) & (y > 0.0)
    both = large & inside
    p, q = where(both, a, _LARGE), where(both, b, _LARGE)
    n = p + q
    corrections = _stirling(n) - _stirling(p) - _stirling(q)
    deviances = _deviance(p, n * where(both, x, 0.5)) + _deviance(q, n * where(both, y, 0.5))
    beyond = 0.5 * log(p / n * q) - _HALF_LOG_2_PI + corrections - deviances - log(where(both, per, 1.0))
    rest = where(large, where(inside, beyond, -math.inf), near.rest)
    powers = [replace(power, exponent=where(large, 0.0, power.exponent)) for power in near.powers]
    return Density(rest, tuple(powers))

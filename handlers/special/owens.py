"""Owen's function T, the mass of the normal distribution of the plane between two lines, beyond a distance.

For a up to 2 by its integral, as far as the integrand counts, with a rule of Gauss and Legendre; beyond by Owen's
reflection (1956): T(h, a) + T(ah, 1/a) is half of what one of h and ah is exceeded by, but not both.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from effects.arrays.array import Array
from effects.functions.elementwise import arithmetic, unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import exp
from effects.operations.special import SpecialKind
from effects.runtime.coefficients import numbers_below
from effects.special.calling import of
from handlers.special.error import gauss

_WIDTH: Final = 8.7
"""From here on exp(-x² / 2) is nothing beside 1."""
POINTS, WEIGHTS = [tuple(numbers) for _, numbers in numbers_below(Path(__file__).with_suffix(".txt"))]


def owens_t(h: Array, a: Array) -> Array:
    height, slope = unary.abs(h), unary.abs(a)
    steep = slope > 2.0
    far = where(height == 0.0, 0.0, height * where(steep, slope, 1.0))
    value = _integral(where(steep, far, height), where(steep, 1.0 / where(steep, slope, 1.0), slope))
    near_half, far_half = [_exceeding(v) for v in (height, far)]
    reflected = 0.5 * (near_half * (1.0 - far_half) + far_half * (1.0 - near_half)) - value
    value = unary.sign(a) * where(steep, reflected, value)
    return where(unary.isnan(h) | unary.isnan(a), math.nan, where(a == 0.0, a, value))


def _exceeding(h: Array) -> Array:
    """Probability that a normal variable exceeds h ≥ 0, in two factors, of which one has the digits of h²."""
    power, lost = gauss(h, -0.5)
    return 0.5 * (power + power * lost) * of(SpecialKind.ERFCX, h * math.sqrt(0.5))


def _integral(h: Array, a: Array) -> Array:
    """Of h ≥ 0 and a in [0, 2]."""
    power, lost = gauss(h, -0.5)
    end = where(h * a > _WIDTH, _WIDTH / arithmetic.maximum(h, 1.0), a)
    reach = where(h == math.inf, 0.0, h) * end
    total: Array = 0.0 * reach
    for point, weight in zip(POINTS, WEIGHTS, strict=True):
        t, u = end * point, reach * point
        total = total + weight * exp(-0.5 * (u * u)) / (1.0 + t * t)
    return (power + power * lost) * (end * total * (0.5 / math.pi))

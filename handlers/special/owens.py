"""Owen's function T, the mass of the normal distribution of the plane between two lines, beyond a distance.

For a up to 2 by its integral, as far as the integrand counts, with a rule of Gauss and Legendre; beyond by Owen's
reflection (1956): T(h, a) + T(ah, 1/a) is half of what one of h and ah is exceeded by, but not both.
"""

from __future__ import annotations

import math
from typing import Final

from effects.arrays.array import Array
from effects.functions.elementwise import arithmetic, unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import exp
from effects.operations.special import SpecialKind
from effects.special.calling import of
from handlers.special.error import gauss

_WIDTH: Final = 8.7
"""From here on exp(-x² / 2) is nothing beside 1."""
POINTS: Final = (
    0.00240639000148932,
    0.012635722014345251,
    0.030862723998633622,
    0.056792236497799485,
    0.08999900701304854,
    0.12993790421072282,
    0.17595317403151223,
    0.22728926430558022,
    0.2831032461869774,
    0.3424786601519183,
    0.40444056626319186,
    0.4679715535686972,
    0.5320284464313028,
    0.5955594337368082,
    0.6575213398480817,
    0.7168967538130225,
    0.7727107356944197,
    0.8240468259684878,
    0.8700620957892772,
    0.9100009929869515,
    0.9432077635022005,
    0.9691372760013663,
    0.9873642779856547,
    0.9975936099985107,
)
WEIGHTS: Final = (
    0.0061706148999936,
    0.014265694314466832,
    0.022138719408709904,
    0.02964929245771839,
    0.03667324070554015,
    0.04309508076597664,
    0.04880932605205694,
    0.05372213505798282,
    0.0577528340268628,
    0.060835236463901696,
    0.06291872817341415,
    0.06396909767337608,
    0.06396909767337608,
    0.06291872817341415,
    0.060835236463901696,
    0.0577528340268628,
    0.05372213505798282,
    0.04880932605205694,
    0.04309508076597664,
    0.03667324070554015,
    0.02964929245771839,
    0.022138719408709904,
    0.014265694314466832,
    0.0061706148999936,
)


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

"""The error function's complement and inverses, and the normal distribution's logarithm.

Of x ≥ 0, (1 + 2x) exp(x²) erfc(x) is one polynomial in (x - 3.75) / (x + 3.75), after Shepherd and Laframboise (1981).
"""

from __future__ import annotations

import math
from typing import Final

from effects.arrays.array import Array
from effects.functions import arithmetic, elementwise, transcendental
from effects.functions.logic import where
from effects.functions.transcendental import exp
from effects.operations.special import Special, SpecialKind
from effects.program.chain import perform
from handlers.special.fits import fit, fits, log

_ROOT_HALF: Final = 0.7071067811865476


def _gauss(x: Array, sign: float) -> Array:
    """exp(±x²), x² being rounded in a part that is small only."""
    x = arithmetic.minimum(x, 40.0)
    high = elementwise.round(x * 16.0) / 16.0
    return exp(sign * (high * high)) * exp(sign * ((x - high) * (x + high)))


def _erfcx(x: Array) -> Array:
    """exp(x²) erfc(x) of x ≥ 0."""
    return fit("ERFCX", 1.0 - 7.5 / (x + 3.75)) / (1.0 + 2.0 * x)


def erfcx(x: Array) -> Array:
    size = elementwise.abs(x)
    value = _erfcx(size)
    return where(x < 0.0, 2.0 * _gauss(size, 1.0) - value, value)


def erfc(x: Array) -> Array:
    far = x > 0.5
    y = where(far, x, 1.0)
    return where(far, _gauss(y, -1.0) * _erfcx(y), 1.0 - transcendental.erf(where(far, 0.0, x)))


def _tail(q: Array) -> Array:
    """The inverse of erfc between 0 and ½."""
    t = transcendental.sqrt(-log(q))
    bounded = arithmetic.minimum(t, 28.0)
    value = t * fits([(t < 2.0, "ERFCINV_MID", t), (t < 6.0, "ERFCINV_FAR", t)], "ERFCINV_OUT", bounded)
    return where(q == 0.0, math.inf, value)


def erfinv(y: Array) -> Array:
    size = elementwise.abs(y)
    near = size <= 0.5
    inner = y * fit("ERFINV", where(near, y * y, 0.0))
    outer = elementwise.sign(y) * _tail(where(near, 0.25, 1.0 - size))
    return where(near, inner, outer)


def erfcinv(p: Array) -> Array:
    low, high = p < 0.5, p > 1.5
    tail = _tail(where(low, p, where(high, 2.0 - p, 0.25)))
    y = where(low | high, 0.0, 1.0 - p)
    return where(low, tail, where(high, -tail, y * fit("ERFINV", y * y)))


def log_ndtr(x: Array) -> Array:
    y = x * -_ROOT_HALF
    below = x < -1.0
    far = log(_erfcx(where(below, y, 1.0)) / 2.0) - x * x / 2.0
    upper = perform(Special(SpecialKind.ERFC, (where(below, 1.0, -y),)))
    return where(below, far, transcendental.log1p(upper / -2.0))

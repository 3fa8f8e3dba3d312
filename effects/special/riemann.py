"""Riemann's zeta function on the whole real axis, by Hurwitz's."""

from __future__ import annotations

import math
from typing import Final

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.elementwise.series import polynomial
from effects.operations.special import SpecialKind
from effects.special.calling import of

_PI_ROUNDED: Final = 3.8981718325193755e-17
"""By how much π is more than the float, relatively."""
_STIELTJES: Final = (
    *(-7.387676660538637e-20, -9.544466076366965e-18, 2.1677312200726828e-16, -2.3997862217709992e-15),
    *(4.4104247417577536e-15, 3.4921159366720317e-13, -6.768689863513697e-12, 5.658421927608708e-11),
    *(9.47827778276236e-11, -8.733218100273798e-09, 1.0462094584479188e-07, -3.316240908752772e-07),
    *(-6.6110318108421895e-06, 9.689041939447084e-05, -0.00034230573671722433, -0.00484518159643616),
    *(0.07281584548367673, 0.5772156649015329, 1.0),
)
"""Of (s - 1) ζ(s) in powers of s - 1, the highest first (DLMF 25.2.4)."""


def riemann(s: Array) -> Array:
    """ζ(s). Below -0.1 by 2 (2π)⁻ⁿ sin(πs/2) Γ(n) ζ(n) of n = 1 - s, Γ(n) by Γ(n/2) Γ(n/2 + ½), which overflow later.

    From there to 1.5, where sums cancel, by what is about the pole.
    """
    one, two = constant_like(1, s), constant_like(2, s)
    below, vast = s < -0.1, s < -300
    r = logic.where(below, s, -one)
    quarter = r / constant_like(4, s)
    turns = quarter - unary.round(quarter)
    turns = logic.where(unary.abs(turns) > 0.25, unary.sign(turns) * constant_like(0.5, s) - turns, turns)
    n = one - r
    half = logic.where(vast, one, n / two)
    power = arithmetic.pow(constant_like(math.pi, s), -half) * (one - half * constant_like(_PI_ROUNDED, s))
    sine = transcendental.sin(turns * constant_like(2 * math.pi, s))
    gammas = [power * of(SpecialKind.GAMMA, v) for v in (half, half + constant_like(0.5, s))]
    reflected = (
        sine
        * of(SpecialKind.ZETA, logic.where(vast, two, n), one)
        * (gammas[0] / constant_like(math.sqrt(math.pi), s))
        * gammas[1]
    )
    reflected = logic.where(vast, sine * constant_like(1e308, s) * logic.where(vast, n, one), reflected)
    near = logic.logical_and(s >= -0.1, s < 1.5)
    beside = logic.where(near, s - one, one)
    around = polynomial(beside, _STIELTJES)
    pole = beside == 0
    around = logic.where(pole, one / logic.where(pole, beside, one), around / logic.where(pole, one, beside))
    value = logic.where(near, around, of(SpecialKind.ZETA, logic.where(logic.logical_or(below, near), two, s), one))
    return logic.where(below, reflected, value)

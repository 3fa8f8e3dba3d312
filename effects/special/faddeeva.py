"""The Faddeeva function of complex numbers in double precision.

By a trapezoidal rule for its integral, with what that leaves at the pole z: the rule has points at multiples of a step,
or between them, whichever are farther from z; far from the real axis the pole counts for nothing (Al Azah and
Chandler-Wilde, 2021). Below the axis by reflection (DLMF 7.4.3).
"""

from __future__ import annotations

import math
from typing import Final

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.elementwise.custom_derivatives import with_derivatives

_COUNT: Final = 13
_STEP: Final = math.sqrt(math.pi / (_COUNT + 1))
_FAR: Final = 27.0
"""From here on exp(-x²) is nothing."""
_VAST: Final = 1e8
"""From here on the function is i / (√π z)."""


def wofz(z: Array) -> Array:
    zero, one = constant_like(0, z), constant_like(1, z)
    vast = unary.abs(unary.real(z)) + unary.abs(unary.imag(z)) > _VAST
    below = unary.imag(z) < 0
    upper = logic.where(below, -z, z)
    inside = logic.where(vast, constant_like(2 * _FAR, z), upper)
    size, height = unary.abs(unary.real(inside)), unary.imag(inside)
    place = size / _STEP
    at_multiples = unary.abs(place - unary.floor(place) - 0.5) <= 0.25
    pole = logic.logical_and(size < _FAR, logic.logical_or(height < size, height < math.pi / _STEP))
    at_multiples = logic.logical_and(at_multiples, pole)
    bell = _bell(logic.where(logic.logical_or(below, pole), z, zero))  # elsewhere it may be infinite
    twice = bell + bell  # times 2 + 0i it would have no sign where it is infinite
    turn = transcendental.exp((2j * math.pi / _STEP) * logic.where(pole, inside, one))
    share = turn / (turn + logic.where(at_multiples, -one, one))
    value = _rule(inside, at_multiples) + logic.where(pole, twice, zero) * share
    value = logic.where(vast, (1j / math.sqrt(math.pi)) / logic.where(vast, upper, one), value)
    value = logic.where(logic.logical_and(unary.isinf(z), logic.logical_not(unary.isnan(z))), zero, value)
    return logic.where(below, twice - value, value)


def _rule(z: Array, at_multiples: Array) -> Array:
    """i / π ∫ exp(-t²) / (z - t) dt by the rule: of t and -t together."""
    zero, square = constant_like(0, z), z * z
    total: Array = zero
    for k in range(_COUNT, -1, -1):
        even, odd = [(point * _STEP) ** 2 for point in (k + 1, k + 0.5)]
        weight = logic.where(at_multiples, constant_like(math.exp(-even), z), constant_like(math.exp(-odd), z))
        total = total + weight / (square - logic.where(at_multiples, constant_like(even, z), constant_like(odd, z)))
    origin = logic.where(at_multiples, 1 / logic.where(at_multiples, z, constant_like(1, z)), zero)
    return (1j * _STEP / math.pi) * (2 * z * total + origin)


@with_derivatives(lambda bell, z: -2 * logic.where(bell == 0, constant_like(0, z), z) * bell)
def _bell(z: Array) -> Array:
    """exp(-z²), by a part of z whose square is exact, and the rest; where it overflows by its signs.

    NaN where the angle overflows and the size does not vanish.
    """
    x, y = unary.real(z), unary.imag(z)
    exponent, angle = (y - x) * (y + x), -2 * x * logic.where(x == 0, constant_like(1, y), y)
    overflow = arithmetic.complex(_endless(transcendental.cos(angle)), _endless(transcendental.sin(angle)))
    extreme = logic.logical_or(unary.abs(exponent) > 709.7, unary.isinf(angle))
    z = logic.where(extreme, constant_like(0, z), z)
    x, y = unary.real(z), unary.imag(z)
    part = logic.where(unary.abs(x) < _FAR, unary.round(x * 16) / 16, constant_like(0, x))
    rest = z - part
    high = unary.abs(y) > 6
    power = transcendental.exp(logic.where(high, constant_like(0, x), -part * part))
    value = power * transcendental.exp(-rest * (2 * part + rest) - logic.where(high, part * part, constant_like(0, x)))
    return logic.where(extreme, logic.where(exponent < 0, constant_like(0, z), overflow), value)


def _endless(share: Array) -> Array:
    """Infinite with the sign of a share, 0 where it has none."""
    infinite = constant_like(math.inf, share)
    none = logic.where(share == 0, constant_like(0, share), constant_like(math.nan, share))
    return logic.where(share > 0, infinite, logic.where(share < 0, -infinite, none))

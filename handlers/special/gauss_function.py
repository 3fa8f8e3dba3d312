"""Gauss's function ₂F₁(a, b, c, x).

By its power series as far as terms do not grow, from where its differential equation (DLMF 15.10.1) is solved by Taylor
series, in steps that are short next to the singular points 0 and 1. Of x < 0 by Pfaff's transformation (15.8.1);
Euler's takes the parameters whose terms alternate less. At 1 by Gauss's theorem (15.4.20).
"""

from __future__ import annotations

import math
from typing import Final

import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import scalar
from effects.functions.elementwise import arithmetic, unary
from effects.functions.elementwise.logic import where
from effects.operations.special import SpecialKind
from effects.special.calling import of, ordered
from effects.types import dtypes
from handlers.special.incomplete import repeat

_ENOUGH: Final = 2.0**-60
_MOST: Final = 5000.0
"""Terms of a series, and steps."""
_TAYLOR: Final = 34
"""Terms for a step of a quarter of the distance to the next singular point."""
_LOW: Final = -6.0
"""Least c for which few digits cancel."""
_EPSILON: Final = 2.0**-52
_LOST: Final = 2.0**20
"""By how much the greatest term may exceed a sum."""


def _whole(x: Array) -> Array:
    return (x <= 0.0) & (unary.floor(x) == x)


def hyp2f1(a: Array, b: Array, c: Array, x: Array, differentiated: bool = False) -> Array:
    a, b = ordered(a, b)
    count = where(_whole(b), -b, where(_whole(a), -a, math.inf))
    pole = _whole(c)
    equal = ((a == c) | (b == c)) & (pole | (x > 1.0))
    finite = (count < math.inf) & ((x >= 1.0) | (pole & (count <= -c))) & ~equal
    inside = (x < 1.0) & (x > -math.inf) & ~finite & ~pole & ~equal
    p, q, r, y = [where(inside, v, other) for v, other in ((a, 1.0), (b, 1.0), (c, 2.0), (x, 0.0))]
    value = where(inside, _for_any_c(p, q, r, y, differentiated), math.inf)
    value = where((x == 1.0) & ~pole, _at_one(a, b, c), value)
    polynomial = _polynomial(
        *[where(finite, v, other) for v, other in ((count, 0.0), (a, 1.0), (b, 1.0), (c, 1.0), (x, 0.0))]
    )
    value = where(finite, polynomial, value)
    power = arithmetic.pow(1.0 - where(equal, x, 0.0), -where(a == c, b, a))  # of the parameter that is left
    value = where(equal, where(unary.isnan(power), math.inf, power), value)
    value = where(x == 0.0, 1.0, value)
    undefined = unary.isnan(a) | unary.isnan(b) | unary.isnan(c) | unary.isnan(x) | (x == -math.inf)
    return where(undefined, math.nan, value)


def hyp2f1_slope(y: Array, a: Array, b: Array, c: Array, x: Array) -> Array:
    """In x (DLMF 15.5.1)."""
    constant = ((a == 0.0) | (b == 0.0)) & (x >= 1.0)
    return a * b / c * of(SpecialKind.HYP2F1, a + 1.0, b + 1.0, c + 1.0, where(constant, 0.0, x))


def _at_one(a: Array, b: Array, c: Array) -> Array:
    rest = c - a - b
    gammas = of(SpecialKind.GAMMA, c) * of(SpecialKind.RGAMMA, c - a)
    others = of(SpecialKind.GAMMA, where(rest > 0.0, rest, 1.0)) * of(SpecialKind.RGAMMA, c - b)
    return where(rest > 0.0, gammas * others, math.inf)


def _for_any_c(a: Array, b: Array, c: Array, x: Array, differentiated: bool) -> Array:
    """Of x < 1; for c far below 0, where terms cancel, by the recurrence in c from c > 1 on (DLMF 15.5.18).

    Differentiated it is not used: the program would be long.
    """
    if differentiated:
        return _inside(a, b, c, x, differentiated)
    steps = where(c < _LOW, unary.ceil(1.0 - c), 0.0)
    zero = 0.0 * (a + b + c + x)

    def above(i: Array, now: Array, ahead: Array) -> tuple[Array, ...]:
        value = _inside(a, b, c + steps + i, x, differentiated)
        return i + 1.0, where(i == 0.0, value, now), value

    def unfinished(i: Array, *_: Array) -> Array:
        return (i < 1.0) | ((i < 2.0) & (steps > 0.0))

    def lower(k: Array, now: Array, ahead: Array, wrong: Array, wrong_ahead: Array) -> tuple[Array, ...]:
        going = k > 0.0
        top = c + where(going, k, 2.5 - c)
        below = top * (top - 1.0) * (1.0 - x)
        one = (top - 1.0 - (2.0 * top - a - b - 1.0) * x) / ((top - 1.0) * (1.0 - x))
        other = (top - a) * (top - b) * x / below
        value = one * now + other * ahead
        size, beside = unary.abs(still(one)), unary.abs(still(other))
        error = size * (wrong + _EPSILON * unary.abs(still(now)))
        error = error + beside * (wrong_ahead + _EPSILON * unary.abs(still(ahead)))
        pairs = [(value, now), (now, ahead), (error, wrong), (wrong, wrong_ahead)]
        return k - 1.0, *[where(going, new, old) for new, old in pairs]

    still = handlers.stop_gradient
    _, now, ahead = repeat(unfinished, above, (scalar(0.0, dtypes.float64), zero, zero))
    none = 0.0 * still(now)
    state = repeat(lambda k, *_: (k > 0.0) & (k < _MOST), lower, (steps, now, ahead, none, none))
    exact = (steps < _MOST) & (state[3] <= unary.abs(still(state[1])) / _LOST)
    return where(exact | (steps == 0.0), state[1], math.nan)


def _inside(a: Array, b: Array, c: Array, x: Array, differentiated: bool) -> Array:
    """Of x < 1, with what x is less than 1 by."""
    negative = x < 0.0
    left = 1.0 - x
    d = where(negative, 1.0 / left, left)
    z = where(negative, -x * d, x)
    q, exponent = where(negative, c - b, b), where(negative, a, 0.0)
    rest = c - a - q
    fewer = _alternating(c - a, c - q) - _alternating(a, q)
    turned = (fewer < -1.0) | ((fewer < 1.0) & (rest < 0.0))
    exponent = exponent + where(turned, rest, 0.0)
    p, q = where(turned, c - a, a), where(turned, c - q, q)
    near = where(c > 0.0, (c + 1.0) / arithmetic.maximum(unary.abs(p * q), 1.0), 1.0)
    start = arithmetic.minimum(arithmetic.minimum(near, 0.5), z)
    value, slope = _series(p, q, c, start, differentiated)
    far = z > start
    value = _walk(p, q, c, start, where(far, z, start), where(far, d, 1.0 - start), value, slope)
    return value * arithmetic.pow(d, exponent)


def _alternating(a: Array, b: Array) -> Array:
    """Count of the first factors of terms that are negative."""
    low, high = arithmetic.minimum(a, b), arithmetic.maximum(a, b)
    return arithmetic.maximum(-low, 0.0) - arithmetic.maximum(-high, 0.0)


def _polynomial(count: Array, a: Array, b: Array, c: Array, x: Array) -> Array:
    zero = 0.0 * (count + a + b + c + x)

    def step(n: Array, term: Array, total: Array) -> tuple[Array, ...]:
        going = n < count
        term = where(going, term * ((a + n) / where(going, c + n, 1.0)) * ((b + n) / (n + 1.0)) * x, term)
        return n + 1.0, term, where(going, total + term, total)

    total = repeat(lambda n, *_: (n < count) & (n < _MOST), step, (zero, zero + 1.0, zero + 1.0))[2]
    return where(count > _MOST, math.nan, total)


def _series(a: Array, b: Array, c: Array, z: Array, differentiated: bool) -> tuple[Array, Array]:
    """The sum and its slope; NaN where its terms cancel, or are too many.

    A factor that is 0 ends it, unless it is differentiated: then as many terms count as if it were 1.
    """
    zero = 0.0 * (a + b + c + z)

    def step(n: Array, term: Array, size: Array, total: Array, slope: Array, most: Array) -> tuple[Array, ...]:
        scale, factor = z / ((c + n) * (n + 1.0)), (a + n) * (b + n)
        term = term * factor * scale
        growth = unary.abs(factor)
        size = size * unary.abs(scale) * (where(growth == 0.0, 1.0, growth) if differentiated else growth)
        return n + 1.0, term, size, total + term, slope + (n + 1.0) * term, arithmetic.maximum(most, size)

    def unfinished(n: Array, term: Array, size: Array, total: Array, slope: Array, most: Array) -> Array:
        early = (n < -arithmetic.minimum(arithmetic.minimum(a, b), c)) & (size != 0.0)
        return ((n + 1.0) * size > unary.abs(total) * _ENOUGH) | early

    start = zero, zero + 1.0, zero + 1.0, zero + 1.0, zero, zero + 1.0
    state = repeat(lambda n, *sums: unfinished(n, *sums) & (n < _MOST), step, start)
    _, _, _, total, slope, most = state
    cancelled = (most > _LOST * unary.abs(total)) & (c < 0.0)
    return where(unfinished(*state) | cancelled, math.nan, total), slope / where(z > 0.0, z, 1.0)


def _walk(a: Array, b: Array, c: Array, z: Array, end: Array, rest: Array, value: Array, slope: Array) -> Array:
    """The solution at `end`, which is less than 1 by `rest`, from its value and slope at z on.

    Of the slope times d = 1 - z, which does not overflow before the value does.
    """
    type Sums = tuple[Array, Array, Array, Array, Array]
    share = 1.0 / (4.0 + 0.5 * arithmetic.maximum(unary.abs(c - a - b), unary.abs(c)))

    def step(k: Array, z: Array, d: Array, value: Array, slope: Array) -> tuple[Array, ...]:
        going, low = d > rest, z < 0.5
        left = where(low, end - z, d - rest)
        longest = share * where(low, z, d)
        last = longest >= left
        h = where(going, where(last, left, longest), 0.0)
        scale = h / (where(going, z, 1.0) * d)
        middle = c - (a + b + 1.0) * z

        def further(_: object, sums: Sums) -> Sums:
            n, before, term, total, rate = sums
            following = (n + a) * (n + b) * h * before / (n + 1.0) - (n * (d - z) + middle) * term
            following = following * scale / (n + 2.0)
            return n + 1.0, term, following, total + following, rate + (n + 2.0) * following

        first = slope * (h / d)
        *_, total, rate = handlers.fori_loop(0, _TAYLOR, further, (0.0 * first, value, first, value + first, first))
        ahead, less = where(last, end, z + h), where(last, rest, d - h)
        pairs = [(ahead, z), (less, d), (total, value), (rate * (less / where(going, h, 1.0)), slope)]
        return k + 1.0, *[where(going, new, old) for new, old in pairs]

    zero = 0.0 * value
    state = repeat(
        lambda k, z, d, *_: (d > rest) & (k < _MOST), step, (zero, z + zero, 1.0 - z + zero, value, slope * (1.0 - z))
    )
    return where(state[2] > rest, math.nan, state[3])

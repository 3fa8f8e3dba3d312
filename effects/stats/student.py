"""Student's distribution: in its tails by Iₓ(n/2, ½), next to 0 by what is between, half of Iₓ(½, n/2)."""

from __future__ import annotations

import math
from typing import Final

from effects import special
from effects.arrays.array import Array
from effects.functions.elementwise import unary
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import exp, log, log1p, sqrt
from effects.special.calling import in_double
from effects.stats import tails

_VAST: Final = 1e150
"""From so many units on squares are not computed."""


def log_density(x: Array, n: Array) -> Array:
    most = in_double(lambda n: -special.betaln(n / 2.0, 0.5) - 0.5 * log(n), n)
    return most - (n + 1.0) / 2.0 * tails.log_square(x, sqrt(n))


def _outside(x: Array, n: Array) -> tails.Part:
    """The probability of more than |x| to both sides."""
    root, size = sqrt(n), unary.abs(x)
    far = size > _VAST * root
    square = (where(far, 1.0, x) / root) ** 2
    share = where(far, 0.0, 1.0 / (1.0 + square))
    between = where(far, 1.0, square / (1.0 + square))
    log_square = tails.log_square(x, root)
    log_between = 2.0 * (log(size) - log(root)) - log_square
    return tails.Part(n / 2.0, 0.0 * n + 0.5, share, between, -log_square, log_between)


def _left(x: Array, n: Array) -> Array:
    return _outside(x, n).value()


def _right(x: Array, n: Array) -> Array:
    return _outside(x, n).rest().value()


@with_derivatives(lambda y, x, n: exp(log_density(x, n)), None)
def lower(x: Array, n: Array) -> Array:
    """The probability of at most x; a line where x² vanishes, and the first term of the tail where it overflows."""
    root, size, log_beta = sqrt(n), unary.abs(x), special.betaln(n / 2.0, 0.5)
    flat, far = size < 1e-9 * where(n < 1.0, root, 1.0), size > _VAST * root
    tail = 0.5 * _left(where(flat | far, 0.5, x), n)
    term = exp(n * log(where(far, root / where(far, size, 1.0), 1.0)) - log_beta) / n
    tail = where(far, term, tail)
    line = 0.5 + where(flat, x, 0.0) * exp(-log_beta) / root
    return where(flat, line, where(x < 0, tail, 1.0 - tail))


def _log_slope(y: Array, x: Array, n: Array) -> Array:
    """The density over the probability, far below by the continued fraction of their quotient."""
    share = _outside(where(x < 0, x, -1.0), n)
    far = (x < 0) & share.is_far()
    size = where(far, -x, 1.0)

    def beyond(part: tails.Part) -> Array:
        first = where(part.x > 0, part.x * size, 2.0 * part.a / size)
        return first + (part.a / (part.a + 1.0) * part.x + 2.0 * part.fraction()) / size

    near = exp(log_density(where(far, 0.0, x), n) - where(far, 0.0, y))
    return where(far, share.far_out(far, beyond), near)


@with_derivatives(_log_slope, None)
def log_lower(x: Array, n: Array) -> Array:
    low = x < 0
    flat = unary.abs(x) < 1e-9 * where(n < 1.0, sqrt(n), 1.0)
    outer = where(flat | ~low, -1.0, x)
    outside = tails.log_part(_outside, _left, _right, outer, n) - math.log(2.0)
    return where(low & ~flat, outside, log1p(-lower(where(low & ~flat, 1.0, -x), n)))


@with_derivatives(lambda y, q, n: exp(-log_density(y, n)), None)
def quantile(q: Array, n: Array) -> Array:
    """The inverse of `lower`, in the same parts; where the odds underflow by their first term."""
    distance = q - 0.5
    flat, central = unary.abs(distance) < 1e-9, unary.abs(distance) < 0.25
    twice = 2.0 * where(flat, 0.125, where(central, unary.abs(distance), where(q < 0.5, q, 1.0 - q)))
    betaln = special.betaln(n / 2.0, 0.5)
    logarithm = (log(twice) + log(n / 2.0) + betaln) * (2.0 / n)
    tiny = ~central & (logarithm < -600.0)
    odds = tails.odds(where(tiny, 0.25, twice), where(central, 0.5, n / 2.0), where(central, n / 2.0, 0.5))
    size = sqrt(n * where(central, odds, 1.0 / odds))
    size = where(tiny, sqrt(n) * exp(-0.5 * where(tiny, logarithm, 0.0)), size)
    return where(flat, distance * sqrt(n) * exp(betaln), where(q < 0.5, -size, size))

"""Student's distribution: in its tails by Iₓ(n/2, ½), next to 0 by what is between, half of Iₓ(½, n/2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from effects import special
from effects.functions import arithmetic, elementwise
from effects.functions.logic import where
from effects.functions.transcendental import exp, log, sqrt

if TYPE_CHECKING:
    from effects.arrays.array import Array


def lower(x: Array, n: Array) -> Array:
    """The probability of at most x; a line where x² vanishes."""
    central, flat = x * x < n, elementwise.abs(x) < 1e-9 * arithmetic.minimum(sqrt(n), 1.0)
    y = where(flat, 0.5, x)
    square = y * y
    share = special.betainc(
        where(central, 0.5, n / 2.0),
        where(central, n / 2.0, 0.5),
        where(central, square / (n + square), n / (n + square)),
    )
    tail = 0.5 * where(central, 1.0 - share, share)
    line = 0.5 + x * exp(-special.betaln(n / 2.0, 0.5)) / sqrt(n)
    return where(flat, line, where(x < 0, tail, where(central, 0.5 + 0.5 * share, 1.0 - tail)))


def quantile(q: Array, n: Array) -> Array:
    """The inverse of `lower`, in the same parts; where y underflows by its first term."""
    distance = q - 0.5
    flat, central = elementwise.abs(distance) < 1e-9, elementwise.abs(distance) < 0.25
    twice = 2.0 * where(flat, 0.125, where(central, elementwise.abs(distance), where(q < 0.5, q, 1.0 - q)))
    y = special.betaincinv(where(central, 0.5, n / 2.0), where(central, n / 2.0, 0.5), twice)
    betaln = special.betaln(n / 2.0, 0.5)
    logarithm = (log(twice) + log(n / 2.0) + betaln) * (2.0 / n)
    tiny = ~central & (logarithm < -600.0)
    y = where(tiny, 0.5, y)
    size = sqrt(n * where(central, y / (1.0 - y), (1.0 - y) / y))
    size = where(tiny, sqrt(n) * exp(-0.5 * where(tiny, logarithm, 0.0)), size)
    return where(flat, distance * sqrt(n) * exp(betaln), where(q < 0.5, -size, size))

"""Kummer's function ₁F₁(a, b, x).

By its power series, of -x by Kummer's transformation (DLMF 13.2); far out by its asymptotic expansion (13.7.2).
"""

from __future__ import annotations

import math
from typing import Final

from effects.arrays.array import Array
from effects.functions import arithmetic, elementwise
from effects.functions.logic import where
from effects.functions.transcendental import exp
from effects.operations.special import Special, SpecialKind
from effects.program.chain import perform
from handlers.special.incomplete import repeat

_ENOUGH: Final = 2.0**-60
_MOST: Final = 5000.0


def hyp1f1(a: Array, b: Array, x: Array) -> Array:
    negative = x < 0.0
    p, z = where(negative, b - a, a), elementwise.abs(x)
    far = z > 60.0 + arithmetic.maximum(elementwise.abs(p), elementwise.abs(b)) ** 2 * 0.5
    pole = (b <= 0.0) & (elementwise.floor(b) == b)
    b = where(pole, 1.0, b)
    value = where(far, _expansion(where(far, p, 1.0), where(far, b, 1.0), where(far, z, 100.0)), 0.0)
    value = where(far, value, _series(p, b, where(far, 0.0, z)))
    half = exp(x * 0.5)
    value = where(negative, half * (half * value), value)
    return where(pole, math.inf, value)


def _series(a: Array, b: Array, x: Array) -> Array:
    zero = 0.0 * (a + b + x)

    def step(n: Array, term: Array, total: Array) -> tuple[Array, Array, Array]:
        term = term * ((a + n) / (b + n)) * (x / (n + 1.0))
        return n + 1.0, term, total + term

    def unfinished(n: Array, term: Array, total: Array) -> Array:
        early = (n < -arithmetic.minimum(a, b)) & (term != 0.0)
        return ((elementwise.abs(term) > elementwise.abs(total) * _ENOUGH) | early) & (n < _MOST)

    return repeat(unfinished, step, (zero, zero + 1.0, zero + 1.0))[2]


def _expansion(a: Array, b: Array, x: Array) -> Array:
    """Γ(b) / Γ(a) eˣ xᵃ⁻ᵇ Σ (b - a)ₙ (1 - a)ₙ / n! x⁻ⁿ, up to its least term."""
    term: Array = 1.0 + 0.0 * x
    total = term
    for n in range(40):
        following = term * ((b - a + float(n)) * (1.0 - a + float(n)) / (float(n + 1) * x))
        term = where(elementwise.abs(following) < elementwise.abs(term), following, 0.0)
        total = total + term
    gammas = [perform(Special(SpecialKind.GAMMA, (v,))) for v in (b, a)]
    half = exp(x * 0.5)
    return half * (half * arithmetic.pow(x, a - b) * total * (gammas[0] / gammas[1]))

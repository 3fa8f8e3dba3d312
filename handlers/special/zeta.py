"""Hurwitz's zeta function and trigamma, by Euler's and Maclaurin's formula (DLMF 25.11.5)."""

from __future__ import annotations

import math
from typing import Final

import handlers
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.arrays.promotion import scalar
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.series import polynomial
from effects.functions.elementwise.transcendental import exp, log
from effects.functions.reductions import reduction
from effects.special.calling import SHORT, tolerance
from effects.types import dtypes
from handlers.special.gamma import BERNOULLI

_TERMS: Final = 9
_FEWER: Final = 6
"""So many terms, and corrections, are enough for single precision."""
_FEW_FACTORS: Final = (2.0, 3.0, 4.0)
"""Exponents whose powers are products, where they are known."""
_POWERS: Final = 28
"""From here on powers of r, of |r| ≤ ½, add nothing."""


def trigamma(x: Array) -> Array:
    reflected = x < 0.0
    value = _of_whole(2, where(reflected, 1.0 - x, x))
    rest = where(reflected, x - unary.round(x), 0.5)
    return where(reflected, _over_all(2, rest) - value, value)


def zeta(s: Array, q: Array) -> Array:
    """Below 0, for whole s, the terms below 0 are (-1)ˢ those above it of 1 - q, as many."""
    if isinstance(s, Concrete) and s.aval.shape == () and float(s.host) in _FEW_FACTORS:
        return _of_known(int(s), q)
    if isinstance(q, Concrete) and q.aval.shape == () and float(q.host) > 0.0:
        return _zeta(s, q)
    below = (q < 0.0) & (s > 1.0) & (unary.floor(s) == s) & (unary.floor(q) != q)
    some = reduction.any(below)
    negative = where(below, q, -0.5)
    whole = unary.floor(negative)
    sign = where(unary.floor(s / 2.0) * 2.0 != s, -1.0, 1.0)

    def further(state: tuple[Array, Array]) -> tuple[Array, Array]:
        """Of q alone, or of both distances to whole numbers and 1 - q; of q = -½ the second cancels the first."""
        k, total = state
        exponent = where(k < 4.0, s, 2.0)  # not s: XLA would keep a dozen arrays that depend on s alone
        beside = where(k == 1.0, negative - whole, where(k == 2.0, (whole + 1.0) - negative, 1.0 - negative))
        place = where(k == 0.0, q, beside)
        term = _zeta(exponent, place) * where(k == 2.0, sign, where(k == 3.0, -sign, 1.0))
        return k + 1.0, total + where(below == (k > 0.0), term, 0.0)

    begin: tuple[Array, Array] = scalar(0.0, dtypes.float64), creation.zeros_like(s + q)
    return handlers.while_loop(lambda v: v[0] < where(some, 4.0, 1.0), further, begin)[1]


def _root(q: Array, s: Array) -> Array:
    """q⁻ˢ to the power ½, which underflows later."""
    return exp(-0.5 * arithmetic.minimum(s, 1e30) * log(q)) if tolerance.get() else arithmetic.pow(q, -0.5 * s)


def _of_known(s: int, q: Array) -> Array:
    """ζ(s, q); below 0 the sum over all whole numbers without the terms below q."""
    below, pole = q < 0.0, (q <= 0.0) & (unary.floor(q) == q)
    value = _of_whole(s, where(below, 1.0 - q, q))
    rest = where(below & ~pole, q - unary.round(q), 0.5)
    turned = -value if s % 2 == 0 else value
    return where(pole, math.inf, where(below, _over_all(s, rest) + turned, value))


def _over_all(s: int, r: Array) -> Array:
    """Σ (k + r)⁻ˢ over all whole k, of |r| ≤ ½; of |k| ≥ 2 by powers of r."""
    odd = s % 2
    powers = range(odd, _POWERS, 2)
    coefficients = [2.0 * math.comb(s - 1 + n, n) * (-1) ** odd * _zeta_less_one(s + n) for n in powers]
    beyond = polynomial(r * r, coefficients[::-1])
    above, below = 1.0 / _product(1.0 + r, s), 1.0 / _product(r - 1.0, s)
    return 1.0 / _product(r, s) + ((r * beyond if odd else beyond) + above + below)


def _zeta_less_one(n: int) -> float:
    """Σ k⁻ⁿ of k ≥ 2, by Euler's and Maclaurin's formula from 10 on."""
    w = 10.0
    rest = [math.prod(range(n, n + 2 * k + 1)) * c * w ** (-n - 2 * k - 1) for k, c in enumerate(BERNOULLI)]
    return math.fsum([*rest, *[k**-n for k in range(2, 10)], 0.5 * w**-n, w ** (1 - n) / (n - 1)])


def _of_whole(s: int, a: Array) -> Array:
    """Σ (k + a)⁻ˢ of a ≥ 0 by products, the least terms first."""
    terms, corrections = _series_lengths()
    w = a + float(terms)
    inverse = 1.0 / w
    factors = [math.prod(range(s, s + 2 * k + 1)) * c for k, c in enumerate(corrections)]
    rest = inverse * (0.5 + inverse * polynomial(inverse * inverse, factors[::-1]))
    total = (1.0 / (s - 1) + rest) / _product(w, s - 1)
    for k in reversed(range(terms)):
        total = total + 1.0 / _product(a + float(k), s)
    return total


def _series_lengths() -> tuple[int, tuple[float, ...]]:
    """Number of terms that are added, and the corrections of the integral over the rest."""
    return (_FEWER, BERNOULLI[:_FEWER]) if tolerance.get() >= SHORT else (_TERMS, BERNOULLI)


def _product(x: Array, n: int) -> Array:
    """xⁿ by few multiplications."""
    if n == 1:
        return x
    half = _product(x, n // 2)
    return half * half * x if n % 2 else half * half


def _zeta(s: Array, q: Array) -> Array:
    """Σ (k + q)⁻ˢ: the first terms, and the rest as an integral with corrections, which continue it down to s = -1."""
    positive = q > 0.0
    a = where(positive, q, 1.0)
    none = creation.zeros_like(a + s)
    terms, corrections = _series_lengths()

    def further(k: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        total, factor = state
        return total + factor * factor, _root(a + unary.astype(k, dtypes.float64), s)

    state: tuple[Array, Array] = handlers.fori_loop(0, terms + 1, further, (none, none))
    total, factor = state
    w = a + float(terms)
    bounded = arithmetic.minimum(s, 1e10)  # where the power is 0
    inverse = 1.0 / w
    square = inverse * inverse

    rest = none
    for k, coefficient in reversed(list(enumerate(corrections))):
        step = 2.0 * k + 1.0
        rest = coefficient + (bounded + step) * (bounded + (step + 1.0)) * square * rest
    integral = where(w == math.inf, where(s > 1.0, 0.0, math.inf), factor * w * factor) / (s - 1.0)
    total = total + factor * factor * (0.5 + bounded * inverse * rest) + integral
    value = where(s >= -1.0, where(s == 1.0, math.inf, total), math.nan)
    pole = (unary.floor(q) == q) | (q < 0.0) & (s == 1.0)
    return where(positive, value, where((s >= 1.0) & pole, math.inf, where(unary.isnan(q), q, math.nan)))

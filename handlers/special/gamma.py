"""The gamma function, its logarithm and derivatives, the beta function's logarithm, Hurwitz's zeta function.

Γ by a polynomial on [1, 2] and Γ(x + 1) = xΓ(x), up to 8; its logarithm and derivative by polynomials in (x - c) /
(x + d) up to 4; beyond by Stirling's series, below 0 by reflection (DLMF 5.5, 5.11). ζ by Euler's and Maclaurin's
formula (DLMF 25.11.5).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import handlers
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.arrays.promotion import scalar
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.series import polynomial
from effects.functions.elementwise.transcendental import exp, log
from effects.functions.reductions import reduction
from effects.operations.special import SpecialKind
from effects.special.calling import SHORT, of, tolerance
from effects.types import dtypes
from handlers.special.fits import cotangent_pi, fit, of_each, power, sin_pi, veltkamp_split

HALF_LOG_2_PI: Final = 0.9189385332046728
_ROOT_2_PI: Final = 2.5066282746310002
_ROOT: Final = (1.4616321449683622, 9.549995429965697e-17)
"""Root of digamma, in two parts."""
_FAR: Final = 8.0
_BEYOND: Final = 4.0
"""From here on log Γ and digamma are by series."""
_LEAST: Final = 6e-309
_TINY: Final = 1e-20
_TERMS: Final = 9
_FEWER: Final = 6
"""So many terms, and corrections, are enough for single precision."""
_MOST_FACTORS: Final = 4
"""Up to here powers of known whole exponents are products."""
_BERNOULLI: Final = (
    *(1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600),
    *(-3617 / 10670622842880000, 43867 / 5109094217170944000, -174611 / 802857662698291200000),
    *(77683 / 14101100039391805440000, -236364091 / 1693824136731743669452800000),
)
"""B(2k) / (2k)!"""


def stirling(x: Array) -> Array:
    """log Γ(x) - (x - ½) log(x) + x - ½ log(2π), for x ≥ 8."""
    inverse = 1.0 / x
    return fit("STIRLING", inverse * inverse) * inverse


def gammaln(x: Array) -> Array:
    """Up to 11/16 by that of |x| + 1 and by log|x|; below 0 by Γ(x)Γ(-x) = -π / (x sin πx)."""
    reflected, size = x < 0.0, unary.abs(x)
    small = size < 0.6875
    y = where(small, size + 1.0, size)
    bounded = arithmetic.minimum(y, _BEYOND)
    low = y < 1.75
    centre = where(low, 1.125, 2.625)
    w = (bounded - centre) / (bounded + centre)
    near = where(low, fit("LGAMMA_NEAR", w), fit("LGAMMA_MID", w)) * ((bounded - 1.0) * (bounded - 2.0))
    far = arithmetic.maximum(y, _BEYOND)
    inverse = 1.0 / far
    series = fit("LGAMMA_FAR", inverse * inverse) * inverse
    beyond = (far - 0.5) * (log(far) - 1.0) + (HALF_LOG_2_PI - 0.5) + series
    value = where(y < _BEYOND, near, beyond)
    sine = unary.abs(sin_pi(where(reflected, x, 0.25)))
    factor = where(reflected, where(small, sine, size * sine), where(small, size, 1.0))
    value = where(reflected, math.log(math.pi) - value, value) - log(factor)
    return where(unary.isinf(x) | reflected & (unary.floor(x) == x), math.inf, value)


def near_gamma(x: Array) -> Array:
    """Γ(x) for 0 ≤ x < 9."""
    small = x < 1.0
    z = where(small, x + 1.0, x)
    product: Array = where(small, 1.0 / x, 1.0)
    for _ in range(7):
        above = z > 2.0
        z = where(above, z - 1.0, z)
        product = where(above, product * z, product)
    return fit("GAMMA", z) * product


def _reduced(x: Array) -> tuple[Array, Array]:
    """Of 0 ≤ x < 16 a number below 9, and by what the gamma function is more than that of this."""
    far = x >= _FAR
    factor: Array = 1.0 + 0.0 * x
    for k in range(1, 8):
        factor = factor * where(far, x - float(k), 1.0)
    return where(far, x - 7.0, x), factor


def gamma(x: Array) -> Array:
    y = unary.abs(x)
    near = y < _FAR
    far = logic.clip(y, _FAR, 200.0)
    root = power(far, 0.5 * far - 0.25)  # of the power, which would overflow before it is multiplied
    beyond = root * exp(-far) * (_ROOT_2_PI * exp(stirling(far))) * root
    value = where(near, near_gamma(where(near, y, 1.5)), where(y > 200.0, math.inf, beyond))
    sine = sin_pi(x)
    reflected = -math.pi / (where(x < 0.0, y * sin_pi(y), 1.0) * value)
    poles = where(x == 0.0, arithmetic.copysign(0.0 * y + math.inf, x), math.nan)
    tiny = (y < _TINY) & (y > 0.0)
    reflected = where(tiny, 1.0 / where(tiny, x, 1.0), reflected)
    edge = (sine == 0.0) & ~tiny | (x == -math.inf)
    return where(x > 0.0, value, where(edge, poles, where(x < -200.0, 0.0, reflected)))


def rgamma(x: Array) -> Array:
    """1 / Γ(x), below ½ by reflection, which has the zeros."""
    below, large, vast = x < 0.5, x > 170.0, x > 171.7  # where Γ is ∞, as its slope is
    factor = where(large, x - 1.0, 1.0)
    value = of(SpecialKind.GAMMA, where(below, 1.0 - x, where(vast, 1.0, where(large, factor, x))))
    sine = sin_pi(where(below, x, 1.0)) * (1.0 / math.pi)
    zero = below & ((sine == 0.0) & (value == math.inf) | (x == -math.inf))
    return where(zero | vast, 0.0, where(below, sine * value, 1.0 / value / factor))


def digamma(x: Array) -> Array:
    reflected = x < 0.0
    positive = where(reflected, 1.0 - x, x)
    shifted = positive < 0.75
    y = where(shifted, positive + 1.0, positive)
    bounded = arithmetic.minimum(y, _BEYOND)
    near = fit("DIGAMMA", (bounded - 2.0) / (bounded + 4.0)) * (((y - _ROOT[0]) - _ROOT[1]) / bounded)
    far = arithmetic.maximum(y, _BEYOND)
    inverse = 1.0 / far
    beyond = log(far) - 0.5 * inverse - fit("DIGAMMA_FAR", inverse * inverse) * (inverse * inverse)
    value = where(y < _BEYOND, near, beyond)
    value = value - where(shifted, 1.0 / where(shifted, positive, 1.0), 0.0)
    around = x - unary.round(x)
    whole = reflected & (around == 0.0)
    cotangent = cotangent_pi(where(reflected & ~whole, around, 0.25))
    value = where(reflected, value - math.pi * cotangent, value)
    return where(whole, math.nan, value)


def trigamma(x: Array) -> Array:
    reflected = x < 0.0
    value = _zeta(scalar(2.0, x.aval.dtype), where(reflected, 1.0 - x, x))
    sine = sin_pi(where(reflected, x, 0.5))
    return where(reflected, (math.pi / sine) ** 2 - value, value)


def zeta(s: Array, q: Array) -> Array:
    """Below 0, for whole s, the terms below 0 are (-1)ˢ those above it of 1 - q, as many."""
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
        # not s: XLA would keep a dozen arrays that depend on s alone
        exponent = s if isinstance(s, Concrete) else where(k < 4.0, s, 2.0)
        beside = where(k == 1.0, negative - whole, where(k == 2.0, (whole + 1.0) - negative, 1.0 - negative))
        place = where(k == 0.0, q, beside)
        term = _zeta(exponent, place) * where(k == 2.0, sign, where(k == 3.0, -sign, 1.0))
        return k + 1.0, total + where(below == (k > 0.0), term, 0.0)

    begin: tuple[Array, Array] = scalar(0.0, dtypes.float64), creation.zeros_like(s + q)
    return handlers.while_loop(lambda v: v[0] < where(some, 4.0, 1.0), further, begin)[1]


def _root(q: Array, s: Array) -> Array:
    """q⁻ˢ to the power ½, which underflows later."""
    return exp(-0.5 * arithmetic.minimum(s, 1e30) * log(q)) if tolerance.get() else arithmetic.pow(q, -0.5 * s)


def _zeta(s: Array, q: Array) -> Array:
    """Σ (k + q)⁻ˢ."""
    positive = q > 0.0
    a, known = where(positive, q, 1.0), _small_whole(s)
    terms, corrections = (_FEWER, _BERNOULLI[:_FEWER]) if tolerance.get() >= SHORT else (_TERMS, _BERNOULLI)
    value = _of_whole(known, a, terms, corrections) if known else _of_any(s, a, terms, corrections)
    pole = (unary.floor(q) == q) | (q < 0.0) & (s == 1.0)
    return where(positive, value, where((s >= 1.0) & pole, math.inf, where(unary.isnan(q), q, math.nan)))


def _small_whole(s: Array) -> int:
    """s where it is known, whole and small, which powers are products for; else 0."""
    known = isinstance(s, Concrete) and s.aval.shape == () and float(s.host) in range(2, _MOST_FACTORS + 1)
    return int(s) if known else 0


def _of_whole(s: int, a: Array, terms: int, corrections: Sequence[float]) -> Array:
    """As `_of_any`, by products, the least terms first."""
    w = a + float(terms)
    inverse = 1.0 / w
    factors = [math.prod(range(s, s + 2 * k + 1)) * c for k, c in enumerate(corrections)]
    rest = inverse * (0.5 + inverse * polynomial(inverse * inverse, factors[::-1]))
    total = (1.0 / (s - 1) + rest) / _product(w, s - 1)
    for k in reversed(range(terms)):
        total = total + 1.0 / _product(a + float(k), s)
    return total


def _product(x: Array, n: int) -> Array:
    """xⁿ by few multiplications."""
    if n == 1:
        return x
    half = _product(x, n // 2)
    return half * half * x if n % 2 else half * half


def _of_any(s: Array, a: Array, terms: int, corrections: Sequence[float]) -> Array:
    """The first terms, and the rest as an integral with corrections, which continue it down to s = -1."""
    none = creation.zeros_like(a + s)

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
    return where(s >= -1.0, where(s == 1.0, math.inf, total), math.nan)


def betaln(a: Array, b: Array) -> Array:
    """By reflections where one is below 0: B(x, y) B(x + y, 1 - y) is π / (x sin πy) (DLMF 5.12.1, 5.5.3).

    Of whole numbers with p ≤ 0 and p + q < 1 it is the limit along the poles, which is that of 1 - p - q and q.
    """
    p, q = arithmetic.minimum(a, b), arithmetic.maximum(a, b)
    n = p + q
    pole = (p <= 0.0) & (unary.floor(p) == p)
    limit = pole & (q > 0.0) & (unary.floor(q) == q) & (n < 1.0)
    usual, turned = (p > 0.0) | limit, (q > 0.0) & (n <= 0.0) | limit
    first = where(turned | (p > 0.0), q, 1.0 - p)
    second = where(turned, 1.0 - n, where(p > 0.0, p, where(q > 0.0, n, 1.0 - q)))
    value = regular_betaln(arithmetic.minimum(first, second), arithmetic.maximum(first, second))
    of_p, of_q, of_sum = of_each(lambda x: unary.abs(sin_pi(x)), p, q, n)
    factor = where(q > 0.0, where(n > 0.0, math.pi / q, of_sum), of_sum / of_q * (math.pi / (1.0 - n)))
    value = where(usual, value, where(turned, value, -value) - log(of_p / factor))
    return where(pole & ~limit, math.inf, where(q == math.inf, -math.inf, value))


def regular_betaln(p: Array, q: Array) -> Array:
    """Of 0 < p ≤ q < ∞; as 1 / p + 1 / q where the gamma function of p overflows."""
    high = arithmetic.maximum(q, _FAR)
    large, least = p >= _FAR, (p > 0.0) & (p < _LEAST)
    low = where(large, p, where((p > 0.0) & ~least, p, 1.0))
    ratio = low / high
    beside = transcendental.log1p(ratio)
    tiny = ratio < 1e-20  # it may be so small that compiled programs take it for 0
    scale = log(high)
    of_low, of_high, of_sum = of_each(stirling, where(large, low, _FAR), high, low + high)
    difference = of_high - of_sum
    first, second = where(large, 1.0, low), where((q > 0.0) & (q < _FAR), q, 1.0)
    reduced, factor = _reduced(first + second)
    near, beyond, total = of_each(near_gamma, first, second, reduced)
    product = near * (beyond / (total * factor))
    logarithm = log(where(large, ratio, where(q >= _FAR, near, product)))
    both = (
        (HALF_LOG_2_PI - 0.5 * scale)
        + (of_low + difference)
        + ((low - 0.5) * (logarithm - beside) - where(tiny, low, high * beside))
    )
    one = logarithm + (difference + (low - low * (scale + beside) - where(tiny, low, (high - 0.5) * beside)))
    value = where(large, both, where(q >= _FAR, one, logarithm))
    return where(least, transcendental.log1p(p / where(least, q, 1.0)) - log(where(least, p, 1.0)), value)


def _beside_large(first: Array, high: Array) -> Array:
    """log Γ(high) - log Γ(first + high)."""
    correction = stirling(high) - stirling(high + first)
    ratio = first / high
    tiny = unary.abs(ratio) < _TINY  # it may be so small that compiled programs take it for 0
    beyond = where(tiny, first, (high - 0.5) * transcendental.log1p(ratio))
    return correction + (first - first * log(first + high) - beyond)


def log_ratio(p: Array, q: Array) -> Array:
    """log Γ(q) - log Γ(p + q) of p, q > 0, relatively to p where that is small: of q + 8 by Stirling's series."""
    product: Array = 0.0 * (p + q)
    for k in range(8):
        product = product + (1.0 + product) * (p / (q + float(k)))
    high = q + _FAR
    share, inverse = p / (p + high), 1.0 / high
    less, kept, power = share, 1.0 - share, inverse  # 1 - tⁿ, tⁿ, high⁻ⁿ of t = high / (p + high)
    correction: Array = 0.0 * share
    for k, b in enumerate(_BERNOULLI[:8]):
        correction = correction + b * math.factorial(2 * k) * power * less
        for _ in range(2):
            less, kept, power = less + kept * share, kept * (1.0 - share), power * inverse
    ratio = p / high
    beyond = where(ratio < _TINY, p, (high - 0.5) * transcendental.log1p(ratio))
    return correction + (p - p * log(p + high) - beyond) + transcendental.log1p(product)


def inverse_beta(p: Array, q: Array) -> Array:
    """1 / B(p, q) of 0 < p ≤ q, p < 8."""
    second, high = where(q < _FAR, q, 1.0), where(q < _FAR, _FAR, q)
    reduced, factor = _reduced(p + second)
    of_p, of_second, of_sum = of_each(near_gamma, p, second, reduced)
    return where(q < _FAR, of_sum * factor / of_second, exp(-_beside_large(p, high))) / of_p


def excess_of(a: Array, b: Array, x: Array, y: Array) -> Array:
    """b x - a y, which is 0 at the mean, without rounding what cancels there.

    It is (a + b) x - a of the lesser of x and y, which is exact; what the sum and the product lack is added (Dekker,
    "A floating-point technique for extending the available precision", 1971). A compiler that fuses multiplications
    with additions does not change a sum of products that are exact.
    """
    still = handlers.stop_gradient
    scale = where(arithmetic.maximum(a, b) > 1e280, 2.0**-60, 1.0)  # else the splitting overflows
    left = x <= y
    least, mean, total = where(left, x, y), scale * where(left, a, b), scale * a + scale * b
    product = total * least
    n, z, larger = still(total), still(least), still(scale * arithmetic.maximum(a, b))
    of_total = still(scale * arithmetic.minimum(a, b)) - (n - larger)
    (n1, n0), (z1, z0) = veltkamp_split(n), veltkamp_split(z)
    of_product = ((n1 * z1 - still(product)) + n1 * z0 + n0 * z1) + n0 * z0
    excess = ((product - mean) + (of_product + of_total * z)) / scale
    return where(left, excess, -excess)

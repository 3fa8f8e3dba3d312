"""The gamma function, its logarithm and derivative, and the beta function's logarithm.

Γ by a polynomial on [1, 2] and Γ(x + 1) = xΓ(x), up to 8; its logarithm and derivative by polynomials in (x - c) /
(x + d) up to 4; beyond by Stirling's series, below 0 by reflection (DLMF 5.5, 5.11).
"""

from __future__ import annotations

import math
from typing import Final

import handlers
from effects.arrays.array import Array
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import exp, log
from effects.operations.special import SpecialKind
from effects.special.calling import of
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
BERNOULLI: Final = (
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
    """1 / Γ(x), below ½ by reflection, which has the zeros; far below Γ(1 - x) is -x Γ(-x), without a rounded 1 - x."""
    below, large, vast = x < 0.5, x > 170.0, x > 171.7  # where Γ is ∞, as its slope is
    reflected = x < -1.0
    argument = where(reflected, -x, where(below, 1.0 - x, where(vast, 1.0, where(large, x - 1.0, x))))
    value = of(SpecialKind.GAMMA, argument)
    factor = where(reflected | large, argument, 1.0)
    sine = sin_pi(where(below, x, 1.0)) * (1.0 / math.pi)
    zero = below & ((sine == 0.0) & (value == math.inf) | (x == -math.inf))
    return where(zero | vast, 0.0, where(below, sine * value * factor, 1.0 / value / factor))


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
    value = value - 1.0 / where(shifted, positive, math.inf)
    around = x - unary.round(x)
    whole = reflected & (around == 0.0)
    cotangent = cotangent_pi(where(reflected, around, 0.25))
    value = where(reflected, value - math.pi * cotangent, value)
    return where(whole, math.nan, value)


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
    for k, b in enumerate(BERNOULLI[:8]):
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

"""Incomplete beta functions.

Iₓ(a, b): the continued fraction of DLMF 8.17.22, after reflection where it converges slowly; where a and b are large
and x near the mean a uniform expansion (8.18.9), and where next to nothing is beyond x a power series of that (8.17.7).
What known parameters do not need is left out.
"""

from __future__ import annotations

import math
from typing import Final

import handlers
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.arrays.promotion import scalar
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.series import polynomial
from effects.functions.elementwise.transcendental import exp, log, sqrt
from effects.operations.special import SpecialKind
from effects.special.calling import of, ordered
from effects.types import dtypes
from handlers.special.fits import power
from handlers.special.gamma import excess_of, inverse_beta, log_ratio, stirling
from handlers.special.incomplete import TERMS, distance_of, gammaln_above_one, steed, where_any

_VAST: Final = 1e8
"""From here on the first term of the uniform expansion of Iₓ(a, b) is exact."""
_NORMAL: Final = tuple([2.0 * (-1) ** k / (k + 2.0) for k in range(8, 0, -1)])
"""Of 2 (u - log(1 + u)) / u² - 1 over u in powers of u."""
type Pair = tuple[float, float] | None
"""The lesser and the greater of two parameters, if they are known numbers."""


def beta_density(a: Array, b: Array, x: Array, y: Array, excess: Array | None = None, known: Pair = None) -> Array:
    """xᵃ yᵇ / B(a, b), with y = 1 - x."""
    if known is not None and known[0] < 8.0:
        return _near_density(a, b, x, y, *[scalar(number, dtypes.float64) for number in known])
    excess = excess_of(a, b, x, y) if excess is None else excess
    large = (a >= 8.0) & (b >= 8.0)
    p, q = where(large, a, 8.0), where(large, b, 8.0)
    n = p + q
    distance = where(large, excess, 0.0)
    u, v = distance / p, distance / -q  # x / (p / n) - 1, and of y
    exponent = p * distance_of(u, x * (n / p)) + q * distance_of(v, y * (n / q))
    beyond = exp(exponent + (stirling(n) - stirling(p) - stirling(q))) * sqrt(p / n * q / (2 * math.pi))
    c, d = where(large, 1.0, a), where(large, 1.0, b)
    return where(large, beyond, _near_density(c, d, x, y, *ordered(c, d)))


def _near_density(a: Array, b: Array, x: Array, y: Array, least: Array, most: Array) -> Array:
    powers = _power(x, y, a) * _power(y, x, b)
    return where(powers > 0.0, powers * inverse_beta(least, most), 0.0)


def _power(x: Array, rest: Array, n: Array) -> Array:
    """xⁿ, by rest = 1 - x where that is less and therefore exact."""
    above = rest < 0.5
    small = where(above, rest, 0.25)
    return where(above, exp(n * transcendental.log1p(-small)), power(where(above, 0.5, x), n))


def _beta_fraction(a: Array, b: Array, x: Array, excess: Array, differentiated: bool) -> Array:
    """density / Iₓ(a, b): the even part of the continued fraction, whose terms are positive, by Steed's method.

    Terms are multiplied with what they are divided by, per a + 1.
    """
    gap, inverse = 1.0 - excess, 1.0 / (a + 1.0)
    share = x * inverse

    def terms(m: Array) -> tuple[Array, Array]:
        left, following = m * (b - m), 1.0 + 2.0 * m * inverse
        root = following - 2.0 * inverse
        before = where(m == 1.0, 1.0, root - 2.0 * inverse)
        below = following * (m * root + left * share) + (a + m) * inverse * root * (gap + m * (2.0 - x))
        above = ((a + (m - 1.0)) * share) * ((a + b + (m - 1.0)) * share) * left
        return above * (before * following), below

    return steed(terms, a * inverse * gap, differentiated)


def _beta_normal(p: Array, q: Array, distance: Array) -> Array:
    """Iₓ(p, q) of large p and q next to the mean, by `distance` = q x - p (1 - x); with t for η √(p + q)."""
    for_p, for_q = 1.0 / (1.0 + p / q), 1.0 / (1.0 + q / p)
    u, v = distance / p, distance / -q
    g, h = 0.25 * sqrt(16.0 / p * for_p), 0.25 * sqrt(16.0 / q * for_q)  # what is subnormal may be lost
    of_u, of_v = polynomial(u, _NORMAL), polynomial(v, _NORMAL)
    root = sqrt(1.0 + for_p * u * of_u + for_q * v * of_v)
    t = where(p < q, u / g, v / -h) * root
    skew = (for_p * g * of_u - for_q * h * of_v) / (root * (1.0 + root))
    return 0.5 * of(SpecialKind.ERFC, t * -math.sqrt(0.5)) - exp(-0.5 * (t * t)) * skew / math.sqrt(2 * math.pi)


def _beta_beyond(p: Array, q: Array, z: Array) -> Array:
    """1 - I(z; p, q) of small p and z, where I is next to 1 or not: as of P in `_near_zero`."""

    def further(k: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        count = unary.astype(k, dtypes.float64)
        term = sums[0] * (z * ((count - q) / count))
        return term, sums[1] + term / (p + count)

    total: Array = handlers.fori_loop(1, TERMS, further, (1.0 + 0.0 * z, 0.0 * (z + p)))[1]
    exponent = p * log(z) - gammaln_above_one(p) - log_ratio(p, q)
    return -transcendental.expm1(exponent) - p * exp(exponent) * total


def beta_parts(
    a: Array, b: Array, x: Array, y: Array, differentiated: bool = False, known: Pair = None
) -> tuple[Array, Array]:
    """Iₓ(a, b) and 1 - Iₓ(a, b), inside of the domain, of x and y = 1 - x, the lesser of which is exact."""
    quick = (a + 1.0) / (a + b + 2.0)
    bound = arithmetic.maximum(a / (a + b), quick)  # on its left neither small nor slow
    turned = x > where(b < 1.0, arithmetic.minimum(bound, arithmetic.maximum(quick, 0.999)), bound)
    p, q = where(turned, b, a), where(turned, a, b)
    z, rest = where(turned, y, x), where(turned, x, y)
    u = excess_of(p, q, z, rest)
    vast = (arithmetic.minimum(p, q) >= _VAST) & (unary.abs(u) < 0.02 * arithmetic.minimum(p, q))
    if known is None or known[0] >= _VAST:
        c, d, v, w = [where(vast, other, v) for other, v in ((1.0, p), (1.0, q), (0.5, z), (0.5, rest))]
        excess = where(vast, 0.0, u)
        part = beta_density(c, d, v, w, excess) / _beta_fraction(c, d, v, excess, differentiated)
        part = where(vast, where_any(vast, _beta_normal, (p, _VAST), (q, _VAST), (u, 0.0)), part)
    else:
        part = beta_density(p, q, z, rest, u, known) / _beta_fraction(p, q, z, u, differentiated)
    part = logic.clip(part, 0.0, 1.0)
    beyond = 1.0 - part
    if known is None or known[0] < 1.0:
        little = (p < 1.0) & (z < 0.2) & (q * z < 1.1)
        others = where_any(little, _beta_beyond, (p, 1.0), (q, 1.0), (z, 0.1))
        beyond = where(little, logic.clip(others, 0.0, 1.0), beyond)
    return where(turned, beyond, part), where(turned, part, beyond)


def _known(a: Array, b: Array) -> Pair:
    if isinstance(a, Concrete) and isinstance(b, Concrete) and not a.aval.shape + b.aval.shape:
        least, most = sorted([float(a.host), float(b.host)])
        return (least, most) if least > 0.0 and most < math.inf else None
    return None


def beta_part(a: Array, b: Array, x: Array, y: Array, differentiated: bool = False) -> Array:
    proper = (a > 0.0) & (b > 0.0) & (a < math.inf) & (b < math.inf)
    valid = proper & (x > 0.0) & (y > 0.0)
    p, q, z, rest = [where(valid, v, usual) for v, usual in ((a, 1.0), (b, 1.0), (x, 0.5), (y, 0.5))]
    value, _ = beta_parts(p, q, z, rest, differentiated)
    edge = where(x == 0.0, 0.0, where(y == 0.0, 1.0, math.nan))
    return where(valid, value, where(proper, edge, math.nan))


def betainc(a: Array, b: Array, x: Array, differentiated: bool = False) -> Array:
    valid = (a > 0.0) & (b > 0.0) & (x > 0.0) & (x < 1.0) & (a < math.inf) & (b < math.inf)
    inside = where(valid, x, 0.5)
    known = _known(a, b)
    p, q = (a, b) if known else (where(valid, a, 1.0), where(valid, b, 1.0))
    value, _ = beta_parts(p, q, inside, 1.0 - inside, differentiated, known)
    outside = (x < 0.0) | (x > 1.0) | (a <= 0.0) | (b <= 0.0) | (a == math.inf) | (b == math.inf)
    edge = where(
        outside | unary.isnan(a) | unary.isnan(b) | unary.isnan(x),
        math.nan,
        where(x == 1.0, 1.0, 0.0),
    )
    return where(valid, value, edge)

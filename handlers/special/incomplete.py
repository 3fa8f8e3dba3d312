"""Incomplete gamma and beta functions.

Γ(a, x): Temme's uniform expansion where a is large and x near it (DLMF 8.12), else a power series (8.7.1, 8.7.3) or a
continued fraction (8.9.2), of P or of Q = 1 - P, whichever does not cancel. Iₓ(a, b): the continued fraction of DLMF
8.17.22, after reflection where it converges slowly; where a and b are large and x near the mean a uniform expansion
(8.18.9), and where next to nothing is beyond x a power series of that (8.17.7).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import scalar
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.series import polynomial
from effects.functions.elementwise.transcendental import exp, log, sqrt
from effects.functions.manipulation import movement
from effects.functions.reductions import reduction
from effects.operations.special import SpecialKind
from effects.special.calling import SHORT, left_out, of, ordered
from effects.types import dtypes
from effects.types.shapes import broadcast_all
from handlers.special.fits import FITS, fit, fitted, power
from handlers.special.gamma import excess_of, inverse_beta, log_ratio, near_gamma, stirling

_ENOUGH: Final = 2.0**-60
"""Tolerance of a sum; derivatives of a sum take a little longer than the sum."""
_CONVERGED: Final = 2.0**-51
"""Largest relative contribution of a continued fraction's last term."""
_LARGE: Final = 20.0
_MOST: Final = 20000.0
_VAST: Final = 1e8
"""From here on the first term of the uniform expansion of Iₓ(a, b) is exact."""
_NORMAL: Final = tuple([2.0 * (-1) ** k / (k + 2.0) for k in range(8, 0, -1)])
"""Of 2 (u - log(1 + u)) / u² - 1 over u in powers of u."""
_TERMS: Final = 25
_FEWER_TERMS: Final = 15
"""Of the series for x ≤ 1.1."""
_TEMME: Final = np.array([FITS[f"TEMME_{k}"].coefficients for k in range(10)]).T
"""Of ηʲ a⁻ᵏ, in column k, the highest power of η first."""


def repeat(
    unfinished: Callable[..., Array], step: Callable[..., Any], state: tuple[Array, ...], at_once: int = 1
) -> tuple[Array, ...]:
    """The state after as many steps as the slowest element takes, or some more: it is asked after so many at once."""

    def steps(state: tuple[Array, ...]) -> tuple[Array, ...]:
        for _ in range(at_once):
            state = step(*state)
        return state

    return handlers.while_loop(lambda s: reduction.any(unfinished(*s)), steps, state)


def _distance(u: Array, ratio: Array) -> Array:
    """log(ratio) - u, for u = ratio - 1."""
    near = unary.abs(u) < 0.4
    v = where(near, u, 0.0)
    return where(near, v * v * fit("LOG1PMX", v), log(where(near, 1.0, ratio)) - u)


def density(a: Array, x: Array) -> Array:
    """xᵃ e⁻ˣ / Γ(a + 1)."""
    large = a >= 8.0
    beyond = _where_any(large, density_of_large, (x, x), (a, 8.0))
    return where(large, beyond, _where_any(~large, _density_of_small, (x, x), (a, 1.0)))


def density_of_large(x: Array, a: Array) -> Array:
    """The density of a ≥ 8."""
    return exp(a * _distance((x - a) / a, x / a) - stirling(a)) / sqrt((2 * math.pi) * a)


def _density_of_small(x: Array, a: Array) -> Array:
    """The density of a < 8."""
    half = exp(x * -0.5)
    return half * (power(arithmetic.minimum(x, 1e4), a) * half) / near_gamma(a + 1.0)


def _uniform(a: Array, x: Array, sign: float) -> Array:
    """Temme's expansion of Q, or for a negative sign of P."""
    u = (x - a) / a
    eta = u * sqrt(-2.0 * fit("LOG1PMX", u))
    inverse = 1.0 / a

    def further(total: Array, row: Array) -> tuple[Array, None]:
        """Horner's rule for powers of η; the coefficients are polynomials in 1 / a."""
        coefficient: Array = row[-1]
        for k in range(_TEMME.shape[1] - 2, -1, -1):
            coefficient = coefficient * inverse + row[k]
        return total * eta + coefficient, None

    total: Array = handlers.scan(further, 0.0 * eta, creation.asarray(_TEMME))[0]
    rest = exp(-0.5 * a * (eta * eta)) / sqrt((2 * math.pi) * a) * total
    return 0.5 * of(SpecialKind.ERFC, sign * eta * sqrt(a * 0.5)) + sign * rest


def _power_series(a: Array, x: Array) -> Array:
    """P / density: Σ xⁿ / ((a + 1) … (a + n))."""
    one = 1.0 + 0.0 * x

    def step(n: Array, term: Array, total: Array) -> tuple[Array, Array, Array]:
        term = term * (x * (1.0 / n))
        return n + 1.0, term, total + term

    enough = SHORT / 256.0 if left_out.get() else _ENOUGH
    return repeat(lambda n, term, total: term > total * enough, step, (a + 1.0, one, one), at_once=8)[2]


type Terms = Callable[[Array], tuple[Array, Array]]


def _steed(terms: Terms, first: Array, differentiated: bool) -> Array:
    """The continued fraction first + a₁ / (b₁ + a₂ / …), by Steed's method: the sum of what each term adds.

    `terms` gives aₙ and bₙ. The derivative of what is added takes longer to vanish than that. How large it is is said
    by the product of what the terms give: there no term gives less than half of what the one before gave, since a term
    that is 0, which ends the value, has a derivative. NaN where `_MOST` terms are not enough.
    """
    still = handlers.stop_gradient
    n, one = scalar(1.0, dtypes.float64), 1.0 + 0.0 * first
    converged = SHORT if left_out.get() else _CONVERGED

    def step(n: Array, d: Array, added: Array, value: Array) -> tuple[Array, ...]:
        above, below = terms(n)
        after = 1.0 / (below + above * d)
        added = -(above * d * after) * added
        return n + 1.0, after, added, value + added

    def along(n: Array, d: Array, added: Array, value: Array, *others: Array) -> tuple[Array, ...]:
        left, size, factor = others
        above = still(terms(n)[0])
        following = step(n, d, added, value)
        factor = arithmetic.maximum(unary.abs(above * still(d * following[1])), 0.5 * factor)
        size = size * factor
        return *following, where(size <= converged, left - 1.0, 6.0 + 0.5 * n), size, factor

    def unfinished(n: Array, d: Array, added: Array, value: Array, *others: Array) -> Array:
        size = unary.abs(value)
        more = others[0] > 0.0 if differentiated else unary.abs(added) > converged * size
        return more & (n < _MOST) & (size < math.inf)

    above, below = terms(n)
    begin = n + 1.0, 1.0 / below, above / below, first + above / below
    end = repeat(unfinished, along, (*begin, one, one, one)) if differentiated else repeat(unfinished, step, begin)
    return where(unfinished(0.0 * end[0], *end[1:]), math.nan, end[3])


def _fraction(a: Array, x: Array, differentiated: bool) -> Array:
    """density · a / Q: x + 1 - a + 1 (a - 1) / (x + 3 - a + 2 (a - 2) / …)."""
    first = x + 1.0 - a
    return _steed(lambda n: (n * (a - n), first + 2.0 * n), first, differentiated)


def _near_zero(a: Array, x: Array) -> Array:
    """Q of small x and a, where P is next to 1 or not: 1 - xᵃ / Γ(a + 1), and the rest of P as a series."""
    logarithm = log(x)

    def further(k: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        count = unary.astype(k, dtypes.float64)
        term = sums[0] * (x * (-1.0 / count))
        return term, sums[1] + term / (a + count)

    total: Array = handlers.fori_loop(
        1, _FEWER_TERMS if left_out.get() else _TERMS, further, (1.0 + 0.0 * x, 0.0 * (x + a))
    )[1]
    exponent = a * logarithm - _gammaln_above_one(a)
    return -transcendental.expm1(exponent) - a * exp(exponent) * total


def _gammaln_above_one(a: Array) -> Array:
    """log Γ(1 + a) of small a ≥ 0, without rounding 1 + a."""
    middle, half, coefficients = fitted("LGAMMA_1")
    b = arithmetic.minimum(a, 0.5)
    close = b * (b - 1.0) * polynomial((b + (1.0 - middle)) / half, coefficients)
    return where(a < 0.5, close, log(near_gamma(1.0 + a)))


def _where_any(region: Array, f: Callable[..., Array], *cases: tuple[Array, Array | float]) -> Array:
    """f of the first of each case in its region, elsewhere of the second, unless no element is in the region.

    The result has the shape of the first case. The choice is made in the branch, where it is part of what is computed.
    """
    xs, others = zip(*cases, strict=True)

    def chosen(region: Array, *xs: Array) -> Array:
        return f(*[where(region, x, other) for x, other in zip(xs, others, strict=True)])

    return handlers.cond(reduction.any(region), chosen, lambda region, *xs: 0.0 * xs[0], region, *xs)


def _both(a: Array, x: Array, upper: bool, differentiated: bool) -> Array:
    """Q, or P; what says something of `a` only is computed once where that is one number."""
    x = movement.broadcast_to(x, broadcast_all([a.aval.shape, x.aval.shape]))
    proper, inside = (a > 0.0) & (a < math.inf), (x > 0.0) & (x < math.inf)
    valid, b, z = proper & inside, where(proper, a, 1.0), where(inside, x, 1.0)
    uniform = (b > _LARGE) & (unary.abs(z - b) < 0.3 * b)
    small = z <= 1.1
    if upper:
        logarithm = log(where(z < 0.5, z, 0.5))
        below = ~uniform & where(z <= 0.5, b > -0.4 / logarithm, where(small, z * 1.1 < b, z < b))
    else:  # there is nothing to cancel
        below = ~uniform & (small | (z < b))
    fraction, first = ~uniform & ~below & ~small, ~uniform & ~below & small
    p = density(b, z)
    by_series = _where_any(below, lambda z: p * _power_series(b, z), (z, 0.0))
    some = fraction & (p > 0.0)
    by_fraction = _where_any(some, lambda z: p * b / _fraction(b, z, differentiated), (z, 3.0 * b + 3.0))
    value = where(below, by_series, where(fraction, by_fraction, 0.0))
    if upper:
        by_first = _where_any(first, lambda z: _near_zero(b, z), (z, 0.5))
        value = where(first, by_first, value)
    sign = 1.0 if upper else -1.0
    large = where(b > _LARGE, b, 30.0)
    by_uniform = _where_any(uniform, lambda z: _uniform(large, z, sign), (z, large))
    value = where(uniform, by_uniform, where(below if upper else fraction, 1.0 - value, value))
    value = logic.clip(value, 0.0, 1.0)
    lower_edge = where((a == 0.0) & (x > 0.0) | (x == math.inf) & (a < math.inf), 1.0, 0.0)
    unknown = (a < 0.0) | (x < 0.0) | (a == 0.0) & (x == 0.0) | (a == math.inf) & (x == math.inf)
    edge = where(unknown | unary.isnan(a) | unary.isnan(x), math.nan, 1.0 - lower_edge if upper else lower_edge)
    return where(valid, value, edge)


def gammainc(a: Array, x: Array, differentiated: bool = False) -> Array:
    return _both(a, x, False, differentiated)


def gammaincc(a: Array, x: Array, differentiated: bool = False) -> Array:
    return _both(a, x, True, differentiated)


def beta_density(a: Array, b: Array, x: Array, y: Array, excess: Array | None = None) -> Array:
    """xᵃ yᵇ / B(a, b), with y = 1 - x."""
    excess = excess_of(a, b, x, y) if excess is None else excess
    large = (a >= 8.0) & (b >= 8.0)
    p, q = where(large, a, 8.0), where(large, b, 8.0)
    n = p + q
    distance = where(large, excess, 0.0)
    u, v = distance / p, distance / -q  # x / (p / n) - 1, and of y
    exponent = p * _distance(u, x * (n / p)) + q * _distance(v, y * (n / q))
    beyond = exp(exponent + (stirling(n) - stirling(p) - stirling(q))) * sqrt(p / n * q / (2 * math.pi))
    c, d = where(large, 1.0, a), where(large, 1.0, b)
    powers = _power(x, y, c) * _power(y, x, d)
    near = powers * inverse_beta(*ordered(c, d))
    return where(large, beyond, where(powers > 0.0, near, 0.0))


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

    return _steed(terms, a * inverse * gap, differentiated)


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

    total: Array = handlers.fori_loop(1, _TERMS, further, (1.0 + 0.0 * z, 0.0 * (z + p)))[1]
    exponent = p * log(z) - _gammaln_above_one(p) - log_ratio(p, q)
    return -transcendental.expm1(exponent) - p * exp(exponent) * total


def beta_parts(a: Array, b: Array, x: Array, y: Array, differentiated: bool = False) -> tuple[Array, Array]:
    """Iₓ(a, b) and 1 - Iₓ(a, b), inside of the domain, of x and y = 1 - x, the lesser of which is exact."""
    quick = (a + 1.0) / (a + b + 2.0)
    bound = arithmetic.maximum(a / (a + b), quick)  # on its left neither small nor slow
    turned = x > where(b < 1.0, arithmetic.minimum(bound, arithmetic.maximum(quick, 0.999)), bound)
    p, q = where(turned, b, a), where(turned, a, b)
    z, rest = where(turned, y, x), where(turned, x, y)
    u = excess_of(p, q, z, rest)
    vast = (arithmetic.minimum(p, q) >= _VAST) & (unary.abs(u) < 0.02 * arithmetic.minimum(p, q))
    c, d, v, w = [where(vast, other, v) for other, v in ((1.0, p), (1.0, q), (0.5, z), (0.5, rest))]
    excess = where(vast, 0.0, u)
    part = beta_density(c, d, v, w, excess) / _beta_fraction(c, d, v, excess, differentiated)
    normal = _where_any(vast, _beta_normal, (p, _VAST), (q, _VAST), (u, 0.0))
    part = logic.clip(where(vast, normal, part), 0.0, 1.0)
    little = (p < 1.0) & (z < 0.2) & (q * z < 1.1)
    beyond = _where_any(little, _beta_beyond, (p, 1.0), (q, 1.0), (z, 0.1))
    beyond = where(little, logic.clip(beyond, 0.0, 1.0), 1.0 - part)
    return where(turned, beyond, part), where(turned, part, beyond)


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
    value, _ = beta_parts(where(valid, a, 1.0), where(valid, b, 1.0), inside, 1.0 - inside, differentiated)
    outside = (x < 0.0) | (x > 1.0) | (a <= 0.0) | (b <= 0.0) | (a == math.inf) | (b == math.inf)
    edge = where(
        outside | unary.isnan(a) | unary.isnan(b) | unary.isnan(x),
        math.nan,
        where(x == 1.0, 1.0, 0.0),
    )
    return where(valid, value, edge)

"""Incomplete gamma functions, and what those of beta share with them.

Γ(a, x): Temme's uniform expansion where a is large and x near it (DLMF 8.12), else a power series (8.7.1, 8.7.3) or a
continued fraction (8.9.2), of P or of Q = 1 - P, whichever does not cancel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

import handlers
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.arrays.promotion import scalar
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.series import polynomial
from effects.functions.elementwise.transcendental import exp, log, sqrt
from effects.functions.manipulation import movement
from effects.functions.reductions import reduction
from effects.operations.special import SpecialKind
from effects.special.calling import SHORT, of, tolerance
from effects.types import dtypes
from effects.types.shapes import broadcast_all
from handlers.special.fits import FITS, fit, fitted, power
from handlers.special.gamma import near_gamma, stirling

_ENOUGH: Final = 2.0**-60
"""Tolerance of a sum; derivatives of a sum take a little longer than the sum."""
_CONVERGED: Final = 2.0**-51
"""Largest relative contribution of a continued fraction's last term."""
_LARGE: Final = 20.0
_MOST: Final = 20000.0
TERMS: Final = 25
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


def distance_of(u: Array, ratio: Array) -> Array:
    """log(ratio) - u, for u = ratio - 1."""
    near = unary.abs(u) < 0.4
    v = where(near, u, 0.0)
    return where(near, v * v * fit("LOG1PMX", v), log(where(near, 1.0, ratio)) - u)


def density(a: Array, x: Array) -> Array:
    """xᵃ e⁻ˣ / Γ(a + 1)."""
    large = a >= 8.0
    beyond = where_any(large, density_of_large, (x, x), (a, 8.0))
    return where(large, beyond, where_any(~large, _density_of_small, (x, x), (a, 1.0)))


def density_of_large(x: Array, a: Array) -> Array:
    """The density of a ≥ 8."""
    return exp(a * distance_of((x - a) / a, x / a) - stirling(a)) / sqrt((2 * math.pi) * a)


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

    enough = SHORT / 256.0 if tolerance.get() else _ENOUGH
    return repeat(lambda n, term, total: term > total * enough, step, (a + 1.0, one, one), at_once=8)[2]


type Terms = Callable[[Array], tuple[Array, Array]]


def steed(terms: Terms, first: Array, differentiated: bool) -> Array:
    """The continued fraction first + a₁ / (b₁ + a₂ / …), by Steed's method: the sum of what each term adds.

    `terms` gives aₙ and bₙ. The derivative of what is added takes longer to vanish than that. How large it is is said
    by the product of what the terms give: there no term gives less than half of what the one before gave, since a term
    that is 0, which ends the value, has a derivative. NaN where `_MOST` terms are not enough.
    """
    still = handlers.stop_gradient
    n, one = scalar(1.0, dtypes.float64), 1.0 + 0.0 * first
    converged = SHORT if tolerance.get() else _CONVERGED

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
    return steed(lambda n: (n * (a - n), first + 2.0 * n), first, differentiated)


def _near_zero(a: Array, x: Array) -> Array:
    """Q of small x and a, where P is next to 1 or not: 1 - xᵃ / Γ(a + 1), and the rest of P as a series."""
    logarithm = log(x)

    def further(k: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        count = unary.astype(k, dtypes.float64)
        term = sums[0] * (x * (-1.0 / count))
        return term, sums[1] + term / (a + count)

    total: Array = handlers.fori_loop(
        1, _FEWER_TERMS if tolerance.get() else TERMS, further, (1.0 + 0.0 * x, 0.0 * (x + a))
    )[1]
    exponent = a * logarithm - gammaln_above_one(a)
    return -transcendental.expm1(exponent) - a * exp(exponent) * total


def gammaln_above_one(a: Array) -> Array:
    """log Γ(1 + a) of small a ≥ 0, without rounding 1 + a."""
    middle, half, coefficients = fitted("LGAMMA_1")
    b = arithmetic.minimum(a, 0.5)
    close = b * (b - 1.0) * polynomial((b + (1.0 - middle)) / half, coefficients)
    return where(a < 0.5, close, log(near_gamma(1.0 + a)))


def where_any(region: Array, f: Callable[..., Array], *cases: tuple[Array, Array | float]) -> Array:
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
    by_series = where_any(below, lambda z: p * _power_series(b, z), (z, 0.0))
    some = fraction & (p > 0.0)
    by_fraction = where_any(some, lambda z: p * b / _fraction(b, z, differentiated), (z, 3.0 * b + 3.0))
    value = where(below, by_series, where(fraction, by_fraction, 0.0))
    if upper:
        by_first = where_any(first, lambda z: _near_zero(b, z), (z, 0.5))
        value = where(first, by_first, value)
    value = where(below if upper else fraction, 1.0 - value, value)
    if not (isinstance(a, Concrete) and a.aval.shape == () and float(a.host) <= _LARGE):
        sign, large = 1.0 if upper else -1.0, where(b > _LARGE, b, 30.0)
        value = where(uniform, where_any(uniform, lambda z: _uniform(large, z, sign), (z, large)), value)
    value = logic.clip(value, 0.0, 1.0)
    lower_edge = where((a == 0.0) & (x > 0.0) | (x == math.inf) & (a < math.inf), 1.0, 0.0)
    unknown = (a < 0.0) | (x < 0.0) | (a == 0.0) & (x == 0.0) | (a == math.inf) & (x == math.inf)
    edge = where(unknown | unary.isnan(a) | unary.isnan(x), math.nan, 1.0 - lower_edge if upper else lower_edge)
    return where(valid, value, edge)


def gammainc(a: Array, x: Array, differentiated: bool = False) -> Array:
    return _both(a, x, False, differentiated)


def gammaincc(a: Array, x: Array, differentiated: bool = False) -> Array:
    return _both(a, x, True, differentiated)

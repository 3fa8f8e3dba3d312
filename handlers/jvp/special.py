"""Derivatives of special functions: in closed form where there is one, else the operation of one order more."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Final

import effects as fx
import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, rounded_once
from effects.functions.elementwise import logic
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.functions.elementwise.series import polynomial
from effects.operations.special import Special, SpecialKind
from effects.program.chain import perform
from effects.runtime.cpython.extent import setting
from effects.special.calling import in_double, of, tolerance
from effects.special.information import log_per_distance
from effects.types import dtypes
from handlers.jvp.elementwise import add_tangents, broadcast_like
from handlers.jvp.rules import RULES, Dual, Pair, Tangent, value_of
from handlers.jvp.unary import gauss, times
from handlers.special import error, gauss_function, incomplete_slopes, information, integrals, oscillating
from handlers.special.combinatorics import beta_slope, digamma_of_sum
from handlers.special.incomplete_slopes import order_of

_K = SpecialKind
_ROOT_PI: Final = 1.7724538509055159
_ROOT_TWO_PI: Final = 2.5066282746310002
_ROOT_2_OVER_PI: Final = 0.7978845608028654
_BESSEL: Final = [[1 / (math.factorial(k) * math.factorial(k + n)) for k in range(14, -1, -1)] for n in (0, 1)]


def _inverse_erf(y: Array, lesser: Array) -> Array:
    """√π / 2 · exp(y²), where erfc(y) is `lesser`: without the rounding of y² where that is large.

    Next to 0 it is written so, as further derivatives cancel otherwise.
    """
    end = ~((lesser > 0.0) & (lesser < 0.5))
    inside, outside = logic.where(end, 0.0, y), logic.where(end, y, 0.0)
    quotient = _erfcx(inside) / logic.where(end, 1.0, lesser)
    return _ROOT_PI / 2 * logic.where(end, fx.exp(outside * outside), quotient)


def _before_rounding(kind: SpecialKind, slope: Callable[..., Array]) -> Callable[..., Array]:
    """A slope in double precision and of the value before it is rounded: it cancels."""

    def of_all(y: Array, *xs: Array) -> Array:
        if y.aval.dtype is dtypes.float64:
            return slope(y, *xs)
        return in_double(lambda *xs: slope(of(kind, *xs), *xs), *xs)

    return of_all


def _erfinv(y: Array, x: Array) -> Array:
    below = x < 0.0
    return _inverse_erf(logic.where(below, -y, y), 1.0 - logic.where(below, -x, x))


def _erfcinv(y: Array, x: Array) -> Array:
    above = x > 1.0
    return -_inverse_erf(logic.where(above, -y, y), logic.where(above, 2.0 - x, x))


def _ndtri(y: Array, x: Array) -> Array:
    """The density's inverse, by half its square: the probability of which less is left is exact."""
    root = math.sqrt(0.5)
    return -2.0 * math.sqrt(2.0) * _erfcinv(-y * root, x + x)


@with_derivatives(lambda y, x, scale: 2.0 * scale * logic.clip(x, -40.0, 40.0) * y, None)
def _bell(x: Array, scale: float) -> Array:
    """exp(scale · x²), with slopes that are 0 where it is 0: x² would overflow."""
    power, lost = error.gauss(fx.abs(x), scale)
    return power + power * lost


def _trigamma(y: Array, x: Array) -> Array:
    return of(_K.TRIGAMMA, x)


def _spence(y: Array, x: Array) -> Array:
    """-log(x) / (x - 1), 0 at infinity; at 0 the logarithm alone, which has the same slopes there."""
    near, pole, end = fx.abs(x - 1.0) < 0.4, x == 0.0, x == math.inf
    inside = logic.where(near | pole | end, 0.5, x)
    far = logic.where(end, 0.0, fx.log(inside) / (1.0 - inside))
    far = logic.where(pole, fx.log(logic.where(pole, x, 1.0)), far)
    return logic.where(near, -log_per_distance(logic.where(near, x, 1.0)), far)


def _log_ndtr(y: Array, x: Array) -> Array:
    """The density over the probability, by one function of both tails: in the lower tail without either."""
    tail, far, z = x < 0.0, x < -1e10, x * math.sqrt(0.5)
    size = logic.where(far, 1.0, logic.where(tail, -z, fx.minimum(z, 40.0)))
    scaled, density = of(_K.ERFCX, size), gauss(size)
    quotient = logic.where(tail, 1.0, density) / logic.where(tail, scaled, 2.0 - density * scaled)
    return logic.where(far, -x, _ROOT_2_OVER_PI * quotient)


def _bessel(order: int, square: Array) -> Array:
    """Σ (x² / 4)ᵏ / (k! (k + order)!), that is (x / 2)⁻ⁿ Iₙ(x), up to x = 2; with -x² of J (DLMF 10.2.2, 10.25.2)."""
    return polynomial(square * 0.25, _BESSEL[order])


def _per_x(sign: float, y: Array, x: Array) -> Array:
    """y / x of y = I₁(x), or for a negative sign J₁(x)."""
    near = fx.abs(x) < 2.0
    inside = logic.where(near, x, 0.0)
    quotient = logic.where(near, 0.0, y) / logic.where(near, 1.0, x)
    return logic.where(near, 0.5 * _bessel(1, sign * (inside * inside)), quotient)


_BEYOND: Final = {_K.ERFCX: 1.0, _K.K0E: 1.0, _K.K1E: 1.0}
"""Region where the terms subtracted in closed form are nearly the same, and the program of the function is more
accurate.
"""
_POWER: Final = 1e17
"""From here on they are powers of the argument, whose square the program would divide by."""


def _until(kind: SpecialKind, closed: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """The derivative in closed form, up to `_BEYOND`."""

    def slope(y: Array, x: Array) -> Array:
        far, vast = x > _BEYOND[kind], x > _POWER
        near = closed(*[logic.where(far, 1.0, v) for v in (y, x)])
        beyond = order_of(kind, (1,), logic.where(far & ~vast, x, 4.0))
        large = logic.where(vast, x, 1.0)
        power = -1.0 / _ROOT_PI / large if kind is _K.ERFCX else -math.pi / 4 * _ROOT_2_OVER_PI * fx.rsqrt(large)
        return logic.where(vast, power / large, logic.where(far, beyond, near))

    return slope


_erfcx_slope: Final = _until(_K.ERFCX, lambda y, x: 2.0 * x * y - 2 / _ROOT_PI)


@with_derivatives(_erfcx_slope)
def _erfcx(x: Array) -> Array:
    """exp(x²) erfc(x) of moderate x ≥ 0."""
    return in_double(error.positive_erfcx, x, single=True)


def _ellipe(y: Array, m: Array) -> Array:
    """(E - K) / 2m (DLMF 19.4.2), next to 0, where the two are nearly the same, along the program.

    At its pole 1 there is no quotient, whose further derivatives would be differences of infinities.
    """
    near, far, pole = fx.abs(m) < 0.5, m == -math.inf, m == 1.0
    apart = near | far
    half = 0.5 * (logic.where(apart, 1.0, y) - of(_K.ELLIPKM1, 1.0 - logic.where(apart, 0.0, m)))
    quotient = logic.where(pole, 0.0, half) / logic.where(apart | pole, 1.0, m)
    beside = order_of(_K.ELLIPE, (1,), logic.where(near, m, 0.0))
    return logic.where(near, beside, logic.where(far, 0.0, logic.where(pole, half, quotient)))


def _from_pole(residue: float, closed: Callable[[Array], Array], square: bool = False) -> Callable[..., Array]:
    """The derivative in closed form, of x alone, and next to the pole 0 `residue` / x, or over its square.

    The value, which is infinite there, would meet a cotangent 0.
    """

    def slope(y: Array, x: Array) -> Array:
        pole = fx.abs(x) < 1e-100
        inverse = 1.0 / logic.where(pole, x, 1.0)
        beside = residue * inverse * inverse if square else residue * inverse
        return logic.where(pole, beside, closed(logic.where(pole, 1.0, x)))

    return slope


def _undefined(outside: Callable[..., Array], closed: Callable[..., Array]) -> Callable[..., Array]:
    """A derivative in closed form, which is NaN, in all orders, where the function is outside of its domain."""
    return lambda y, *xs: closed(y, *xs) * logic.where(outside(*xs), math.nan, 1.0)


def _not_in_beta(a: Array, b: Array, x: Array, *_: Array) -> Array:
    return (a <= 0.0) | (b <= 0.0) | (fx.maximum(a, b) == math.inf) | (x < 0.0) | (x > 1.0)


def _not_in_gamma(a: Array, x: Array) -> Array:
    return (a < 0.0) | (x < 0.0)


def _growing(closed: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """The derivative in closed form, and where a function grows beyond all numbers its size, as all derivatives do."""

    def slope(y: Array, x: Array) -> Array:
        beyond = fx.isinf(y) & (fx.abs(x) > 1.0)
        inside = closed(*[logic.where(beyond, 1.0, v) for v in (y, x)])
        return logic.where(beyond, fx.abs(y), inside)

    return slope


def _expi(x: Array) -> Array:
    """exp(x) / x in two factors, as exp(x) where that overflows."""
    beyond = x > 716.4
    inside = logic.where(beyond, 1.0, x)
    half = fx.exp(0.5 * inside)
    return logic.where(beyond, fx.exp(logic.where(beyond, x, 0.0)), half / inside * half)


def _k1e(x: Array) -> Array:
    y = of(_K.K1E, x)
    return y - of(_K.K0E, x) - y / x


def _negative(x: Array) -> Array:
    return x < 0.0


_PARTLY: Final = {*_BEYOND, _K.ELLIPE}
"""Functions whose derivative is in closed form in a part of their domain: further ones are along the program."""


CLOSED: Final[dict[tuple[SpecialKind, int], Callable[..., Array] | None]] = {
    (_K.BETA, 0): _before_rounding(_K.BETA, partial(beta_slope, 0)),
    (_K.BETA, 1): _before_rounding(_K.BETA, partial(beta_slope, 1)),
    (_K.BETA_ODDS, 0): partial(incomplete_slopes.odds_in, 0),
    (_K.BETA_ODDS, 1): partial(incomplete_slopes.odds_in, 1),
    (_K.BETA_ODDS, 2): lambda odds, a, b, p: 1.0 / incomplete_slopes.per_odds(odds, a, b),
    (_K.BETA_PART, 2): _undefined(_not_in_beta, partial(incomplete_slopes.beta_part_in_lesser, 0)),
    (_K.BETA_PART, 3): _undefined(_not_in_beta, partial(incomplete_slopes.beta_part_in_lesser, 1)),
    (_K.BETAINC, 2): _undefined(_not_in_beta, incomplete_slopes.beta_in_x),
    (_K.BETAINCINV, 0): incomplete_slopes.inverse_beta_in_a,
    (_K.BETAINCINV, 1): incomplete_slopes.inverse_beta_in_b,
    (_K.BETAINCINV, 2): lambda y, a, b, p: 1.0 / incomplete_slopes.beta_in_x(p, a, b, y),
    (_K.GAMMAINCINV, 0): incomplete_slopes.inverse_gamma_in_a,
    (_K.GAMMAINCINV, 1): lambda y, a, p: 1.0 / incomplete_slopes.gamma_in_x(p, a, y),
    (_K.GAMMAINCCINV, 0): incomplete_slopes.inverse_upper_in_a,
    (_K.GAMMAINCCINV, 1): lambda y, a, q: -1.0 / incomplete_slopes.gamma_in_x(q, a, y),
    (_K.BETALN, 0): lambda y, a, b: of(_K.DIGAMMA, a) - digamma_of_sum(a, b),
    (_K.BETALN, 1): lambda y, a, b: of(_K.DIGAMMA, b) - digamma_of_sum(a, b),
    (_K.CI, 0): _from_pole(1.0, oscillating.ci_slope),
    (_K.DIGAMMA, 0): _trigamma,
    (_K.ELLIPE, 0): _ellipe,
    (_K.ENTR, 0): _before_rounding(_K.ENTR, information.entr_slope),
    (_K.ERFC, 0): lambda y, x: -2 / _ROOT_PI * _bell(x, -1.0),
    (_K.ERFCINV, 0): _erfcinv,
    (_K.ERFCX, 0): _erfcx_slope,
    (_K.ERFINV, 0): _erfinv,
    (_K.EXP1, 0): _undefined(_negative, lambda y, x: -fx.exp(-x) / x),
    (_K.EXPI, 0): _from_pole(1.0, _expi),
    (_K.EXPN, 0): None,
    (_K.EXPN, 1): _undefined(lambda n, x: x < 0.0, integrals.expn_slope),
    (_K.EXPREL, 0): _growing(integrals.exprel_slope),
    (_K.FRESNEL_C, 0): lambda y, x: oscillating.half_square_cosine(x),
    (_K.FRESNEL_S, 0): lambda y, x: oscillating.half_square_sine(x),
    (_K.GAMMA, 0): _growing(lambda y, x: y * of(_K.DIGAMMA, x)),
    (_K.GAMMAINC, 1): _undefined(_not_in_gamma, incomplete_slopes.gamma_in_x),
    (_K.GAMMAINCC, 1): _undefined(_not_in_gamma, lambda y, a, x: -incomplete_slopes.gamma_in_x(y, a, x)),
    (_K.GAMMALN, 0): lambda y, x: of(_K.DIGAMMA, x),
    (_K.GAMMASGN, 0): None,
    (_K.HYP1F1, 2): lambda y, a, b, x: a / b * of(_K.HYP1F1, a + 1.0, b + 1.0, x),
    (_K.HYP2F1, 3): gauss_function.hyp2f1_slope,
    (_K.I0, 0): lambda y, x: of(_K.I1, x),
    (_K.I1, 0): _growing(lambda y, x: of(_K.I0, x) - _per_x(1.0, y, x)),
    (_K.J0, 0): lambda y, x: -of(_K.J1, x),
    (_K.J1, 0): lambda y, x: of(_K.J0, x) - _per_x(-1.0, y, x),
    (_K.K0, 0): lambda y, x: -of(_K.K1, x),
    (_K.K0E, 0): _undefined(_negative, _until(_K.K0E, _from_pole(-1.0, lambda x: of(_K.K0E, x) - of(_K.K1E, x)))),
    (_K.K1, 0): lambda y, x: -(of(_K.K0, x) + y / x),
    (_K.K1E, 0): _undefined(_negative, _until(_K.K1E, _from_pole(-1.0, _k1e, square=True))),
    (_K.KL_DIV, 0): _before_rounding(_K.KL_DIV, partial(information.relative_slope, 0, -1.0)),
    (_K.KL_DIV, 1): _before_rounding(_K.KL_DIV, partial(information.relative_slope, 1, -1.0)),
    (_K.LOG_NDTR, 0): _log_ndtr,
    (_K.LOGIT, 0): _undefined(lambda x: (x < 0.0) | (x > 1.0), lambda y, x: 1.0 / (x * (1.0 - x))),
    (_K.NDTR, 0): lambda y, x: 0.5 * _ROOT_2_OVER_PI * _bell(x, -0.5),
    (_K.NDTRI, 0): _ndtri,
    (_K.OWENS_T, 0): lambda y, h, a: (-0.5 / _ROOT_TWO_PI) * _bell(h, -0.5) * fx.erf(a * h * math.sqrt(0.5)),
    (_K.OWENS_T, 1): lambda y, h, a: (0.5 / math.pi) * _bell(h, -0.5) * _bell(a * h, -0.5) / (1.0 + a * a),
    (_K.REL_ENTR, 0): _before_rounding(_K.REL_ENTR, partial(information.relative_slope, 0, 0.0)),
    (_K.REL_ENTR, 1): _before_rounding(_K.REL_ENTR, partial(information.relative_slope, 1, 0.0)),
    (_K.SI, 0): oscillating.si_slope,
    (_K.SPENCE, 0): _spence,
    (_K.TRIGAMMA, 0): lambda y, x: -2.0 * of(_K.ZETA, constant_like(3.0, x), x),
    (_K.XLOG1PY, 0): partial(information.log_slope, fx.log1p, -1.0),
    (_K.XLOG1PY, 1): partial(information.slope_in_log, -1.0),
    (_K.XLOGY, 0): partial(information.log_slope, fx.log, 0.0),
    (_K.XLOGY, 1): partial(information.slope_in_log, 0.0),
    (_K.Y0, 0): lambda y, x: -of(_K.Y1, x),
    (_K.Y1, 0): _undefined(_negative, _from_pole(2.0 / math.pi, lambda x: of(_K.Y0, x) - of(_K.Y1, x) / x, True)),
    (_K.ZETA, 1): lambda y, s, q: -s * of(_K.ZETA, s + 1.0, q),
}
"""The partial derivative of a function in an argument, of its value and its arguments; None of what is in steps."""


def _slope(op: Special[Array], i: int, y: Array) -> Array:
    """The partial derivative of `op`, whose value is y, in its operand i."""
    closed = CLOSED.get((op.kind, i))
    orders = op.orders or (0,) * len(op.xs)
    if closed is None or (any(orders) and op.kind in _PARTLY):
        return perform(Special(op.kind, op.xs, (*orders[:i], orders[i] + 1, *orders[i + 1 :])))
    if not any(orders):
        with setting(tolerance, op.left_out or tolerance.get()):
            return rounded_once(closed, y, *op.xs)

    def slope(*xs: Array) -> Array:
        return rounded_once(closed, of(op.kind, *xs), *xs)

    f: Callable[..., Array] = slope
    for j, order in enumerate(orders):
        for _ in range(order):
            f = partial(_along, f, j)
    return f(*op.xs)


def _along(f: Callable[..., Array], j: int, *xs: Array) -> Array:
    """The partial derivative of f in its argument j."""
    one = fx.ones_like(xs[j])
    return handlers.jvp(lambda x: f(*xs[:j], x, *xs[j + 1 :]), (xs[j],), (one,))[1]


@RULES.rule(Special)
def jvp_special(op: Special[Dual]) -> Pair:
    primal = Special(op.kind, tuple([x.primal for x in op.xs]), op.orders, op.left_out)
    out = value_of(primal)
    total: Tangent = None
    for i, x in enumerate(op.xs):
        if x.tangent is not None and CLOSED.get((op.kind, i), _slope) is not None:
            total = add_tangents(total, times(x.tangent, _slope(primal, i, out)))
    return out, None if total is None else broadcast_like(total, out)

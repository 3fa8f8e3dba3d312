"""The functions that the polynomials of `handlers.special` stand for, with as many digits as mpmath is set to."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import mpmath as mp

type Real = Any
type Function = Callable[[Real], Real]


def _scaled_i(order: int) -> Function:
    return lambda y: mp.exp(-y) * mp.besseli(order, y) / y**order


def _far_i(order: int) -> Function:
    return lambda u: mp.exp(-1 / u) * mp.besseli(order, 1 / u) / mp.sqrt(u)


def _slope_of_scaled_i(order: int, y: Real) -> Real:
    """Of exp(-y) I(y)."""
    first = mp.besseli(1, y)
    along = first if order == 0 else mp.besseli(0, y) - (first / y if y else mp.mpf(1) / 2)
    return mp.exp(-y) * (along - mp.besseli(order, y))


def _slope_of_i(order: int) -> Function:
    return lambda y: _slope_of_scaled_i(order, y)


def _far_slope_of_i(order: int) -> Function:
    return lambda u: _slope_of_scaled_i(order, 1 / u) / mp.sqrt(u) ** 3


def _far_k(order: int) -> Function:
    return lambda u: mp.exp(1 / u) * mp.besselk(order, 1 / u) / mp.sqrt(u)


def _small_k(order: int) -> Function:
    """Without the logarithm of y / 2, times y for order 1; of y²."""

    def of_square(square: Real) -> Real:
        y = mp.sqrt(square)
        sign = (-1) ** order
        return y**order * (mp.besselk(order, y) + sign * mp.log(y / 2) * mp.besseli(order, y))

    return of_square


def _small_i(order: int) -> Function:
    return lambda square: mp.besseli(order, mp.sqrt(square)) / mp.sqrt(square) ** order


def _near_j(order: int) -> Function:
    def of_square(square: Real) -> Real:
        y, root = mp.sqrt(square), mp.besseljzero(order, 1)
        return mp.besselj(order, y) / y**order / (square - root * root)

    return of_square


def _middle_j(order: int) -> Function:
    return lambda y: mp.besselj(order, y) / (y - mp.besseljzero(order, 2))


def _near_y(order: int) -> Function:
    """Without its logarithm, over y for order 1 and without its pole; of y²."""

    def of_square(square: Real) -> Real:
        y = mp.sqrt(square)
        pole = 1 / y if order else mp.mpf(0)
        return (mp.bessely(order, y) - 2 / mp.pi * (mp.log(y) * mp.besselj(order, y) - pole)) / y**order

    return of_square


def _dawsn(x: Real) -> Real:
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def _hankel(order: int, u: Real) -> Real:
    """P + iQ (DLMF 10.17), of 1 / y²."""
    y = 1 / mp.sqrt(u)
    turned = mp.expjpi(-(y / mp.pi - mp.mpf(1 + 2 * order) / 4))
    return mp.hankel1(order, y) * mp.sqrt(mp.pi * y / 2) * turned


def _rest_of_sine_integral(x: Real) -> tuple[Real, Real]:
    """f and g of (DLMF 6.2.17, 6.2.18)."""
    cosine, sine = mp.ci(x), mp.pi / 2 - mp.si(x)
    return cosine * mp.sin(x) + sine * mp.cos(x), sine * mp.sin(x) - cosine * mp.cos(x)


def _rest_of_fresnel(x: Real) -> tuple[Real, Real]:
    """f and g of (DLMF 7.2.10, 7.2.11), times π and π²."""
    turn, half = mp.pi * x * x / 2, mp.mpf(1) / 2
    sine, cosine = half - mp.fresnels(x), half - mp.fresnelc(x)
    first = sine * mp.cos(turn) - cosine * mp.sin(turn)
    return first * mp.pi, (cosine * mp.cos(turn) + sine * mp.sin(turn)) * mp.pi**2


def _ci_near(square: Real) -> Real:
    y, root = mp.sqrt(square), mp.findroot(mp.ci, mp.mpf("0.6165054856207162"))
    return (mp.ci(y) - mp.log(y / root)) / (square - root**2)


def _ei_near(y: Real) -> Real:
    root = mp.findroot(mp.ei, mp.mpf("0.3725074107813666"))
    return (mp.ei(y) - mp.log(y / root)) / (y - root)


def _erfcx(t: Real) -> Real:
    x = mp.mpf("3.75") * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def _erfinv(w: Real) -> Real:
    """The inverse of erf at y = √(1 - exp(-w)), over y, by Newton's method for the logarithm of erfc."""
    y = mp.sqrt(-mp.expm1(-w))
    if w < 1:
        return mp.erfinv(y) / y if w else mp.sqrt(mp.pi) / 2
    wanted = -w - mp.log1p(y)
    x = mp.sqrt(-wanted)
    for _ in range(12):
        scaled = mp.erfc(x) * mp.exp(x * x)
        x += (mp.log(scaled) - x * x - wanted) * scaled * mp.sqrt(mp.pi) / 2
    return x / y


def _stirling(u: Real) -> Real:
    x = 1 / mp.sqrt(u)
    return x * (mp.loggamma(x) - (x - 0.5) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


def _lgamma(centre: Real) -> Function:
    """The logarithm over its roots, of w = (y - centre) / (y + centre)."""

    def of_distance(w: Real) -> Real:
        y = centre * (1 + w) / (1 - w)
        return mp.loggamma(y) / ((y - 1) * (y - 2))

    return of_distance


def _digamma(w: Real) -> Real:
    """The digamma function over its root and times its pole, of w = (y - 2) / (y + 4)."""
    y = (2 + 4 * w) / (1 - w)
    return mp.digamma(y) * y / (y - mp.findroot(mp.digamma, mp.mpf("1.4616321449683622")))


def _digamma_far(u: Real) -> Real:
    x = 1 / mp.sqrt(u)
    return (mp.log(x) - 0.5 / x - mp.digamma(x)) * x * x


_TERMS: Final = 120


@cache
def temme_series() -> list[list[Real]]:
    """The power series of Temme's C₀, C₁, …, in η (DLMF 8.12.10): µ µ' = η (1 + µ), C₀ = 1 / µ - 1 / η."""
    mu = [mp.mpf(0), mp.mpf(1)]
    for n in range(2, _TERMS + 2):  # of ηⁿ in µ µ' = Σ k µ[k] µ[n + 1 - k]
        known = mp.fsum(k * mu[k] * mu[n + 1 - k] for k in range(2, n))
        mu.append((mu[n - 1] - known) / (n + 1))
    inverse = [mp.mpf(1)]  # of η / µ
    for n in range(1, _TERMS + 1):
        inverse.append(-mp.fsum(mu[k + 1] * inverse[n - k] for k in range(1, n + 1)))
    first = inverse[1:]
    series = [first]
    for _ in range(9):
        slope = [n * c for n, c in enumerate(series[-1])][1:]
        series.append([further - slope[0] * c for further, c in zip(slope[1:], first, strict=False)])
    return series


def _temme(order: int) -> Function:
    return lambda eta: mp.polyval(temme_series()[order][::-1], eta)


FUNCTIONS: Final[dict[str, Function]] = {
    **{f"I{n}E_{part}": _scaled_i(n) for n in (0, 1) for part in ("NEAR", "MID")},
    **{f"I{n}E_FAR": _far_i(n) for n in (0, 1)},
    **{f"I{n}E_SLOPE_{part}": _slope_of_i(n) for n in (0, 1) for part in ("NEAR", "MID")},
    **{f"I{n}E_SLOPE_FAR": _far_slope_of_i(n) for n in (0, 1)},
    **{f"K{n}_NEAR": _small_k(n) for n in (0, 1)},
    **{f"I{n}_SMALL": _small_i(n) for n in (0, 1)},
    **{f"K{n}_{part}": _far_k(n) for n in (0, 1) for part in ("MID", "FAR", "OUT")},
    **{f"J{n}_NEAR": _near_j(n) for n in (0, 1)},
    **{f"J{n}_MID": _middle_j(n) for n in (0, 1)},
    **{f"Y{n}_NEAR": _near_y(n) for n in (0, 1)},
    "DAWSN_NEAR": lambda square: _dawsn(mp.sqrt(square)) / mp.sqrt(square),
    "DAWSN_MID": _dawsn,
    "DAWSN_FAR": lambda u: _dawsn(1 / mp.sqrt(u)) / mp.sqrt(u),
    "J0_P": lambda u: mp.re(_hankel(0, u)),
    "J1_P": lambda u: mp.re(_hankel(1, u)),
    "J0_Q": lambda u: mp.im(_hankel(0, u)) / mp.sqrt(u),
    "J1_Q": lambda u: mp.im(_hankel(1, u)) / mp.sqrt(u),
    "E1_NEAR": lambda y: mp.e1(y) + mp.log(y),
    **{f"E1_{part}": lambda u: mp.e1(1 / u) * mp.exp(1 / u) / u for part in ("MID", "FAR", "OUT")},
    "EI_NEAR": _ei_near,
    **{f"EI_{part}": lambda u: mp.ei(1 / u) * mp.exp(-1 / u) / u for part in ("MID", "FAR", "OUT", "LAST")},
    "SI_NEAR": lambda square: mp.si(mp.sqrt(square)) / mp.sqrt(square),
    "CI_NEAR": _ci_near,
    "CI_MID": lambda x: mp.ci(x) / (x - mp.findroot(mp.ci, mp.mpf("3.3841804225511865"))),
    **{f"SICI_F{p}": lambda u: _rest_of_sine_integral(1 / mp.sqrt(u))[0] / mp.sqrt(u) for p in ("", "_FAR")},
    **{f"SICI_G{p}": lambda u: _rest_of_sine_integral(1 / mp.sqrt(u))[1] / u for p in ("", "_FAR")},
    "FRESNEL_S": lambda u: mp.fresnels(mp.root(u, 4)) / mp.root(u, 4) ** 3,
    "FRESNEL_C": lambda u: mp.fresnelc(mp.root(u, 4)) / mp.root(u, 4),
    "FRESNEL_F": lambda v: _rest_of_fresnel(1 / v)[0] / v,
    "FRESNEL_G": lambda v: _rest_of_fresnel(1 / v)[1] / v**3,
    "FRESNEL_F_FAR": lambda u: _rest_of_fresnel(1 / mp.root(u, 4))[0] / mp.root(u, 4),
    "FRESNEL_G_FAR": lambda u: _rest_of_fresnel(1 / mp.root(u, 4))[1] / mp.root(u, 4) ** 3,
    "SPENCE": lambda w: mp.polylog(2, w) / w if w else mp.mpf(1),
    "LGAMMA_NEAR": _lgamma(1.125),
    "LGAMMA_MID": _lgamma(2.625),
    "LGAMMA_1": lambda y: mp.loggamma(y) / ((y - 1) * (y - 2)),
    **dict.fromkeys(("STIRLING", "LGAMMA_FAR"), _stirling),
    "DIGAMMA": _digamma,
    "DIGAMMA_FAR": _digamma_far,
    "COTANGENT": lambda square: mp.sqrt(square) * (1 - square) * mp.cot(mp.pi * mp.sqrt(square)),
    "GAMMA": mp.gamma,
    "ERFCX": _erfcx,
    "ERFINV_NEAR": _erfinv,
    **{f"ERFINV_{part}": lambda u: _erfinv(1 / u**2) * u for part in ("FAR", "OUT")},
    "LOG1PMX": lambda v: (mp.log1p(v) - v) / v**2,
    **{f"TEMME_{k}": _temme(k) for k in range(10)},
}

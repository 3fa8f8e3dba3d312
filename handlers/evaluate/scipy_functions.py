"""SciPy's special functions of arrays in double precision; those here lose fewer digits, or have another name there."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy import special

from effects.arrays.concrete import Host
from effects.operations.special import SpecialKind
from effects.special.information import ATANH
from handlers.evaluate.erf_inv import polynomial
from handlers.special.bessel import J0_ZEROS, J1_ZEROS
from handlers.special.fits import FITS
from handlers.special.integrals import ROOT


@cache
def of(kind: SpecialKind) -> Callable[..., Host]:
    """The function of this kind: the one named so in this file, or else SciPy's."""
    function: Callable[..., Host] = globals().get(f"_{kind.printed}") or getattr(special, kind.printed)
    return function


def elements_at(at: Host, *xs: Host) -> list[Host]:
    """The elements of arrays, broadcast, at which a mask of their common shape holds."""
    return [x[at] if x.shape == at.shape else np.broadcast_to(x, at.shape)[at] for x in xs]


def _gauss(x: Host, scale: float) -> Host:
    """exp(scale · x²), for which x² is split so that only a small part of it is rounded."""
    x = np.minimum(x, 60.0)
    high = np.rint(x * 16.0) / 16.0
    return np.exp(scale * (high * high)) * np.exp(scale * ((x - high) * (x + high)))


def _erfc(x: Host) -> Host:
    y: Host = special.erfc(x, out=...)
    in_tail = x > 1.0
    if np.count_nonzero(in_tail):
        tail = x[in_tail]
        y[in_tail] = _gauss(tail, -1.0) * special.erfcx(tail)
    return y


def _erfcx(x: Host) -> Host:
    y: Host = special.erfcx(x, out=...)
    below = x < -1.0
    if np.count_nonzero(below):
        size = -x[below]
        y[below] = 2.0 * _gauss(size, 1.0) - special.erfcx(size)
    return y


def _log_ndtr(x: Host) -> Host:
    y: Host = special.log_ndtr(x, out=...)
    above = x > 1.0
    if np.count_nonzero(above):
        size = x[above]
        y[above] = np.log1p(-0.5 * _gauss(size, -0.5) * special.erfcx(size * 0.7071067811865476))
    return y


def _ndtr(x: Host) -> Host:
    return 0.5 * _erfc(np.multiply(x, -0.7071067811865476, out=...))


def _gammaln(x: Host) -> Host:
    """log |Γ(x)|; next to its roots 1 and 2 by the complex function, which keeps the digits."""
    y: Host = special.gammaln(x, out=...)
    near = np.abs(np.abs(x - 1.5) - 0.5) < 0.2
    if np.count_nonzero(near):
        y[near] = special.loggamma(x[near] + 0j).real + 0.0
    return y


def _zeta(s: Host, q: Host) -> Host:
    """Of q ≥ 0; from below 0 SciPy adds 1 until q is positive, however far that is."""
    y: Host = special.zeta(s, np.maximum(q, 0.0))
    return y


def _trigamma(x: Host) -> Host:
    return _zeta(np.asarray(2.0), x)


def _betaln(a: Host, b: Host) -> Host:
    y: Host = special.beta(a, b, out=...)
    return np.log(y, out=y)


def _binom(n: Host, k: Host) -> Host:
    """Binomial coefficients, whole for whole numbers."""
    y: Host = special.binom(n, k, out=...)
    exact = (np.floor(n) == n) & (np.floor(k) == k) & (y < 2.0**53)
    np.rint(y, out=y, where=exact)
    return y


def _kl_div(x: Host, y: Host) -> Host:
    """x log(x/y) - x + y; of numbers near to each other by artanh."""
    out: Host = special.kl_div(x, y, out=...)
    near = np.abs(y - x) < 0.1 * x
    if np.count_nonzero(near):
        x, y = elements_at(near, x, y)
        u = (y - x) / x
        s = u / (u + 2.0)
        out[near] = x * (s * (u - s * s * polynomial(s * s, ATANH[-7:])))
    return out


def _si(x: Host) -> Host:
    y: Host = np.copysign(special.sici(x)[0], x)
    return y


def _ci(x: Host) -> Host:
    y: Host = special.sici(x)[1]
    return y


def _fresnel_s(x: Host) -> Host:
    y: Host = np.copysign(special.fresnel(x)[0], x)
    return y


def _fresnel_c(x: Host) -> Host:
    y: Host = np.copysign(special.fresnel(x)[1], x)
    return y


def _expn(n: Host, x: Host) -> Host:
    """Eₙ(x); NaN for n that is no integer."""
    is_integer = (np.floor(n) == n) & (np.abs(n) < 2.0**31)
    y: Host = special.expn(np.where(is_integer, n, -1.0), x)
    return y


def _owens_t(h: Host, a: Host) -> Host:
    y: Host = np.copysign(special.owens_t(h, a), a)
    return y


def _beta_odds(a: Host, b: Host, p: Host) -> Host:
    odds: Host = special.betaincinv(a, b, p) / special.betainccinv(b, a, p)
    return odds


def _beta_part(a: Host, b: Host, x: Host, y: Host) -> Host:
    """`betainc` by the smaller of x and y; by the complement, fifteen times as costly, if less than ¼ is left."""
    near = np.asarray(x <= y)
    far = ~near
    out = np.empty(np.broadcast_shapes(a.shape, b.shape, near.shape))
    special.betainc(a, b, x, out=out, where=near)
    special.betainc(b, a, y, out=out, where=far)
    rest = far & (out > 0.75)
    np.subtract(1.0, out, out=out, where=far)
    special.betaincc(b, a, y, out=out, where=rest)
    return out


def _fitted(name: str, x: Host) -> Host:
    """The polynomial of an interval next to a root, which programs use too."""
    middle, half, coefficients = FITS[name]
    return polynomial((x - middle) / half, coefficients)


def _expi(x: Host) -> Host:
    y: Host = special.expi(x, out=...)
    near = np.abs(x - ROOT[0]) < 0.1
    if np.count_nonzero(near):
        z = x[near]
        distance = z - ROOT[0] - ROOT[1]
        y[near] = np.log1p(distance / ROOT[0]) + distance * _fitted("EI_NEAR", z)
    return y


def _bessel(x: Host, order: int) -> Host:
    y: Host = (special.j0, special.j1)[order](x, out=...)
    for i, (root, rest) in enumerate((J0_ZEROS, J1_ZEROS)[order]):
        near = np.abs(np.abs(x) - root) < 0.2
        if np.count_nonzero(near):
            z = np.abs(x[near])
            sign = np.sign(x[near]) if order else 1.0
            factor = sign * z**order * (z + root) if i == 0 else sign
            piece = _fitted(f"J{order}_NEAR", z * z) if i == 0 else _fitted(f"J{order}_MID", z)
            y[near] = piece * (z - root - rest) * factor
    return y


def _j0(x: Host) -> Host:
    return _bessel(x, 0)


def _j1(x: Host) -> Host:
    return _bessel(x, 1)

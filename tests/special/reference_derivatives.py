"""Derivatives of orders 0 to 4 of special functions, where code changes over, and next to that, with 60 digits.

    python -m tests.special.reference_derivatives > tests/special/derivatives.txt

Names behind that are those of the functions to write lines of, in place of all. It takes mpmath.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import mpmath as mp

from tests.sixty_digits import (
    SMALL,
    TINY,
    Function,
    Points,
    Real,
    beta_part,
    both,
    differentiated,
    expit,
    gamma_part,
    gamma_rest,
    inverse,
    line,
    log_expit,
    ndtr,
    wanted,
)


def _xlog(x: Real, y: Real) -> Real:
    return x * mp.log(y) if x else mp.mpf(0)


def _rel_entr(x: Real, y: Real) -> Real:
    return x * mp.log(x / y) if x else mp.mpf(0)


def _sinc(x: Real) -> Real:
    return mp.sin(mp.pi * x) / (mp.pi * x) if x else mp.mpf(1)


def _spence(x: Real) -> Real:
    return mp.re(mp.polylog(2, 1 - x)) if x != 1 else mp.mpf(0)


def _owens_t(h: Real, a: Real) -> Real:
    """By its integral in pieces along which the integrand is smooth."""
    ends = [a * k / 12 for k in range(13)]
    return mp.quad(lambda x: mp.exp(-h * h * (1 + x * x) / 2) / (1 + x * x), ends) / (2 * mp.pi)


def _ones(*xs: float) -> Points:
    return [(x,) for x in xs]


def _log_ndtr(x: Real) -> Real:
    return mp.log(ndtr(x)) if x < 0 else mp.log1p(-ndtr(-x))


_REAL: Final = both(0.0, TINY, SMALL, 0.25, 0.5, 0.75, 1.0, 1.0 - TINY, 1.5, 2.0, 3.0, 5.0, 8.0, 8.5, 12.0, 20.0)
_POSITIVE: Final = _ones(TINY, SMALL, 0.25, 0.5, 1.0, 1.0 + SMALL, 1.5, 2.0, 2.0 + SMALL, 3.0, 5.0, 10.0, 16.0, 50.0)
_CHANCES: Final = _ones(*[2.0**-k for k in (100, 40, 20, 4, 2, 1)], 0.5 - SMALL, 0.5 + SMALL, 0.75, 0.875, 1 - SMALL)

SPECIAL: Final[dict[str, tuple[Function, Points, tuple[int, ...]]]] = {
    "erf": (mp.erf, _REAL[1:-1], (0,)),
    "erfc": (mp.erfc, _REAL[1:], (0,)),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), [*_REAL, (1e3,), (2.0**40,)], (0,)),
    "ndtr": (ndtr, _REAL, (0,)),
    "log_ndtr": (_log_ndtr, [*_REAL, (-40.0,), (14.0,), (-1.0 - SMALL,), (-100.0,)], (0,)),
    "expit": (expit, _REAL[:-5], (0,)),
    "log_expit": (log_expit, [*_REAL, (-100.0,), (80.0,), (-800.0,)], (0,)),
    "i0": (lambda x: mp.besseli(0, x), [*_REAL, (50.0,)], (0,)),
    "i1": (lambda x: mp.besseli(1, x), [*_REAL, (50.0,)], (0,)),
    "i0e": (lambda x: mp.exp(-abs(x)) * mp.besseli(0, x), [*_REAL, (50.0,), (1000.0,)], (0,)),
    "i1e": (lambda x: mp.exp(-abs(x)) * mp.besseli(1, x), [*_REAL, (50.0,), (1000.0,)], (0,)),
    "j0": (mp.j0, [*_REAL, (2.40625,), (100.0,)], (0,)),
    "j1": (mp.j1, [*_REAL, (3.828125,), (100.0,)], (0,)),
    "y0": (lambda x: mp.bessely(0, x), [*_POSITIVE[2:], (7.5,), (100.0,)], (0,)),
    "y1": (lambda x: mp.bessely(1, x), [*_POSITIVE[2:], (8.5,), (100.0,)], (0,)),
    "dawsn": (lambda x: mp.exp(-x * x) * mp.erfi(x) * mp.sqrt(mp.pi) / 2, [*_REAL, (50.0,)], (0,)),
    "si": (mp.si, [*_REAL, (50.0,)], (0,)),
    "ci": (lambda x: mp.ci(abs(x)), [*_POSITIVE[:2], *_POSITIVE[3:], (0.625,), (-3.375,), (6.5,)], (0,)),
    "expn": (
        lambda n, x: mp.expint(n, x),
        [(n, x) for n in (0.0, 1.0, 2.0, 3.0, 5.0, 60.0) for x in (SMALL, 0.5, 1.0, 1.0 + SMALL, 2.5, 20.0)],
        (1,),
    ),
    "owens_t": (
        _owens_t,
        [(h, a) for h in (0.0, SMALL, -0.5, 1.0, 4.5) for a in (0.0, SMALL, -0.75, 1.0, 2.0, 2.0 + SMALL, 8.0)],
        (0, 1),
    ),
    "fresnel_s": (mp.fresnels, [*_REAL, (2.5,), (50.0,)], (0,)),
    "fresnel_c": (mp.fresnelc, [*_REAL, (2.5,), (50.0,)], (0,)),
    "exprel": (lambda x: mp.expm1(x) / x if x else mp.mpf(1), [*_REAL, (-50.0,)], (0,)),
    "ellipk": (mp.ellipk, [*_CHANCES[3:], (0.0,), (-SMALL,), (-1.0,), (-100.0,)], (0,)),
    "ellipe": (mp.ellipe, [*_CHANCES[3:], (0.0,), (-SMALL,), (-1.0,), (-100.0,)], (0,)),
    "ellipkm1": (lambda p: mp.ellipk(1 - p), _POSITIVE, (0,)),
    "k0": (lambda x: mp.besselk(0, x), _POSITIVE, (0,)),
    "k1": (lambda x: mp.besselk(1, x), _POSITIVE, (0,)),
    "k0e": (lambda x: mp.exp(x) * mp.besselk(0, x), [*_POSITIVE, (1000.0,)], (0,)),
    "k1e": (lambda x: mp.exp(x) * mp.besselk(1, x), [*_POSITIVE, (1000.0,)], (0,)),
    "exp1": (mp.e1, _POSITIVE, (0,)),
    "expi": (mp.ei, [*_POSITIVE, (0.375,), (-0.5,), (-1.0,), (-20.0,), (24.0,)], (0,)),
    "spence": (_spence, [*_POSITIVE, (1.0 - SMALL,), (1.0 + TINY * 16,), (0.75,), (1.5 + SMALL,), (1e4,)], (0,)),
    "sinc": (
        _sinc,
        [*[(x,) for (x,) in _REAL if abs(x) != 1.0 - TINY], (0.125,), (0.0625,), (0.3125,), (0.375,)],
        (0,),
    ),
    "gamma": (mp.gamma, [*_POSITIVE, (-0.5,), (-1.5,), (-2.75,)], (0,)),
    "rgamma": (mp.rgamma, [*_POSITIVE, (0.0,), (-1.0,), (-1.5,), (-2.75,)], (0,)),
    "gammaln": (lambda x: mp.log(abs(mp.gamma(x))), [*_POSITIVE, (-0.5,), (-1.5,), (-2.75,), (1e6,)], (0,)),
    "digamma": (mp.psi0 if hasattr(mp, "psi0") else lambda x: mp.psi(0, x), [*_POSITIVE, (-0.5,), (-1.5,)], (0,)),
    "factorial": (mp.factorial, _ones(SMALL, 0.0, 0.5, 1.0, 3.0, 4.5, 10.0), (0,)),
    "entr": (lambda x: -_xlog(x, x), [*_POSITIVE, (2.0**-100,)], (0,)),
    "logit": (lambda x: mp.log(x / (1 - x)), [*_CHANCES, (0.25 + SMALL,), (0.3125,), (0.6875,)], (0,)),
    "cbrt": (mp.cbrt, _POSITIVE, (0,)),
    "exp2": (lambda x: mp.mpf(2) ** x, _REAL, (0,)),
    "expm1": (mp.expm1, _REAL, (0,)),
    "log1p": (mp.log1p, [*_POSITIVE, (0.0,), (-SMALL,), (-0.5,), (-0.875,)], (0,)),
    "zeta": (mp.zeta, _ones(-20.5, -3.0, -2.0, -0.5, -0.125, 0.0, 0.5, 0.875, 1.25, 1.5, 2.0, 4.0, 30.0), (0,)),
    "zeta 2": (mp.zeta, [(1.5, 0.5), (2.0, 1.0), (3.0, 2.5), (2.0, 20.0), (40.0, 1.5)], (0, 1)),
    "polygamma": (
        lambda n, x: mp.psi(int(n), x),
        [(n, x) for n in (0.0, 1.0, 2.0, 4.0) for x in (0.5, 1.0, 6.0)],
        (1,),
    ),
    "betaln": (lambda a, b: mp.log(mp.beta(a, b)), [(0.5, 0.5), (1.0, 1.0), (2.0, 30.0), (40.0, 50.0)], (0, 1)),
    "beta": (mp.beta, [(0.5, 0.5), (1.0, 1.0), (2.0, 29.0), (2.0, 30.0), (2.5, 31.0), (40.0, 50.0)], (0, 1)),
    "multigammaln": (
        lambda a: mp.log(mp.pi) * 3 / 2 + sum(mp.loggamma(a - mp.mpf(i) / 2) for i in range(3)),
        _ones(1.25, 2.0, 10.0),
        (0,),
    ),
    "gammainc": (
        gamma_part,
        [(100.0, 100.0), (0.5, 0.5), (1.0, 1.0), (2.5, 1.0), (2.5, 20.0), (20.0, 20.0), (30.0, 25.0), (100.0, 101.0)],
        (0, 1),
    ),
    "gammaincc": (
        gamma_rest,
        [(100.0, 100.0), (0.5, 0.5), (1.0, 1.0), (2.5, 1.0), (2.5, 20.0), (20.0, 20.0), (30.0, 35.0), (100.0, 101.0)],
        (0, 1),
    ),
    "betainc": (
        beta_part,
        [(0.5, 0.5, 0.5), (1.0, 1.0, 0.25), (2.0, 3.0, 0.5), (2.5, 4.0, 0.875), (30.0, 25.0, 0.5)],
        (0, 1, 2),
    ),
    "xlogy": (_xlog, [(1.0, 1.0), (0.0, 0.5), (2.5, 4.0)], (0, 1)),
    "xlog1py": (lambda x, y: x * mp.log1p(y), [(1.0, 0.0), (0.0, 0.5), (2.5, -0.5)], (0, 1)),
    "rel_entr": (_rel_entr, [(1.0, 1.0), (1.0, 2.0), (1.0, 0.5), (2.0, 1.0 + SMALL), (0.5, 8.0)], (0, 1)),
    "kl_div": (
        lambda x, y: _rel_entr(x, y) - x + y,
        [(1.0, 1.0), (1.0, 1.0 + TINY * 16), (1.0, 2.0), (1.0, 0.5), (1.0, 1.375), (1.0, 1.4375), (0.5, 8.0)],
        (0, 1),
    ),
    "binom": (mp.binomial, [(5.0, 2.0), (5.5, 2.0), (5.5, 2.5), (7.0, 3.5), (160.0, 2.5), (40.0, 20.0)], (0, 1)),
    "comb": (mp.binomial, [(5.0, 2.0), (5.5, 2.0), (5.5, 2.5), (160.0, 2.5)], (0, 1)),
    "poch": (mp.rf, [(3.0, 2.0), (3.5, 2.0), (3.5, 2.5), (0.5, 0.0), (160.0, 2.5)], (0, 1)),
    "hyp1f1": (mp.hyp1f1, [(1.0, 2.0, 1.0), (0.5, 1.5, -2.0), (2.5, 3.0, 0.0), (1.5, 2.5, 30.0)], (0, 1, 2)),
    "logaddexp": (
        lambda x, y: mp.log(mp.exp(x) + mp.exp(y)),
        [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (-3.0, 0.0), (0.0, SMALL)],
        (0, 1),
    ),
}
_INVERSES: Final[dict[str, tuple[Callable[..., list[Real]], Points, int]]] = {
    "ndtri": (lambda p: inverse(ndtr, True, -1.0, 1.5)(p), _CHANCES, 0),
    "erfinv": (
        lambda x: inverse(mp.erf, True, -1.0, 1.5)(x),
        both(0.0, TINY, SMALL, 0.25, 0.5, 0.5 + SMALL, 0.75, 1 - SMALL),
        0,
    ),
    "erfcinv": (
        lambda x: inverse(mp.erfc, False, -1.0, 1.5)(x),
        [*_CHANCES, *[(2.0 - x,) for (x,) in _CHANCES if x > 2.0**-21], (1.0,), (1.5 + SMALL,)],
        0,
    ),
    "gammaincinv": (
        lambda a, y: inverse(lambda x: gamma_part(a, x), True, 1.0, 1.5)(y),
        [(a, y) for a in (0.5, 1.0, 2.5, 30.0) for y in (0.0625, 0.5, 0.875)],
        1,
    ),
    "gammainccinv": (
        lambda a, y: inverse(lambda x: gamma_rest(a, x), False, 1.0, 1.5)(y),
        [(a, y) for a in (0.5, 1.0, 2.5, 30.0) for y in (0.0625, 0.5, 0.875)],
        1,
    ),
    "betaincinv": (
        lambda a, b, y: inverse(lambda x: beta_part(a, b, x))(y),
        [(a, b, y) for a, b in ((0.5, 0.5), (1.0, 1.0), (2.0, 3.0), (25.0, 30.0)) for y in (0.0625, 0.5, 0.875)],
        2,
    ),
}
_KINKS: Final = {"i0e": 0.0, "i1e": 0.0}


def _special() -> Iterator[str]:
    for name, (f, points, varying) in SPECIAL.items():
        called = name.split()[0]
        if not wanted(called):
            continue
        for args in dict.fromkeys(points):
            exact = [mp.mpf(v) for v in args]
            for i in varying:
                along = lambda x, exact=exact, i=i, f=f: f(*exact[:i], x, *exact[i + 1 :])
                sides = (-1, 1) if _KINKS.get(called) == args[i] else (0,)
                yield line(called, i, args, [differentiated(along, args[i], side) for side in sides])
    for name, (derivatives, points, i) in _INVERSES.items():
        if not wanted(name):
            continue
        for args in dict.fromkeys(points):
            yield line(name, i, args, [derivatives(*args)])


if __name__ == "__main__":
    for each in _special():
        print(each, flush=True)

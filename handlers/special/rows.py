"""Implementations of the special functions: a row for each kind, which evaluation, derivatives and compiling read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from effects.arrays.array import Array
from effects.arrays.concrete import Host
from effects.operations.special import SpecialKind as _K
from effects.special.calling import SHORT
from handlers.special import (
    bessel,
    combinatorics,
    elliptic,
    error,
    gamma,
    gauss_function,
    hypergeometric,
    incomplete,
    incomplete_beta,
    information,
    integrals,
    inverse,
    oscillating,
    owens,
    zeta,
)

type _Mask = npt.NDArray[np.bool_]

_NEXT_TO_ROOTS: Final = 2.0**-56
"""Tolerance where sums cancel."""
_EXPONENTS: Final = 2.0**-44
"""Tolerance of results that become an exponent."""


@dataclass(frozen=True)
class Row:
    """A function of numbers in double precision."""

    program: Callable[..., Array]
    """By other operations, which compiling writes down."""
    tolerance: float = SHORT
    """Largest relative tolerance where the result is rounded to single precision."""
    lost: Callable[..., _Mask] | None = None
    """Region where SciPy's function loses digits, by its value and the arguments; evaluation runs the program there.

    Examples are in tests/special/test_as_scipy.py.
    """
    along: Callable[..., Array] | None = None
    """The program along which derivatives are taken, if it is another."""
    slope: Callable[[Array], Array] | None = None
    """The derivative on the right of a kink at 0, where derivatives are means of those from both sides."""
    even: bool = True
    """True if the function is even, for one with a kink."""
    single: bool = False
    """True if the program is computed in single precision for that: it is right to four units in the last place."""
    repeats: bool = False
    """True if the program is a loop until no element needs another step."""
    kept: bool = True
    """True if its value is kept in memory: XLA would compute a long program again for each use of its result."""


def _in_a_loop(program: Callable[..., Array], tolerance: float, lost: Callable[..., _Mask]) -> Row:
    """Of a loop until nothing is added, where derivatives take longer."""
    return Row(program, tolerance, lost, partial(program, differentiated=True), repeats=True)


def _beta_is_large(y: Host, a: Host, b: Host, *others: Host) -> _Mask:
    return ~((np.minimum(a, b) > 1e-100) & (np.maximum(a, b) < 1e3))


def _beta_is_far(y: Host, a: Host, b: Host) -> _Mask:
    return ~((np.abs(a) + np.abs(b) < 150.0) & (np.abs(a) > 1e-300) & (np.abs(b) > 1e-300))


def _binom_is_far(y: Host, n: Host, k: Host) -> _Mask:
    """Beside usual numbers of things, whole or not."""
    return ~((n < 150.0) & (k >= 0.0) & (k <= n))


def _poch_is_far(y: Host, x: Host, m: Host) -> _Mask:
    """Region where it is a difference of large logarithms, and next to poles."""
    return ~((x > 0.0) & (x < 150.0) & (x + m > 0.0) & (x + m < 150.0))


def _gamma_is_large(y: Host, a: Host, x: Host) -> _Mask:
    return (a > 1e4) | (a < 1e-16)


def _gamma_is_far(y: Host, a: Host, x: Host) -> _Mask:
    """Beside a, where SciPy's factor is the exponential of a difference of large numbers."""
    return _gamma_is_large(y, a, x) | (a > 4.0) & (np.abs(x - a) > 0.3 * a)


def _hyp2f1_cancels(y: Host, a: Host, b: Host, c: Host, x: Host) -> _Mask:
    """Beside series of a few terms of one sign."""
    small = (a > 0.0) & (b > 0.0) & (c > 0.0) & (np.maximum(a, b) < 5.0) & (x >= 0.0) & (x < 0.9)
    return ~small & np.isfinite(x)


def _phase_is_rounded(y: Host, x: Host) -> _Mask:
    return np.abs(x) > 30.0


def _underflows(y: Host, x: Host) -> _Mask:
    return (x > 0.0) & (x < 1e-307)


def _overflows(y: Host, x: Host) -> _Mask:
    return np.abs(x) > 700.0


ROWS: Final[dict[_K, Row]] = {
    _K.BETA: Row(combinatorics.beta, lost=_beta_is_far),
    _K.BETA_ODDS: Row(
        inverse.beta_odds, lost=lambda y, a, b, p: _beta_is_large(y, a, b) | ~((y > 1e-290) & (y < 1e290)), repeats=True
    ),
    _K.BETA_PART: _in_a_loop(incomplete_beta.beta_part, _EXPONENTS, _beta_is_large),
    _K.BETAINC: _in_a_loop(incomplete_beta.betainc, _EXPONENTS, _beta_is_large),
    _K.BETAINCINV: Row(
        inverse.betaincinv, lost=lambda y, a, b, p: _beta_is_large(y, a, b) | ~(y > 1e-290), repeats=True
    ),
    _K.BETALN: Row(gamma.betaln, _NEXT_TO_ROOTS, lambda y, a, b: ~((np.minimum(a, b) > 1e-5) & (a + b < 170.0))),
    _K.BINOM: Row(combinatorics.binom, lost=_binom_is_far),
    _K.CI: Row(oscillating.ci, _NEXT_TO_ROOTS, lambda y, x: (np.abs(y) < 0.4) & (np.abs(x) < 5.0)),
    _K.DAWSN: Row(integrals.dawsn),
    _K.DIGAMMA: Row(gamma.digamma, _NEXT_TO_ROOTS, lambda y, x: x <= 0.0),
    _K.ELLIPE: Row(elliptic.ellipe),
    _K.ELLIPKM1: Row(elliptic.ellipkm1),
    _K.ENTR: Row(information.entr, single=True, kept=False),
    _K.ERFC: Row(error.erfc, single=True, kept=False),
    _K.ERFCINV: Row(error.erfcinv, single=True),
    _K.ERFCX: Row(error.erfcx, single=True, kept=False),
    _K.ERFINV: Row(error.erfinv, single=True),
    _K.EXP1: Row(integrals.exp1),
    _K.EXPI: Row(integrals.expi, lost=lambda y, x: (x > 36.0) & (x < 48.0) | (x > 700.0)),
    _K.EXPN: Row(integrals.expn, lost=lambda y, n, x: n >= 50.0),
    _K.EXPREL: Row(integrals.exprel, lost=_overflows, kept=False),
    _K.FRESNEL_C: Row(oscillating.fresnel_c, lost=lambda y, x: np.abs(x) > 3.0),
    _K.FRESNEL_S: Row(oscillating.fresnel_s, lost=lambda y, x: np.abs(x) > 3.0),
    _K.GAMMA: Row(gamma.gamma),
    _K.GAMMAINC: _in_a_loop(incomplete.gammainc, _EXPONENTS, _gamma_is_far),
    _K.GAMMAINCC: _in_a_loop(incomplete.gammaincc, _EXPONENTS, _gamma_is_far),
    _K.GAMMAINCCINV: Row(inverse.gammainccinv, lost=_gamma_is_large, repeats=True),
    _K.GAMMAINCINV: Row(inverse.gammaincinv, lost=_gamma_is_large, repeats=True),
    _K.GAMMALN: Row(gamma.gammaln, _NEXT_TO_ROOTS, lambda y, x: x < 1e-300),
    _K.GAMMASGN: Row(combinatorics.gammasgn, kept=False),
    _K.HYP1F1: _in_a_loop(hypergeometric.hyp1f1, SHORT, lambda y, a, b, x: ~((a > 0.0) & (b > 0.0) & (x >= 0.0))),
    _K.HYP2F1: _in_a_loop(gauss_function.hyp2f1, SHORT, _hyp2f1_cancels),
    _K.I0: Row(bessel.i0, lost=_overflows),
    _K.I0E: Row(bessel.i0e, slope=bessel.i0e_slope, single=True),
    _K.I1: Row(bessel.i1, lost=_overflows),
    _K.I1E: Row(bessel.i1e, slope=bessel.i1e_slope, even=False, single=True),
    _K.J0: Row(bessel.j0, _NEXT_TO_ROOTS, _phase_is_rounded),
    _K.J1: Row(bessel.j1, _NEXT_TO_ROOTS, _phase_is_rounded),
    _K.K0: Row(bessel.k0),
    _K.K0E: Row(bessel.k0e),
    _K.K1: Row(bessel.k1, lost=_underflows),
    _K.K1E: Row(bessel.k1e, lost=_underflows),
    _K.KL_DIV: Row(information.kl_div, lost=lambda y, x, z: np.isinf(y) & (x > 0.0) & (z > 0.0), kept=False),
    _K.LOG_NDTR: Row(error.log_ndtr, kept=False),
    _K.LOGIT: Row(information.logit, single=True, kept=False),
    _K.NDTR: Row(error.ndtr, single=True, kept=False),
    _K.NDTRI: Row(error.ndtri, single=True),
    _K.OWENS_T: Row(owens.owens_t, lost=lambda y, h, a: ~(np.abs(h) < 1.0)),
    _K.POCH: Row(combinatorics.poch, lost=_poch_is_far),
    _K.REL_ENTR: Row(information.rel_entr, single=True, kept=False),
    _K.RGAMMA: Row(gamma.rgamma),
    _K.SI: Row(oscillating.si),
    _K.SPENCE: Row(integrals.spence, lost=lambda y, x: np.isinf(x)),
    _K.TRIGAMMA: Row(zeta.trigamma, lost=lambda y, x: ~(x >= 0.0) | np.isinf(x)),
    _K.XLOG1PY: Row(information.xlog1py, single=True, kept=False),
    _K.XLOGY: Row(information.xlogy, single=True, kept=False),
    _K.Y0: Row(bessel.y0, _NEXT_TO_ROOTS, _phase_is_rounded),
    _K.Y1: Row(bessel.y1, _NEXT_TO_ROOTS, _phase_is_rounded),
    _K.ZETA: Row(zeta.zeta, lost=lambda y, s, q: ~(q >= 0.0) | (s < 1.1) & (q < 1e-3) | ~(s < 1e10), repeats=True),
}

"""Cases of special functions: each on every interval of its program."""

from __future__ import annotations

from typing import Final

import effects as fx
from effects.operations.special import Special, SpecialKind
from tests.cases.case import Case, shaped

_K = SpecialKind
_POSITIVE: Final = (0.3, 0.8, 1.6, 3.4, 6.2, 13.5)
_REAL: Final = (-4.3, -0.7, 0.4, 2.3, 7.1, 11.2)
_DOMAINS: Final = {
    **dict.fromkeys((_K.ERFC, _K.ERFCX, _K.DAWSN, _K.EXPREL, _K.I0E, _K.I1E, _K.J0, _K.J1, _K.LOG_NDTR), _REAL),
    **dict.fromkeys((_K.I0, _K.I1, _K.EXPI, _K.GAMMA), (-2.3, -0.7, 0.4, 1.7, 2.6, 3.2)),
    **dict.fromkeys((_K.DIGAMMA, _K.GAMMALN, _K.RGAMMA, _K.TRIGAMMA), (-2.4, 0.3, 1.2, 2.8, 5.6, 11.0)),
    _K.ELLIPE: (-4.3, -0.7, 0.1, 0.4, 0.7, 0.95),
    _K.ERFINV: (-0.8, -0.3, 0.15, 0.45, 0.7, 0.9),
    **dict.fromkeys((_K.LOGIT, _K.NDTRI), (0.1, 0.25, 0.4, 0.6, 0.75, 0.9)),
    _K.ERFCINV: (0.1, 0.4, 0.7, 1.2, 1.6, 1.9),
}
"""Where the others are taken at `_POSITIVE`."""
_A, _B, _X = ((0.7, 2.5, 3.1), (1.4, 0.6, 5.2), (0.2, 0.55, 0.4))
_PAIR: Final = (shaped((3,), _A), shaped((2, 1), (1.3, 2.2)))
_TRIPLE: Final = (*_PAIR, shaped((3,), _X))
_REGIONS: Final = shaped((5,), (1.9, 1.3, 22.0, 0.2, 60.0))
"""For incomplete gamma functions: one element for each way to compute them."""
_SEVERAL: Final = {
    **dict.fromkeys((_K.BETA, _K.POCH, _K.REL_ENTR, _K.XLOGY, _K.XLOG1PY), _PAIR),
    _K.BETAINC: _TRIPLE,
    _K.BINOM: (shaped((3,), (4.7, 12.5, 160.5)), shaped((2, 1), (1.3, 2.2))),
    _K.KL_DIV: (shaped((3,), _A), shaped((2, 1), (0.8, 2.4))),
    _K.BETA_ODDS: (shaped((2,), (0.7, 2.5)), shaped((2,), (1.4, 0.6)), shaped((2,), (0.2, 0.7))),
    _K.BETA_PART: (*_PAIR, shaped((3,), _X), shaped((3,), tuple([1.0 - x for x in _X]))),
    _K.BETAINCINV: (shaped((2,), (0.7, 2.5)), shaped((2,), (1.4, 0.6)), shaped((2,), (0.2, 0.7))),
    _K.BETALN: _PAIR,
    **dict.fromkeys((_K.GAMMAINCINV, _K.GAMMAINCCINV), (shaped((2,), (0.7, 2.5)), shaped((2,), (0.2, 0.7)))),
    **dict.fromkeys((_K.GAMMAINC, _K.GAMMAINCC), (shaped((5,), (0.7, 2.5, 25.0, 0.4, 40.0)), _REGIONS)),
    _K.EXPN: (shaped((3,), (1.0, 2.0, 4.0)), shaped((3,), (0.3, 0.8, 2.4))),
    _K.HYP1F1: _TRIPLE,
    _K.HYP2F1: (*_PAIR, shaped((3,), (2.2, 0.9, 1.6)), shaped((3,), (-0.4, 0.2, 0.7))),
    _K.OWENS_T: _PAIR,
    _K.ZETA: (shaped((3,), (1.5, 2.5, 4.0)), shaped((2, 1), (0.6, 2.2))),
}


def of(kind: SpecialKind) -> tuple[fx.Array, ...]:
    return _SEVERAL.get(kind) or (shaped((2, 3), _DOMAINS.get(kind, _POSITIVE)),)


_MOVED: Final = {_K.BETA_PART: (0, 1), _K.EXPN: (1,), _K.HYP2F1: (3,)}
"""The operands that are moved to take derivatives, where these are not all: a number and 1 less it move together, and
derivatives in the parameters are long programs, which have tests of their own.
"""


def _moved(kind: SpecialKind) -> tuple[int, ...]:
    return _MOVED.get(kind, tuple(range(len(of(kind)))))


CASES: Final = (
    *[Case(kind.value, Special(kind, of(kind)), _moved(kind)) for kind in SpecialKind],
    Case("k0-empty", Special(_K.K0, (shaped((0, 2)),)), (0,)),
    Case("digamma-single", Special(_K.DIGAMMA, (shaped((3,), _POSITIVE, fx.float32),))),
)

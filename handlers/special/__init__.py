"""Special functions as programs in double precision, which compiling writes down and evaluation runs where it must.

Each is right to a few units in the last place where scipy's is, for what its file says. Nothing here is loaded before a
special function is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, Final

from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.functions import creation, elementwise
from effects.functions.logic import where
from effects.operations.special import Special, SpecialKind as _K
from effects.program.chain import ROOT, installed
from effects.program.jaxpr import Jaxpr
from effects.runtime.caches import RECENT, Cache
from effects.runtime.extent import setting
from effects.runtime.names import transformation
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.special import bessel, error, gamma, hypergeometric, incomplete, integrals, inverse
from handlers.special.fits import SHORT, left_out
from handlers.stage import stage

type Program = tuple[Jaxpr, list[Array]]
_programs: Final[Cache[Hashable, Program]] = Cache(RECENT)
PROGRAMS: Final[dict[_K, Callable[..., Array]]] = {
    _K.BETA_ODDS: inverse.beta_odds,
    _K.BETA_PART: incomplete.beta_part,
    _K.BETAINC: incomplete.betainc,
    _K.BETAINCINV: inverse.betaincinv,
    _K.BETALN: gamma.betaln,
    _K.GAMMAINCCINV: inverse.gammainccinv,
    _K.GAMMAINCINV: inverse.gammaincinv,
    _K.DIGAMMA: gamma.digamma,
    _K.ERFC: error.erfc,
    _K.ERFCINV: error.erfcinv,
    _K.ERFCX: error.erfcx,
    _K.ERFINV: error.erfinv,
    _K.EXP1: integrals.exp1,
    _K.EXPI: integrals.expi,
    _K.GAMMA: gamma.gamma,
    _K.GAMMAINC: incomplete.gammainc,
    _K.GAMMAINCC: incomplete.gammaincc,
    _K.GAMMALN: gamma.gammaln,
    _K.HYP1F1: hypergeometric.hyp1f1,
    _K.I0: bessel.i0,
    _K.I0E: bessel.i0e,
    _K.I1: bessel.i1,
    _K.I1E: bessel.i1e,
    _K.J0: bessel.j0,
    _K.J1: bessel.j1,
    _K.K0: bessel.k0,
    _K.K0E: bessel.k0e,
    _K.K1: bessel.k1,
    _K.K1E: bessel.k1e,
    _K.LOG_NDTR: error.log_ndtr,
    _K.NDTR: error.ndtr,
    _K.SPENCE: integrals.spence,
    _K.TRIGAMMA: gamma.trigamma,
    _K.ZETA: gamma.zeta,
}


_BESIDE: Final = {_K.I0E: (bessel.i0e_slope, 1), _K.I1E: (bessel.i1e_slope, 0)}
"""The derivatives on the right of a kink at 0, and of which parity the order is of those that are odd.

At 0 derivatives are means of those from both sides.
"""
_ALONG: Final = (_K.BETA_PART, _K.BETAINC, _K.GAMMAINC, _K.GAMMAINCC, _K.HYP1F1)
"""Those that are computed in another way where derivatives are taken along the program."""


_AMPLIFIED: Final = {
    **dict.fromkeys((_K.BETALN, _K.DIGAMMA, _K.GAMMALN, _K.J0, _K.J1), 2.0**-56),
    **dict.fromkeys((_K.BETA_PART, _K.BETAINC, _K.GAMMAINC, _K.GAMMAINCC), 2.0**-44),
}
"""What may be left out for single precision where sums cancel next to roots, and in what becomes an exponent."""


def programmed(op: Special[Any]) -> Program:
    """What an operation means, by other operations, and the tables of numbers that are its first operands.

    Derivatives are taken along a function's program once for all elements of these shapes.
    """
    avals = tuple([ShapedArray(x.aval.shape, x.aval.dtype) for x in op.xs])
    key = (op.kind, op.orders, avals, op.short)
    found = _programs.find(key)
    if found is None:
        with installed(ROOT):
            found = _programs.keep(key, _staged(*key))
    return found


def _staged(kind: _K, orders: tuple[int, ...], avals: tuple[ShapedArray, ...], short: bool) -> Program:
    f = _differentiated(kind, orders) if any(orders) else PROGRAMS[kind]
    dtype = avals[0].dtype
    full = sum(orders) > (kind in _BESIDE) or (dtype is dtypes.float64 and not short)

    def program(*xs: Array) -> list[Array]:
        value = f(*[convert(x, dtypes.float64) for x in xs])
        return [convert(convert(value, dtypes.float32) if dtype in dtypes.NARROW else value, dtype)]

    with setting(left_out, 0.0 if full else _AMPLIFIED.get(kind, SHORT)):
        return stage(program, avals, kind.value)


def _differentiated(kind: _K, orders: tuple[int, ...]) -> Callable[..., Array]:
    if kind in _BESIDE:
        slope, parity = _BESIDE[kind]
        (order,) = orders
        for _ in range(order - 1):
            slope = _derivative(slope, 0)
        return partial(_on_both_sides, slope, order % 2 == parity)
    f = partial(PROGRAMS[kind], differentiated=True) if kind in _ALONG else PROGRAMS[kind]
    for i, order in enumerate(orders):
        for _ in range(order):
            f = _derivative(f, i)
    return f


def _on_both_sides(f: Callable[..., Array], odd: bool, x: Array) -> Array:
    value = f(elementwise.abs(x))
    return where(x == 0.0, x, elementwise.sign(x) * value) if odd else value


def _derivative(f: Callable[..., Array], i: int) -> Callable[..., Array]:
    """The partial derivative of f in its argument i, along the program."""
    forward = transformation("jvp")

    def derivative(*xs: Array) -> Array:
        def of_one(x: Array) -> Array:
            return f(*xs[:i], x, *xs[i + 1 :])

        found: Array = forward(of_one, (xs[i],), (creation.ones_like(xs[i]),))[1]
        return found

    return derivative

"""Special functions by SciPy; by the programs of `handlers.special` where it has no such function or loses digits."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from effects.arrays.array import Array
from effects.arrays.concrete import Host, concrete
from effects.operations.special import Special, SpecialKind as _K
from effects.program.chain import ROOT, Performed, installed
from effects.program.jaxpr import eval_jaxpr
from effects.runtime.quiet import quiet
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.evaluate.rules import RULES, refuse_foreign, result

type _Mask = npt.NDArray[np.bool_]

_EXPI_ROOT: Final = (0.3725074107813666, 1.3140183414386028e-17)
_BESSEL_ROOTS: Final = (
    ((2.404825557695773, -1.176691651530894e-16), (5.520078110286311, 8.088597146146722e-17)),
    ((3.8317059702075125, -1.5269184090088067e-16), (7.015586669815619, -9.414165653410389e-17)),
)
"""In two parts."""


class Scipys(NamedTuple):
    """A function of arrays in double precision, and where the program is right instead, of the value and these."""

    function: Callable[..., Host]
    lost: Callable[..., _Mask] | None = None


def _gauss(x: Host, sign: float) -> Host:
    """exp(±x²), x² being rounded in a part that is small only."""
    x = np.minimum(x, 40.0)
    high = np.rint(x * 16.0) / 16.0
    return np.exp(sign * (high * high)) * np.exp(sign * ((x - high) * (x + high)))


def _erfc(x: Host) -> Host:
    y: Host = special.erfc(x, out=...)
    far = x > 1.0
    if far.any():
        tail = x[far]
        y[far] = _gauss(tail, -1.0) * special.erfcx(tail)
    return y


def _erfcx(x: Host) -> Host:
    y: Host = special.erfcx(x, out=...)
    below = x < -1.0
    if below.any():
        size = -x[below]
        y[below] = 2.0 * _gauss(size, 1.0) - special.erfcx(size)
    return y


def _gammaln(x: Host) -> Host:
    """Of complex numbers it keeps the digits next to the roots 1 and 2."""
    y: Host = special.gammaln(x, out=...)
    near = np.abs(np.abs(x - 1.5) - 0.5) < 0.2
    if near.any():
        y[near] = special.loggamma(x[near] + 0j).real + 0.0
    return y


def _beta_part(a: Host, b: Host, x: Host, y: Host) -> Host:
    lower: Host = special.betainc(a, b, x, out=...)
    return np.where(x <= y, lower, special.betaincc(b, a, y))


def _beta_is_large(y: Host, a: Host, b: Host, *others: Host) -> _Mask:
    return ~((np.minimum(a, b) > 1e-100) & (np.maximum(a, b) < 1e3))


def _gamma_is_large(y: Host, a: Host, x: Host) -> _Mask:
    return (a > 1e4) | (a < 1e-16)


def _gamma_is_far(y: Host, a: Host, x: Host) -> _Mask:
    """Beside a, where SciPy's factor is the exponential of a difference of large numbers."""
    return _gamma_is_large(y, a, x) | (a > 4.0) & (np.abs(x - a) > 0.3 * a)


def _fitted(name: str, x: Host) -> Host:
    """The polynomial that programs have, of an interval next to a root."""
    middle, half, coefficients = import_module("handlers.special.fits").FITS[name]
    return np.polyval(coefficients, (x - middle) / half)


def _expi(x: Host) -> Host:
    y: Host = special.expi(x, out=...)
    near = np.abs(x - _EXPI_ROOT[0]) < 0.1
    if near.any():
        z = x[near]
        distance = z - _EXPI_ROOT[0] - _EXPI_ROOT[1]
        y[near] = np.log1p(distance / _EXPI_ROOT[0]) + distance * _fitted("EI_NEAR", z)
    return y


def _bessel(order: int) -> Callable[[Host], Host]:
    function, zeros = (special.j0, special.j1)[order], _BESSEL_ROOTS[order]

    def computed(x: Host) -> Host:
        y: Host = function(x, out=...)
        for i, (root, rest) in enumerate(zeros):
            near = np.abs(np.abs(x) - root) < 0.2
            if near.any():
                z = np.abs(x[near])
                sign = np.sign(x[near]) if order else 1.0
                factor = sign * z**order * (z + root) if i == 0 else sign
                piece = _fitted(f"J{order}_NEAR", z * z) if i == 0 else _fitted(f"J{order}_MID", z)
                y[near] = piece * (z - root - rest) * factor
        return y

    return computed


def _phase_is_rounded(y: Host, x: Host) -> _Mask:
    return np.abs(x) > 30.0


def _overflows(y: Host, x: Host) -> _Mask:
    return np.abs(x) > 700.0


_MENDED: Final[dict[_K, Scipys]] = {
    _K.BETA_ODDS: Scipys(
        lambda a, b, p: special.betaincinv(a, b, p) / special.betainccinv(b, a, p),
        lambda y, a, b, p: _beta_is_large(y, a, b) | ~((y > 1e-290) & (y < 1e290)),
    ),
    _K.BETA_PART: Scipys(_beta_part, _beta_is_large),
    _K.BETAINC: Scipys(special.betainc, _beta_is_large),
    _K.BETAINCINV: Scipys(special.betaincinv, lambda y, a, b, p: _beta_is_large(y, a, b) | ~(y > 1e-290)),
    _K.BETALN: Scipys(
        lambda a, b: np.log(special.beta(a, b, out=...), out=...),
        lambda y, a, b: ~((np.minimum(a, b) > 1e-5) & (a + b < 170.0)),
    ),
    _K.DIGAMMA: Scipys(special.digamma, lambda y, x: x <= 0.0),
    _K.ERFC: Scipys(_erfc),
    _K.ERFCX: Scipys(_erfcx),
    _K.EXPI: Scipys(_expi, lambda y, x: (x > 36.0) & (x < 48.0) | (x > 700.0)),
    _K.GAMMAINC: Scipys(special.gammainc, _gamma_is_far),
    _K.GAMMAINCC: Scipys(special.gammaincc, _gamma_is_far),
    _K.GAMMAINCINV: Scipys(special.gammaincinv, _gamma_is_large),
    _K.GAMMAINCCINV: Scipys(special.gammainccinv, _gamma_is_large),
    _K.GAMMALN: Scipys(_gammaln, lambda y, x: x < 1e-300),
    _K.HYP1F1: Scipys(special.hyp1f1, lambda y, a, b, x: ~((a > 0.0) & (b > 0.0) & (x >= 0.0))),
    _K.I0: Scipys(special.i0, _overflows),
    _K.I1: Scipys(special.i1, _overflows),
    _K.J0: Scipys(_bessel(0), _phase_is_rounded),
    _K.J1: Scipys(_bessel(1), _phase_is_rounded),
    _K.NDTR: Scipys(lambda x: 0.5 * _erfc(np.multiply(x, -0.7071067811865476, out=...))),
    _K.SPENCE: Scipys(special.spence, lambda y, x: np.isinf(x)),
    _K.TRIGAMMA: Scipys(lambda x: special.zeta(2.0, x), lambda y, x: np.isinf(x)),
    _K.ZETA: Scipys(special.zeta, lambda y, s, q: (s < 1.1) & (q < 1e-3) | np.isinf(s)),
}
SCIPYS: Final = {kind: _MENDED.get(kind) or Scipys(getattr(special, kind.value)) for kind in _K}
"""SciPy's function of each kind. Where it loses digits is said in tests/special/test_as_scipy.py, by an example."""


@RULES.rule(Special)
def evaluate_special(op: Special[Any]) -> Performed:
    if any(op.orders):
        refuse_foreign(op)
        return _by_program(op)
    xs = [x.host for x in op.xs]
    dtype = xs[0].dtype
    wide = xs if dtype == np.float64 else [x.astype(np.float64) for x in xs]
    function, lost = SCIPYS[op.kind]
    y: Host = quiet.run(_whole, function, wide)
    if lost is not None and y.size:
        at = np.broadcast_to(quiet.run(lost, y, *wide), y.shape)
        if at.any():
            y[at] = _at(op.kind, [np.broadcast_to(x, y.shape)[at] for x in wide])
    if dtype != np.float64:
        y = quiet.run(_rounded, y, dtype)
    return result(y, op.types())


def _whole(function: Callable[..., Host], xs: list[Host]) -> Host:
    y = function(*xs)
    return y if type(y) is np.ndarray else np.asarray(y)


def _rounded(y: Host, dtype: np.dtype[Any]) -> Host:
    return (y if dtype.itemsize > 2 else y.astype(np.float32)).astype(dtype)


def _at(kind: _K, xs: list[Host]) -> Host:
    """By the program, of so many elements that few numbers of them occur: what it compiles is compiled for each."""
    count = xs[0].size
    length = 1 << (count - 1).bit_length()
    aval = ShapedArray((length,), dtypes.float64)
    found: Any = _by_program(Special(kind, tuple([concrete(np.resize(x, length), aval) for x in xs])))
    values: Host = found.host[:count]
    return values


def _by_program(op: Special[Array]) -> Performed:
    program, tables = import_module("handlers.special").programmed(op)
    with installed(ROOT):
        return eval_jaxpr(program, [*tables, *op.xs])[0]

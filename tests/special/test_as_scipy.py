"""Eager functions, which are SciPy's: they are the compiled programs; and where they are not SciPy's, by an example.

Examples are computed with 60 digits by mpmath.
"""

from __future__ import annotations

import io
import math
from typing import Any, Final

import numpy as np
import pytest
import scipy.special as sp

import effects as fx
from effects.operations.special import Special, SpecialKind as _K
from effects.program.chain import perform
from handlers.debugging.log import Log
from lowering import jit
from tests.cases.special import of

_TINY: Final = np.array([0.0, 1e-300, 1e-30, 1e-9, 3e-4])
_USUAL: Final = np.concatenate([np.arange(0.0, 12.25, 0.25), [0.1, 1.003, 1.97, 2.3, 2.41, 3.84, 5.5, 7.1, 15.0, 29.0]])
_VAST: Final = np.array([31.0, 41.5, 150.0, 690.0, 705.0, 712.0, 1e4, 1e9, 1e15, 1e300, np.inf, np.nan])
_POSITIVE: Final = np.concatenate([_TINY, _USUAL, _VAST])
_LINE: Final = np.concatenate([_POSITIVE, -_POSITIVE])
"""Zeros of both signs, roots, poles, the ends of tables, what overflows, infinities and NaN."""
_SHARES: Final = np.array([0.0, 1e-300, 1e-12, 0.03, 0.4, 0.5, 0.8, 1 - 1e-9, 1.0, -0.5, 1.5, np.nan])
_PAIRS: Final = np.array([0.0, 1e-9, 0.02, 0.7, 2.0, 9.5, 60.0, 300.0, 2e4, 1e9, np.inf, np.nan, -1.5])
_TRIPLES: Final = np.array([0.02, 0.7, 3.5, 40.0, 500.0, 2e3, 1e6, 0.0, np.nan])


def _grid(*axes: Any) -> tuple[Any, ...]:
    return tuple([x.ravel() for x in np.meshgrid(*axes)])


def _operands(kind: _K) -> tuple[Any, ...]:
    if kind in (_K.ERFINV, _K.ERFCINV, _K.LOGIT):
        return (np.concatenate([_SHARES, 2.0 - _SHARES, -_SHARES]),)
    if kind in (_K.GAMMAINCINV, _K.GAMMAINCCINV):
        return _grid(_PAIRS[1:9], _SHARES)
    if kind is _K.BETA_PART:
        a, b, x = _grid(_TRIPLES, _TRIPLES, _SHARES)
        return a, b, x, 1.0 - x
    if kind in (_K.BETAINC, _K.BETAINCINV, _K.BETA_ODDS):
        return _grid(_TRIPLES, _TRIPLES, _SHARES)
    if kind is _K.HYP1F1:
        return _grid(*[np.array([0.3, 2.0, 7.5, -1.5, np.nan])] * 2, np.array([-20.0, -0.5, 0.0, 1.0, 30.0, np.nan]))
    if kind is _K.HYP2F1:
        parameters = np.array([0.5, 2.0, -1.5, np.nan])
        return _grid(parameters, parameters, np.array([0.75, 3.5]), np.array([-2.0, -0.5, 0.0, 0.3, 0.9, 1.0, np.nan]))
    if kind is _K.ZETA:
        return _grid(np.array([1.0, 1 + 1e-12, 1.5, 2.0, 7.0, 90.0, np.inf, np.nan]), _PAIRS[1:10])
    return _grid(_PAIRS, _PAIRS) if len(of(kind)) > 1 else (_LINE,)


_BEYOND_A_FEW: Final = {
    **dict.fromkeys((_K.GAMMAINC, _K.GAMMAINCC, _K.BETAINC, _K.BETA_PART), 4000),
    **dict.fromkeys((_K.GAMMAINCINV, _K.GAMMAINCCINV, _K.BETAINCINV, _K.BETA_ODDS, _K.HYP1F1), 4000),
    **dict.fromkeys((_K.LOG_NDTR, _K.EXPI), 200),
    **dict.fromkeys((_K.BETA, _K.BINOM, _K.POCH), 400),
}
"""Units in the last place, where they are not 32: what is an exponential of large numbers has their rounding."""


_LOOPS: Final = (*_BEYOND_A_FEW, _K.BETALN)


@pytest.mark.parametrize("kind", [pytest.param(k, id=k.value, marks=[pytest.mark.slow] * (k in _LOOPS)) for k in _K])
def test_eager_is_compiled(kind: _K) -> None:
    xs = [fx.asarray(x) for x in _operands(kind)]
    eager = np.asarray(perform(Special(kind, tuple(xs))))
    compiled = np.asarray(jit(lambda *xs: perform(Special(kind, xs)))(*xs))
    rtol = _BEYOND_A_FEW.get(kind, 32) * 2.0**-52
    np.testing.assert_allclose(
        eager, compiled, rtol=rtol, atol=2e-15 if kind in (_K.J0, _K.J1, _K.Y0, _K.Y1, _K.BETALN) else 1e-300
    )
    with np.errstate(all="ignore"):
        for dtype, digits in ((fx.float32, 23), (fx.float16, 10), (fx.bfloat16, 7)):
            narrow = [x.astype(dtype) for x in xs]
            wide = np.asarray(perform(Special(kind, tuple([x.astype(fx.float64) for x in narrow]))))
            found = np.asarray(perform(Special(kind, tuple(narrow))).astype(fx.float64))
            usual = (abs(wide) > 1e-4) & (abs(wide) < 6e4) | np.isnan(wide)
            np.testing.assert_allclose(found[usual], wide[usual], rtol=2.0 ** -(digits + 1) * 1.01)


WRONG: Final[dict[_K, tuple[tuple[float, ...], float]]] = {
    _K.BETA: ((657.6305772863885, 0.27703177022830), 0.5391442413346998),
    _K.BINOM: ((-15.98966582202351, 18.766977634926945), -34347316604.635242),
    _K.KL_DIV: ((0.37293631182547826, 0.37293631182561876), 2.646549927430442e-26),
    _K.BETAINC: ((2834204.9969280805, 36411.33904721363, 0.9871697889610744), 0.013737202321725248),
    _K.BETAINCINV: ((3.5, 3.5, 1e-300), 8.371921216524684e-87),
    _K.BETALN: ((1e5, 1e-2), 4.484350672892400),
    _K.DIGAMMA: ((-45.99999967357413,), -3063478.8486424661),
    _K.ERFC: ((25.04565100551732,), 8.435134287972634e-275),
    _K.ERFCX: ((-25.04565100551732,), 5.3368531224361746e272),
    _K.EXPI: ((0.37250741078136623,), -1.5651809352072461e-15),
    _K.GAMMALN: ((1e-310,), 713.8013788281542),
    _K.HYP1F1: ((763.1042414725025, 0.006746533447492675, -0.2091535035058806), 158.1808225228303),
    _K.I0: ((713.3806366242463,), 9.808430998539192e307),
    _K.I1: ((713.3806366242463,), 9.801553973407015e307),
    _K.J0: ((2.404825557695773,), -6.10876525973673e-17),
    _K.J1: ((7.015586669815619,), 2.825339409478929e-17),
    _K.ZETA: ((1.0000000000026483, 4.1834596534866417e-16), 2390743664634121.5),
}
CANCELLING: Final = {_K.ZETA: ((5.0, -171.5), 2.8563668752760347e-10)}
"""Terms of both signs, as polygamma(4, -171.5) has."""


def test_zeta_far_below_zero() -> None:
    """SciPy adds 1 to q until it is positive, and would not end."""
    far = np.array([-1e12 - 0.5, -1e300])
    np.testing.assert_allclose(np.asarray(fx.special.zeta(3.0, far)), [5e-25, math.inf], rtol=1e-11)
    np.testing.assert_allclose(np.asarray(fx.special.polygamma(1, far)), [math.pi**2, math.inf], rtol=1e-11)


@pytest.mark.parametrize(
    ("kind", "case"), [*WRONG.items(), *CANCELLING.items()], ids=lambda v: v.value if isinstance(v, _K) else str(v[0])
)
def test_where_scipy_loses_digits(kind: _K, case: tuple[tuple[float, ...], float]) -> None:
    """By more than a hundred units in the last place, or altogether."""
    args, expected = case
    apart = abs(getattr(sp, kind.value)(*args) - expected)
    assert not apart <= 1e-14 * abs(expected), "SciPy has the digits"
    actual = float(perform(Special(kind, tuple(map(fx.asarray, args)))))
    assert math.isclose(actual, expected, rel_tol=1e-14 if kind in (_K.BETAINC, _K.BINOM, _K.HYP1F1) else 2e-15)


def test_what_looks_on_changes_no_value() -> None:
    x, y = fx.asarray(_LINE), fx.asarray(_LINE[::-1])
    several = [getattr(fx.special, k.value) for k in _K if k.arity == 2 and k not in _LOOPS]
    functions = [(fx.erf, (x,)), (fx.lgamma, (x,)), (fx.special.logit, (x,)), *[(f, (x, y)) for f in several]]
    with Log(file=io.StringIO()):
        seen = [np.asarray(f(*xs)) for f, xs in functions]
    for (f, xs), z in zip(functions, seen, strict=True):
        np.testing.assert_array_equal(np.asarray(f(*xs)), z)


def test_a_function_of_two_names_is_one() -> None:
    x = fx.asarray(_LINE)
    for f, g in (("lgamma", "gammaln"), ("digamma", "psi"), ("erfc", "erfc"), ("erf_inv", "erfinv"), ("i0", "i0")):
        np.testing.assert_array_equal(np.asarray(getattr(fx, f)(x)), np.asarray(getattr(fx.special, g)(x)))
        scipys: Any = getattr(sp, g)
        if f != "i0":
            np.testing.assert_array_equal(np.asarray(scipys(x)), np.asarray(getattr(fx, f)(x)))

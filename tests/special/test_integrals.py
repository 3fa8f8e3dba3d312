"""Integrals against mpmath with 50 digits, eagerly and compiled, in both precisions; special values are SciPy's."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

import mpmath as mp
import numpy as np
import pytest
import scipy.special as sp

import effects as fx
from effects import special
from handlers import vmap
from lowering import jit

RNG: Final = np.random.default_rng(17)
N: Final = 150


def _log(low: float, high: float) -> Any:
    return 10 ** RNG.uniform(low, high, N)


def _signed(*parts: Any) -> Any:
    x = np.concatenate(parts)
    return x * RNG.choice([-1.0, 1.0], x.shape)


_WAVES: Final = _signed(_log(-20, 5), RNG.uniform(0, 6, 2 * N), RNG.uniform(0, 40, N), [0.6165054856, 3.38418042, 2.5])
_ENDS: Final = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan]


_DEGREES: Final = np.repeat([0.0, 1, 2, 3, 5, 10, 20, 21, 22, 49, 50, 51, 1000, 1e5], 20)
_BESIDE: Final = np.concatenate([_log(-10, 2.5), RNG.uniform(0.5, 2.0, 130)])
_PAIRS: Final = np.array([(n, x) for n in (0, 1, 2, 7) for x in _ENDS] + [(-1.0, 1.0), (np.nan, 1.0), (60.0, 1.0)]).T
_HEIGHTS: Final = np.concatenate([RNG.uniform(0, 8, N), _log(-10, 1)])[::5]
_SLOPES: Final = np.concatenate([_log(-3, 1.5), RNG.uniform(-3, 3, N)])[::5]
_LINES: Final = np.array([(h, a) for h in _ENDS for a in _ENDS]).T


def _expn(n: Any, x: Any) -> Any:
    """Of high degrees mpmath's needs more digits than it takes."""
    with mp.workdps(200):
        return mp.expint(n, x)


@cache
def _owens_t(h: Any, a: Any) -> Any:
    """The integral, in pieces as short as the integrand is steep."""
    end = min(abs(a), 20 / abs(h)) if h else abs(a)
    with mp.workdps(25):
        total = mp.quad(lambda x: mp.exp(-h * h * x * x / 2) / (1 + x * x), mp.linspace(0, end, 9))
        return mp.sign(a) * mp.exp(-h * h / 2) * total / (2 * mp.pi)


class Case(NamedTuple):
    """A function, its definition, arguments, and how many units in the last place are allowed.

    Those are of the value, or of `around` where it crosses 0. The special values are those of `scipy` at `ends`.
    """

    f: Callable[..., fx.Array]
    exact: Callable[..., Any]
    args: tuple[Any, ...]
    units: float
    ends: tuple[Any, ...]
    scipy: Callable[..., Any]
    around: Callable[..., Any] = lambda *args: 0.0


CASES: Final = {
    "Si": Case(lambda x: special.sici(x)[0], mp.si, (_WAVES,), 4, (_ENDS,), lambda x: np.copysign(sp.sici(x)[0], x)),
    "Ci": Case(
        lambda x: special.sici(x)[1],
        lambda x: mp.ci(abs(x)),
        (_WAVES,),
        6,
        (_ENDS,),
        lambda x: sp.sici(x)[1],
        lambda x: np.where(np.abs(x) > 5, 1 / np.abs(x), 0.0),
    ),
    "Fresnel's S": Case(
        lambda x: special.fresnel(x)[0], mp.fresnels, (_WAVES,), 4, (_ENDS,), lambda x: np.copysign(sp.fresnel(x)[0], x)
    ),
    "Fresnel's C": Case(
        lambda x: special.fresnel(x)[1], mp.fresnelc, (_WAVES,), 4, (_ENDS,), lambda x: np.copysign(sp.fresnel(x)[1], x)
    ),
    "E of degree n": Case(special.expn, _expn, (_DEGREES, _BESIDE), 8, tuple(_PAIRS), sp.expn),
    "Owen's T": Case(
        special.owens_t, _owens_t, (_HEIGHTS, _SLOPES), 8, tuple(_LINES), lambda h, a: np.copysign(sp.owens_t(h, a), a)
    ),
}


@cache
def _exact(name: str, dtype: Any) -> tuple[tuple[Any, ...], list[Any]]:
    """The arguments in a precision, and the values of the definition there."""
    case = CASES[name]
    args = case.args
    if dtype is np.float32:
        args = tuple([(x[np.abs(x) > 1e-10] if len(args) == 1 else x).astype(dtype) for x in args])
    with mp.workdps(50):
        return args, [case.exact(*map(mp.mpf, map(float, row))) for row in zip(*args, strict=True)]


def _units(name: str, value: fx.Array, dtype: Any) -> float:
    """The largest error in units in the last place of numbers that are not subnormal."""
    args, exact = _exact(name, dtype)
    least = np.broadcast_to(CASES[name].around(*args), args[0].shape)
    kind, worst = np.finfo(dtype), 0.0
    for v, e, around in zip(np.asarray(value), exact, least, strict=True):
        unit = max(float(np.spacing(dtype(abs(e)))), float(around * kind.eps), float(kind.tiny))
        worst = max(worst, float(abs(mp.mpf(float(v)) - e)) / unit)
    return worst


@pytest.mark.parametrize("run", [lambda f: f, jit, vmap], ids=["eager", "compiled", "in lanes"])
@pytest.mark.parametrize("name", CASES)
def test_values(name: str, run: Any) -> None:
    case = CASES[name]
    assert _units(name, run(case.f)(*map(fx.asarray, case.args)), np.float64) < case.units


@pytest.mark.parametrize("name", CASES)
def test_single_precision_is_rounded_once(name: str) -> None:
    case = CASES[name]
    args, _ = _exact(name, np.float32)
    for f in (case.f, jit(case.f)):
        value = f(*map(fx.asarray, args))
        assert value.dtype == fx.float32
        assert _units(name, value, np.float32) < 0.51
    short = case.f(*[fx.asarray(x).astype(fx.bfloat16) for x in args])
    assert short.dtype == fx.bfloat16


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["eager", "compiled"])
@pytest.mark.parametrize("name", CASES)
def test_special_values(name: str, run: Any) -> None:
    case = CASES[name]
    ends = [np.array(x, float) for x in case.ends]
    with np.errstate(all="ignore"):
        expected = case.scipy(*ends)
    value = np.asarray(run(case.f)(*map(fx.asarray, ends)))
    np.testing.assert_allclose(value, expected, rtol=2e-15)
    np.testing.assert_array_equal(np.signbit(value[value == 0]), np.signbit(expected[value == 0]))
    assert run(case.f)(*[fx.zeros(0) for _ in ends]).shape == (0,)


def test_fresnel_integrals_keep_the_phase_far_out() -> None:
    x = np.array([1e5 + 0.3, 1e8 + 0.7, 123456789012.3, 1e17, 1e300])
    for run in (special.fresnel, jit(special.fresnel)):
        for value, exact in zip(run(fx.asarray(x)), (mp.fresnels, mp.fresnelc), strict=True):
            with mp.workdps(50):
                expected = [float(exact(mp.mpf(v))) if v < 1e16 else 0.5 for v in x]
            np.testing.assert_allclose(np.asarray(value) - 0.5, np.array(expected) - 0.5, rtol=0, atol=2e-16)

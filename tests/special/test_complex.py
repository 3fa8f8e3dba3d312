"""Functions of complex numbers against mpmath, eagerly and compiled, with derivatives up to the fourth order."""

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
from handlers import grad, jvp, vjp, vmap
from lowering import jit
from tests.derivatives import with_derivatives

RNG: Final = np.random.default_rng(23)
EPS: Final = 2.0**-52


def _square(count: int, x: tuple[float, float], y: tuple[float, float]) -> Any:
    return RNG.uniform(*x, count) + 1j * RNG.uniform(*y, count)


def _disc(count: int, low: float, high: float) -> Any:
    return 10 ** RNG.uniform(low, high, count) * np.exp(1j * RNG.uniform(-3.1, 3.1, count))


def _faddeeva(z: Any) -> Any:
    """By its continued fraction far out, where the product has too few digits (DLMF 7.9.3)."""
    if abs(z) < 30:
        return mp.exp(-z * z) * mp.erfc(-1j * z)
    if z.imag < 0:
        return 2 * mp.exp(-z * z) - _faddeeva(-z)
    tail = z
    for k in range(80, 0, -1):
        tail = z - mp.mpf(k) / 2 / tail
    return 1j / (mp.sqrt(mp.pi) * tail)


def _derivatives_of_faddeeva(z: Any) -> list[Any]:
    """By its differential equation (DLMF 7.10.2)."""
    values = [_faddeeva(z)]
    values.append(2j / mp.sqrt(mp.pi) - 2 * z * values[0])
    for n in range(2, 5):
        values.append(-2 * z * values[n - 1] - 2 * (n - 1) * values[n - 2])
    return values


_PLANE: Final = np.concatenate([_square(200, (-20, 20), (-20, 20)), _square(150, (-2, 4), (-2, 2))])
_STRIP: Final = np.concatenate(
    [_square(250, (-8, 8), (-2, 8)), RNG.uniform(-30, 30, 150) + 1j * 10 ** RNG.uniform(-12, 1.5, 150)]
)


class Case(NamedTuple):
    """A function, its definition, places, the relative error there in units of 2⁻⁵², and where it is differentiated."""

    f: Callable[[Any], fx.Array]
    exact: Callable[[Any], Any]
    places: Any
    units: float
    derivatives: Callable[[Any], list[Any]]
    points: Any


CASES: Final = {
    "loggamma": Case(
        special.loggamma,
        mp.loggamma,
        np.concatenate([_PLANE, 1 + _disc(40, -6, -1), 2 + _disc(40, -6, -1), _disc(60, 0, 8), -5 + _disc(20, -8, -1)]),
        60,
        lambda z: [mp.loggamma(z), *[mp.psi(k, z) for k in range(4)]],
        np.concatenate([_square(20, (-9, 12), (-12, 12)), [1, 2, 0.5, 9 + 1j, 3 + 9j, -3.5 + 9j, -2.5 + 0.5j]]),
    ),
    "gamma": Case(
        special.gamma,
        mp.gamma,
        np.concatenate([_PLANE, _disc(40, -9, 0), -5 + _disc(20, -8, -1)]),
        80,
        lambda z: mp.taylor(mp.gamma, z, 4),
        np.concatenate([_square(10, (-4, 6), (-6, 6)), [1, 2, 0.5, 4 + 9j]]),
    ),
    "wofz": Case(
        special.wofz,
        _faddeeva,
        np.concatenate([_STRIP, _disc(60, -12, 0), np.abs(_disc(40, -3, 1.4)), 1j * np.abs(_disc(60, 1, 12))]),
        6,
        _derivatives_of_faddeeva,
        np.concatenate([_square(30, (-8, 8), (-2, 8)), [0, 1j, 6.6j, 1e-8, 0.25, 26.9 + 1j, 40 + 40.5j, 100j, 50]]),
    ),
}


@cache
def _exact(name: str, dtype: type[np.complexfloating[Any]]) -> tuple[Any, list[Any]]:
    """The places in a precision, and the values there."""
    places = CASES[name].places.astype(dtype)
    with mp.workdps(60):
        return places, [CASES[name].exact(mp.mpc(complex(z))) for z in places]


def _relative(values: Any, exact: list[Any]) -> Any:
    with mp.workdps(60):
        pairs = zip(np.asarray(values), exact, strict=True)
        return np.array([float(abs(mp.mpc(complex(v)) - e) / abs(e)) for v, e in pairs])


@pytest.mark.parametrize("run", [lambda f: f, jit, lambda f: jit(vmap(f))], ids=["eager", "compiled", "in lanes"])
@pytest.mark.parametrize("name", CASES)
def test_values(name: str, run: Any) -> None:
    case = CASES[name]
    for dtype in (np.complex128, np.complex64):
        places, exact = _exact(name, dtype)
        values = run(case.f)(fx.asarray(places))
        assert values.dtype == (fx.complex64 if dtype is np.complex64 else fx.complex128)
        if dtype is np.complex128:
            assert np.max(_relative(values, exact)) < case.units * EPS
        else:
            usual = np.array([1e-36 < abs(e) < 1e38 for e in exact])
            assert np.max(_relative(values, exact)[usual]) < 2.0**-24 * 1.01


@pytest.mark.parametrize("name", CASES)
def test_derivatives(name: str) -> None:
    case = CASES[name]
    with mp.workdps(60):
        exact = [case.derivatives(mp.mpc(complex(z))) for z in case.points]
        if name == "gamma":
            exact = [[c * mp.factorial(k) for k, c in enumerate(row)] for row in exact]
        for order, values in enumerate(with_derivatives(case.f, 4)(fx.asarray(case.points, dtype=fx.complex128))):
            scale = [row[order] if abs(row[order]) > 1e-3 else mp.mpf(1) for row in exact]
            errors = [mp.mpc(complex(v)) - row[order] for v, row in zip(np.asarray(values), exact, strict=True)]
            relative = [float(abs(e / s)) for e, s in zip(errors, scale, strict=True)]
            assert max(relative) < (3e-14, 3e-14, 1e-12, 1e-11, 1e-10)[order]
    slope = grad(lambda x: fx.real(case.f(fx.complex(x, 0.5))))(1.25)
    with mp.workdps(30):
        np.testing.assert_allclose(float(slope), float(mp.re(mp.diff(case.exact, mp.mpc(1.25, 0.5)))), rtol=1e-13)


def test_parts_of_the_faddeeva_function_beside_each_other() -> None:
    x = np.concatenate([RNG.uniform(-26, 26, 60), RNG.uniform(-20, 20, 60)])
    z = x + 1j * np.concatenate([np.zeros(60), 10 ** RNG.uniform(-12, 0, 60)])
    with mp.workdps(400):
        exact = np.array([complex(_faddeeva(mp.mpc(complex(v)))) for v in z])
    for f in (special.wofz, jit(special.wofz)):
        values = np.asarray(f(fx.asarray(z)))
        np.testing.assert_allclose(values.real, exact.real, rtol=20 * EPS, atol=1e-305)
        np.testing.assert_allclose(values.imag, exact.imag, rtol=20 * EPS)


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["eager", "compiled"])
def test_derivatives_of_the_faddeeva_function_where_it_overflows(run: Any) -> None:
    infinite = [1 - 27j, 4.5 - 29.2j, -30j, 3 - 1e155j, 1e155 - 1e155j, 1 - 1e308j]
    finite = np.array([4.4 - 26j, -2 - 26.5j, 1 + 27j, 4.5 + 29.2j, 30j, 29 - 3j])
    z = fx.asarray([*infinite, *finite])
    with mp.workdps(60):
        exact = [_derivatives_of_faddeeva(mp.mpc(complex(v)))[1] for v in finite]
    forward = run(lambda z: jvp(special.wofz, (z,), (fx.ones_like(z),))[1])(z)
    backward = run(lambda z: vjp(special.wofz, z)[1](fx.ones_like(z))[0])(z)
    for slopes in map(np.asarray, (forward, backward)):
        assert not np.isfinite(slopes[: len(infinite)]).any()
        assert np.max(_relative(slopes[len(infinite) :], exact)) < 1e-12


ENDS: Final = [0, -1, -0.5, complex(-0.5, -0.0), complex(np.nan, 0), 1e-300, 1, 2, complex(5, -0.0), -1e10 + 1j]
FAR: Final = [
    *(np.inf, -np.inf, complex(0, np.inf), -30j, 3 - 30j, 30 - 1e-3j, 1e300, complex(2, -np.inf)),
    *(complex(np.inf, np.nan), complex(np.nan, np.inf), complex(-np.inf, np.nan)),
    *(1e155 - 1e155j, 1e308 - 1e308j, 1 - 1e308j, 1 - 1e200j, 1e200 - 1e100j, 1e155 + 1e155j),  # the angle overflows
]


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["eager", "compiled"])
def test_special_values(run: Any) -> None:
    for name, places in (("loggamma", ENDS), ("gamma", [*ENDS, 200, 1e300]), ("wofz", [*ENDS, *FAR])):
        z = np.array(places, complex)
        with np.errstate(all="ignore"):
            expected = getattr(sp, name)(z)
        values = np.asarray(run(getattr(special, name))(fx.asarray(z)))
        np.testing.assert_allclose(values, expected, rtol=4e-14, atol=1e-15, err_msg=name)
    assert np.asarray(run(special.wofz)(complex(0, -np.inf))) == np.inf
    real = np.array([0.0, -0.5, -np.inf, np.inf, np.nan, 1.0, 2.5])
    np.testing.assert_allclose(np.asarray(run(special.loggamma)(fx.asarray(real))), sp.loggamma(real), rtol=1e-15)
    for name in CASES:
        assert run(getattr(special, name))(fx.zeros(0, dtype=fx.complex64)).shape == (0,)
    assert run(special.wofz)(fx.ones(1, dtype=fx.bfloat16)).dtype == fx.complex64

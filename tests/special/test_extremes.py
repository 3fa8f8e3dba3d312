"""Extreme arguments against numbers computed with 40 to 90 digits by mpmath: ends of the range, next to poles, vast."""

from __future__ import annotations

import inspect
import math
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import special
from handlers import grad
from lowering import jit

VALUES: Final[list[tuple[str, tuple[float, ...], float]]] = [
    ("betainc", (2.0, 1e-10, 0.9999), 8.210440368655716e-10),
    ("betainc", (0.5, 1e-05, 0.9999), 0.00010596006866154463),
    ("betainc", (1e6, 0.001, 0.9999999), 0.0018219906685481887),
    ("betainc", (1e15, 0.3, 0.9999999999999999), 0.43807284211232417),
    ("betainc", (1e8, 1e8, 0.5002), 0.9999999922913809),
    ("betainc", (1e300, 1e300, 0.5), 0.5),
    ("betainc", (1.7e308, 1.7e308, 0.5), 0.5),
    ("betainc", (1e300, 1e300, 0.4), 0.0),
    ("betaln", (-1.0, 1.0), 0.0),
    ("betaln", (1e-310, 1.0), 713.8013788281542),
    ("betaln", (1e-310, 1e-310), 714.494526008714),
    ("beta", (1e-310, 1e-310), math.inf),
    ("betaln", (-50.0, 3.0), -10.98189713388672),
    ("betaln", (-1e10, 3.0), -68.38440560896142),
    ("betaln", (-1.0, -1.0), math.inf),
    ("betaln", (0.0, 0.0), math.inf),
    ("betaln", (-1.0, math.nan), math.nan),
    ("zeta", (-0.05,), -0.45644187238633066),
    ("zeta", (-0.0999,), -0.41730252563136616),
    ("zeta", (-0.1001,), -0.41715357098837186),
    ("zeta", (0.5,), -1.4603545088095868),
    ("zeta", (1.4999,), 2.6127686526230165),
    ("zeta", (-4.0,), 0.0),
    ("zeta", (-400.0,), 0.0),
    ("zeta", (1.0, -1.5), math.inf),
    ("zeta", (0.5, -2.0), math.nan),
    ("zeta", (1.0, math.nan), math.nan),
    ("zeta", (1e300, 2.0), 0.0),
    ("stdtr", (1e300, -1.5), 0.0668072012688580660),
    ("stdtrit", (1.7e308, 0.2), -0.8416212335729142052),
    ("binom", (math.inf, math.nan), math.nan),
    ("zeta", (73.90886657371078, 12061.108090937238), 3.708652611991304e-300),
    ("kl_div", (23.5, 23.500000000007276), 1.1263736000719753e-24),
    ("kl_div", (0.3, 0.30000000093132256), 1.4456028936555113e-18),
    ("kl_div", (2.0, 3.0), 0.18906978378367123),
    ("kl_div", (1e-200, 1.3e-200), 3.7635735532508942e-202),
    ("rel_entr", (2.8955718513539434e279, 5.202441127110228e291), -8.17042538025337e280),
    ("rel_entr", (4e270, 3e261), 8.404379163759278e271),
    ("rel_entr", (1e-300, 1e300), -1.3815510557964275e-297),
    ("rel_entr", (0.0, math.inf), 0.0),
    ("poch", (0.0, 700.0), 0.0),
    ("binom", (-40.5, 20.5), 0.0),
    ("binom", (-171.5, 25.5), 0.0),
    ("binom", (1e308, 1.5), math.inf),
    ("kl_div", (0.0, math.inf), math.inf),
    ("i0", (1.7e308,), math.inf),
    ("i1", (-1.7e308,), -math.inf),
    ("i0e", (1.7e308,), 3.0597476163882935e-155),
    ("i1e", (1.7e308,), 3.0597476163882935e-155),
    ("k0e", (1.7e308,), 9.612480633484344e-155),
    ("k1e", (1.7e308,), 9.612480633484344e-155),
    ("k1", (2.3e-308,), 4.347826086956522e307),
    ("j0", (1.7e308,), 9.01255881646117e-156),
    ("j1", (1.7e308,), -6.052764636079422e-155),
    ("polygamma", (1.0, math.inf), 0.0),
]
MAGNIFIED: Final[list[tuple[str, tuple[float, ...], float]]] = [
    ("binom", (0.0, 1e-310), 1.0),
    ("binom", (1e308, 0.5), 1.1283791670955126e154),
    ("binom", (1.0, -1e-310), 1.0),
    ("betainc", (1e8, 1e8, 0.49995), 0.07864960326572323),
    ("betainc", (1e8, 1e10, 0.009900990099009901), 0.5000130997594392),
    ("betainc", (1e10, 1e8, 0.9900990099009901), 0.49998690023704845),
    ("betainc", (3e9, 1e9, 0.75), 0.4999975721145986),
    ("zeta", (-194.5,), 2.369589488945799e206),
    ("zeta", (-251.25,), 2.7240945614015e294),
    ("zeta", (-2.0001,), 3.044516902133144e-06),
]
"""Where what the argument is rounded by is magnified a thousand times and more."""
SLOPES: Final[list[tuple[str, int, tuple[float, ...], float]]] = [
    ("erfinv", 0, (0.999999999,), 112860637.10991128),
    ("erfcinv", 0, (1e-200,), -2.3366534180508823e198),
    ("erfcinv", 0, (1.999999999,), -112860624.8916485),
    ("erfinv", 0, (1.0,), math.inf),
    ("ndtri", 0, (1e-290,), 2.7436236778767654e288),
    ("i0e", 0, (1e200,), -1.9947114020071636e-301),
    ("i1e", 0, (-1e200,), -1.9947114020071636e-301),
    ("k0e", 0, (1e200,), -6.266570686577501e-301),
    ("k1e", 0, (1e200,), -6.266570686577501e-301),
    ("i0e", 0, (math.inf,), 0.0),
    ("k0e", 0, (0.0,), -math.inf),
    ("k1e", 0, (-3.0,), math.nan),
    ("i1", 0, (-800.0,), math.inf),
    ("k1", 0, (700.0,), -4.676452304252103e-306),
    ("expi", 0, (712.0,), 2.3184146982986436e306),
    ("zeta", 0, (-4.0,), 0.007983811450268625),
    ("poch", 0, (0.0, 700.0), math.inf),
    ("binom", 1, (-0.5, 0.5), -2.0),
    ("zeta", 0, (-0.05,), -0.8256561382343158),
    ("zeta", 0, (0.5,), -3.9226461392091516),
    ("digamma", 0, (math.inf,), 0.0),
    ("betainc", 0, (7.9999, 8.0, 0.5), -0.10238248552603656),
    ("betainc", 1, (7.9999, 8.0, 0.5), 0.1023818119719079),
    ("betainc", 0, (2e8, 1e8, 0.66667), -1.616501588970515e-05),
    ("betainc", 1, (2e8, 1e8, 0.66667), 3.233027428300485e-05),
]


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["eager", "compiled"])
@pytest.mark.parametrize("rtol", [2e-15, 1e-12])
def test_values(run: Any, rtol: float) -> None:
    cases = VALUES if rtol < 1e-14 else MAGNIFIED
    actual = run(lambda: [getattr(special, name)(*map(fx.asarray, args)) for name, args, _ in cases])()
    for (name, args, expected), value in zip(cases, actual, strict=True):
        np.testing.assert_allclose(float(value), expected, rtol=rtol, err_msg=f"{name}{args}")


def test_edges_in_single_precision() -> None:
    """Compiled programs in single precision, some of which are shorter ones, as NumPy's and SciPy's functions."""
    x = fx.asarray(np.array([math.nan, math.inf, -math.inf, 0.0, -0.0], np.float32))
    several = {"multigammaln", "sici", "fresnel", "softmax", "log_softmax", "logsumexp", "wofz"}
    names = [n for n in special.__dict__["__all__"] if n not in several]
    unary: list[Any] = [f for f in [getattr(special, n) for n in names] if len(inspect.signature(f).parameters) == 1]
    unary.append(lambda x: special.zeta(x))
    assert len(unary) > 40
    for f, compiled in zip(unary, jit(lambda x: [g(x) for g in unary])(x), strict=True):
        np.testing.assert_allclose(compiled, f(x), rtol=1e-6, err_msg=str(f))


LARGE: Final = [
    (500000.0, 500001.0, 0.499, 0.022804041698682973),
    (30000.0, 970001.0, 0.0305, 0.9982353871291413),
    (900000.0, 100001.0, 0.8992, 0.003927158240414346),
    (9000000.0, 1000001.0, 0.90025, 0.9958283797038433),
    (2500.0, 7501.0, 0.26, 0.9892512370102335),
]


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["eager", "compiled"])
def test_large_parameters_keep_what_cancels_next_to_the_mean(run: Any) -> None:
    a, b, x, expected = np.array(LARGE).T
    np.testing.assert_allclose(run(special.betainc)(*map(fx.asarray, (a, b, x))), expected, rtol=3e-15)


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["eager", "compiled"])
def test_slopes(run: Any) -> None:
    actual = run(lambda: [grad(getattr(special, name), i)(*map(fx.asarray, args)) for name, i, args, _ in SLOPES])()
    for (name, i, args, expected), value in zip(SLOPES, actual, strict=True):
        np.testing.assert_allclose(float(value), expected, rtol=1e-13, err_msg=f"{name}{args}, of argument {i}")

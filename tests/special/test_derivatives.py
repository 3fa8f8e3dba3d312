"""Derivatives of special functions: of all arguments, both modes, second order; where a formula has a hole."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest
import scipy.special as sp

import effects as fx
from effects import special
from effects.errors import ArgumentError, DTypeError
from handlers import grad, jet, jvp, vmap
from lowering import jit
from tests.errors.expect import refusal


@pytest.mark.parametrize(("name", "args"), [("hyp2f1", (0.5, 1.0, 2.0, 0.3)), ("betainc", (1.0, 2.0, 0.5))])
def test_derivatives_at_nan_are_nan(name: str, args: tuple[float, ...]) -> None:
    f: Any = getattr(special, name)
    for i in range(len(args)):
        moved = [np.nan if k == i else v for k, v in enumerate(args)]
        for j in range(len(args)):
            assert np.isnan(float(grad(f, j)(*moved)))


def test_ends_of_elliptic_integrals() -> None:
    for f in (special.ellipk, special.ellipe):
        assert np.isnan(np.asarray(vmap(grad(f))(fx.asarray([np.nan, 2.0, np.inf])))).all()
        assert np.isnan(float(grad(grad(f))(np.nan)))
    slopes: list[Any] = [grad(special.ellipe), grad(grad(special.ellipe))]
    forwards: Any = lambda m: jvp(lambda m: jvp(special.ellipe, (m,), (1.0,))[1], (m,), (1.0,))[1]
    assert slopes[1](1.0) == jit(slopes[1])(1.0) == forwards(1.0) == -np.inf
    assert grad(special.ellipk)(1.0) == grad(grad(special.ellipk))(1.0) == -grad(special.ellipkm1)(0.0) == np.inf
    assert slopes[0](1.0) == -np.inf and [float(f(-np.inf)) for f in slopes] == [0.0, 0.0]
    m = 1 - 1e-8
    with mp.workdps(40):
        exact = [float(mp.diff(mp.ellipe, mp.mpf(m), n)) for n in (1, 2)]
    np.testing.assert_allclose([float(f(m)) for f in slopes], exact, rtol=1e-13)


@pytest.mark.parametrize("a", [0.5, 2.5, 20.0, fx.asarray(25.0)])
def test_ends_of_incomplete_gamma_functions(a: Any) -> None:
    for f in (special.gammainc, special.gammaincc):
        first: Any = grad(partial(f, a))
        for slope in (first, grad(first)):
            for dtype in ("float32", "float64"):
                end = fx.asarray(np.inf, dtype=dtype)
                assert slope(end) == jit(slope)(end) == 0.0
    assert grad(special.rgamma)(1e3) == grad(special.rgamma)(np.inf) == special.rgamma(1e3) == 0.0
    assert grad(lambda p: special.gammaincinv(a, p))(1.0) == np.inf
    assert grad(lambda p: special.gammainccinv(a, p))(0.0) == -np.inf


FAR: Final[dict[str, tuple[float, ...]]] = {
    "erfcx": (-0.00022554056313532387, -5.6418958354691e-13, -5.641895835477563e-25),
    "i0e": (-0.0005685027545587929, -1.9947121500246404e-10, -1.9947114020079114e-19),
    "i1e": (-0.0005513597232991151, -1.9947091579556673e-10, -1.9947114020049192e-19),
    "k0e": (-0.0017594027013862364, -6.266568336615697e-10, -6.266570686575151e-19),
    "k1e": (-0.001811928469790075, -6.266577736465852e-10, -6.266570686584552e-19),
}
"""Slopes at 50, 10⁶ and 10¹², by the asymptotic series with 60 digits."""


@pytest.mark.parametrize("name", FAR)
def test_far_out_no_digits_cancel(name: str) -> None:
    f: Any = getattr(special, name)
    slopes = jit(vmap(grad(f)))(fx.asarray([50.0, 1e6, 1e12]))
    np.testing.assert_allclose(slopes, FAR[name], rtol=2e-15)
    np.testing.assert_allclose(float(grad(grad(f))(50.0)), _central(grad(f), 50.0), rtol=1e-7)


def _central(f: Any, x: float) -> float:
    return float(f(x + 1e-3) - f(x - 1e-3)) / 2e-3


def test_information() -> None:
    functions: list[Any] = [special.xlogy, special.xlog1py]
    for f in functions:
        assert np.isfinite(np.asarray(grad(lambda y, f=f: f(0.0, y))(0.5)))
        np.testing.assert_allclose(float(grad(f)(0.0, 2.5)), np.log(2.5 + (f is special.xlog1py)), rtol=1e-14)
        assert [float(slope) for slope in grad(f, (0, 1))(0.0, -1.0)] == [0.0, 0.0]
    slopes = vmap(grad(special.kl_div, (0, 1)))(fx.asarray([1.0, 0.5]), fx.asarray([2.0, 0.5]))
    np.testing.assert_allclose(slopes[0], [np.log(0.5), 0.0], atol=1e-15)
    np.testing.assert_allclose(slopes[1], [0.5, 0.0], atol=1e-15)


def test_taylor_series_and_angles() -> None:
    _, (first, second) = jet(special.j0, (1.5,), ((1.0, 0.0),))
    np.testing.assert_allclose([float(first), float(second)], [-sp.j1(1.5), -sp.jvp(1, 1.5)], rtol=1e-13)
    slope = jit(grad(lambda t: fx.real(special.sph_harm_y(4, 2, t, 0.3))))(0.8)
    h = 1e-5
    expected = (sp.sph_harm_y(4, 2, 0.8 + h, 0.3) - sp.sph_harm_y(4, 2, 0.8 - h, 0.3)).real / (2 * h)
    np.testing.assert_allclose(float(slope), expected, rtol=1e-8)


def test_refusals() -> None:
    untyped: Any = special
    refusal(DTypeError, "gammainc: a must be real, got complex128[]", of=lambda: untyped.gammainc(1j, 1.0))
    refusal(DTypeError, "hyp2f1: x must be real, got complex128[]", of=lambda: untyped.hyp2f1(1.0, 2.0, 3.0, 1j))
    refusal(DTypeError, "j0: x must be real", of=lambda: untyped.j0(1j))
    refusal(ArgumentError, "multigammaln: d must be at least 1", of=lambda: special.multigammaln(1.0, 0))
    refusal(
        DTypeError, "sph_harm_y: n must be of integers", of=lambda: special.sph_harm_y(fx.asarray(1.0), 0, 0.0, 0.0)
    )
    refusal(ArgumentError, "pass n_max", of=lambda: jit(special.sph_harm_y)(1, 0, 0.0, 0.0))


WHOLE: Final[list[tuple[str, tuple[float, ...], tuple[float, ...]]]] = [
    ("factorial", (5.0,), (120 * sp.digamma(6),)),
    ("binom", (7.0, 3.0), (35 * (sp.digamma(8) - sp.digamma(5)), 35 * (sp.digamma(5) - sp.digamma(4)))),
    ("comb", (10.0, 3.0), (120 * (sp.digamma(11) - sp.digamma(8)), 120 * (sp.digamma(8) - sp.digamma(4)))),
    ("poch", (3.0, 2.0), (12 * (sp.digamma(5) - sp.digamma(3)), 12 * sp.digamma(5))),
    ("binom", (-7.25, -3.25), (-6 * sp.gamma(-6.25) / sp.gamma(-2.25), 6 * sp.gamma(-6.25) / sp.gamma(-2.25))),
    ("poch", (-3.0, 3.5), (-6 * sp.gamma(0.5), 0.0)),
    ("poch", (3.3, 0.0), (0.0, sp.digamma(3.3))),
    ("poch", (1e10, -1.0), (-1e-20, 1e-10 * np.log(1e10))),
]


@pytest.mark.parametrize("case", WHOLE, ids=lambda c: f"{c[0]}{c[1]}")
def test_of_whole_numbers(case: tuple[str, tuple[float, ...], tuple[float, ...]]) -> None:
    """They are rounded, or products of a few factors, and vary as the gamma functions do."""
    name, args, expected = case
    f: Any = getattr(special, name)
    np.testing.assert_allclose(np.asarray(grad(f, tuple(range(len(args))))(*args)), expected, rtol=1e-9, atol=1e-30)

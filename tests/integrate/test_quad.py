"""`quad` beside SciPy and closed forms, its derivatives by arguments and limits, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.integrate
import scipy.special

import effects as fx
from effects.errors import ArgumentError, DTypeError, EffaxError, ShapeError
from handlers import grad, hessian, jacfwd, jacrev, vmap
from lowering import jit

quad: Final[Any] = fx.integrate.quad
INF: Final = np.inf
INTEGRALS: Final[dict[str, tuple[Callable[[Any], Any], float, float]]] = {
    "polynomial": (lambda x: x**7 - 3 * x**2, -1.0, 2.5),
    "wave": (lambda x: fx.cos(30 * x) * fx.exp(x), 0.0, 2.0),
    "peak": (lambda x: 1 / (1e-2 + (x - 0.3) ** 2), 0.0, 1.0),
    "backwards": (fx.exp, 2.0, -1.0),
    "bell": (lambda x: fx.exp(-(x**2) / 2), -INF, INF),
    "bell backwards": (lambda x: fx.exp(-((x - 1) ** 2)), INF, -INF),
    "upper tail": (lambda x: x**2 * fx.exp(-x), 1.5, INF),
    "lower tail": (lambda x: 1 / (1 + x**2), -INF, 2.0),
    "nothing": (fx.exp, 1.0, 1.0),
    "nothing far away": (lambda x: fx.exp(-(x**2)), INF, INF),
}


@pytest.mark.parametrize("name", INTEGRALS)
def test_integrals_are_those_of_scipy(name: str) -> None:
    f, a, b = INTEGRALS[name]
    exact = scipy.integrate.quad(lambda x: float(f(fx.asarray(x))), a, b, epsabs=1e-13, epsrel=1e-13, limit=200)[0]
    for result in (quad(f, a, b), jit(lambda a, b: quad(f, a, b))(a, b)):  # known limits, and limits that are not
        np.testing.assert_allclose(result.value, exact, rtol=1e-12, atol=1e-14)
        assert abs(float(result.value) - exact) <= float(result.error) + 1e-15 < 1e-6
    rough = quad(lambda x: fx.sqrt(abs(x - 0.1)), 0.0, 1.0, panels=3)
    assert 1e-9 < abs(float(rough.value) - (0.1**1.5 + 0.9**1.5) * 2 / 3) < float(rough.error)


def test_rules_are_exact_for_polynomials() -> None:
    for degree in (0, 1, 18, 31):
        value = quad(lambda x, degree=degree: x**degree, 0.0, 1.0, panels=1).value
        np.testing.assert_allclose(value, 1 / (degree + 1), rtol=4e-15)


def test_values_are_trees_and_complex() -> None:
    def f(x: Any, a: Any) -> Any:
        return {"wave": fx.exp(1j * a * x), "powers": x ** fx.asarray([[0.0, 1.0], [2.0, 3.0]])}

    result = quad(f, fx.asarray(0.0, dtype="float32"), 2.0, 1.5)
    np.testing.assert_allclose(result.value["wave"], (np.exp(3j) - 1) / 1.5j, rtol=1e-6)
    np.testing.assert_allclose(result.value["powers"], [[2.0, 2.0], [8 / 3, 4.0]], rtol=1e-6)
    assert not np.iscomplexobj(np.asarray(result.error["wave"])) and result.error["powers"].shape == (2, 2)
    assert quad(lambda x: fx.zeros((2, 0)), 0.0, 1.0).value.shape == (2, 0)


def test_derivatives_by_limits_arguments_and_closures() -> None:
    def gamma(x: Any) -> Any:  # of the incomplete gamma function, by closure, limit and argument
        s, z, scale = x
        return quad(lambda t, scale: t ** (s - 1) * fx.exp(-t) * scale, z / 2, z, scale).value

    def exact(x: Any) -> Any:
        parts = [scipy.special.gammainc(x[0], z) for z in (x[1], x[1] / 2)]
        return (parts[0] - parts[1]) * scipy.special.gamma(x[0]) * x[2]

    x, h = np.array([2.5, 1.7, 0.8]), 1e-3
    steps = h * np.eye(3)
    np.testing.assert_allclose(gamma(x), exact(x), rtol=1e-12)
    slope = [(8 * (exact(x + e) - exact(x - e)) - exact(x + 2 * e) + exact(x - 2 * e)) / (12 * h) for e in steps]
    np.testing.assert_allclose(jit(jacfwd(gamma))(x), slope, rtol=1e-8)
    np.testing.assert_allclose(grad(gamma)(x), slope, rtol=1e-8)
    curvature = [
        [(exact(x + a + b) - exact(x + a - b) - exact(x - a + b) + exact(x - a - b)) / (4 * h * h) for b in steps]
        for a in steps
    ]
    np.testing.assert_allclose(jit(hessian(gamma))(x), curvature, rtol=1e-5, atol=1e-5)
    rough: Any = lambda b: quad(lambda x: fx.floor(x), 0.0, b).value  # the slope is f(b), not that of nodes
    np.testing.assert_allclose([grad(rough)(2.5), jacrev(rough)(3.2)], [2.0, 3.0], rtol=1e-12)
    np.testing.assert_allclose(grad(grad(lambda b: rough(b) ** 2))(2.5), 2 * 2.0**2, rtol=1e-12)
    tail: Any = jit(grad(lambda a, b: quad(lambda x: fx.exp(-x), a, b).value, (0, 1)))
    np.testing.assert_allclose(tail(1.0, INF), [-np.exp(-1.0), 0.0], rtol=1e-12)


def test_functions_with_rules_within_are_differentiated() -> None:
    def area(a: Any) -> Any:  # ∫₀ᵃ ∫₀ˣ a·y dy dx = a⁴/6
        return quad(lambda x: quad(lambda y: a * y, 0.0, x).value, 0.0, a).value

    def nearest(a: Any) -> Any:  # the mean of a²·x is a²/2
        return fx.optimize.minimize(lambda z: quad(lambda x: (z - a * a * x) ** 2, 0.0, 1.0, panels=1).value, 0.0).x

    for f, slope, curvature in ((area, 4 * 1.5**3 / 6, 2 * 1.5**2), (nearest, 1.5, 1.0)):
        for way in (grad(f), jit(jacfwd(f))):
            np.testing.assert_allclose(way(1.5), slope, rtol=1e-10)
        np.testing.assert_allclose(hessian(f)(1.5), curvature, rtol=1e-8)


def test_a_range_that_is_wider_than_the_greatest_number() -> None:
    bell = quad(lambda x: fx.exp(-((x / 1e307) ** 2)), -1e308, 1e308)
    np.testing.assert_allclose(bell.value, np.sqrt(np.pi) * 1e307, rtol=1e-12)


def test_a_batch_is_a_loop() -> None:
    a, b, width = fx.asarray([0.0, -INF, 1.0, np.nan]), fx.asarray([1.0, INF, INF, 1.0]), fx.asarray([1.0, 2, 3, 4])
    of: Any = lambda a, b, width: quad(lambda x: fx.exp(-((x / width) ** 2)), a, b).value
    values, slopes = jit(vmap(lambda *x: (of(*x), grad(of, (0, 2))(*x))))(a, b, width)
    for i in range(3):
        np.testing.assert_allclose(values[i], of(a[i], b[i], width[i]), rtol=1e-12)
        np.testing.assert_allclose([s[i] for s in slopes], grad(of, (0, 2))(a[i], b[i], width[i]), rtol=1e-10)
    assert np.isnan(values[3])


REFUSED: Final[dict[str, tuple[type[EffaxError], str, Any]]] = {
    "keys": (ArgumentError, "what f gives must be .*; keys are no", lambda: quad(lambda x: fx.random.key(0), 0.0, 1.0)),
    "no function": (ArgumentError, "quad takes a function", lambda: quad(1.0, 0.0, 1.0)),
    "no panels": (ArgumentError, "panels must be at least 1", lambda: quad(fx.sin, 0.0, 1.0, panels=0)),
    "vector": (ShapeError, "b must be a number", lambda: quad(fx.sin, 0.0, [1.0, 2.0])),
    "complex": (DTypeError, "a must be real", lambda: quad(fx.sin, 1j, 1.0)),
    "text": (ArgumentError, "what f gives", lambda: quad(lambda x: "a", 0.0, 1.0)),
}


@pytest.mark.parametrize(("error", "words", "call"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_is_refused(error: type[EffaxError], words: str, call: Any) -> None:
    with pytest.raises(error, match=words):
        call()

"""Roots of polynomials whose ends are zeros, compiled and in lanes; what fits of polynomials refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError, ShapeError
from handlers import grad, vmap
from lowering import jit

POLYNOMIALS = np.array(
    [[0.0, 0, 1, -3, 2], [1, -3, 2, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 3], [0] * 5, [1, 2, 3, 4, 5]]
)


@pytest.mark.parametrize("p", POLYNOMIALS, ids=str)
def test_zeros_at_the_ends_are_roots_at_infinity_and_at_zero(p: Any) -> None:
    expected = np.sort_complex(np.roots(p))
    np.testing.assert_allclose(np.sort_complex(fx.roots(fx.asarray(p))), expected, rtol=1e-12, atol=1e-12)
    for actual in map(np.asarray, (jit(fx.roots)(p), vmap(fx.roots)(fx.asarray(p)[None])[0])):
        assert actual.shape == (4,) and np.isnan(actual[expected.size :]).all()
        np.testing.assert_allclose(np.sort_complex(actual[: expected.size]), expected, rtol=1e-12, atol=1e-12)


def test_lanes_and_derivatives() -> None:
    found = np.asarray(jit(vmap(fx.roots))(POLYNOMIALS))
    for row, p in zip(found, POLYNOMIALS, strict=True):
        np.testing.assert_array_equal(np.isnan(row).sum(), 4 - np.roots(p).size)
    slope = grad(lambda p: fx.sum(fx.roots(p) ** 2).real)(fx.asarray([1.0, -3.0, 2.0]))
    np.testing.assert_allclose(slope, [-18 + 4, -6.0, -2.0], rtol=1e-9)  # of (b² - 2ac) / a²


def test_quotients_and_fits_of_few_points() -> None:
    quotient, rest = fx.polydiv(fx.asarray([2.0, 4.0]), 2)
    assert quotient.tolist() == [1.0, 2.0] and rest.tolist() == [0.0]
    x = fx.asarray([0.0, 1.0, 2.0])
    assert np.asarray(fx.polyfit(x, x, 2, cov="unscaled")[1]).shape == (3, 3)
    slope = jit(grad(lambda y: fx.polyfit(x, y, 1)[0]))(x**2)
    np.testing.assert_allclose(slope, [-0.5, 0.0, 0.5], atol=1e-12)
    refused: list[tuple[type[Exception], str, Any]] = [
        (ArgumentError, "cov='unscaled'", lambda: fx.polyfit(x, x, 2, cov=True)),
        (ArgumentError, "deg must", lambda: fx.polyfit(x, x, -1)),
        (ShapeError, "as many rows as x", lambda: fx.polyfit(x, fx.zeros(2), 1)),
        (ShapeError, "w must be a vector of 3", lambda: fx.polyfit(x, x, 1, w=fx.zeros(2))),
        (ShapeError, "at least 1", lambda: fx.polyfit(fx.zeros(0), fx.zeros(0), 1)),
        (ShapeError, "x1 and x2 must have a coefficient", lambda: fx.polydiv(fx.zeros(0), x)),
    ]
    for error, match, f in refused:
        with pytest.raises(error, match=match):
            f()

"""Normalisation of some elements: what is left out has no part in values and slopes, also where that is all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.special

import effects as fx
from effects import nn
from handlers import grad, jvp, vmap
from lowering import jit

type Host = np.ndarray[tuple[int, ...], np.dtype[Any]]

_INF: Final = np.inf
X: Final = np.array([[0.5, -1.0, 2.0, np.nan], [1000.0, _INF, -1000.0, 3.0], [1.0, 2.0, -_INF, 0.25]])
HOLDS: Final = np.array([[True, True, True, False], [True, False, True, True], [False, False, False, False]])
FORMS: Final[dict[str, tuple[Callable[..., fx.Array], Callable[[Host], Any], float]]] = {
    "softmax": (nn.softmax, scipy.special.softmax, 0.0),
    "log_softmax": (nn.log_softmax, scipy.special.log_softmax, -_INF),
}


@pytest.mark.parametrize("name", FORMS)
def test_rows_of_what_counts(name: str) -> None:
    f, form, otherwise = FORMS[name]
    expected = np.full(X.shape, otherwise)
    for row, (values, holds) in enumerate(zip(X, HOLDS, strict=True)):
        if holds.any():
            expected[row, holds] = form(values[holds])
    given, mask = fx.asarray(X), fx.asarray(HOLDS)
    np.testing.assert_allclose(f(given, where=mask), expected, rtol=1e-14)
    np.testing.assert_allclose(jit(lambda x, m: f(x, where=m))(given, mask), expected, rtol=1e-14)
    np.testing.assert_allclose(f(fx.matrix_transpose(given), axis=0, where=mask.mT), expected.T, rtol=1e-14)
    np.testing.assert_allclose(vmap(lambda x, m: f(x, where=m))(given, mask), expected, rtol=1e-14)


def test_sums_of_what_counts() -> None:
    expected = np.array(
        [scipy.special.logsumexp(X[i, holds]) if holds.any() else -_INF for i, holds in enumerate(HOLDS)]
    )
    given, mask = fx.asarray(X), fx.asarray(HOLDS)

    def sums(x: fx.Array, mask: fx.Array) -> fx.Array:
        return nn.logsumexp(x, axis=1, where=mask)

    np.testing.assert_allclose(sums(given, mask), expected, rtol=1e-14)
    np.testing.assert_allclose(jit(sums)(given, mask), expected, rtol=1e-14)
    np.testing.assert_allclose(nn.logsumexp(given, axis=(0, 1), where=mask), scipy.special.logsumexp(X[HOLDS]))


@pytest.mark.parametrize("name", [*FORMS, "logsumexp"])
def test_slopes_of_what_counts(name: str) -> None:
    f: Callable[..., fx.Array] = getattr(nn, name)
    t, mask = fx.asarray(np.random.default_rng(0).normal(size=X.shape)), fx.asarray(HOLDS)
    x = fx.asarray(X)
    slope = np.asarray(jvp(lambda x: f(x, axis=1, where=mask), (x,), (t,))[1])
    for row, holds in enumerate(HOLDS):
        if not holds.any():
            np.testing.assert_array_equal(slope[row], np.zeros_like(slope[row]))
            continue
        own, along = fx.asarray(X[row, holds]), fx.asarray(np.asarray(t)[row, holds])
        expected = np.asarray(jvp(lambda x: f(x, axis=0), (own,), (along,))[1])
        np.testing.assert_allclose(slope[row][holds] if slope.ndim == 2 else slope[row], expected, rtol=1e-13)
        if slope.ndim == 2:
            np.testing.assert_array_equal(slope[row][~holds], 0.0)

    def total(x: fx.Array) -> fx.Array:
        y = f(x, axis=1, where=mask)
        return fx.sum(fx.where(fx.isfinite(y), y, 0.0))

    for pulled in (grad(total)(x), jit(grad(total))(x)):
        assert np.isfinite(np.asarray(pulled)).all()
        np.testing.assert_array_equal(np.asarray(pulled)[~HOLDS], 0.0)


def test_several_axes_and_what_does_not_fit() -> None:
    x = fx.ones((2, 3))
    np.testing.assert_allclose(nn.softmax(x, axis=(0, 1), where=fx.asarray([[True], [False]]))[0], np.full(3, 1 / 3))
    with pytest.raises(fx.ShapeError, match=r"softmax: where, .*, does not broadcast"):
        nn.softmax(x, where=fx.asarray([True, False]))
    with pytest.raises(fx.DTypeError, match="log_softmax: where must be of bools"):
        nn.log_softmax(x, where=fx.ones(3))

"""Densities of samples against scipy's: each bandwidth, weights, integrals, derivatives, numbers drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.stats as st

import effects as fx
from effects.errors import ArgumentError, ShapeError
from effects.runtime.spellings import names_of
from handlers import grad, vmap
from lowering import jit

stats: Any = fx.stats
_RNG: Final = np.random.default_rng(1)
WEIGHTS: Final = _RNG.uniform(size=9)
BANDWIDTHS: Final[dict[str, Any]] = {
    "none": None,
    "silverman": "silverman",
    "number": 0.7,
    "function": lambda density: density.neff ** (-1 / 3) * density.d,
}


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["equal", "weights"])
@pytest.mark.parametrize("d", [1, 3])
def test_as_scipy(d: int, weights: Any, bandwidth: str) -> None:
    rng = np.random.default_rng(d)
    sample, points, others = rng.normal(size=(d, 9)), rng.normal(size=(d, 5)), rng.normal(size=(d, 6))
    ours, theirs = [f(sample, BANDWIDTHS[bandwidth], weights) for f in (stats.gaussian_kde, st.gaussian_kde)]
    np.testing.assert_allclose(ours.covariance, theirs.covariance, rtol=1e-13)
    for method in ("evaluate", "pdf", "logpdf", "__call__"):
        expected = getattr(theirs, method)(points)
        np.testing.assert_allclose(getattr(ours, method)(points), expected, rtol=1e-12)
    np.testing.assert_allclose(jit(stats.KernelDensity.evaluate)(ours, points), theirs(points), rtol=1e-12)
    np.testing.assert_allclose(ours(points[:, 0]), theirs(points[:, 0]), rtol=1e-12)
    normal = points[:, 0], np.eye(d) + 0.3
    np.testing.assert_allclose(ours.integrate_gaussian(*normal), theirs.integrate_gaussian(*normal), rtol=1e-12)
    expected = theirs.integrate_kde(st.gaussian_kde(others))
    np.testing.assert_allclose(ours.integrate_kde(stats.gaussian_kde(others)), expected, rtol=1e-12)
    if d == 1:
        for ends in ((-1.0, 0.5), (-np.inf, 0.3), (2.0, 1.0), (0.0, np.inf)):
            np.testing.assert_allclose(ours.integrate_box_1d(*ends), theirs.integrate_box_1d(*ends), rtol=1e-12)
    drawn = np.asarray(ours.resample(fx.random.key(3), (40000,)))
    spread = np.cov(sample, aweights=weights, ddof=0) + theirs.covariance
    assert drawn.shape == (d, 40000)
    np.testing.assert_allclose(np.cov(drawn), spread, atol=0.04 * np.abs(spread).max())
    assert ours.resample(fx.random.key(3)).shape == (d,)


def test_transformations() -> None:
    sample, h = np.array([0.3, 1.1, -0.4, 2.0]), 1e-6

    def total(sample: Any) -> Any:
        return fx.sum(stats.gaussian_kde(sample).logpdf([0.1, 9.0]))

    def theirs(sample: Any) -> Any:
        return st.gaussian_kde(sample).logpdf([0.1, 9.0]).sum()

    moved = [(theirs(sample + h * e) - theirs(sample - h * e)) / (2 * h) for e in np.eye(4)]
    np.testing.assert_allclose(grad(total)(fx.asarray(sample)), moved, rtol=1e-7)
    several = _RNG.normal(size=(3, 6))
    expected = [st.gaussian_kde(each)(0.5) for each in several]
    np.testing.assert_allclose(vmap(lambda each: stats.gaussian_kde(each)(0.5))(several), expected, rtol=1e-12)
    single = stats.gaussian_kde(sample.astype(np.float32))
    assert single(np.float32(0.5)).dtype is single.resample(fx.random.key(0)).dtype is fx.float32
    assert np.isnan(jit(lambda factor: stats.gaussian_kde(sample, factor)(0.5))(fx.asarray(-1.0)))
    of_weights = jit(lambda weights: stats.gaussian_kde(sample, weights=weights)(0.5))
    assert np.isnan(of_weights(fx.asarray([1.0, 2.0, -1.0, 1.0])))
    far = stats.gaussian_kde(sample).logpdf(1000.0)
    np.testing.assert_allclose(far, st.gaussian_kde(sample).logpdf(1000.0), rtol=1e-13)


@pytest.mark.parametrize("d", [1, 3])
def test_what_is_written_in_place_of_attributes_of_scipy(d: int) -> None:
    sample, rows = _RNG.normal(size=(d, 9)), [d - 1]
    density, expected = stats.gaussian_kde(sample, 0.7, WEIGHTS), st.gaussian_kde(sample, 0.7, WEIGHTS)
    variables = {"density": density, "gaussian_kde": stats.gaussian_kde, "rows": rows, "sqrt": fx.sqrt, "cov": fx.cov}
    for name in ("factor", "covariance_factor", "scotts_factor", "silverman_factor", "inv_cov", "marginal"):
        code = names_of("scipy")["KernelDensity"][name].removeprefix("write ").partition(", of ")[0]
        here = eval(code, {**variables, "inv": fx.linalg.inv, "factor": 0.7})
        there = expected.marginal(rows) if name == "marginal" else getattr(expected, name)
        if name == "marginal":
            here, there = here(sample[rows]), there(sample[rows])
        np.testing.assert_allclose(here, there() if callable(there) else there, rtol=1e-9)


_LINE: Final = stats.gaussian_kde([1.0, 2.0])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: stats.gaussian_kde([1.0]),
            ShapeError,
            r"gaussian_kde: dataset must be .* two elements or more, got float64\[1\]\s",
        ),
        (lambda: stats.gaussian_kde([1.0, 2.0], "a"), ArgumentError, "gaussian_kde: bw_method must be 'scott' or"),
        (
            lambda: stats.gaussian_kde(np.ones((9, 3))),
            ShapeError,
            "gaussian_kde: .* 3 elements of 9 coordinates; .* transpose",
        ),
        (
            lambda: stats.gaussian_kde([1.0, 2.0], -1.0),
            ArgumentError,
            "gaussian_kde: bw_method must be positive and fin",
        ),
        (lambda: stats.gaussian_kde(np.zeros((0, 3))), ShapeError, "gaussian_kde: dataset must be "),
        (lambda: stats.gaussian_kde([1.0, 2.0], [1.0]), ShapeError, "gaussian_kde: bw_method must be or give a number"),
        (lambda: stats.gaussian_kde([1.0, 2.0], weights=[1.0]), ShapeError, "gaussian_kde: weights must be "),
        (
            lambda: stats.gaussian_kde([1.0, 2.0], weights=[2.0, -1.0]),
            ArgumentError,
            r"gaussian_kde: weights must not be negative, got \[2\.0, -1\.0\]",
        ),
        (lambda: _LINE(fx.ones((2, 2))), ShapeError, r"gaussian_kde\.evaluate: points must be \[1, m\]"),
        (lambda: _LINE.integrate_kde(3), ArgumentError, r"gaussian_kde\.integrate_kde: other must be"),
        (lambda: _LINE.integrate_gaussian([0.0, 1.0], 1.0), ShapeError, r".*integrate_gaussian: mean must have"),
        (lambda: _LINE.integrate_box_1d([0.0], 1.0), ShapeError, r".*integrate_box_1d: low must be a number"),
    ],
)
def test_refusals(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        call()


def test_digits() -> None:
    """Of tails, and of samples far from 0."""
    near = stats.gaussian_kde([0.0, 1.0])
    for ends in ((8.0, 9.0), (-8.0, -7.0)):
        np.testing.assert_allclose(float(near.integrate_box_1d(*ends)), 1.4490050141574386e-30, rtol=1e-12)
    sample = np.array([0.0, 1.0, 3.0])
    far, near = stats.gaussian_kde(sample + 2.0**40), stats.gaussian_kde(sample)
    np.testing.assert_allclose(far(sample + 2.0**40), near(sample), rtol=1e-14)

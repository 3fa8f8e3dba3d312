"""The programs of examples/ that solve equations, filter and learn a distribution, computed another way."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.ndimage
import scipy.optimize
import scipy.signal
from sklearn.datasets import load_digits

import effects as fx
from effects import Array, random
from examples import autoencoder, neural_ode, ode, optimum, spectral
from handlers import grad, jacfwd, jacrev
from lowering import jit

RNG: Final = np.random.default_rng(3)


@pytest.mark.parametrize("module", [ode, optimum, spectral], ids=lambda m: m.__name__)
def test_doctests(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


# -- differential equations ------------------------------------------------------------------------------------------


def test_a_neural_equation_learns_a_path() -> None:
    times = np.linspace(0, 2, 6)
    turned = np.array([[-0.3, 1.0], [-1.0, -0.3]])
    path = np.stack([scipy.linalg.expm(turned.T * t) @ [1.0, 0.0] for t in times])
    network = neural_ode.initial(random.key(0), 2, 8)
    _, losses = jit(lambda network: neural_ode.train(network, fx.asarray(times), fx.asarray(path), 60))(network)
    assert float(losses[-1]) < 0.1 * float(losses[0])


# -- minima ----------------------------------------------------------------------------------------------------------


def test_a_penalty_is_learnt_by_derivatives_of_the_fit() -> None:
    x = RNG.normal(size=(60, 3))
    y = (x @ [1.0, -0.5, 0.0] + RNG.normal(size=60) > 0).astype(float)
    fitted, others = (x[:20], y[:20]), (x[20:], y[20:])

    def loss(w: Any, x: Any, y: Any) -> Any:
        return np.mean(np.logaddexp(0, x @ w) - y * (x @ w))

    def fit(penalty: float) -> Any:
        penalised = lambda w: loss(w, *fitted) + penalty * w @ w / 2
        return scipy.optimize.minimize(penalised, np.zeros(3), tol=1e-12).x

    ours: Any = jit(lambda penalty: optimum.fit(penalty, *map(fx.asarray, fitted)))
    np.testing.assert_allclose(ours(0.5), fit(0.5), rtol=1e-5)
    chances = 1 / (1 + np.exp(-x[:20] @ np.asarray(ours(0.5))))
    curvature = (x[:20].T * (chances * (1 - chances))) @ x[:20] / 20 + 0.5 * np.eye(3)
    np.testing.assert_allclose(jacfwd(ours)(0.5), -np.linalg.solve(curvature, ours(0.5)), rtol=1e-6)
    np.testing.assert_allclose(jacrev(ours)(0.5), -np.linalg.solve(curvature, ours(0.5)), rtol=1e-6)
    best = scipy.optimize.minimize_scalar(lambda log: loss(fit(np.exp(log)), *others), bounds=(-6, 2))
    learnt = jit(optimum.best_penalty)(*[(fx.asarray(x), fx.asarray(y)) for x, y in (fitted, others)])
    np.testing.assert_allclose(learnt, np.exp(best.x), rtol=1e-3)


# -- filters ---------------------------------------------------------------------------------------------------------


def test_filters_are_those_of_scipy() -> None:
    x, rate, cutoff = RNG.normal(size=(2, 60)), 50.0, 5.0
    b, a = scipy.signal.butter(4, 2 * np.pi * cutoff, analog=True)
    gain = np.abs(scipy.signal.freqs(b, a, 2 * np.pi * np.fft.rfftfreq(60, 1 / rate))[1])
    actual = jit(lambda x: spectral.low_pass(x, rate, cutoff))(x)
    np.testing.assert_allclose(actual, np.fft.irfft(np.fft.rfft(x) * gain, 60), rtol=1e-9, atol=1e-12)
    picture = RNG.normal(size=(32, 31))
    blurred = spectral.blur(fx.asarray(picture), 2.0)
    expected = np.fft.ifft2(scipy.ndimage.fourier_gaussian(np.fft.fft2(picture), 2.0)).real
    np.testing.assert_allclose(blurred, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(blurred, scipy.ndimage.gaussian_filter(picture, 2.0, mode="wrap"), atol=2e-4)
    np.testing.assert_allclose(
        spectral.sharpen(spectral.blur(fx.asarray(picture), 1.0), 1.0, 1e-14), picture, atol=1e-4
    )
    error: Callable[[Any], Array] = lambda width: fx.sum((spectral.blur(fx.asarray(picture), width) - 1.0) ** 2)
    difference = (error(2.0 + 1e-5) - error(2.0 - 1e-5)) / 2e-5
    np.testing.assert_allclose(jit(grad(error))(2.0), difference, rtol=1e-6)


def test_derivatives_of_periodic_functions() -> None:
    for n in (9, 12):
        t = np.linspace(0, 3.0, n, endpoint=False)
        x, k = np.exp(np.sin(2 * np.pi * t / 3)), 2 * np.pi / 3
        found = spectral.derivative(fx.asarray(np.sin(k * t)), 3.0, 2)
        np.testing.assert_allclose(found, -(k**2) * np.sin(k * t), atol=1e-12)
        smooth = spectral.derivative(fx.asarray(x), 3.0)
        assert n < 12 or np.abs(np.asarray(smooth) - k * np.cos(k * t) * x).max() < 1e-2


# -- the autoencoder -------------------------------------------------------------------------------------------------


def test_the_bound_is_the_expected_likelihood_less_the_divergence() -> None:
    model = fx.tree_map(lambda x: x.astype(fx.float64), autoencoder.initial(random.key(1), 6).model)
    images, key = RNG.uniform(size=(3, 6)), random.key(2)
    mean, deviation = [np.asarray(x) for x in autoencoder.encode(model, fx.asarray(images))]
    points = mean + np.exp(deviation) * np.asarray(random.normal(key, mean.shape, fx.float32))
    bright = np.asarray(autoencoder.decode(model, fx.asarray(points)))
    likely = scipy.stats.bernoulli.logpmf(1, bright) * images + scipy.stats.bernoulli.logpmf(0, bright) * (1 - images)
    z, weights = np.polynomial.hermite_e.hermegauss(40)
    at = mean[..., None] + np.exp(deviation)[..., None] * z
    inside = scipy.stats.norm.logpdf(at, mean[..., None], np.exp(deviation)[..., None]) - scipy.stats.norm.logpdf(at)
    apart = (inside @ (weights / weights.sum())).sum(-1)
    np.testing.assert_allclose(autoencoder.bound(model, key, fx.asarray(images)), likely.sum(1) - apart, rtol=1e-9)


def test_digits_are_learnt() -> None:
    images = fx.asarray((load_digits().data / 16).astype(np.float32))
    model, losses = autoencoder.train(images, 12, random.key(0, "philox"))
    pixels = np.asarray(fx.mean(images, axis=0), np.float64)
    apart = -(pixels * np.log(pixels + 1e-9) + (1 - pixels) * np.log(1 - pixels + 1e-9)).sum()  # all images alike
    assert losses[0] > losses[-1] and losses[-1] < apart - 0.5
    mean, _ = autoencoder.encode(model, images[:500])
    zeros = np.asarray(mean)[load_digits().target[:500] == 0]
    assert zeros.std(0).mean() < 0.8 * np.asarray(mean).std(0).mean()

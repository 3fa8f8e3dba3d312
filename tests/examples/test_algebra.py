"""The programs of linear algebra in examples/ computed another way by NumPy and SciPy, and differentiated."""

from __future__ import annotations

import doctest
from typing import Any, Final

import numpy as np
import scipy.optimize
import scipy.stats

import effects as fx
from examples import components, gaussian_process, kalman
from handlers import grad
from lowering import jit

RNG: Final = np.random.default_rng(2)


def test_doctests() -> None:
    for module in (components, gaussian_process, kalman):
        assert doctest.testmod(module).failed == 0


def test_a_gaussian_process_has_the_density_and_the_predictions_of_its_covariance() -> None:
    x, at = RNG.normal(size=(8, 2)), RNG.normal(size=(3, 2))
    y, scales = RNG.normal(size=8), np.array([1.3, 0.8])

    def kernel(x: Any, y: Any, s: Any) -> Any:
        return s[0] ** 2 * np.exp(-((x[:, None] - y[None]) ** 2).sum(-1) / (2 * s[1] ** 2))

    def density(s: Any) -> float:
        return float(scipy.stats.multivariate_normal(np.zeros(8), kernel(x, x, s) + 0.04 * np.eye(8)).logpdf(y))

    arguments = fx.asarray(scales), fx.asarray(x), fx.asarray(y), 0.2
    value, slope = gaussian_process.log_likelihood(*arguments), jit(grad(gaussian_process.log_likelihood))(*arguments)
    np.testing.assert_allclose(float(value), density(scales), rtol=1e-12)
    np.testing.assert_allclose(np.asarray(slope), scipy.optimize.approx_fprime(scales, density, 1e-7), rtol=1e-4)
    mean, variance = gaussian_process.predict(fx.asarray(at), *arguments)
    inverse, across = np.linalg.inv(kernel(x, x, scales) + 0.04 * np.eye(8)), kernel(x, at, scales)
    np.testing.assert_allclose(np.asarray(mean), across.T @ inverse @ y, rtol=1e-9)
    np.testing.assert_allclose(np.asarray(variance), 1.69 - np.diag(across.T @ inverse @ across), rtol=1e-9)


def test_a_kalman_smoother_gives_the_means_of_the_joint_distribution() -> None:
    steps, move, moved = 5, np.array([[1.0, 0.3], [0.0, 0.9]]), np.diag([0.1, 0.2])
    see, seen = np.array([[1.0, 0.0]]), np.array([[0.5]])
    y = RNG.normal(size=(steps, 1))
    model = kalman.Model(*map(fx.asarray, (move, moved, see, seen)))
    start = fx.asarray([1.0, -1.0]), fx.eye(2)
    means, joint, covariance = [], np.zeros((2 * steps, 2 * steps)), np.eye(2)
    mean = np.array([1.0, -1.0])
    for i in range(steps):
        mean, covariance = move @ mean, move @ covariance @ move.T + moved
        means.append(mean)
        for j in range(i, steps):
            block = covariance @ np.linalg.matrix_power(move, j - i).T
            joint[2 * i : 2 * i + 2, 2 * j : 2 * j + 2] = block
            joint[2 * j : 2 * j + 2, 2 * i : 2 * i + 2] = block.T
    reading = np.kron(np.eye(steps), see)
    gain = joint @ reading.T @ np.linalg.inv(reading @ joint @ reading.T + 0.5 * np.eye(steps))
    expected = np.concatenate(means) + gain @ (y.ravel() - reading @ np.concatenate(means))
    (last, _), _ = kalman.filtered(model, start, fx.asarray(y))
    np.testing.assert_allclose(np.asarray(last[-1]), expected[-2:], rtol=1e-9)
    actual, _ = jit(kalman.smoothed)(model, start, fx.asarray(y))
    np.testing.assert_allclose(np.asarray(actual).ravel(), expected[:-2], rtol=1e-9)


def test_components_are_eigenvectors_of_the_covariance() -> None:
    x = RNG.normal(size=(20, 4)) * [3.0, 2.0, 1.0, 0.5]
    axes, shares = jit(lambda x: components.components(x, 2))(fx.asarray(x))
    values, vectors = np.linalg.eigh(np.cov(x.T))
    np.testing.assert_allclose(np.asarray(shares), values[::-1][:2] / values.sum(), rtol=1e-12)
    np.testing.assert_allclose(np.abs(np.sum(np.asarray(axes).T * vectors[:, ::-1][:, :2], axis=0)), 1.0, rtol=1e-12)

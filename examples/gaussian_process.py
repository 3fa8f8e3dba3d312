"""Regression by a Gaussian process, whose scales are fitted by the gradient of its likelihood."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import effects as fx
from effects import Array, linalg, optimize, random

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def kernel(x: Array, y: Array, scales: Array) -> Array:
    """The covariance of the values at points x and y, rows of matrices: scales are the height and the length.

    >>> kernel(fx.zeros((1, 2)), fx.zeros((1, 2)), fx.asarray([2.0, 1.0]))
    Array([[4.]], float64)
    """
    apart = fx.sum((x[:, None] - y[None]) ** 2, axis=-1)
    return scales[0] ** 2 * fx.exp(-apart / (2 * scales[1] ** 2))


def factor(x: Array, scales: Array, noise: float) -> Array:
    """The Cholesky factor of the covariance of observations at the points x."""
    return linalg.cholesky(kernel(x, x, scales) + noise**2 * fx.eye(x.shape[0]))


def log_likelihood(scales: Array, x: Array, y: Array, noise: float) -> Array:
    """The logarithm of the density of the observations y at the points x."""
    low = factor(x, scales, noise)
    white = linalg.solve_triangular(low, y, lower=True)
    return -fx.sum(white**2) / 2 - fx.sum(fx.log(fx.diagonal(low))) - y.size * math.log(2 * math.pi) / 2


def predict(at: Array, scales: Array, x: Array, y: Array, noise: float) -> tuple[Array, Array]:
    """The mean and the variance of the values at new points, given y at x."""
    low, across = factor(x, scales, noise), kernel(x, at, scales)
    mean = across.T @ linalg.cho_solve((low, True), y)
    known = linalg.solve_triangular(low, across, lower=True)
    return mean, scales[0] ** 2 - fx.sum(known**2, axis=0)


def picture(figure: Figure) -> str:
    """A dozen measurements, and the mean between them with two standard deviations, at the most likely scales."""
    key, noise = random.key(5), 0.1
    x = fx.sort(random.uniform(key, (12,)) * 10.0)[:, None]
    y = fx.sin(x[:, 0]) + 0.3 * x[:, 0] + noise * random.normal(random.fold_in(key, 1), (12,))
    start = fx.asarray([1.0, 0.3])
    unlikely = lambda logs: -log_likelihood(fx.exp(logs), x, y, noise)
    scales = fx.exp(optimize.minimize(unlikely, fx.log(start)).x)
    at = fx.linspace(-1.0, 11.0, 200)[:, None]
    mean, variance = [np.asarray(part) for part in predict(at, scales, x, y, noise)]
    axes, places, spread = figure.subplots(), np.asarray(at[:, 0]), 2 * np.sqrt(variance)
    axes.fill_between(places, mean - spread, mean + spread, color="C0", alpha=0.25, linewidth=0, label="two deviations")
    axes.plot(places, mean, color="C0", label="mean")
    axes.plot(np.asarray(x[:, 0]), np.asarray(y), "o", markersize=4, color="C1", label="measured")
    axes.legend(loc="upper left")
    before, after = [float(log_likelihood(s, x, y, noise)) for s in (start, scales)]
    height, length = [float(s) for s in scales]
    return f"Height {height:.2f}, length {length:.2f}: the log-likelihood rises from {before:.1f} to {after:.1f}."

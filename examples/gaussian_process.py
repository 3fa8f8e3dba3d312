"""Regression by a Gaussian process: its likelihood by a Cholesky factor, whose gradient fits the scales."""

import math

import effects as fx
from effects import Array, linalg


def kernel(x: Array, y: Array, scales: Array) -> Array:
    """The covariance of the values at points x and y, rows of matrices: scales are the height and the length.

    >>> kernel(fx.zeros((1, 2)), fx.zeros((1, 2)), fx.asarray([2.0, 1.0]))
    Array([[4.]], float64)
    """
    apart = fx.sum((x[:, None] - y[None]) ** 2, axis=-1)
    return scales[0] ** 2 * fx.exp(-apart / (2 * scales[1] ** 2))


def factor(x: Array, scales: Array, noise: float) -> Array:
    """The Cholesky factor of the covariance of what is observed at the points x."""
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

"""Principal components by singular values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.datasets import load_digits

import effects as fx
from effects import Array, linalg

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def components(x: Array, count: int) -> tuple[Array, Array]:
    """The first principal axes of the rows of x, and their shares of the variance.

    >>> axes, shares = components(fx.asarray([[1.0, 1.0], [-1.0, -1.0], [0.0, 0.0]]), 1)
    >>> fx.abs(axes), shares
    (Array([[0.70710678, 0.70710678]], float64), Array([1.], float64))
    """
    _, sizes, axes = linalg.svd(x - fx.mean(x, axis=0), full_matrices=False)
    return axes[:count], sizes[:count] ** 2 / fx.sum(sizes**2)


def picture(figure: Figure) -> str:
    """Handwritten digits, 0 to 4, along the two axes on which they differ most."""
    data = load_digits(n_class=5)
    axes, shares = components(fx.asarray(data.data), 2)
    points = np.asarray(fx.asarray(data.data - data.data.mean(axis=0)) @ axes.T)
    plane = figure.subplots()
    for digit in range(5):
        plane.plot(*points[data.target == digit][:60].T, linestyle="", marker=f"${digit}$", markersize=5)
    plane.set(xlabel="first component", ylabel="second component")
    return f"They hold {float(shares[0]):.0%} and {float(shares[1]):.0%} of the variance of 64 pixels."

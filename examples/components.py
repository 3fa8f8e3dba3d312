"""Principal components by singular values."""

import effects as fx
from effects import Array, linalg


def components(x: Array, count: int) -> tuple[Array, Array]:
    """The first principal axes of the rows of x, and how much of the variance is along each.

    >>> axes, shares = components(fx.asarray([[1.0, 1.0], [-1.0, -1.0], [0.0, 0.0]]), 1)
    >>> fx.abs(axes), shares
    (Array([[0.70710678, 0.70710678]], float64), Array([1.], float64))
    """
    _, sizes, axes = linalg.svd(x - fx.mean(x, axis=0), full_matrices=False)
    return axes[:count], sizes[:count] ** 2 / fx.sum(sizes**2)

"""Principal components by singular values, and a fit by Newton's method whose optimum has implicit derivatives."""

from collections.abc import Callable

import effects as fx
from effects import Array, linalg
from handlers import custom_root, grad, jacfwd, while_loop


def components(x: Array, count: int) -> tuple[Array, Array]:
    """The first principal axes of the rows of x, and how much of the variance is along each.

    >>> axes, shares = components(fx.asarray([[1.0, 1.0], [-1.0, -1.0], [0.0, 0.0]]), 1)
    >>> fx.abs(axes), shares
    (Array([[0.70710678, 0.70710678]], float64), Array([1.], float64))
    """
    _, sizes, axes = linalg.svd(x - fx.mean(x, axis=0), full_matrices=False)
    return axes[:count], sizes[:count] ** 2 / fx.sum(sizes**2)


def logistic_fit(x: Array, y: Array, penalty: float | Array) -> Array:
    """The weights of a logistic regression, at the optimum by Newton's method: x, y and the penalty may vary.

    >>> weights = logistic_fit(fx.asarray([[1.0], [-1.0]]), fx.asarray([1.0, 0.0]), 0.1)
    >>> weights.shape
    (1,)
    """

    def loss(w: Array) -> Array:
        scores = x @ w
        return fx.sum(fx.logaddexp(0.0, scores) - y * scores) + penalty * fx.sum(w**2) / 2

    def newton(slope: Callable[[Array], Array], w: Array) -> Array:
        step: Callable[[Array], Array] = lambda w: w - linalg.solve(jacfwd(slope)(w), slope(w))
        return while_loop(lambda w: linalg.norm(slope(w)) > 1e-10, step, w)

    def direct(g: Callable[[Array], Array], b: Array) -> Array:
        return linalg.solve(jacfwd(g)(b), b)

    start: Array = fx.zeros(x.shape[1])
    return custom_root(grad(loss), start, newton, direct)

"""Classification by the k nearest neighbours: distances of all pairs by one product of matrices, `top_k`, a vote."""

import effects as fx
from effects import Array


def nearest(points: Array, queries: Array, k: int) -> tuple[Array, Array]:
    """The distances [Q, k] from queries [Q, D] to the k nearest of the points [N, D], and which these are [Q, k].

    >>> distances, which = nearest(fx.asarray([[0.0], [1.0], [5.0]]), fx.asarray([[4.0]]), 2)
    >>> distances, which
    (Array([[1., 3.]], float64), Array([[2, 1]], int64))
    """
    squares = fx.sum(queries**2, axis=1)[:, None] - 2 * queries @ points.T + fx.sum(points**2, axis=1)
    nearness, which = fx.top_k(-squares, k)
    return fx.sqrt(fx.maximum(-nearness, 0)), which


def classify(points: Array, labels: Array, queries: Array, k: int, classes: int) -> Array:
    """For each query the class that most of its k nearest points have, each by the inverse of its distance.

    >>> points, labels = fx.asarray([[0.0], [1.0], [5.0]]), fx.asarray([0, 0, 1])
    >>> classify(points, labels, fx.asarray([[0.4], [4.0]]), k=2, classes=2)
    Array([0, 1], int64)
    """
    distances, which = nearest(points, queries, k)
    weights = 1 / (distances + 1e-6)
    votes = fx.sum(fx.nn.one_hot(labels[which], classes, dtype=weights.dtype) * weights[..., None], axis=1)
    return fx.argmax(votes, axis=1)

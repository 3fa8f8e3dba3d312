"""Classification by the k nearest neighbours: distances of all pairs by one product of matrices, `top_k`, a vote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import effects as fx
from effects import Array, random
from lowering import jit

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def nearest(points: Array, queries: Array, k: int) -> tuple[Array, Array]:
    """The distances [Q, k] from queries [Q, D] to the k nearest of the points [N, D], and their positions [Q, k].

    >>> distances, which = nearest(fx.asarray([[0.0], [1.0], [5.0]]), fx.asarray([[4.0]]), 2)
    >>> distances, which
    (Array([[1., 3.]], float64), Array([[2, 1]], int64))
    """
    squares = fx.sum(queries**2, axis=1)[:, None] - 2 * queries @ points.T + fx.sum(points**2, axis=1)
    nearness, which = fx.top_k(-squares, k)
    return fx.sqrt(fx.maximum(-nearness, 0)), which


def classify(points: Array, labels: Array, queries: Array, k: int, classes: int) -> Array:
    """For each query the class of most of its k nearest points, each weighted by the inverse of its distance.

    >>> points, labels = fx.asarray([[0.0], [1.0], [5.0]]), fx.asarray([0, 0, 1])
    >>> classify(points, labels, fx.asarray([[0.4], [4.0]]), k=2, classes=2)
    Array([0, 1], int64)
    """
    distances, which = nearest(points, queries, k)
    weights = 1 / (distances + 1e-6)
    votes = fx.sum(fx.nn.one_hot(labels[which], classes, dtype=weights.dtype) * weights[..., None], axis=1)
    return fx.argmax(votes, axis=1)


def picture(figure: Figure) -> str:
    """Points on three arms of a spiral, and the class of each point of the plane by its 7 nearest neighbours."""
    first, second = random.split(random.key(0))
    along, labels = random.uniform(first, (240,)), fx.arange(240) % 3
    turn = 4 * along + 2 * fx.pi / 3 * labels
    points = (0.1 + along)[:, None] * fx.stack([fx.cos(turn), fx.sin(turn)], axis=1)
    points = points + 0.09 * random.normal(second, points.shape)
    xs = fx.linspace(-1.25, 1.25, 80)
    queries = fx.reshape(fx.stack(fx.meshgrid(xs, xs), axis=-1), (-1, 2))
    vote = jit(classify, static_argnums=(3, 4))
    regions = np.asarray(vote(points, labels, queries, 7, 3)).reshape(80, 80)
    axes = figure.subplots()
    palette = [f"C{label}" for label in range(3)]
    axes.contourf(np.asarray(xs), np.asarray(xs), regions, levels=[-0.5, 0.5, 1.5, 2.5], colors=palette, alpha=0.3)
    for label in range(3):
        axes.plot(*np.asarray(points)[np.asarray(labels) == label].T, ".", markersize=4)
    axes.set_aspect("equal")
    axes.set_axis_off()
    others = fx.arange(240) % 5 > 0
    share = np.mean(np.asarray(vote(points[others], labels[others], points[~others], 7, 3) == labels[~others]))
    return f"The other 192 points give {share:.0%} of 48 held-out points the right class."

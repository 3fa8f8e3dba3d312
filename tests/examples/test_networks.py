"""The networks of examples/ against the same in NumPy: what they give, their slopes, and that they learn."""

from __future__ import annotations

import doctest
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

import effects as fx
from examples import convnet, graph
from handlers import grad, jvp
from lowering import jit

type Host = NDArray[Any]

_RNG: Final = np.random.default_rng(2)


def close(actual: Any, expected: Any, rtol: float = 1e-10, atol: float = 1e-10) -> None:
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=rtol, atol=atol)


def assert_slope(f: Any, at: Any, rtol: float = 1e-6) -> None:
    """The gradient along a direction is what differences say, also compiled."""
    along = fx.tree_map(lambda x: fx.asarray(_RNG.normal(size=x.shape)), at)
    h = 1e-6
    ahead, behind = [fx.tree_map(lambda x, t, s=s: x + s * h * t, at, along) for s in (1, -1)]
    quotient = (f(ahead) - f(behind)) / (2 * h)
    close(jvp(f, (at,), (along,))[1], quotient, rtol, 1e-8)
    for slopes in (grad(f)(at), jit(grad(f))(at)):
        pairs = zip(fx.tree_leaves(slopes), fx.tree_leaves(along), strict=True)
        close(sum([float(fx.sum(g * t)) for g, t in pairs]), quotient, rtol, 1e-8)


# -- convolutions ----------------------------------------------------------------------------------------------------


def _wide(network: convnet.Network) -> convnet.Network:
    shifted = [fx.asarray(np.asarray(x, np.float64) + 0.1 * _RNG.normal(size=x.shape)) for x in network]
    return convnet.Network(*shifted)


def _block(images: Host, kernel: Host, bias: Host) -> Host:
    """Pixel by pixel."""
    n, _, height, width = images.shape
    around = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    seen = np.zeros((n, kernel.shape[0], height, width))
    for i, j in np.ndindex(height, width):
        seen[:, :, i, j] = np.einsum("nchw,ochw->no", around[:, :, i : i + 3, j : j + 3], kernel) + bias
    seen = np.maximum(seen, 0)
    return seen.reshape(n, -1, height // 2, 2, width // 2, 2).max((3, 5))


def test_convolutional_classifier() -> None:
    network = _wide(convnet.initial(fx.random.key(2)))
    first, first_bias, second, second_bias, last, last_bias = map(np.asarray, network)
    images = _RNG.uniform(size=(3, 1, 8, 8))
    seen = _block(_block(images, first, first_bias), second, second_bias)
    expected = seen.reshape(3, -1) @ last + last_bias
    given, labels = fx.asarray(images), fx.asarray([3, 0, 9])
    for f in (convnet.logits, jit(convnet.logits)):
        close(f(network, given), expected)
    likely = expected - np.log(np.exp(expected).sum(1, keepdims=True))
    close(convnet.loss(network, given, labels), -likely[np.arange(3), [3, 0, 9]].mean())
    assert_slope(lambda network: convnet.loss(network, given, labels), network)


def test_convolutional_classifier_learns() -> None:
    data = load_digits()
    images, labels = (data.images[:, None] / 16).astype(np.float32), data.target.astype(np.int64)
    network = convnet.train(images[:1280], labels[:1280], 6, fx.random.key(0))
    assert convnet.accuracy(network, images[1280:], labels[1280:]) > 0.85


# -- graphs ----------------------------------------------------------------------------------------------------------


def _dense(network: graph.Network, nodes: Host, arrives: Host) -> Host:
    """By the matrix whose entry i, j is how many edges go from j to i."""
    shares = arrives / np.maximum(arrives.sum(1, keepdims=True), 1)
    for number, layer in enumerate(network):
        own, heard, bias = map(np.asarray, layer)
        nodes = nodes @ own + shares @ nodes @ heard + bias
        nodes = np.maximum(nodes, 0) if number < len(network) - 1 else nodes
    return nodes


def test_messages_are_products_with_a_matrix() -> None:
    assert doctest.testmod(graph).failed == 0
    senders, receivers = np.array([0, 1, 2, 2, 3, 0, 0]), np.array([1, 2, 0, 1, 1, 3, 3])
    arrives = np.zeros((5, 5))
    np.add.at(arrives, (receivers, senders), 1)
    nodes = _RNG.normal(size=(5, 4))
    network = graph.initial((4, 6, 3), _RNG)
    given = graph.Graph(fx.asarray(nodes), fx.asarray(senders), fx.asarray(receivers))
    for f in (graph.scores, jit(graph.scores)):
        close(f(network, given), _dense(network, nodes, arrives))
    labels, known = fx.asarray([0, 2, 1, 1, 0]), fx.asarray([True, False, True, True, True])
    assert_slope(lambda network: graph.loss(network, given, labels, known), network)
    assert_slope(
        lambda nodes: graph.loss(network, graph.Graph(nodes, given.senders, given.receivers), labels, known),
        given.nodes,
    )


def test_labels_spread_over_a_graph() -> None:
    """Two rings with a few bridges: of one node in three the label is known, and the others hear of it."""
    size = 24
    ring = np.arange(size)
    edges = [(r * size + ring, r * size + (ring + 1) % size) for r in (0, 1)]
    ends = np.concatenate([np.stack(e) for e in edges] + [np.array([[3], [size + 5]])], axis=1)
    senders, receivers = np.concatenate([ends, ends[::-1]], axis=1)
    labels = np.repeat([0, 1], size)
    known = np.arange(2 * size) % 3 == 0
    nodes = np.where(known[:, None], np.eye(2)[labels], 0.0)
    given = graph.Graph(fx.asarray(nodes), fx.asarray(senders), fx.asarray(receivers))
    network = graph.initial((2, 8, 8, 8, 2), np.random.default_rng(0))
    fast = jit(graph.step)
    losses = []
    for _ in range(60):
        value, network = fast(network, given, fx.asarray(labels), fx.asarray(known), 0.3)
        losses.append(float(value))
    assert losses[-1] < 0.2 * losses[0]
    found = np.argmax(np.asarray(graph.scores(network, given)), axis=1)
    assert np.mean(found == labels) > 0.9

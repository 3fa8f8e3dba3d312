"""Message passing: a network over graphs of any shape, in which nodes learn from their neighbours.

A graph has features of its nodes and two vectors of positions: edge i goes from node `senders[i]` to `receivers[i]`.
Reading the senders is a gather, and summing the messages at a node is a segment sum.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

import effects as fx
from effects import Array, nn
from handlers import value_and_grad


class Graph(NamedTuple):
    """Features of nodes [N, D], and the source and target nodes of edges, [E] each."""

    nodes: Array
    senders: Array
    receivers: Array


class Layer(NamedTuple):
    """Weights of a node's own features [D, F] and of its messages [D, F], with a bias [F]."""

    own: Array
    messages: Array
    bias: Array


type Network = tuple[Layer, ...]


def initial(sizes: tuple[int, ...], rng: np.random.Generator) -> Network:
    """Layers from each of the sizes to the next one."""

    def normal(d: int, f: int) -> Array:
        return fx.asarray(rng.normal(size=(d, f)) / np.sqrt(d))

    return tuple([Layer(normal(d, f), normal(d, f), fx.zeros(f)) for d, f in pairwise(sizes)])


def messages(graph: Graph, nodes: Array) -> Array:
    """The mean of the features of a node's senders, 0 for a node without senders.

    >>> path = Graph(fx.asarray([[1.0], [3.0], [5.0]]), fx.asarray([0, 2]), fx.asarray([1, 1]))
    >>> messages(path, path.nodes)
    Array([[0.],
           [3.],
           [0.]], float64)
    """
    count = nodes.shape[0]
    total = fx.segment_sum(nodes[graph.senders], graph.receivers, num_segments=count)
    arrived = fx.segment_sum(fx.ones_like(graph.receivers, dtype=nodes.dtype), graph.receivers, num_segments=count)
    return total / fx.expand_dims(fx.maximum(arrived, 1.0), axis=1)


def scores(network: Network, graph: Graph) -> Array:
    """Scores of each node, from the last layer."""
    nodes = graph.nodes
    for number, layer in enumerate(network):
        nodes = nodes @ layer.own + messages(graph, nodes) @ layer.messages + layer.bias
        if number < len(network) - 1:
            nodes = nn.relu(nodes)
    return nodes


def loss(network: Network, graph: Graph, labels: Array, known: Array) -> Array:
    """Minus the mean log-probability of the labels, over the nodes whose labels are `known`."""
    likely = fx.take_along_axis(nn.log_softmax(scores(network, graph)), fx.expand_dims(labels, axis=1), axis=1)
    return -fx.sum(fx.where(known, likely[:, 0], 0.0)) / fx.sum(known)


def step(network: Network, graph: Graph, labels: Array, known: Array, rate: float) -> tuple[Array, Network]:
    """The loss, and the network after one step down its gradient."""
    value, slope = value_and_grad(loss)(network, graph, labels, known)
    return value, fx.tree_map(lambda p, g: p - rate * g, network, slope)

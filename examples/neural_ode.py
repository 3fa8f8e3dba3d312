"""A neural differential equation: the slope is a perceptron, trained on a path by the adjoint gradient."""

from typing import NamedTuple

import effects as fx
from effects import Array, random
from examples.ode import Tolerance, trajectory
from handlers import scan, value_and_grad

STEP, MEAN, SQUARE = 1e-2, 0.9, 0.99
TOLERANCE = Tolerance(1e-5, 1e-6)


class Network(NamedTuple):
    """A hidden layer between a state and its slope."""

    first: Array  # [D, H]
    bias: Array  # [H]
    last: Array  # [H, D]


def initial(key: random.Key, size: int, hidden: int) -> Network:
    """Slopes that are small everywhere."""
    first, last = random.split(key)
    return Network(
        random.normal(first, (size, hidden)), fx.zeros(hidden), 0.1 * random.normal(last, (hidden, size)) / hidden**0.5
    )


def slope(y: Array, t: Array, network: Network) -> Array:
    return fx.tanh(y @ network.first + network.bias) @ network.last


def loss(network: Network, times: Array, path: Array) -> Array:
    """Mean distance of the path from the first state on to the observations at these times, [T, D]."""
    return fx.mean((trajectory(slope, path[0], times, network, tolerance=TOLERANCE) - path) ** 2)


def train(network: Network, times: Array, path: Array, steps: int) -> tuple[Network, Array]:
    """The network after so many steps of Adam (Kingma and Ba, 2015), and the loss before each."""

    def step(state: tuple[Network, Network, Network], n: Array) -> tuple[tuple[Network, Network, Network], Array]:
        network, mean, square = state
        value, change = value_and_grad(loss)(network, times, path)
        mean = fx.tree_map(lambda m, g: MEAN * m + (1 - MEAN) * g, mean, change)
        square = fx.tree_map(lambda s, g: SQUARE * s + (1 - SQUARE) * g**2, square, change)
        scales = STEP / (1 - MEAN**n), 1 / (1 - SQUARE**n)
        network = fx.tree_map(
            lambda p, m, s: p - scales[0] * m / (fx.sqrt(s * scales[1]) + 1e-8), network, mean, square
        )
        return (network, mean, square), value

    nothing = fx.tree_map(fx.zeros_like, network)
    (network, _, _), losses = scan(step, (network, nothing, nothing), fx.arange(1.0, steps + 1))
    return network, losses

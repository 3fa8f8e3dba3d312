"""A neural differential equation: the slope is a perceptron, trained on a path by the adjoint gradient."""

from __future__ import annotations

from typing import NamedTuple

import effects as fx
from effects import Array, integrate, optim, random
from handlers import scan, value_and_grad

STEP, MEAN, SQUARE = 1e-2, 0.9, 0.99


type Moments = tuple[optim.Moments, optim.StepCount]


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
    return fx.mean((integrate.odeint(slope, path[0], times, network, rtol=1e-5, atol=1e-6) - path) ** 2)


def train(network: Network, times: Array, path: Array, steps: int) -> tuple[Network, Array]:
    """The network after so many steps of Adam, and the loss before each."""
    optimizer = optim.adam(STEP, MEAN, SQUARE)

    def step(state: tuple[Network, Moments], _: None) -> tuple[tuple[Network, Moments], Array]:
        network, moments = state
        value, change = value_and_grad(loss)(network, times, path)
        updates, moments = optimizer.update(change, moments, network)
        return (optim.apply_updates(network, updates), moments), value

    (network, _), losses = scan(step, (network, optimizer.init(network)), None, length=steps)
    return network, losses

"""A neural differential equation: the slope is a perceptron, trained on a path by the adjoint gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import effects as fx
from effects import Array, integrate, optim, random
from handlers import scan, value_and_grad
from lowering import jit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEP, MEAN, SQUARE = 1e-2, 0.9, 0.99


type Moments = tuple[optim.Moments, optim.StepCount]


class Network(NamedTuple):
    """A hidden layer between a state and its slope."""

    first: Array  # [D, H]
    bias: Array  # [H]
    last: Array  # [H, D]


def initial(key: random.Key, size: int, hidden: int) -> Network:
    """A network whose slopes are small everywhere."""
    first, last = random.split(key)
    return Network(
        random.normal(first, (size, hidden)), fx.zeros(hidden), 0.1 * random.normal(last, (hidden, size)) / hidden**0.5
    )


def slope(y: Array, t: Array, network: Network) -> Array:
    return fx.tanh(y @ network.first + network.bias) @ network.last


def loss(network: Network, times: Array, path: Array) -> Array:
    """Mean distance of the path from the first state to the observations at these times, [T, D]."""
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


def picture(figure: Figure) -> str:
    """Observed states of a path, the slopes that a network learnt from them, and its path."""
    times = fx.linspace(0.0, 6.0, 25)
    path = fx.exp(-0.25 * times)[:, None] * fx.stack([fx.cos(1.5 * times), fx.sin(1.5 * times)], axis=1)
    network, losses = jit(lambda network: train(network, times, path, 400))(initial(random.key(0), 2, 16))
    fine = fx.linspace(0.0, 6.0, 200)
    learnt = np.asarray(integrate.odeint(slope, path[0], fine, network, rtol=1e-5, atol=1e-6))
    xs = np.linspace(-1.1, 1.1, 11)
    grid = fx.asarray(np.stack(np.meshgrid(xs, xs), axis=-1))
    slopes = np.asarray(slope(grid, times[0], network))
    axes = figure.subplots()
    axes.quiver(xs, xs, slopes[..., 0], slopes[..., 1], color="C0", alpha=0.6)
    axes.plot(*learnt.T, color="C2", label="learnt")
    axes.plot(*np.asarray(path).T, "o", markersize=4, color="C1", label="observed")
    axes.set_aspect("equal")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return f"The mean squared error falls from {float(losses[0]):.2f} to {float(losses[-1]):.1e} in 400 steps."

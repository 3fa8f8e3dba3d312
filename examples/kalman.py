"""The Kalman filter and the Rauch-Tung-Striebel smoother: a linear system observed with noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import effects as fx
from effects import Array, linalg, random
from handlers import scan
from lowering import jit

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Model(NamedTuple):
    """Transition of a state and its observation, each with the covariance of its noise."""

    move: Array
    moved: Array
    see: Array
    observation_noise: Array


type State = tuple[Array, Array]
"""A mean and a covariance."""


def filtered(model: Model, start: State, observations: Array) -> tuple[State, State]:
    """The states given the observations up to each step, and before each observation."""

    def step(state: State, y: Array) -> tuple[State, tuple[State, State]]:
        mean, covariance = state
        expected = model.move @ mean, model.move @ covariance @ model.move.T + model.moved
        spread = model.see @ expected[1] @ model.see.T + model.observation_noise
        gain = linalg.solve(spread, model.see @ expected[1]).T
        after = expected[0] + gain @ (y - model.see @ expected[0]), expected[1] - gain @ model.see @ expected[1]
        return after, (after, expected)

    return scan(step, start, observations)[1]


def smoothed(model: Model, start: State, observations: Array) -> State:
    """The states given all observations, before each step and after it."""
    (means, covariances), (expected, spreads) = filtered(model, start, observations)
    last = means[-1], covariances[-1]

    def step(later: State, now: tuple[Array, Array, Array, Array]) -> tuple[State, State]:
        mean, covariance, ahead, spread = now
        gain = linalg.solve(spread, model.move @ covariance).T
        state = mean + gain @ (later[0] - ahead), covariance + gain @ (later[1] - spread) @ gain.T
        return state, state

    xs = means[:-1], covariances[:-1], expected[1:], spreads[1:]
    return scan(step, last, xs, reverse=True)[1]


def picture(figure: Figure) -> str:
    """Noisy positions, the true path, and the smoothed path with two standard deviations."""
    steps = 80
    model = Model(
        fx.asarray([[1.0, 1.0], [0.0, 0.9]]),
        fx.asarray([[1e-4, 0.0], [0.0, 0.3]]),
        fx.asarray([[1.0, 0.0]]),
        fx.eye(1) * 36.0,
    )
    first, second = random.split(random.key(2))
    pushes = fx.asarray([0.01, 0.3**0.5]) * random.normal(first, (steps, 2))

    def drive(state: Array, push: Array) -> tuple[Array, Array]:
        state = model.move @ state + push
        return state, state

    _, path = scan(drive, fx.zeros(2), pushes)
    measured = path[:, :1] + 6.0 * random.normal(second, (steps, 1))
    means, covariances = jit(smoothed)(model, (fx.zeros(2), fx.eye(2)), measured)
    smooth, spread = np.asarray(means[:, 0]), 2 * np.sqrt(np.asarray(covariances[:, 0, 0]))
    axes, times = figure.subplots(), np.arange(steps)
    axes.plot(times, np.asarray(measured), ".", markersize=4, color="C1", label="measured")
    axes.plot(times, np.asarray(path[:, 0]), color="C2", label="driven")
    axes.plot(times[:-1], smooth, color="C0", label="smoothed")
    axes.fill_between(times[:-1], smooth - spread, smooth + spread, color="C0", alpha=0.25, linewidth=0)
    axes.set(xlabel="step", ylabel="position")
    axes.legend()
    off = [float(fx.sqrt(fx.mean((x - path[:-1, 0]) ** 2))) for x in (measured[:-1, 0], means[:, 0])]
    return f"The root mean square error is {off[0]:.2f} for the measurements and {off[1]:.2f} for the smoother."

"""The Kalman filter and the smoother of Rauch, Tung and Striebel: a state that moves linearly, seen with noise."""

from typing import NamedTuple

from effects import Array, linalg
from handlers import scan


class Model(NamedTuple):
    """Transition of a state and its observation, each with the covariance of its noise."""

    move: Array
    moved: Array
    see: Array
    observation_noise: Array


type State = tuple[Array, Array]
"""A mean and a covariance."""


def filtered(model: Model, start: State, observations: Array) -> tuple[State, State]:
    """The states given what was observed up to each step; and before each observation."""

    def step(state: State, y: Array) -> tuple[State, tuple[State, State]]:
        mean, covariance = state
        expected = model.move @ mean, model.move @ covariance @ model.move.T + model.moved
        spread = model.see @ expected[1] @ model.see.T + model.observation_noise
        gain = linalg.solve(spread, model.see @ expected[1]).T
        after = expected[0] + gain @ (y - model.see @ expected[0]), expected[1] - gain @ model.see @ expected[1]
        return after, (after, expected)

    return scan(step, start, observations)[1]


def smoothed(model: Model, start: State, observations: Array) -> State:
    """The states given all that was observed, before each step and after it."""
    (means, covariances), (expected, spreads) = filtered(model, start, observations)
    last = means[-1], covariances[-1]

    def step(later: State, now: tuple[Array, Array, Array, Array]) -> tuple[State, State]:
        mean, covariance, ahead, spread = now
        gain = linalg.solve(spread, model.move @ covariance).T
        state = mean + gain @ (later[0] - ahead), covariance + gain @ (later[1] - spread) @ gain.T
        return state, state

    xs = means[:-1], covariances[:-1], expected[1:], spreads[1:]
    return scan(step, last, xs, reverse=True)[1]

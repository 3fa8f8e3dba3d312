"""The Kalman filter and what it is made of."""

from typing import NamedTuple

import effects as fx
from effects import F64, Scalar, linalg
from handlers import scan


class Model[D, O](NamedTuple):
    move: F64[D, D]
    moved: F64[D, D]
    see: F64[O, D]
    seen: F64[O, O]


class State[D](NamedTuple):
    mean: F64[D]
    covariance: F64[D, D]


def predicted[D, O](model: Model[D, O], state: State[D]) -> State[D]:
    return State(model.move @ state.mean, model.move @ state.covariance @ model.move.T + model.moved)


def predicted_with_wrong_noise[D, O](model: Model[D, O], state: State[D]) -> State[D]:
    return State(model.move @ state.mean, model.move @ state.covariance @ model.move.T + model.seen)  # E: shape


def spread[D, O](model: Model[D, O], state: State[D]) -> F64[O, O]:
    return model.see @ state.covariance @ model.see.T + model.seen


def spread_turned[D, O](model: Model[D, O], state: State[D]) -> F64[O, O]:
    return model.see.T @ state.covariance @ model.see + model.seen  # E: shape


def gain[D, O](model: Model[D, O], state: State[D]) -> F64[D, O]:
    return linalg.solve(spread(model, state), model.see @ state.covariance).T


def gain_not_turned[D, O](model: Model[D, O], state: State[D]) -> F64[D, O]:
    return linalg.solve(spread(model, state), model.see @ state.covariance)  # E: shape


def gain_of_mean[D, O](model: Model[D, O], state: State[D]) -> F64[D, O]:
    return linalg.solve(spread(model, state), state.covariance @ model.see.T).T  # E: shape


def updated[D, O](model: Model[D, O], state: State[D], y: F64[O]) -> State[D]:
    by = gain(model, state)
    return State(state.mean + by @ (y - model.see @ state.mean), state.covariance - by @ model.see @ state.covariance)


def updated_without_looking[D, O](model: Model[D, O], state: State[D], y: F64[O]) -> State[D]:
    by = gain(model, state)
    return State(state.mean + by @ (y - state.mean), state.covariance)  # E: shape


def updated_swapped[D, O](model: Model[D, O], state: State[D], y: F64[O]) -> State[D]:
    after = updated(model, state, y)
    return State(after.covariance, after.mean)  # E: shape


def filtered[T, D, O](model: Model[D, O], start: State[D], ys: F64[T, O]) -> tuple[F64[T, D], F64[T, D, D]]:
    def step(state: State[D], y: F64[O]) -> tuple[State[D], State[D]]:
        after = updated(model, predicted(model, state), y)
        return after, after

    means, covariances = scan(step, start, ys)[1]
    return means, covariances


def filtered_over_observations[T, D, O](model: Model[D, O], start: State[D], ys: F64[T, O]) -> F64[T, D]:
    def step(state, y):
        after = updated(model, state, y)  # E: shape
        return after, after.mean

    return scan(step, start, ys.T)[1]


def filtered_with_other_carry[T, D, O](model: Model[D, O], start: State[D], ys: F64[T, O]) -> F64[T, D]:
    def step(state, y):
        after = updated(model, state, y)
        return after.mean, after.mean

    return scan(step, start, ys)[1]  # E: tree


def filtered_with_larger_carry[T, D, O](model: Model[D, O], start: F64[D], ys: F64[T, O]) -> F64[T, D]:
    def step(mean, y):
        return model.see @ mean, mean

    return scan(step, start, ys)[1]  # E: shape


def likelihood[T, D, O](model: Model[D, O], state: State[D], y: F64[O]) -> Scalar[fx.f64]:
    low = linalg.cholesky(spread(model, state))
    white = linalg.solve_triangular(low, y - model.see @ state.mean, lower=True)
    return -fx.sum(white**2) / 2 - fx.sum(fx.log(fx.diagonal(low)))


def likelihood_of_each[T, D, O](model: Model[D, O], state: State[D], y: F64[O]) -> Scalar[fx.f64]:
    low = linalg.cholesky(spread(model, state))
    white = linalg.solve_triangular(low, y - model.see @ state.mean, lower=True)
    return -(white**2) / 2 - fx.sum(fx.log(fx.diagonal(low)))  # E: shape


def likelihood_of_matrix_that_is_not_square[D, O](model: Model[D, O]) -> F64[O, D]:
    return linalg.cholesky(model.see)  # E: shape

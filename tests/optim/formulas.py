"""Optimisers as their papers write them, in NumPy and double precision: a leaf at a time, the state in a dict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

type Rule = Callable[[dict[str, Any], np.ndarray, np.ndarray, int], np.ndarray]
"""From the state, the gradient, the parameter and the number of the step, from 1, to the update; changes the state."""


def _average(state: dict[str, Any], name: str, value: Any, share: float) -> Any:
    state[name] = share * state.get(name, 0.0) + (1 - share) * value
    return state[name]


def sgd(state: dict[str, Any], g: Any, x: Any, t: int) -> Any:
    return -0.1 * g


def momentum(state: dict[str, Any], g: Any, x: Any, t: int) -> Any:
    state["v"] = 0.9 * state.get("v", 0.0) + g
    return -0.1 * state["v"]


def nesterov(state: dict[str, Any], g: Any, x: Any, t: int) -> Any:
    momentum(state, g, x, t)
    return -0.1 * (g + 0.9 * state["v"])


def _adam(state: dict[str, Any], g: Any, t: int, eps: float = 1e-8) -> Any:
    mean, square = _average(state, "m", g, 0.9), _average(state, "v", np.abs(g) ** 2, 0.999)
    return mean / (1 - 0.9**t) / (np.sqrt(square / (1 - 0.999**t)) + eps)


def adam(state: dict[str, Any], g: Any, x: Any, t: int) -> Any:
    return -0.1 * _adam(state, g, t)


def nadam(state: dict[str, Any], g: Any, x: Any, t: int) -> Any:
    mean, square = _average(state, "m", g, 0.9), _average(state, "v", np.abs(g) ** 2, 0.999)
    ahead = 0.9 * mean / (1 - 0.9 ** (t + 1)) + 0.1 * g / (1 - 0.9**t)
    return -0.1 * ahead / (np.sqrt(square / (1 - 0.999**t)) + 1e-8)


def adamw(state: dict[str, Any], g: Any, x: Any, t: int) -> Any:
    return -0.1 * (_adam(state, g, t) + 0.01 * x)


def lion(state: dict[str, Any], g: Any, x: Any, t: int) -> Any:
    step = np.sign(0.9 * state.get("m", 0.0) + (1 - 0.9) * g) + 0.01 * x
    _average(state, "m", g, 0.99)
    return -0.1 * step


def rmsprop(state: dict[str, Any], g: Any, x: Any, t: int) -> Any:
    return -0.1 * g / np.sqrt(_average(state, "v", np.abs(g) ** 2, 0.9) + 1e-8)


def centred(state: dict[str, Any], g: Any, x: Any, t: int) -> Any:
    square, mean = _average(state, "v", np.abs(g) ** 2, 0.9), _average(state, "m", g, 0.9)
    return -0.1 * g / np.sqrt(square - np.abs(mean) ** 2 + 1e-8)


def adagrad(state: dict[str, Any], g: Any, x: Any, t: int) -> Any:
    state["s"] = state.get("s", 0.1) + np.abs(g) ** 2
    return -0.1 * g / np.sqrt(state["s"] + 1e-7)


def lamb(state: dict[str, Any], g: Any, x: Any, t: int) -> Any:
    step = _adam(state, g, t, 1e-6) + 0.01 * x
    norms = np.linalg.norm(x.ravel()), np.linalg.norm(step.ravel())
    return -0.1 * step * (norms[0] / norms[1] if all(norms) else 1.0)


def _rms(x: Any) -> Any:
    return np.sqrt(np.mean(np.abs(x) ** 2)) if x.size else 0.0


def adafactor(state: dict[str, Any], g: Any, x: Any, t: int) -> Any:
    share, square = 1 - float(t) ** -0.8, np.abs(g) ** 2 + 1e-30
    if g.ndim == 2 and min(g.shape) >= 4:
        rows, columns = _average(state, "r", square.mean(1), share), _average(state, "c", square.mean(0), share)
        step = g / np.sqrt(np.outer(rows, columns) / rows.mean())
    else:
        step = g / np.sqrt(_average(state, "v", square, share))
    return -0.1 * step / max(1.0, _rms(step)) * max(_rms(x), 1e-3)


def diagonal_shampoo(state: dict[str, Any], g: Any, x: Any, t: int) -> Any:
    step, k = g, max(g.ndim, 1)
    for i in range(k):
        others = tuple(j for j in range(g.ndim) if j != i)
        state[str(i)] = state.get(str(i), 0.0) + np.sum(np.abs(g) ** 2, axis=others, keepdims=True)
        step = step * (state[str(i)] + 1e-4) ** (-0.5 / k)
    return -0.1 * step

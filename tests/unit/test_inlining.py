"""Derivatives of calls in each other: programs in proportion to their depth, shared where the calls share one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import effects as fx
from handlers import grad
from lowering import jit, lower


def in_each_other(depth: int) -> Callable[[Any], Any]:
    f: Callable[[Any], Any] = fx.sin
    for _ in range(depth):
        f = jit(lambda x, f=f: fx.sin(f(x)) * 1.5)
    return f


def derivative(depth: int, x: float) -> float:
    """By the chain rule, step by step."""
    value, slope = np.sin(x), np.cos(x)
    for _ in range(depth):
        value, slope = np.sin(value) * 1.5, slope * np.cos(value) * 1.5
    return float(slope)


def text_of(f: Callable[[Any], Any]) -> str:
    return lower(jit(grad(f)), 0.5).as_text()


def test_the_program_of_a_gradient_grows_with_the_depth_of_calls() -> None:
    lengths = [len(text_of(in_each_other(depth))) for depth in (20, 40, 80)]
    assert lengths[2] - lengths[1] < 2.1 * (lengths[1] - lengths[0])


def test_gradients_of_calls_in_each_other() -> None:
    np.testing.assert_allclose(grad(in_each_other(30))(0.5), derivative(30, 0.5), rtol=1e-13)
    np.testing.assert_allclose(jit(grad(in_each_other(300)))(0.5), derivative(300, 0.5), rtol=1e-12)


def test_gradients_of_a_function_that_is_called_more_than_once_share_its_program() -> None:
    def shifted(x: Any) -> Any:
        return fx.tanh(x * 1.25) + 0.125 * x

    layer: Callable[[Any], Any] = jit(shifted)

    def repeated(times: int) -> Callable[[Any], Any]:
        def f(x: Any) -> Any:
            for _ in range(times):
                x = layer(x)
            return x

        return f

    assert text_of(repeated(3)).count("tanh") == text_of(repeated(6)).count("tanh")
    np.testing.assert_allclose(jit(grad(repeated(6)))(0.5), grad(repeated(6))(0.5), rtol=1e-14)

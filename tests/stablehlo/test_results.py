"""Lowering and compiling as Results: what is wrong with a program is a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array, CustomOp, Operand, ShapedArray, operation
from lowering import jit, lower, try_compile, try_lower

X = fx.asarray([1.0, 2.0])


@operation
class ByNumPy(CustomOp):
    """Not written with operations: it cannot be compiled."""

    x: Operand

    def types(self) -> ShapedArray:
        return self.x.aval

    def evaluate(self) -> Array:
        return fx.asarray(np.cbrt(np.asarray(self.x)))


WRONG: dict[str, tuple[Callable[..., Any], type[fx.EffaxError]]] = {
    "shapes": (lambda x: fx.matmul(x, fx.zeros(3)), fx.ShapeError),
    "values": (lambda x: x if x[0] > 0.0 else -x, fx.ConcretizationError),
    "lowering": (lambda x: fx.perform(ByNumPy(x)), fx.MissingRule),
}


@pytest.mark.parametrize("stage", [try_lower, try_compile])
@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_a_failure(wrong: str, stage: Any) -> None:
    f, kind = WRONG[wrong]
    for g in (f, jit(f)):
        error = stage(g, X).failure()
        assert type(error) is kind
        with pytest.raises(kind) as caught:
            lower(g, X)
        assert caught.value.message.removeprefix("lower: ") in error.message


def test_results_go_on_by_map_and_bind() -> None:
    assert try_lower(fx.sin, X).map(lambda lowered: "sine" in lowered.as_text()).unwrap()
    assert try_compile(fx.sin, X).bind(lambda compiled: try_compile(fx.cos, compiled(X))).unwrap()(X).shape == (2,)


def test_what_is_no_function_is_raised_as_are_errors_of_the_users() -> None:
    with pytest.raises(fx.ArgumentError, match="try_compile takes a function"):
        try_compile(3)  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError):
        try_compile(lambda x: x / (1 // 0), X)

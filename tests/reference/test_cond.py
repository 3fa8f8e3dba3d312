"""Examples 13 to 15: conditionals, alone and under every transformation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array, ArrayLike
from effects.errors import ArgumentError
from handlers import cond, grad, jvp, linearize, make_jaxpr, switch, vmap
from lowering import jit
from tests.reference.agreement import close


def test_the_chosen_branch_is_computed() -> None:
    close(cond(True, lambda: 3, lambda: 4), 3)
    close(jit(lambda: cond(False, lambda: 1, lambda: 2))(), 2)


def test_jvp_vmap_linearize_and_grad() -> None:
    close(jvp(lambda x: cond(True, lambda: x * x, lambda: 0.0), (1.0,), (1.0,)), (1.0, 2.0))
    mapped = vmap(lambda x: cond(True, lambda: x + 1.0, lambda: 0.0))
    close(mapped(fx.asarray([1.0, 2.0, 3.0])), np.asarray([2.0, 3.0, 4.0]))

    def identity(x: ArrayLike) -> Array:
        return cond(True, lambda: fx.asarray(x), lambda: fx.asarray(0.0))

    for f in (identity, jit(identity)):
        _, f_lin = linearize(f, 1.0)
        close(f_lin(3.14), 3.14)
    close(jit(lambda t: linearize(identity, 1.0)[1](t))(3.14), 3.14)
    close(grad(lambda x: cond(True, lambda: x * x, lambda: 0.0))(1.0), 2.0)


def choose(pred: ArrayLike, x: ArrayLike, y: ArrayLike) -> Array:
    """Branches that close over different arrays and have different residuals."""
    return cond(pred, lambda: fx.sin(x) * x, lambda: fx.exp(y))


def test_a_batched_predicate_selects() -> None:
    p, x, y = np.asarray([True, False, True]), np.asarray([1.0, 2.0, 3.0]), np.asarray([4.0, 5.0, 6.0])
    preds, xs, ys = fx.asarray(p), fx.asarray(x), fx.asarray(y)
    expected = np.where(p, np.sin(x) * x, np.exp(y))
    for mapped in (vmap(choose), jit(vmap(choose)), vmap(jit(choose))):
        close(mapped(preds, xs, ys), expected)
    derivative = np.where(p, np.cos(x) * x + np.sin(x), 0.0)
    for rates in (
        vmap(grad(choose, argnums=1)),
        jit(vmap(grad(choose, argnums=1))),
        vmap(grad(jit(choose), argnums=1)),
    ):
        close(rates(preds, xs, ys), derivative)


@pytest.mark.parametrize("pred", [True, False])
def test_branches_with_different_residuals(pred: bool) -> None:
    x, y = 1.5, 0.5
    expected = (np.cos(x) * x + np.sin(x), 0.0) if pred else (0.0, np.exp(y))
    for derivative in (
        grad(choose, argnums=(1, 2)),
        jit(grad(choose, argnums=(1, 2))),
        grad(jit(choose), argnums=(1, 2)),
    ):
        close(derivative(pred, x, y), expected)


def test_a_predicate_that_is_unknown_under_partial_evaluation() -> None:
    def f(x: Any) -> Any:
        return cond(x > 1.0, lambda: x * x, lambda: 3.0 * x)

    for g in (f, jit(f)):
        for x, value, slope in ((2.0, 4.0, 4.0), (0.5, 1.5, 3.0)):
            y, lin = linearize(g, x)
            close((y, lin(1.0)), (value, slope))
            close(jit(grad(g))(x), slope)
            close(grad(jit(grad(g)))(x), 2.0 if x > 1 else 0.0)


def test_one_branch_is_computed() -> None:
    program = make_jaxpr(lambda p, x: cond(p, lambda: fx.sin(x), lambda: fx.cos(x)))(True, 1.0)
    assert [eqn.op.name for eqn in program.eqns] == ["cond"]
    assert "cond" in str(program)


def test_branches_of_different_types_are_refused() -> None:
    with pytest.raises(fx.ShapeError, match=r"float64\[\].*float64\[2\]"):
        cond(True, lambda: fx.asarray(1.0), lambda: fx.ones(2))
    with pytest.raises(TypeError, match=r"float64\[2\].*int32\[2\]"):
        cond(True, lambda: fx.ones(2), lambda: fx.ones(2, dtype=fx.int32))
    with pytest.raises(TypeError, match="structure"):
        cond(True, lambda: (1.0, 2.0), lambda: 1.0)


def test_numbers_as_predicates() -> None:
    """A number stands for whether it is not 0."""
    chosen: Any = lambda p: cond(p, lambda: 1.0, lambda: 2.0)
    numbers: list[Any] = [1, 0, -3, 1.5, 0.0, -0.0, np.nan, fx.asarray(2, dtype=fx.uint8), np.float32(0), np.True_]
    for p in numbers:
        expected = 1.0 if bool(p) else 2.0
        close(chosen(p), expected)
        close(jit(chosen)(p), expected)
    close(vmap(chosen)(fx.asarray([0, 1, 2])), np.asarray([2.0, 1.0, 1.0]))
    close(vmap(chosen)(fx.asarray([0.0, 0.5])), np.asarray([2.0, 1.0]))
    scaled: Any = lambda x: cond(x, lambda x: 2.0 * x, lambda x: 3.0 * x, x)
    derivative: Any = grad(scaled)
    for x, slope in ((3.0, 2.0), (0.0, 3.0)):
        close(derivative(x), slope)
        close(jit(derivative)(x), slope)
        close(vmap(derivative)(fx.asarray([x])), np.asarray([slope]))


def test_an_operand_by_name() -> None:
    close(cond(True, lambda x: x + 1.0, lambda x: x, operand=3.0), 4.0)
    none: Any = None
    close(cond(False, lambda x: 1.0, lambda x: 3.0 if x is None else 4.0, operand=none), 3.0)
    close(switch(1, [lambda x: x, lambda x: x * 2.0], operand=3.0), 6.0)
    with pytest.raises(ArgumentError, match="operand= is the only operand, but 1 are given by position"):
        cond(True, lambda x: x, lambda x: x, 1.0, operand=3.0)  # type: ignore[call-overload]  # what is refused

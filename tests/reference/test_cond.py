"""Examples 13 to 15: conditionals, alone and under every transformation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError
from handlers import cond, grad, linearize, make_jaxpr, switch, vmap
from lowering import jit
from tests.reference.agreement import close


def test_the_chosen_branch_is_computed() -> None:
    close(cond(True, lambda: 3, lambda: 4), 3)
    close(jit(lambda: cond(False, lambda: 1, lambda: 2))(), 2)


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

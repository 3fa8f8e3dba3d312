"""What is refused of checkpoints, and in which words."""

from __future__ import annotations

from typing import Any

import pytest

import effects as fx
from effects import Array
from effects.errors import ArgumentError, EffaxError, IllTyped
from effects.operations import Checkpoint
from handlers import checkpoint, checkpoint_name, checkpoint_policies, grad, make_jaxpr, saved_residuals


def _unchecked(value: object) -> Any:
    return value


def test_arguments() -> None:
    with pytest.raises(ArgumentError, match=r"policy must be a function .*, got 'dots'"):
        checkpoint(fx.sin, policy=_unchecked("dots"))
    with pytest.raises(ArgumentError, match=r"checkpoint_name: name must be a string, got 3"):
        checkpoint_name(1.0, _unchecked(3))
    with pytest.raises(ArgumentError, match=r"save_only_these_names: names are strings, got 1"):
        checkpoint_policies.save_only_these_names(_unchecked(1))
    with pytest.raises(ArgumentError, match=r"argument x"):
        checkpoint(lambda x: x)(_unchecked("no array"))
    with pytest.raises(ArgumentError, match=r"the result of"):
        checkpoint(lambda x: _unchecked("no array"))(1.0)


def test_no_policy_is_the_default_one() -> None:
    def f(x: Array) -> Array:
        return fx.sin(fx.sin(x))

    decorated = checkpoint(policy=None)(f)
    assert len(saved_residuals(checkpoint(f, policy=None), 1.0)) == len(saved_residuals(decorated, 1.0)) == 1
    assert len(saved_residuals(f, 1.0)) == 2


def test_operands_are_checked() -> None:
    body = make_jaxpr(fx.sin)(1.0).interned()
    op = Checkpoint(body, checkpoint_policies.nothing_saveable, "f", True, False, (fx.zeros(3),))
    with pytest.raises(IllTyped, match=r"checkpoint: the body takes"):
        op.types()


def test_errors_of_the_function_and_of_the_policy_reach_the_caller() -> None:
    def bad(x: Array) -> Array:
        return x + fx.zeros((2, 5))

    with pytest.raises(EffaxError, match=r"broadcast"):
        checkpoint(bad)(fx.zeros(3))

    def policy(op: object) -> bool:
        raise ZeroDivisionError("mine")

    assert checkpoint(fx.sin, policy=policy)(0.0) == 0.0
    with pytest.raises(ZeroDivisionError, match="mine"):
        grad(checkpoint(fx.sin, policy=policy))(fx.asarray(0.0))


def test_values_of_the_body_do_not_leak() -> None:
    kept: list[Array] = []

    def f(x: Array) -> Array:
        kept.append(x)
        return fx.sin(x)

    checkpoint(f)(fx.asarray(1.0))
    with pytest.raises(EffaxError, match=r"leaked|over"):
        fx.sin(kept[0])

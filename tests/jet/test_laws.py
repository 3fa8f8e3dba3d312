"""The distinguishing law for jets and checkpoints, on random programs: handle(jit(f)) = jit(handle(f)) = handle(f)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

import effects as fx
from effects import Array
from handlers import checkpoint, grad, jet, jvp
from lowering import jit
from tests.laws.expressions import Expression, expressions, few, points
from tests.reference.agreement import close

type Function = Callable[[Array, Array], Any]


def jets(f: Function) -> Function:
    return lambda x, y: jet(f, (x, y), ([y, x * y, fx.cos(x)], [fx.sin(x), y, x]))


def jet_of_one(f: Function) -> Function:
    return lambda x, y: jet(lambda x: f(x, y), (x,), ([y, x],))


def gradient(f: Function) -> Function:
    return grad(lambda x, y: fx.sum(fx.stack(f(x, y))), argnums=(0, 1))


HANDLE: dict[str, Callable[[Function], Function]] = {
    "jet": jets,
    "jet of one": jet_of_one,
    "checkpoint": checkpoint,
    "gradient of checkpoint": lambda f: gradient(checkpoint(f)),
    "checkpoint of gradient": lambda f: checkpoint(gradient(f)),
}


@pytest.mark.parametrize("handler", HANDLE)
@few
@given(f=expressions(), x=points(), y=points())
def test_handlers_commute_with_jit(handler: str, f: Expression, x: Array, y: Array) -> None:
    handle = HANDLE[handler]
    expected = handle(f)(x, y)
    close(handle(jit(f))(x, y), expected, rtol=1e-8, atol=1e-9)
    close(jit(handle(f))(x, y), expected, rtol=1e-8, atol=1e-9)


@few
@given(f=expressions(), x=points(), y=points())
def test_first_derivative_is_that_of_jvp(f: Expression, x: Array, y: Array) -> None:
    value, rates = jet(f, (x, y), ([y, x], [x, y]))
    pushed, tangent = jvp(f, (x, y), (y, x))
    close(value, pushed, rtol=1e-9, atol=1e-11)
    close([rate[0] for rate in rates], list(tangent), rtol=1e-9, atol=1e-11)


@few
@given(f=expressions(), x=points(), y=points())
def test_checkpoints_change_nothing(f: Expression, x: Array, y: Array) -> None:
    close(gradient(checkpoint(f))(x, y), gradient(f)(x, y), rtol=1e-9, atol=1e-11)
    twice = gradient(lambda x, y: gradient(checkpoint(f))(x, y))
    close(twice(x, y), gradient(lambda x, y: gradient(f)(x, y))(x, y), rtol=1e-8, atol=1e-9)

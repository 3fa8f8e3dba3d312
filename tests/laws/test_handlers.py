"""The distinguishing law: handle(jit(f)) = jit(handle(f)) = handle(f), for every handler and any program."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

import effects as fx
from effects import Array
from examples.flops import flops
from handlers import Log, grad, jvp, linearize, vjp, vmap
from lowering import jit
from tests.laws.expressions import Expression, expressions, few, many, points
from tests.laws.identity import boxed
from tests.reference.agreement import close

type Function = Callable[[Array, Array], Any]


def pushed(f: Function) -> Function:
    return lambda x, y: jvp(f, (x, y), (fx.cos(y), fx.sin(x)))


def half_pushed(f: Function) -> Function:
    """The derivative in one argument: the other one's tangent is absent."""
    return lambda x, y: jvp(lambda x: f(x, y), (x,), (y,))


def batched(f: Function) -> Function:
    return lambda x, y: vmap(f)(fx.stack([x, y]), fx.stack([y, x * y]))


def half_batched(f: Function) -> Function:
    return lambda x, y: vmap(f, in_axes=(None, 1), out_axes=-1)(x, fx.stack([x, y], axis=1))


def linearized(f: Function) -> Function:
    def both(x: Array, y: Array) -> Any:
        value, lin = linearize(f, x, y)
        return value, lin(y, x)

    return both


def pulled(f: Function) -> Function:
    def both(x: Array, y: Array) -> Any:
        value, pull = vjp(f, x, y)
        return pull(tuple(fx.cos(v) for v in value))

    return both


def gradient(f: Function) -> Function:
    return grad(lambda x, y: fx.sum(fx.stack(f(x, y))), argnums=(0, 1))


def logged(f: Function) -> Function:
    def quiet(x: Array, y: Array) -> Any:
        with Log(file=io.StringIO()):
            return f(x, y)

    return quiet


HANDLE: dict[str, Callable[[Function], Function]] = {
    "jvp": pushed,
    "jvp of one": half_pushed,
    "vmap": batched,
    "vmap of one": half_batched,
    "linearize": linearized,
    "vjp": pulled,
    "grad": gradient,
    "log": logged,
    "a user's": boxed,
    "a user's with state": flops,
}


@pytest.mark.parametrize("handler", HANDLE)
@few
@given(f=expressions(), x=points(), y=points())
def test_handlers_commute_with_jit(handler: str, f: Expression, x: Array, y: Array) -> None:
    handle = HANDLE[handler]
    expected = handle(f)(x, y)
    close(handle(jit(f))(x, y), expected, rtol=1e-9, atol=1e-11)
    close(jit(handle(f))(x, y), expected, rtol=1e-9, atol=1e-11)
    close(jit(handle(jit(f)))(x, y), expected, rtol=1e-9, atol=1e-11)


@many
@given(f=expressions(), x=points(), y=points(), names=st.lists(st.sampled_from(["log", "a user's"]), max_size=3))
def test_log_and_the_identity_change_nothing(f: Expression, x: Array, y: Array, names: list[str]) -> None:
    g: Function = f
    for name in names:
        g = HANDLE[name](g)
    close(g(x, y), f(x, y), rtol=0, atol=0)


@few
@given(f=expressions(), x=points(), y=points())
def test_batching_commutes_with_derivatives(f: Expression, x: Array, y: Array) -> None:
    xs, ys = fx.stack([x, y]), fx.stack([y, x])
    inside = vmap(lambda x, y: jvp(f, (x, y), (y, x)))(xs, ys)
    close(inside, jvp(vmap(f), (xs, ys), (ys, xs)), rtol=1e-9, atol=1e-11)
    per_lane = vmap(gradient(f))(xs, ys)
    close(per_lane, gradient(vmap(f))(xs, ys), rtol=1e-9, atol=1e-11)


@few
@given(f=expressions(), x=points(), y=points())
def test_a_user_handler_commutes_with_derivatives(f: Expression, x: Array, y: Array) -> None:
    close(boxed(gradient(f))(x, y), gradient(boxed(f))(x, y), rtol=1e-9, atol=1e-11)
    close(boxed(batched(f))(x, y), batched(boxed(f))(x, y), rtol=1e-9, atol=1e-11)

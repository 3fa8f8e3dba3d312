"""Functions with derivative rules inside handlers whose state is differentiated: the rules say nothing of that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import Array
from effects.operations import UnaryKind
from effects.program.chain import Performed
from effects.program.operation import Operation
from handlers import (
    OperationHandler,
    cond,
    custom_jvp,
    custom_vjp,
    debug_callback,
    grad,
    kept,
    pure_callback,
    scan,
    vmap,
)
from lowering import jit

type Function = Callable[[Array], Array]


class Sines(OperationHandler):
    """Adds up what every sine gives."""

    handles = UnaryKind.SIN
    total: Array = kept(default=fx.asarray(0.0))

    def interpret(self, op: Operation[Array], /) -> Performed:
        result: Any = fx.perform(op)
        self.total = self.total + fx.sum(result)
        return result  # type: ignore[no-any-return]  # what an operation gives


@custom_jvp
def forward(x: Array) -> Array:
    return fx.sin(x)


@forward.defjvp
def rule(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    return forward(*primals), fx.cos(primals[0]) * tangents[0]


@custom_vjp(lambda x: (fx.sin(x), x), lambda x, ct: (fx.cos(x) * ct,))
def reverse(x: Array) -> Array:
    return fx.sin(x)


INSIDE: Final[dict[str, Callable[[Function], Function]]] = {
    "alone": lambda f: f,
    "after a sine": lambda f: lambda x: f(fx.sin(x)),
    "before a sine": lambda f: lambda x: fx.sin(f(x)),
    "twice": lambda f: lambda x: f(f(x)),
    "of a constant": lambda f: lambda x: fx.sin(x) * f(fx.ones(3)),
    "jit": lambda f: lambda x: jit(f)(fx.sin(x)),
    "scan": lambda f: lambda x: scan(lambda h, _: (f(fx.sin(h)), None), x, length=2)[0],
    "cond": lambda f: lambda x: cond(x[0] > 0.0, lambda: f(fx.sin(x)), lambda: x),
}
OUTSIDE: Final[dict[str, Callable[[Function], Function]]] = {
    "grad": grad,
    "jit grad": lambda f: jit(grad(f)),
    "grad jit": lambda f: grad(jit(f)),
    "vmap grad": lambda f: lambda x: vmap(grad(f))(fx.stack([x, x]))[1],
    "grad vmap": lambda f: grad(lambda x: fx.sum(vmap(f)(fx.stack([x])))),
}


def watched(f: Function) -> Callable[[Array], tuple[Array, Array]]:
    def run(x: Array) -> tuple[Array, Array]:
        with Sines() as handler:
            return fx.sum(f(x)), handler.total

    return run


type Watched = Callable[[Array], tuple[Array, Array]]


def of_both(f: Watched) -> Function:
    def product(x: Array) -> Array:
        value, state = f(x)
        return value * state

    return product


ASKED: Final[list[Callable[[Watched], Function]]] = [lambda f: lambda x: f(x)[0], lambda f: lambda x: f(x)[1], of_both]


@pytest.mark.parametrize("outside", OUTSIDE)
@pytest.mark.parametrize("inside", INSIDE)
@pytest.mark.parametrize("f", [forward, reverse])
def test_derivatives_of_the_state_are_those_of_the_operations(f: Function, inside: str, outside: str) -> None:
    with_rule, plain = watched(INSIDE[inside](f)), watched(INSIDE[inside](fx.sin))
    x = fx.asarray([0.3, -0.2, 0.5])
    for asked in ASKED:
        slope = OUTSIDE[outside](asked(with_rule))(x)
        np.testing.assert_allclose(np.asarray(slope), np.asarray(grad(asked(plain))(x)), rtol=1e-12)


def test_what_calls_the_host_is_not_run_once_more() -> None:
    @custom_jvp
    def asked(x: Array) -> Array:
        return pure_callback(np.cos, fx.ShapedArray(x.shape, x.dtype), fx.sin(x))

    asked.defjvp(lambda primals, tangents: (asked(*primals), tangents[0]))
    with pytest.raises(fx.ArgumentError, match="asked: the state of a handler around it is being differentiated"):
        jit(grad(lambda x: watched(asked)(x)[1]))(fx.ones(3))


@pytest.mark.parametrize("outside", [lambda f: f, jit])
def test_what_is_told_to_the_host_is_told_once(outside: Any) -> None:
    heard = []

    @custom_jvp
    def told(x: Array) -> Array:
        debug_callback(lambda x: heard.append(x.tolist()), x)
        return fx.sin(x)

    told.defjvp(lambda primals, tangents: (told(*primals), tangents[0]))
    slope = outside(grad(lambda x: watched(told)(x)[1]))(fx.ones(3))
    assert heard == [[1.0, 1.0, 1.0]]
    np.testing.assert_allclose(np.asarray(slope), np.cos(np.ones(3)))

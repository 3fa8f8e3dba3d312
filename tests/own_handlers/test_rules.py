"""What rules of functions, and tables of rules, could once lose without a word under a handler of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import effects as fx
from effects import Array
from effects.operations import BinaryKind, UnaryKind
from handlers import (
    OperationHandler,
    Parts,
    Tabular,
    checkpoint,
    cond,
    custom_batching,
    custom_jvp,
    custom_transpose,
    custom_vjp,
    grad,
    partwise,
    vmap,
)
from lowering import jit
from tests.own_handlers.operations import Rounded, Sines, Ticks
from tests.reference.agreement import close

type Function = Callable[..., Any]

ONE = fx.asarray(1.0)


@custom_jvp(lambda primals, tangents: (fx.sin(*primals), fx.cos(primals[0]) * tangents[0]))
def forward(x: Any) -> Any:
    return fx.sin(x)


@custom_vjp(lambda x: (fx.sin(x), x), lambda x, ct: (fx.cos(x) * ct,))
def reverse(x: Any) -> Any:
    return fx.sin(x)


# -- rules that functions bring ----------------------------------------------------------------------------------------


def sine(x: Any) -> Any:
    return fx.sin(x)


hundred = custom_batching(sine)
hundred.defbatch(lambda size, batched, x: (100.0 + x, True))
passing = custom_batching(lambda x: x)
passing.defbatch(lambda size, batched, x: (100.0 + x, True))


def by_sine(factor: Any, x: Any) -> Any:
    return fx.sin(factor) * x


ten = custom_transpose(by_sine)
ten.deftranspose(lambda factor, ct: 10.0 * ct)


def under(handler: Callable[[], OperationHandler], f: Function) -> Function:
    def run(x: Any) -> Any:
        with handler():
            return f(x)

    return run


@pytest.mark.parametrize("inner", [lambda f: f, jit], ids=["eager", "jit"])
def test_rules_stay(inner: Any) -> None:
    for handler in (Rounded, Ticks):
        close(vmap(under(handler, inner(hundred)))(fx.ones(2)), np.full(2, 101.0))
    close(grad(under(Rounded, inner(lambda x: ten(ONE, x))))(ONE), 10.0)
    close(vmap(under(Sines, inner(passing)))(fx.ones(2)), np.full(2, 101.0))
    close(under(Sines, grad(inner(lambda x: ten(ONE, x))))(ONE), 10.0)
    with pytest.raises(fx.MissingRule, match="its transposition rule does not cover the state of Sines"):
        grad(under(Sines, inner(lambda x: ten(ONE, x))))(ONE)


def test_a_batching_rule_that_the_state_would_miss_is_refused() -> None:
    twice = custom_batching(sine)
    twice.defbatch(lambda size, batched, x: (fx.sin(x), True))
    with pytest.raises(fx.MissingRule, match="its batching rule does not cover the state of Sines"):
        vmap(under(Sines, twice))(fx.ones(2))
    close(under(Sines, vmap(twice))(fx.ones(2)), np.sin(np.ones(2)))


class Log(Parts):
    log: Array


class Logs(Tabular[Log, Any]):
    rules = dict.fromkeys([BinaryKind.MUL], lambda op: (op.x.log + op.y.log,))

    def constant(self, value: Array, /) -> Log:
        return Log(self, fx.log(value))


@custom_jvp(lambda primals, tangents: (primals[0] ** 3, 3.0 * primals[0] * primals[0] * tangents[0]))
def cube(x: Any) -> Any:
    return x * x * x


def by_logs(f: Function) -> Function:
    def run(x: Any) -> Array:
        with Logs() as handler:
            y = handler.lift(f(Log(handler, fx.log(x))))
        return fx.exp(y.log)

    return run


def test_derivative_rules_are_not_those_of_carriers_that_are_not_the_value() -> None:
    for f in (by_logs(cube), by_logs(jit(cube)), jit(by_logs(cube))):
        close(grad(f)(ONE), 3.0)


# -- tables ------------------------------------------------------------------------------------------------------------


class Ends(NamedTuple):
    lo: Any
    hi: Any


class Pair(Parts):
    lo: Array
    hi: Array


def test_a_table_that_changes_is_looked_up_again() -> None:
    class Pairs(Tabular[Pair, Ends]):
        rules = dict.fromkeys([UnaryKind.SIN], partwise)

    f = jit(fx.sin)
    close(Pairs.over(f)(Ends(1.0, 2.0)), Ends(np.sin(1.0), np.sin(2.0)))
    Pairs.rules[UnaryKind.SIN] = lambda op: (op.x.hi, op.x.lo)
    close(Pairs.over(f)(Ends(1.0, 2.0)), Ends(2.0, 1.0))


THROUGH: dict[str, Function] = {
    "itself": fx.sin,
    "jit": jit(fx.sin),
    "checkpoint": checkpoint(fx.sin),
    "custom_jvp": forward,
    "custom_vjp": reverse,
    "cond": lambda x: cond(True, fx.sin, fx.sin, x),
}


@pytest.mark.parametrize("through", THROUGH)
def test_rules_may_close_over_what_is_differentiated(through: str) -> None:
    def f(w: Any) -> Any:
        class Scaled(Tabular[Pair, Ends]):
            rules = dict.fromkeys([UnaryKind.SIN], lambda op: (w * op.x.lo, w * op.x.hi))

        return Scaled.over(THROUGH[through])(Ends(1.0, 2.0)).hi

    for slope in (grad(f), jit(grad(f)), grad(jit(f))):
        close(slope(fx.asarray(3.0)), 2.0)


def test_fields_are_told_apart_by_what_their_annotations_mean() -> None:
    type Numbers = Array

    class ArrayUnit(NamedTuple):
        name: str

    class Mixed(Parts):
        lo: Numbers
        unit: ArrayUnit
        arrays: tuple[str, ...]

    assert Mixed.layout == (("lo", True), ("unit", False), ("arrays", False))
    with pytest.raises(fx.ArgumentError, match=r"Either.one: a field of a carrier is an array or it is static"):

        class Either(Parts):
            one: Array | str

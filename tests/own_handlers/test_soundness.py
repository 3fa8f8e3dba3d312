"""What a handler of one's own could once lose without a word: state, what acts, constructor's arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import effects as fx
from effects import Array, Operation, Performed, perform
from effects.operations import UnaryKind
from handlers import (
    Forward,
    OperationHandler,
    Parts,
    Rules,
    Tabular,
    checkpoint,
    cond,
    custom_jvp,
    custom_vjp,
    grad,
    kept,
    scan,
    stop_gradient,
    value_and_grad,
    vmap,
)
from lowering import jit
from tests.own_handlers.operations import Count, Give, Param, Quiet, Rounded, Tick, Ticks
from tests.reference.agreement import close

type Function = Callable[..., Any]

ONE = fx.asarray(1.0)


@custom_jvp(lambda primals, tangents: (fx.sin(*primals), fx.cos(primals[0]) * tangents[0]))
def forward(x: Any) -> Any:
    return fx.sin(x)


@custom_vjp(lambda x: (fx.sin(x), x), lambda x, ct: (fx.cos(x) * ct,))
def reverse(x: Any) -> Any:
    return fx.sin(x)


def tick(x: Any) -> Array:
    return perform(Tick(fx.asarray(x)))


def param() -> Array:
    return perform(Param[Array]("mu"))


# -- derivatives of the state ------------------------------------------------------------------------------------------

PASSED: dict[str, Function] = {
    "stop_gradient": stop_gradient,
    "custom_jvp": forward,
    "custom_vjp": reverse,
    "jit of custom_vjp": jit(reverse),
    "cond": lambda x: cond(x > 0.0, forward, reverse, x),
    "scan": lambda x: scan(lambda c, _: (reverse(c), None), x, length=2),
}


@pytest.mark.parametrize("passed", PASSED)
def test_rules_of_functions_leave_the_state_its_derivative(passed: str) -> None:
    def f(mu: Any, x: Any) -> Array:
        with Give(mu):
            PASSED[passed](x)
            return 2.0 * param()

    for g in (f, jit(f)):
        close(grad(lambda mu, g=g: g(mu, ONE))(fx.asarray(1.5)), 2.0)
        close(grad(lambda mu, g=g: g(mu, mu))(fx.asarray(1.5)), 2.0)


@pytest.mark.parametrize("inner", [lambda f: f, jit], ids=["eager", "jit"])
def test_a_rule_that_does_not_speak_of_the_state_it_depends_on_is_refused(inner: Any) -> None:
    @custom_jvp
    def f(x: Any) -> Any:
        return x * param()

    f.defjvp(lambda primals, tangents: (f(*primals), tangents[0]))

    def given(mu: Any) -> Any:
        with Give(mu):
            return inner(f)(ONE)

    close(given(fx.asarray(3.0)), 3.0)
    with pytest.raises(fx.ArgumentError, match=r"f: the state of .*, a handler around it, .*, is being differentiated"):
        grad(given)(fx.asarray(3.0))


# -- operations that act -----------------------------------------------------------------------------------------------

TICKING: dict[str, tuple[Function, int]] = {
    "once": (tick, 1),
    "scan": (lambda x: scan(lambda c, _: (2.0 * tick(c), None), x, length=3)[0], 3),
    "unused": (lambda x: scan(lambda c, _: ((tick(c), 2.0 * c)[1], None), x, length=3)[0], 3),
    "invariant": (lambda x: scan(lambda c, _: ((tick(1.0), 2.0 * c)[1], None), x, length=3)[0], 3),
    "cond": (lambda x: cond(x > 0.0, lambda: tick(tick(x)), lambda: x), 2),
}
TRANSFORMED: dict[str, Callable[[Function], Function]] = {
    "jit": jit,
    "grad": grad,
    "value_and_grad": value_and_grad,
    "grad of jit": lambda f: grad(jit(f)),
    "jit of grad": lambda f: jit(grad(f)),
    "grad of checkpoint": lambda f: grad(checkpoint(f)),
    "grad of grad": lambda f: grad(grad(f)),
}


def ticks(f: Function) -> Function:
    def counted(*args: Any) -> Array:
        with Ticks() as handler:
            f(*args)
        return handler.count

    return counted


@pytest.mark.parametrize("program", TICKING)
def test_what_acts_is_done_as_often_as_the_program_says(program: str) -> None:
    f, n = TICKING[program]
    for transformed in TRANSFORMED.values():
        close(ticks(transformed(f))(ONE), n)
    close(jit(ticks(f))(ONE), n)
    close(vmap(ticks(f))(fx.ones(2)), np.full(2, n))


def test_a_state_that_depends_on_what_does_not_say_that_it_acts_is_refused() -> None:
    with pytest.raises(fx.ArgumentError, match=r"Ticks.interpret changes count at Quiet.*acts = True in the class"):
        ticks(lambda x: perform(Quiet(x)))(ONE)
    with pytest.raises(fx.ArgumentError, match=r"Count.interpret changes count at Quiet.*acts = True"), Count():
        _ = perform(Quiet(ONE))


def test_what_acts_may_have_no_lanes() -> None:
    close(vmap(lambda x: x + tick(1.0))(fx.ones(3)), np.full(3, 2.0))


# -- state, static fields, what is handled -----------------------------------------------------------------------------


class Tape(OperationHandler):
    handles = UnaryKind.SIN
    tape: tuple[Array, ...] = kept(default=())

    def interpret(self, op: Operation[Array], /) -> Performed:
        self.tape = (*self.tape, fx.zeros(()))
        return perform(op)


@pytest.mark.parametrize("inner", [lambda f: f, jit], ids=["eager", "jit"])
def test_a_state_that_grows_is_refused(inner: Any) -> None:
    with pytest.raises(fx.IllTyped, match=r"Tape.tape must stay what it is"), Tape():
        inner(fx.sin)(ONE)


def rounded(bits: int, f: Function) -> Function:
    def run(x: Any) -> Any:
        with Rounded(bits):
            return f(x)

    return run


def test_static_fields_come_along() -> None:
    shared = jit(fx.sin)
    for bits in (3, 6, 3):
        expected = np.round(np.sin(0.5) * 2**bits) / 2**bits
        for f in (
            rounded(bits, fx.sin),
            rounded(bits, shared),
            jit(rounded(bits, shared)),
            vmap(rounded(bits, shared)),
        ):
            close(f(fx.asarray([0.5])), np.asarray([expected]))


def test_attributes_of_forward_handlers_come_along() -> None:
    class Plain(Forward[Array]):
        sees_all = True

        def __init__(self, by: float) -> None:
            self.by = by

        def constant(self, value: Array, /) -> Array:
            return value

        def unpack(self, value: Array, /) -> tuple[tuple[Array, ...], None]:
            return (value,), None

        def pack(self, parts: Any, static: object, /) -> Array:
            return parts[0]  # type: ignore[no-any-return]  # an array

        def interpret(self, op: Operation[Array], /) -> Performed:
            result: Any = perform(op)
            return result * self.by if op.name == "sin" else result  # type: ignore[no-any-return]  # an array

    shared = jit(fx.sin)
    for by in (2.0, 3.0):
        with Plain(by):
            close(shared(ONE), by * np.sin(1.0))


class Lone(NamedTuple):
    x: Any


class One(Parts):
    x: Array


class Counted(Tabular[One, Lone]):
    rules: Rules[Any] = {}  # noqa: RUF012  # a table
    count = 1.0

    def interpret(self, op: Any, /) -> Any:
        self.count += 1.0
        return self.make(fx.sin(op.x.x) * self.count)


def test_attributes_that_rules_assign_in_a_program_are_refused() -> None:
    close(Counted().over(lambda x: fx.sin(fx.sin(x)))(Lone(ONE)).x, 3 * np.sin(2 * np.sin(1.0)))
    programs: list[Function] = [
        lambda x: scan(lambda c, _: (fx.sin(c), None), x, length=3)[0],
        lambda x: cond(True, fx.sin, lambda x: x, x),
        jit(fx.sin),
    ]
    for f in programs:
        with pytest.raises(fx.ArgumentError, match=r"rules assign Counted.count while a program is staged"):
            Counted().over(f)(Lone(ONE))


HOLDING: dict[str, Function] = {
    "itself": tick,
    "jit": jit(tick),
    "jit of jit": jit(jit(tick)),
    "cond": lambda x: cond(x > 0.0, tick, lambda x: x, x),
    "scan": lambda x: scan(lambda c, _: (tick(c), None), x, length=1)[0],
    "custom_jvp": custom_jvp(lambda primals, tangents: (tick(*primals), *tangents))(tick),
    "checkpoint": checkpoint(tick),
}


@pytest.mark.parametrize("program", HOLDING)
def test_programs_that_hold_what_is_handled_are_gone_through(program: str) -> None:
    close(ticks(HOLDING[program])(ONE), 1)

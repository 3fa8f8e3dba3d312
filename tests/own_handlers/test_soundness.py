"""What a handler of one's own could once lose without a word: state, constructor's arguments, rules of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import effects as fx
from effects import Array, Operation, Performed, perform
from effects.operations import BinaryKind, UnaryKind
from handlers import (
    Forward,
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
    kept,
    partwise,
    scan,
    stop_gradient,
    value_and_grad,
    vmap,
)
from lowering import jit
from tests.own_handlers.operations import Give, Param, Quiet, Rounded, Sines, Tick, Ticks
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
    with pytest.raises(fx.ArgumentError, match=r"f: the state of a handler around it, .*, is being differentiated"):
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
    with pytest.raises(fx.MissingRule, match="its transposition rule says nothing of the state of Sines"):
        grad(under(Sines, inner(lambda x: ten(ONE, x))))(ONE)


def test_a_batching_rule_that_the_state_would_miss_is_refused() -> None:
    twice = custom_batching(sine)
    twice.defbatch(lambda size, batched, x: (fx.sin(x), True))
    with pytest.raises(fx.MissingRule, match="its batching rule says nothing of the state of Sines"):
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

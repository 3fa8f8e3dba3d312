"""The laws of every order, for the library's handlers, those of the examples and of tests; and some that break them."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable
from typing import Any

import pytest

import effects as fx
from effects import Array, Handler, Operation, Performed, perform
from effects.operations import Cond, DotGeneral, Scan
from examples.flops import Flops
from examples.interval import Bounds, interval
from examples.regression import Sample, Scored
from examples.units import Quantity, units
from handlers import (
    EffectHandler,
    Log,
    OperationHandler,
    Remat,
    added,
    catching,
    check_laws,
    checking,
    cond,
    custom_jvp,
    custom_vjp,
    enumerated,
    grad,
    jet,
    jvp,
    kept,
    scan,
    stop_gradient,
    vmap,
    with_output,
    with_random,
    with_reader,
    with_state,
)
from handlers.effect_handlers.cell import Cell
from handlers.effect_handlers.reader import Reader
from tests.laws.identity import boxed
from tests.own_handlers.operations import Rounded, Sines
from tests.requests.own import with_cost

type Function = Callable[..., Any]

NAMES = itertools.count()
X = fx.asarray(0.5)
SQUARE = fx.asarray([[0.3, 0.7], [0.1, -0.4]])
BOX = Bounds(fx.asarray(0.4), fx.asarray(0.5))


def wave(x: Any) -> Any:
    return fx.sin(x * fx.sin(x))


def logged(f: Function) -> Function:
    def run(*args: Any) -> Any:
        with Log(file=io.StringIO()):
            return f(*args)

    return run


def pushed(f: Function) -> Function:
    return lambda x: jvp(f, (x,), (fx.cos(x),))


def curved(f: Function) -> Function:
    return lambda x: jet(f, (x,), ((fx.cos(x), x),))


def checked(f: Function) -> Function:
    def run(x: Any) -> Any:
        outcome = checking(f)(x)
        return outcome.value, outcome.status.code != 0

    return run


def caught(f: Function) -> Function:
    def run(x: Any) -> Any:
        outcome: Any = catching(f)(x)
        return outcome.value, outcome.status.code != 0

    return run


def drawn(rng: fx.Random, x: Any) -> Any:
    return x * rng.normal()


def cell(state: fx.State[Any], x: Any) -> Any:
    state.modify(lambda s: 0.5 * s + x)
    return fx.sin(x)


def emitting(out: fx.Output, x: Any) -> Any:
    out.emit(f"wave {next(NAMES)}", 2.0 * x)
    return fx.sin(x) * 2.0


def asking(ask: fx.Ask[Any], x: Any) -> Any:
    return x * ask.ask()


def raising(errors: fx.Raise[Any], x: Any) -> Any:
    errors.check(x > 0.1, x)
    return fx.sin(x)


def charging(cost: Any, x: Any) -> Any:
    cost.charge(x)
    return x * x


def averaged_over_paths(f: Function) -> Function:
    def run(x: Any) -> Any:
        posterior = enumerated(f)(x)
        return fx.tree_map(lambda values: posterior._replace(values=values).expectation(), posterior.values)

    return run


def choosing(choice: fx.Choice, x: Any) -> Any:
    return x * fx.where(choice.flip(0.3), 2.0, 0.5)


def remembering(f: Function) -> Function:
    def run(x: Any) -> Any:
        with Remat():
            return f(x)

    return run


def modelled(model: Sample, x: Any) -> Any:
    value = model.normal("value", x, 2.0)
    model.observe(x * value, 0.0, 1.0)
    return x * value


class Unrolled(OperationHandler[Scan[Array]]):
    handles = Scan

    def interpret(self, op: Scan[Array], /) -> Performed:
        carry = op.init
        for i in range(op.length):
            carry = tuple(self.inside(op.body, (*op.consts, *carry, *[x[i] for x in op.xs]))[: op.carried])
        return carry


class Selecting(OperationHandler[Cond[Array]]):
    handles = Cond

    def interpret(self, op: Cond[Array], /) -> Performed:
        first, second = [self.inside(branch, op.operands_) for branch in op.branches]
        return tuple([fx.where(op.index, b, a) for a, b in zip(first, second, strict=True)])


type Handle = OperationHandler[Any] | EffectHandler[Any] | Callable[[Function], Function]


class Quantised(OperationHandler[DotGeneral[Array]]):
    """Rounds the products of the program, straight through to their derivatives."""

    handles = DotGeneral

    def interpret(self, op: DotGeneral[Array], /) -> Performed:
        y = perform(op)
        return y if self.in_derivative else y + stop_gradient(fx.round(y * 16.0) / 16.0 - y)


def network(m: Array) -> Array:
    return m @ fx.tanh(m @ m)


def repeated(m: Array) -> Array:
    return scan(lambda c, _: (fx.tanh(m @ c), None), m, length=3)[0]


@custom_jvp
def by_forward_rule(m: Array) -> Array:
    return network(m)


@by_forward_rule.defjvp
def _(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    return jvp(network, primals, tangents)


@custom_vjp
def by_backward_rule(m: Array) -> Array:
    return network(m)


by_backward_rule.defvjp(lambda m: (network(m), m), lambda m, ct: (grad(lambda m: fx.sum(network(m) * ct))(m),))


SOUND: dict[str, tuple[Handle, Function, Any]] = {
    "counts operations": (Flops(), wave, X),
    "adds up sines": (Sines(), wave, X),
    "rounds sines": (Rounded(30), wave, X),
    "log": (logged, wave, X),
    "box": (boxed, wave, X),
    "intervals": (interval, wave, BOX),
    "units": (units, wave, Quantity(X, ())),
    "jvp": (pushed, wave, X),
    "vmap": (vmap, wave, fx.asarray([0.5, 0.25])),
    "jet": (curved, wave, X),
    "checking": (checked, wave, X),
    "Random": (lambda f: with_random(f, 0), lambda rng, x: fx.where(rng.uniform() < 2.0, x, 0.0), X),
    "State": (lambda f: with_state(f, fx.asarray(1.0), lanes=added), cell, X),
    "Output": (lambda f: lambda x: with_output(f)(x)[0], emitting, X),
    "Ask": (lambda f: with_reader(f, fx.asarray(3.0)), asking, X),
    "Raise": (caught, raising, X),
    "a user's effect": (with_cost, charging, X),
    "a cell": (Cell(fx.asarray(1.0), added), cell, X),
    "a configuration": (Reader(fx.asarray(3.0)), asking, X),
    "paths": (averaged_over_paths, choosing, X),
    "a log density": (Scored({"value": fx.asarray(0.3)}), modelled, X),
    "a derivative that keeps less": (remembering, wave, X),
    "products rounded": (Quantised(), network, SQUARE),
    "products rounded in steps": (
        Quantised(),
        lambda m: scan(lambda c, _: (fx.tanh(m @ c), None), m, length=3)[0],
        SQUARE,
    ),
    "products rounded in a forward rule": (Quantised(), by_forward_rule, SQUARE),
    "scans unrolled": (Unrolled(), wave, X),
    "both branches": (Selecting(), wave, X),
    "branches selected in a program": (Selecting(), lambda x: cond(x > 0.1, fx.sin, fx.cos, x), X),
}


@pytest.mark.parametrize("name", SOUND)
def test_laws(name: str) -> None:
    handler, f, x = SOUND[name]
    refused = check_laws(handler, f, x, compiled=False)
    unlawful = {order: why for order, why in refused.items() if "while_loop" not in order and "custom" not in order}
    assert not unlawful or (name == "paths" and all(["too many paths" in why for why in unlawful.values()])), unlawful


def test_products_rounded_in_a_backward_rule() -> None:
    """Forward mode is refused, all other orders are the same."""
    refused = check_laws(Quantised(), by_backward_rule, SQUARE, compiled=False)
    assert all(["jvp" in order or "while_loop" in order for order in refused])


def test_laws_of_compiled_programs() -> None:
    check_laws(Sines(), fx.sin, X)
    check_laws(Quantised(), network, SQUARE)


class Number(Handler[Array]):
    """Counts in Python, so that a compiled program is one operation."""

    sees_all = True

    def __init__(self) -> None:
        self.number = 0

    def constant(self, value: Array, /) -> Array:
        return value

    def interpret(self, op: Operation[Array], /) -> Performed:
        self.number += 1
        return perform(op)


def numbered(f: Function) -> Function:
    def run(x: Any) -> Any:
        with Number() as handler:
            result = f(x)
        return result, handler.number

    return run


class Truncated(OperationHandler):
    """Rounds, and does not say what the derivative of that is."""

    scale: float = 8.0

    def interpret(self, op: Operation[Array], /) -> Performed:
        result: Any = perform(op)
        if op.name != "sin":
            return result  # type: ignore[no-any-return]  # an array
        return fx.round(result * self.scale) / self.scale


def test_orders_that_differ_are_found() -> None:
    with pytest.raises(fx.BrokenLawError, match=r"handle\(jit\(f\)\) gives .*, 1\), and should be .*, 3\)"):
        check_laws(numbered, wave, X, compiled=False)
    with pytest.raises(fx.BrokenLawError, match=r"jvp\(handle\(custom_jvp\(f\)\)\) gives"):
        check_laws(Truncated(), wave, X, compiled=False)


def test_what_is_wrong_with_the_function_is_raised() -> None:
    class Refusing(OperationHandler):
        count: Array = kept(default=fx.asarray(0))

        def interpret(self, op: Operation[Array], /) -> Performed:
            raise fx.MissingRule(f"{op.name} is not for me")

    with pytest.raises(fx.MissingRule, match="is not for me"):
        check_laws(Refusing(), wave, X)

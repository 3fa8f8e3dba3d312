"""Mistakes in handlers and programs that were silently accepted are refused, where they are made."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import effects as fx
from effects import Array, Effect, Operation, Output, Performed
from effects.errors import ArgumentError, IllTyped, LeakedValueError, UnhandledEffectError
from effects.operations import UnaryKind
from handlers import (
    EffectHandler,
    OperationHandler,
    Parts,
    Rules,
    Tabular,
    catching,
    checking,
    custom_vjp,
    enumerated,
    grad,
    handled,
    kept,
    scan,
    vmap,
    with_output,
    with_reader,
    with_state,
)
from lowering import jit

X = fx.asarray(0.7)


class Bounds(NamedTuple):
    lo: Any
    hi: Any


class Interval(Parts):
    lo: Array
    hi: Array


class Misshapen(Tabular[Interval, Bounds]):
    rules: Rules[Interval] = {UnaryKind.SIN: lambda op: (fx.ones(3), fx.ones(3))}  # noqa: RUF012  # a table


class Assigning(OperationHandler):
    handles = UnaryKind.SIN
    held: Array = kept(default=fx.asarray(0.0))

    def interpret(self, op: Operation[Array], /) -> Performed:
        def step(c: Array, _: None) -> tuple[Array, None]:
            self.held = self.held + c
            return c, None

        scan(step, op.operands[0], length=2)
        return fx.perform(op)


class Cost(Effect):
    @abstractmethod
    def charge(self, amount: Array) -> None: ...


class Budget(EffectHandler[Array], Cost):
    def charge(self, amount: Array) -> None:
        self.state = self.state - amount

    def halted(self) -> Array:
        return self.state < 0.0


def _spent(cost: Cost, x: Array) -> Array:
    cost.charge(x)
    return x * x


def _charged(cost: Cost, out: Output, x: Array) -> Array:
    cost.charge(x)
    out.emit("a", x)
    return x


def _pulled_back() -> object:
    rule = custom_vjp(lambda c, x: (x * x, c), lambda c, ct: (None, (c.charge(ct), ct)[1]))
    f: Any = rule(lambda c, x: x * x)
    return grad(lambda x: handled(Budget(X), f, x))(X)


def _subclass(**attributes: Any) -> object:
    return type("Own", (OperationHandler,), {"interpret": lambda self, op, /: fx.perform(op), **attributes})


def _assigned() -> None:
    with Assigning():
        fx.sin(X)


MISTAKES: dict[str, tuple[type[Exception], Callable[[], object]]] = {
    "Own.handle: declare by `handles`": (ArgumentError, lambda: _subclass(handle=UnaryKind.SIN)),
    "Own.handles is empty; leave it out": (ArgumentError, lambda: _subclass(handles=())),
    "bool(outcome): write is_successful(outcome.result())": (ArgumentError, lambda: bool(catching(lambda e, x: x)(X))),
    "1073741824 paths are too many (at most 67108864)": (
        ArgumentError,
        lambda: enumerated(lambda c: fx.sum(fx.stack([c.choose(fx.full(1024, 1 / 1024)) for _ in range(4)])))(),
    ),
    "grad: _spent would be differentiated with respect to <the Cost of a handler>, a capability": (
        ArgumentError,
        lambda: handled(Budget(X), lambda cost, x: grad(_spent)(cost, x), X),
    ),
    "a backward rule runs when the handler inside of the derivative is over: put Cost around grad": (
        UnhandledEffectError,
        _pulled_back,
    ),
    "Assigning.held was assigned inside of Stage(": (LeakedValueError, _assigned),
    "rules[UnaryKind.SIN] must return a carrier of type float64[], got float64[3]": (
        IllTyped,
        lambda: Misshapen.over(fx.sin)(Bounds(X, X)),
    ),
    "Misshapen.over takes a function, got": (ArgumentError, lambda: Misshapen.over(Bounds(X, X))),  # type: ignore[call-overload]  # no function
}


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_is_refused(words: str) -> None:
    error, make = MISTAKES[words]
    with pytest.raises(error) as raised:
        make()
    assert words in str(raised.value)


@pytest.mark.parametrize("wrap", [lambda f: f, jit])
def test_what_is_sent_after_a_halt_is_there_and_not_valid(wrap: Any) -> None:
    def f(out: Output, x: Array) -> Array:
        return handled(Budget(X), lambda cost, x: _charged(cost, out, x), x)

    (_, sent), (_, after) = (wrap(with_output(f))(fx.asarray(amount)) for amount in (0.5, 0.8))
    assert (bool(sent["a"].valid), bool(after["a"].valid)) == (True, False)


def test_what_is_read_is_no_container_of_the_handler() -> None:
    def changed(cell: fx.State[dict[str, Array]], x: Array) -> Array:
        cell.get().update(a=9.0 * x)
        return x

    def asked(asks: fx.Ask[dict[str, Array]], x: Array) -> Array:
        asks.ask().update(a=9.0 * x)
        return asks.ask()["a"]

    for run in (with_state(changed, {"a": X}), jit(with_state(changed, {"a": X}))):
        assert float(run(X)[1]["a"]) == 0.7
    config = {"a": X}
    assert float(with_reader(asked, config)(fx.asarray(1.0))) == 0.7 and float(config["a"]) == 0.7


INDEXED: dict[str, Callable[[Array, Array], Array]] = {
    "x[i]": lambda x, i: x[i],
    "take": lambda x, i: fx.take(x, i),
    "several": lambda x, i: x[i + fx.asarray([-1, 0])],
    "set": lambda x, i: x.at[i].set(1.0),
    "add": lambda x, i: x.at[i].add(1.0),
    "along": lambda x, i: fx.take_along_axis(x, i[None], 0),
    "negative": lambda x, i: x[-i - 1],
    "of an axis": lambda x, i: fx.stack([x, x])[i, 0],
    "grad": lambda x, i: grad(lambda x: x[i])(x),
    "lanes": lambda x, i: vmap(lambda i: x[i])(fx.stack([i, i])),
}


@pytest.mark.parametrize("name", INDEXED)
def test_checks_see_indices_out_of_bounds(name: str) -> None:
    checked = jit(checking(INDEXED[name]))
    assert checked(fx.asarray([1.0, 2.0]), fx.asarray(5)).result().failure().what == "out of bounds"
    assert checked(fx.asarray([1.0, 2.0]), fx.asarray(1)).result().unwrap() is not None

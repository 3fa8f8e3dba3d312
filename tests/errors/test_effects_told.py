"""Mistakes with effects and handlers of one's own: the error names what the user wrote, and what to write instead."""

from __future__ import annotations

import dataclasses
import threading
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import pytest

from effects import Effect
from effects.errors import ArgumentError, ConcretizationError, EffaxError, IllTyped, MissingRule, UnhandledEffectError
from handlers import EffectHandler, Merging
from tests.errors.untyped import cond, fx, handlers, jit, scan, vmap, while_loop

x, v, zero = fx.asarray(0.2), fx.asarray([0.1, 0.2]), fx.asarray(0.0)
catching, handled, with_state, with_raise = (
    handlers.catching,
    handlers.handled,
    handlers.with_state,
    handlers.with_raise,
)
do: Any = fx.perform


class Cost(Effect):
    @abstractmethod
    def charge(self, amount: Any) -> None: ...


class Total(Merging[Any], Cost):
    def charge(self, amount: Any) -> None:
        self.state = self.state + amount

    def unit(self) -> Any:
        return fx.zeros(())

    def merge(self, state: Any) -> None:
        self.charge(state)

    def from_lanes(self, size: int, state: Any) -> None:
        self.charge(fx.sum(state))


class Nothing(EffectHandler[Any], Cost):
    def charge(self, amount: Any) -> None:
        self.state = None


class Whole(EffectHandler[Any], Cost):
    def charge(self, amount: Any) -> None:
        self.state = fx.asarray(1)


class Grows(EffectHandler[Any], Cost):
    def charge(self, amount: Any) -> None:
        self.state = {**self.state, "a": fx.asarray(1.0)}


class NoState(EffectHandler[Any], Cost):
    def __init__(self, state: Any) -> None:
        """Forgets the state."""

    def charge(self, amount: Any) -> None:
        self.state = self.state + amount


def in_cond(handler: Any) -> Any:
    return jit(lambda x: handled(handler, lambda c, x: cond(x > 0, lambda: (c.charge(x), x)[1], lambda: x), x))(x)


def in_scan(handler: Any) -> Any:
    return handled(handler, lambda c, x: scan(lambda s, _: (c.charge(s), (s, None))[1], x, length=3)[0], x)


def batched_by_rule(cell: Any) -> Any:
    g = handlers.custom_batching(lambda q: (cell.modify(lambda s: s + 1), q * 2)[1])
    g.defbatch(lambda size, batched, q: (cell.modify(lambda s: s + 1), (q * 2, True))[1])
    return g


def in_a_thread(cell: Any, x: Any) -> None:
    raised: list[EffaxError] = []

    def run() -> None:
        with pytest.raises(EffaxError) as caught:
            cell.get()
        raised.append(caught.value)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    raise raised[0]


def counted(cell: Any, v: Any) -> Any:
    return vmap(lambda q: (cell.modify(lambda s: s + 1), q)[1])(v)


def refusing(e: Any, x: Any) -> Any:
    e.check(x > 0, "negative")
    return x


@dataclasses.dataclass
class Held:
    a: Any


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: Any


def asked(config: Any) -> Any:
    return handlers.with_reader(lambda c, x: scan(lambda s, _: (s + c.ask().a, None), x, length=2), config)(x)


def keyed(key: Any) -> Any:
    return type("Keyed", (Total,), {"key": key})(zero)


coins = handlers.enumerated(lambda c: (c.flip(0.5), c.flip(0.2)))
MISTAKES: dict[str, tuple[type[EffaxError], str, Callable[[], object]]] = {
    "cond, None": (IllTyped, "must stay what it is, float64[], got None", lambda: in_cond(Nothing(zero))),
    "scan, None": (IllTyped, "must stay what it is, float64[], got None", lambda: in_scan(Nothing(zero))),
    "cond, int": (IllTyped, "must stay what it is, float64[], got int64[]", lambda: in_cond(Whole(zero))),
    "scan, int": (IllTyped, "must stay what it is, float64[], got int64[]", lambda: in_scan(Whole(zero))),
    "cond, grows": (IllTyped, "must stay what it is, {}, got {'a': float64[]}", lambda: in_cond(Grows({}))),
    "scan, grows": (IllTyped, "must stay what it is, {}, got {'a': float64[]}", lambda: in_scan(Grows({}))),
    "cond, number": (IllTyped, "begin with what it has to hold, asarray(0.0) for 0.0", lambda: in_cond(Total(0.0))),
    "scan, number": (IllTyped, "begin with what it has to hold, asarray(0.0) for 0.0", lambda: in_scan(Total(0.0))),
    "batching rule": (
        MissingRule,
        "let the function perform nothing, and give it what it needs as an argument",
        lambda: with_state(lambda c, v: vmap(batched_by_rule(c))(v), fx.asarray(0), lanes=handlers.added)(v),
    ),
    "thread": (UnhandledEffectError, "another thread", lambda: with_state(in_a_thread, zero)(x)),
    "callback": (
        UnhandledEffectError,
        "State.put: the handler is running, but does not reach here: Python on the host",
        lambda: with_state(lambda c, x: handlers.debug_callback(lambda: c.put(zero)), zero)(x),
    ),
    "emitted twice": (
        ArgumentError,
        "Output.emit: 'a' is emitted twice",
        lambda: handlers.with_output(lambda o, x: (o.emit("a", x), o.emit("a", x)))(x),
    ),
    "check of one": (ArgumentError, "Raise.check: missing a required", lambda: catching(lambda e, x: e.check(x))(x)),
    "check of one, jit": (
        ArgumentError,
        "Raise.check: missing a required",
        lambda: jit(catching(lambda e, x: e.check(x)))(x),
    ),
    "ask of one": (
        ArgumentError,
        "Ask.ask: too many positional arguments",
        lambda: handlers.with_reader(lambda a, x: a.ask(x), 1)(x),
    ),
    "choice in a while_loop": (
        MissingRule,
        "while_loop: Choice: a choice in a while_loop",
        lambda: handlers.enumerated(lambda c: while_loop(lambda s: s < 3, lambda s: s + c.flip(0.5), zero))(),
    ),
    "with_raise in jit": (
        ConcretizationError,
        "return the Outcome of catching(f)",
        lambda: jit(with_raise(refusing))(x),
    ),
    "result in jit": (
        ConcretizationError,
        "Outcome.result: whether there was an error is not known",
        lambda: jit(lambda x: catching(refusing)(x).result())(x),
    ),
    "lanes of another type": (
        ArgumentError,
        "with_state: lanes of the value before and those of 2 lanes: the cell holds int64[], got float64[]",
        lambda: with_state(counted, fx.asarray(0), lanes=handlers.averaged)(v),
    ),
    "lanes that stay": (
        ArgumentError,
        "with_state: lanes of the value before and those of 2 lanes: the cell holds int64[], got int64[2]",
        lambda: with_state(counted, fx.asarray(0), lanes=lambda before, all: all)(v),
    ),
    "lanes: nothing": (
        ArgumentError,
        "with_state: lanes of the value",
        lambda: with_state(counted, fx.asarray(0), lanes=lambda before, all: None)(v),
    ),
    "lanes of one": (
        ArgumentError,
        "with_state: lanes is given the value before and the values of all lanes",
        lambda: with_state(counted, fx.asarray(0), lanes=lambda all: all)(v),
    ),
    "lanes that add an axis": (
        ArgumentError,
        "with_state: lanes of the value before and those of 2 lanes: sum: ",
        lambda: with_state(counted, fx.asarray(0), lanes=fx.sum)(v),
    ),
    "lanes that read": (
        MissingRule,
        "get() before the vmap",
        lambda: with_state(lambda c, v: vmap(lambda q: q + c.get())(v), zero)(v),
    ),
    "check, swapped": (
        ArgumentError,
        "Raise.check: holds must be an array or a number, got 'bad' of type str; the error comes second",
        lambda: catching(lambda e, x: e.check("bad", x > 3))(x),
    ),
    "dataclass, state": (
        ArgumentError,
        "write @effects.register above class Held",
        lambda: with_state(lambda c, x: x, Held(x))(x),
    ),
    "dataclass, config": (ArgumentError, "the state of Ask: its leaves must be", lambda: asked(Held(x))),
    "frozen, config": (ArgumentError, "register, from effects, makes Frozen a tree", lambda: asked(Frozen(x))),
    "dataclass, error": (
        ArgumentError,
        "register, from effects, makes Held a tree",
        lambda: jit(catching(lambda e, x: e.check(x > 1, Held(x))))(x),
    ),
    "frozen, error": (
        ArgumentError,
        "register, from effects, makes Frozen a tree",
        lambda: jit(catching(lambda e, x: e.check(x > 1, Frozen(x))))(x),
    ),
    "mean of a tree": (ArgumentError, "Posterior.expectation: the mean is of an array", lambda: coins().expectation()),
    "mean of a tree by of": (
        ArgumentError,
        "Posterior.expectation: the mean is of an array, and of gives",
        lambda: coins().expectation(lambda values: values),
    ),
    "key, list": (ArgumentError, "handled: Keyed.key must be hashable, got [1]", lambda: in_scan(keyed([1]))),
    "key, array": (ArgumentError, "handled: Keyed.key must be hashable, got Array", lambda: in_scan(keyed(x))),
    "no state": (ArgumentError, "NoState.__init__ must call super().__init__(state)", lambda: in_scan(NoState(zero))),
    "no capability": (
        ArgumentError,
        "is given the Cost of the handler as its first argument",
        lambda: handled(Total(zero), lambda x: x * x, x),
    ),
    "no capability, with_state": (
        ArgumentError,
        "is given the State of the handler as its first argument",
        lambda: jit(with_state(lambda x: x, zero))(x),
    ),
}


@pytest.mark.parametrize(("kind", "words", "wrong"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(kind: type[EffaxError], words: str, wrong: Callable[[], object]) -> None:
    with pytest.raises(kind) as caught:
        wrong()
    assert words in str(caught.value), str(caught.value)
    assert caught.value.source is not None and caught.value.source.file in (__file__, threading.__file__)


def test_a_type_error_of_the_users_own_stays() -> None:
    with pytest.raises(TypeError, match="can only concatenate str") as caught:
        handled(Total(zero), lambda c, x: "a" + x, 3)
    assert not isinstance(caught.value, EffaxError)

"""Interrupts, and exceptions in the methods of handlers: the chain is what it was, the state of whole operations."""

from __future__ import annotations

import contextlib
import itertools
import sys
from abc import abstractmethod
from collections.abc import Callable, Generator
from typing import Any

import pytest

import effects as fx
from effects import Array, Effect, Operation, Performed, chain
from effects.operations import UnaryKind
from effects.program.chain import ROOT
from handlers import (
    EffectHandler,
    OperationHandler,
    added,
    catching,
    cond,
    grad,
    handled,
    kept,
    scan,
    vmap,
    with_output,
    with_random,
    with_state,
)
from lowering import jit
from tests.reference.agreement import close

X = fx.asarray(0.5)


class Interrupt(KeyboardInterrupt):
    """Ctrl-C."""


def interrupted(run: Callable[[], object], at: int, also: str = "\n") -> bool:
    """Run until the call number `at` within the library or the function of a handler; whether it was reached."""
    left = at

    def profile(frame: Any, event: str, _: object) -> None:
        nonlocal left
        file = frame.f_code.co_filename
        inside = (
            "/effects/" in file or "/handlers/" in file or file.startswith("<effax") or frame.f_code.co_name == also
        )
        if event in ("call", "c_return") and inside:
            left -= 1
            if left == 0:
                sys.setprofile(None)
                raise Interrupt

    sys.setprofile(profile)
    try:
        run()
    except Interrupt:
        return True
    finally:
        sys.setprofile(None)
    return left <= 0


class Twice(OperationHandler):
    """A state of two fields, which are the same after each operation."""

    handles = UnaryKind.SIN
    first: Array = kept(default=fx.asarray(0))
    second: Array = kept(default=fx.asarray(0))

    def interpret(self, op: Operation[Array], /) -> Performed:
        self.first = self.first + 1
        results = fx.perform(op)
        self.second = self.second + 1
        return results


class Tick(Effect):
    @abstractmethod
    def tick(self, x: Array) -> None: ...


class Ticks(EffectHandler[Array], Tick):
    """A state that an operation assigns twice, and something sent between."""

    def tick(self, x: Array) -> None:
        self.state = self.state + 1
        self.send(f"tick {len(self.sent)}", x)
        self.state = self.state + 1


def wrong(x: Array) -> Array:
    return fx.sin(x) + fx.reshape(x, (2,))


def refused() -> None:
    for f in (grad(wrong), jit(wrong)):
        with contextlib.suppress(fx.ShapeError):
            f(X)


OF_OPERATIONS: dict[str, tuple[int, Callable[[], object]]] = {
    "sin": (1, lambda: fx.sin(X)),
    "jit": (7, lambda: jit(fx.sin)(X)),
    "cond": (11, lambda: cond(X > 0, fx.sin, fx.cos, X)),
    "grad": (5, lambda: grad(lambda x: fx.sin(fx.sin(x)))(X)),
    "an error": (1, refused),
}
OF_EFFECTS: dict[str, tuple[int, Callable[[Tick], object]]] = {
    "tick": (1, lambda tick: tick.tick(X)),
    "cond": (13, lambda tick: cond(X > 0, lambda: tick.tick(X), lambda: None)),
    "scan": (13, lambda tick: scan(lambda c, _: ((tick.tick(c), c)[1], None), X, length=2)),
    "grad": (3, lambda tick: grad(lambda x: (tick.tick(x), x * x)[1])(X)),
}


@pytest.mark.parametrize("name", OF_OPERATIONS)
def test_interrupts_leave_a_handler_of_operations_whole(name: str) -> None:
    stride, run = OF_OPERATIONS[name]
    for at in itertools.count(1, stride):
        with Twice() as handler:
            before = chain()
            hit = interrupted(run, at, "interpret")
            assert chain() == before
            count = int(handler.first)
            assert int(handler.second) == count
            fx.sin(X)
            assert (int(handler.first), int(handler.second)) == (count + 1, count + 1)
        if not hit:
            break


@pytest.mark.parametrize("name", OF_EFFECTS)
def test_interrupts_leave_a_handler_of_an_effect_whole(name: str) -> None:
    stride, run = OF_EFFECTS[name]
    for at in itertools.count(1, stride):
        handler, hit = Ticks(fx.asarray(0)), True

        def program(tick: Tick, at: int = at, handler: Ticks = handler) -> bool:
            before = chain()
            hit = interrupted(lambda: run(tick), at, "tick")
            assert chain() == before
            left = int(handler.state), len(handler.sent)
            assert left in ((0, 0), (2, 1), (4, 1))
            tick.tick(X)
            assert (int(handler.state), len(handler.sent)) == (left[0] + 2, left[1] + 1)
            return hit

        hit = handled(handler, program)
        if not hit:
            break


def stateful(x: Any) -> Any:
    def step(cell: fx.State[Array], x: Any) -> Any:
        cell.modify(lambda s: s + x)
        return cell.get() * x

    return with_state(
        lambda cell, x: (grad(lambda x: step(cell, x))(x), vmap(lambda x: step(cell, x))(fx.ones(2))), X, added
    )(x)


def drawing(x: Any) -> Any:
    return jit(with_random(lambda rng, x: x + vmap(lambda x: x + rng.uniform())(fx.ones(2)), 0))(x)


def emitting(x: Any) -> Any:
    def f(out: fx.Output, x: Any) -> Any:
        return scan(lambda c, _: (_emitted(out, c), None), x, length=2)[0]

    return with_output(f)(x)


def _emitted(out: fx.Output, x: Any) -> Any:
    out.emit("x", x)
    return x * 2.0


def failing(x: Any) -> Any:
    return catching(lambda errors, x: cond(x > 0, lambda: _checked(errors, x), lambda: x))(x).status.code


def _checked(errors: fx.Raise[Any], x: Any) -> Any:
    errors.check(x < 0.1, ("large", x))
    return x


@pytest.mark.parametrize("program", [stateful, drawing, emitting, failing])
def test_a_program_that_was_interrupted_runs_again(program: Callable[[Any], Any]) -> None:
    expected = program(X)
    for at in itertools.count(1, 29):
        hit = interrupted(lambda: program(X), at)
        assert chain() == (ROOT,)
        if at % 5 == 0:
            close(program(X), expected)
        if not hit:
            break
    close(program(X), expected)


class Refused(Exception):
    """Of a user's handler."""


class Refusing(Ticks):
    def tick(self, x: Array) -> None:
        super().tick(x)
        if int(self.state.known() or 0) > 4:
            raise Refused


def test_an_operation_that_raises_has_not_happened() -> None:
    def program(tick: Tick) -> None:
        for _ in range(4):
            try:
                tick.tick(X)
            except Refused:
                assert chain()[-1] is ROOT

    handler = Refusing(fx.asarray(0))
    handled(handler, program)
    assert (int(handler.state), [*handler.sent]) == (4, ["tick 0", "tick 1"])


class Checked(EffectHandler[Array], Tick):
    def __init__(self, state: Array, errors: fx.Raise[str]) -> None:
        super().__init__(state)
        self.errors = errors

    def tick(self, x: Array) -> None:
        self.state = self.state + x
        self.errors.check(self.state < 1.0, "over")


@pytest.mark.parametrize("wrap", [lambda f: f, jit])
def test_what_came_before_an_error_has_happened(wrap: Any) -> None:
    def program(cell: fx.State[Array], x: Array) -> Any:
        def run(errors: fx.Raise[str], x: Array) -> Array:
            cell.modify(lambda s: s + 1.0)
            handled(Checked(X, errors), lambda tick, x: tick.tick(x), x)
            cell.modify(lambda s: s + 10.0)
            return x

        return catching(run)(x).status.code

    code, state = wrap(with_state(program, fx.asarray(0.0)))(fx.asarray(2.0))
    assert (int(code) > 0, float(state)) == (True, 1.0)


def test_a_generator_that_is_suspended_in_a_handler_leaves_others_alone() -> None:
    def counting() -> Generator[int]:
        with Twice() as handler:
            while True:
                fx.sin(X)
                yield int(handler.first)

    counts, others = counting(), counting()
    assert [next(counts), next(others)] == [1, 1]
    with Twice() as handler:
        fx.sin(X)
        counts.close()
        fx.sin(X)
    others.close()
    assert (int(handler.first), chain()) == (2, (ROOT,))

"""States keep their types, whoever writes them: methods, laws and Python numbers are checked where they are wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array, ArrayLike, Operation, Performed
from effects.errors import ArgumentError, EffaxError, IllTyped, MissingRule
from effects.operations import UnaryKind
from handlers import (
    EffectHandler,
    Merging,
    OperationHandler,
    Reading,
    cond,
    grad,
    handled,
    kept,
    scan,
    vmap,
    with_state,
)
from lowering import jit
from tests.requests.own import Cost, Total

X = fx.asarray(0.7)
NUMBERS: list[tuple[Any, Any, Any]] = [
    (fx.int64, True, 1),
    (fx.int64, 3, 3),
    (fx.float32, 2, 2.0),
    (fx.float64, True, 1.0),
    (fx.complex128, 1.5, 1.5),
    (fx.bool, False, False),
    (fx.int64, 1.5, None),
    (fx.int64, float("nan"), None),
    (fx.float64, 1j, None),
    (fx.bool, 2, None),
    (fx.bool, 0.5, None),
    (fx.uint8, 300, None),
    (fx.uint8, -1, None),
    (fx.int8, 1e9, None),
]


class Holds(OperationHandler):
    handles = UnaryKind.SIN
    number: complex
    held: Array = kept()

    def interpret(self, op: Operation[Array], /) -> Performed:
        self.held = self.number  # type: ignore[assignment]  # a number
        return fx.perform(op)


def _of_handler(number: Any, first: Array, compiled: bool) -> Any:
    with Holds(number, first) as handler:
        (jit(fx.sin) if compiled else fx.sin)(X)
    return handler.held


def _of_cell(number: Any, first: Array, compiled: bool) -> Any:
    def run(x: Array) -> Array:
        return with_state(lambda cell, x: cell.put(number), first)(x)[1]

    return (jit(run) if compiled else run)(X)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("write", [_of_handler, _of_cell])
def test_python_numbers_become_states_that_hold_them(write: Callable[..., Array], compiled: bool) -> None:
    for dtype, number, wanted in NUMBERS:
        first = fx.zeros((), dtype=dtype)
        if wanted is None:
            with pytest.raises(EffaxError, match=r"must stay what it is|the cell holds|does not fit"):
                write(number, first, compiled)
        else:
            held = write(number, first, compiled)
            assert held.dtype is dtype and held.item() == wanted, (dtype, number)


@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
def test_truth_that_is_known_converts_to_one(shape: tuple[int, ...]) -> None:
    for dtype in (fx.int64, fx.uint8, fx.float32):
        assert (np.asarray(jit(lambda x, d=dtype: fx.full(shape, True).astype(d) + 0 * x.astype(d))(X)) == 1).all()
    assert int(jit(lambda x: fx.sum(fx.full(shape, True)))(X)) == int(np.prod(shape))


def test_a_state_may_begin_as_a_number() -> None:
    def program(cell: fx.State[Any], x: Array) -> Array:
        def step(c: Array, _: None) -> tuple[Array, None]:
            cell.modify(lambda s: s + c)
            return c, None

        return cond(x > 0.0, lambda x: scan(step, x, length=3)[0], lambda x: x, x)

    for run in (with_state(program, 0.0), jit(with_state(program, 0.0))):
        assert float(run(X)[1]) == pytest.approx(2.1)


def test_a_cell_holds_values_that_are_no_arrays() -> None:
    start: dict[str, Any] = {"a": X, "name": "first"}
    value, last = with_state(lambda cell, x: jit(lambda x: cell.get()["a"] * x)(x), start)(X)
    assert float(value) == pytest.approx(0.49) and last["name"] == "first"
    with pytest.raises(ArgumentError, match=r"State.put: the cell holds .*'first'.*, got .*'second'"):
        with_state(lambda cell, x: cell.put({"a": x, "name": "second"}), start)(X)


class Written(Reading[Array], Cost):
    def charge(self, amount: ArrayLike) -> None:
        self.state = self.state + amount  # type: ignore[misc]  # the mistake


class Retyped(Total):
    def charge(self, amount: ArrayLike) -> None:
        self.state = fx.asarray(1)


class WideUnit(Total):
    def unit(self) -> Array:
        return fx.zeros(3)


class Unsummed(Total):
    def from_lanes(self, size: int, state: Array) -> None:
        self.state = self.state + state


class Begins(EffectHandler[Array], Cost):
    def charge(self, amount: ArrayLike) -> None:
        self.state = self.state + amount

    def into_lanes(self, size: int) -> Array:
        return fx.zeros((size,))


class SendsNumbers(Total):
    def charge(self, amount: ArrayLike) -> None:
        self.send("amount", 1.5)  # type: ignore[arg-type]  # a number


def _work(cost: Cost, x: Array) -> Array:
    cost.charge(x)
    return x * x


WRONG: dict[str, tuple[Any, Any, Any]] = {
    "Written.charge assigns the state of a Reading": (Written, _work, ArgumentError),
    "Retyped.charge: the state must stay what it is, float64[], got int64[]": (Retyped, _work, IllTyped),
    "WideUnit.into_derivative must return a state of WideUnit float64[], got float64[3]": (
        WideUnit,
        lambda cost, x: grad(lambda x: _work(cost, x))(x),
        IllTyped,
    ),
    "WideUnit.into_lanes must return a state of WideUnit for 2 lanes, stacked along axis 0, float64[2]": (
        WideUnit,
        lambda cost, x: vmap(lambda x: _work(cost, x))(fx.stack([x, x])),
        IllTyped,
    ),
    "Unsummed.from_lanes: the state must stay what it is, float64[], got float64[2]": (
        Unsummed,
        lambda cost, x: vmap(lambda x: _work(cost, x))(fx.stack([x, x])),
        IllTyped,
    ),
    "write Begins.from_lanes too, which merges": (
        Begins,
        lambda cost, x: vmap(lambda x: _work(cost, x))(fx.stack([x, x])),
        MissingRule,
    ),
    "SendsNumbers.send: arrays must be arrays, got 1.5": (SendsNumbers, _work, ArgumentError),
}


@pytest.mark.parametrize("words", WRONG)
@pytest.mark.parametrize("compiled", [False, True])
def test_what_a_handler_makes_of_its_state_is_checked(words: str, compiled: bool) -> None:
    handler, program, error = WRONG[words]

    def run(x: Array) -> Any:
        return handled(handler(fx.zeros(())), program, x)

    with pytest.raises(error) as raised:
        (jit(run) if compiled else run)(X)
    assert words in raised.value.message


def test_handlers_that_lack_a_law_are_abstract() -> None:
    class Lacking(Merging[Array], Cost):
        def charge(self, amount: ArrayLike) -> None:
            self.state = self.state + amount

    with pytest.raises(TypeError, match=r"abstract.*from_lanes.*merge.*unit"):
        Lacking(fx.zeros(()))  # type: ignore[abstract]  # what this tests

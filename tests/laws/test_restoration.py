"""However a rule or a block ends, the chain is afterwards what it was, and the next call works."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Generator
from typing import Any

import pytest

import effects as fx
from effects import Array, CustomOp, chain, operation, perform
from effects.program.chain import ROOT
from handlers import Log, cond, grad, vmap
from lowering import jit
from tests.laws.identity import boxed
from tests.reference.agreement import close


class Interrupted(Exception):
    """The error that rules raise here."""


def check_that_all_is_well() -> None:
    assert chain() == (ROOT,)
    close(grad(fx.sin)(fx.asarray(0.0)), 1.0)
    close(jit(lambda x: x + 1.0)(fx.asarray(1.0)), 2.0)


@pytest.mark.parametrize("method", ["types", "evaluate", "jvp", "batch", "transpose", "lower"])
@pytest.mark.parametrize("error", [Interrupted, KeyboardInterrupt])
def test_an_exception_in_a_rule(method: str, error: type[BaseException]) -> None:
    @operation
    class Broken[V](CustomOp[V]):
        x: V

    meanings: dict[str, Callable[..., Any]] = {
        "types": lambda op: op.x.aval,
        "evaluate": lambda op: fx.sin(op.x),
        "jvp": lambda op: (broken(op.x.primal), broken(op.x.tangent)),
        "batch": lambda op: (broken(op.x.value), True),
        "transpose": lambda op, cotangent: (broken(cotangent),),
    }
    for name, meaning in meanings.items():
        setattr(Broken, name, meaning)

    def fail(self: Any, *_: Any) -> Any:
        raise error("on purpose")

    def broken(x: Array) -> Any:
        return perform(Broken(x))

    setattr(Broken, method, fail)
    x = fx.asarray(0.5)
    calls: list[Callable[[], Any]] = [
        lambda: broken(x),
        lambda: jit(broken)(x),
        lambda: vmap(vmap(broken))(fx.ones((2, 2))),
        lambda: jit(grad(lambda x: cond(x > 0.0, broken, fx.cos, x)))(x),
        lambda: boxed(vmap(grad(jit(broken))))(fx.ones(2)),
    ]
    raised = 0
    for call in calls:
        try:
            call()
        except error as caught:
            assert str(caught) == "on purpose"
            raised += 1
        assert chain() == (ROOT,)
    assert raised
    check_that_all_is_well()


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_handlers_that_are_left_out_of_order_leave_the_others_installed(order: tuple[int, ...]) -> None:
    """As those of generators are, which are closed whenever somebody does."""

    def suspended(handler: Log) -> Generator[None]:
        with handler:
            yield

    outputs = [io.StringIO() for _ in order]
    handlers = [Log(file=output) for output in outputs]
    generators = [suspended(handler) for handler in handlers]
    for generator in generators:
        next(generator)
    for i, position in enumerate(order):
        generators[position].close()
        there = [j for j in range(3) if j not in order[: i + 1]]
        assert chain() == (*[handlers[j] for j in reversed(there)], ROOT)
        before = [len(output.getvalue()) for output in outputs]
        fx.sin(1.0)
        assert [j for j in range(3) if len(outputs[j].getvalue()) > before[j]] == there

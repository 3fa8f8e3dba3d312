"""However a function ends, the chain is afterwards what it was, and the next call works."""

from __future__ import annotations

import gc
import io
import itertools
import sys
from collections.abc import Callable, Generator
from typing import Any

import pytest
from hypothesis import given, strategies as st

import effects as fx
from effects import Array, CustomOp, chain, operation, perform
from effects.program.chain import ROOT
from handlers import Log, cond, eval_shape, grad, jvp, linear_transpose, linearize, make_jaxpr, vjp, vmap
from lowering import jit
from tests.laws.expressions import many
from tests.laws.identity import boxed
from tests.reference.agreement import close

type Function = Callable[[Array], Any]


class Interrupted(Exception):
    """What users' functions raise here."""


def logged(f: Function) -> Function:
    def quiet(x: Array) -> Any:
        with Log(file=open("/dev/null", "w")):
            return f(x)

    return quiet


NEST: dict[str, Callable[[Function], Function]] = {
    "jit": jit,
    "jvp": lambda f: lambda x: jvp(f, (x,), (x,))[1],
    "vmap": lambda f: lambda x: vmap(f)(fx.stack([x, x]))[0],
    "grad": lambda f: lambda x: grad(lambda x: fx.sum(f(x)))(x),
    "vjp": lambda f: lambda x: vjp(f, x)[1](x)[0],
    "linearize": lambda f: lambda x: linearize(f, x)[1](x),
    "linear_transpose": lambda f: lambda x: linear_transpose(lambda t: 2.0 * t + 0.0 * f(x) * t, x)(x)[0],
    "make_jaxpr": lambda f: lambda x: (make_jaxpr(f)(x), x)[1],
    "eval_shape": lambda f: lambda x: (eval_shape(f, x), x)[1],
    "cond": lambda f: lambda x: cond(fx.sum(x) > 0.0, f, lambda x: x, x),
    "log": logged,
    "boxed": boxed,
}
ERRORS = [Interrupted, KeyboardInterrupt, GeneratorExit, SystemExit, StopIteration]


def nested(names: list[str], f: Function) -> Function:
    for name in reversed(names):
        f = NEST[name](f)
    return f


def check_that_all_is_well() -> None:
    assert chain() == (ROOT,)
    close(grad(fx.sin)(fx.asarray(0.0)), 1.0)
    close(jit(lambda x: x + 1.0)(fx.asarray(1.0)), 2.0)


@many
@given(
    names=st.lists(st.sampled_from(sorted(NEST)), min_size=1, max_size=4),
    error=st.sampled_from(ERRORS),
    when=st.integers(0, 2),
)
def test_an_exception_in_a_users_function(names: list[str], error: type[BaseException], when: int) -> None:
    x = fx.asarray([0.3, 0.7])
    limit = sys.getrecursionlimit()
    raising = True

    def f(x: Array) -> Array:
        for step in range(3):
            if raising and step == when:
                raise error("on purpose")
            x = fx.sin(x)
        return x

    function = nested(names, f)
    with pytest.raises(error, match="on purpose"):
        function(x)
    assert chain() == (ROOT,)
    assert sys.getrecursionlimit() == limit
    assert gc.isenabled()
    raising = False
    close(function(x), nested(names, f)(x), 1e-12)
    check_that_all_is_well()


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


@pytest.mark.parametrize("name", NEST)
def test_an_error_of_the_library(name: str) -> None:
    x = fx.asarray([0.3, 0.7])
    for wrong in (lambda x: x + fx.ones(3), lambda x: fx.sum(x, axis=5), lambda x: fx.reshape(x, (5,))):
        with pytest.raises((TypeError, ValueError)):
            NEST[name](wrong)(x)
        check_that_all_is_well()


def test_a_handler_is_used_once() -> None:
    log = Log(file=None)
    with log:
        assert chain() == (log, ROOT)
    with pytest.raises(RuntimeError, match="was installed before"), log:
        pass
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

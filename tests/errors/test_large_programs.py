"""Long programs and deep ones: no limit of recursion is met, and the work grows with the size, not with its square."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import pytest

from effects.program.checking import check_jaxpr
from effects.program.operation import HigherOrder
from handlers import checkpoint, custom_jvp, with_state
from tests.errors.untyped import cond, fx, grad, jit, jvp, linearize, make_jaxpr, scan, vmap, while_loop

DEEP = 400  # calls, each of several of Python's, which stop at a thousand
type Function = Callable[[Any], Any]


def chain_of(n: int) -> Function:
    def f(x: Any) -> Any:
        for _ in range(n // 2):
            x = fx.sin(x) * 1.0001
        return x

    return f


@functools.cache
def nested_calls(depth: int) -> Function:
    f: Function = fx.sin
    for _ in range(depth):
        f = jit(lambda x, f=f: f(x) * 1.5)
    return f


@functools.cache
def nested_conds(depth: int) -> Function:
    f: Function = fx.sin
    for _ in range(depth):
        f = lambda x, f=f: cond(x > 0, f, lambda y: y * 2.0, x)  # type: ignore[misc]  # bound now
    return f


WORK: dict[str, Callable[[Function], object]] = {
    "trace": lambda f: make_jaxpr(f)(1.0),
    "check": lambda f: check_jaxpr(make_jaxpr(f)(1.0)).unwrap(),
    "print": lambda f: repr(make_jaxpr(f)(1.0)),
    "key": lambda f: hash(make_jaxpr(f)(1.0).key),
    "jvp": lambda f: make_jaxpr(lambda x: jvp(f, (x,), (x,)))(1.0),
    "vmap": lambda f: make_jaxpr(vmap(f))(fx.ones(2)),
    "grad": lambda f: make_jaxpr(grad(f))(1.0),
    "linearize": lambda f: make_jaxpr(lambda x: linearize(f, x)[1](x))(1.0),
    "vmap of grad": lambda f: make_jaxpr(vmap(grad(f)))(fx.ones(2)),
    "lower": lambda f: jit(f).lower(1.0).as_text(),
}


@pytest.mark.slow
def test_a_hundred_thousand_equations() -> None:
    n = 100_000
    f = chain_of(n)
    traced = make_jaxpr(f)(1.0)
    assert len(traced.eqns) == n
    assert str(check_jaxpr(traced).unwrap()) == "(float64[]) -> (float64[])"
    assert repr(traced).count("\n") == n + 1
    assert len(make_jaxpr(vmap(f))(fx.ones(2)).eqns) == n
    assert len(make_jaxpr(grad(f))(1.0).eqns) < 4 * n
    assert jit(f).lower(1.0).as_text().count("stablehlo.sine") == n // 2
    assert 0 < abs(grad(f)(1.0).tolist()) < 1
    del traced  # freeing it must not recurse either


@pytest.mark.parametrize("work", WORK)
def test_deeply_nested_calls(work: str) -> None:
    limit = sys.getrecursionlimit()
    WORK[work](nested_calls(DEEP))
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("work", ["trace", "check", "print", "key", "jvp", "vmap", "lower"])
def test_deeply_nested_conditions(work: str) -> None:
    limit = sys.getrecursionlimit()
    WORK[work](nested_conds(DEEP))
    assert sys.getrecursionlimit() == limit


def test_nested_conditions_have_values_and_derivatives() -> None:
    assert nested_conds(DEEP)(fx.asarray(1.0)).tolist() == fx.sin(1.0).tolist()
    assert grad(nested_conds(50))(1.0).tolist() == pytest.approx(fx.cos(1.0).tolist())


@pytest.mark.parametrize("work", WORK)
def test_the_work_grows_with_the_size(work: str) -> None:
    WORK[work](chain_of(100))  # what is done once is done
    small, large = (calls(lambda n=n: WORK[work](chain_of(n))) for n in (500, 2000))  # type: ignore[misc]  # bound now
    assert large < 4.4 * small


LEVELS: dict[str, Callable[[Function, float], Function]] = {
    "jit": lambda f, k: jit(lambda x: f(x) * k),
    "cond": lambda f, k: lambda x: cond(x > 0, f, lambda y: y * k, x),
    "closing cond": lambda f, k: lambda x: cond(x > 0, lambda: f(x) * k, lambda: x),
    "scan": lambda f, k: lambda x: scan(lambda c, _: (f(c) * k, None), x, length=1)[0],
    "while_loop": lambda f, k: lambda x: while_loop(lambda s: s < 0, lambda s: f(s) * k, x),
    "checkpoint": lambda f, k: checkpoint(lambda x: fx.sin(f(x) * k)),
}


def nested_in(level: str, depth: int) -> Function:
    f: Function = fx.sin
    for i in range(depth):
        f = LEVELS[level](f, 1.0 + i / 1000)
    return f


@pytest.mark.parametrize("work", ["trace", "check", "print", "key", "jvp", "vmap", "grad", "lower"])
@pytest.mark.parametrize("level", LEVELS)
def test_the_work_grows_with_the_depth(level: str, work: str) -> None:
    if work == "grad" and (level == "while_loop" or "cond" in level):
        return  # the first has none; residuals of the innermost cond pass through all the others
    WORK[work](nested_in(level, 5))
    small, large = (calls(lambda n=n: WORK[work](nested_in(level, n))) for n in (15, 60))  # type: ignore[misc]  # bound now
    assert large < 4.4 * small


def test_the_derivative_of_nested_conditions_grows_with_the_depth() -> None:
    def equations(jaxpr: Any) -> int:
        inner = [body for eqn in jaxpr.eqns if isinstance(eqn.op, HigherOrder) for body in eqn.op.bodies]
        return len(jaxpr.eqns) + sum(map(equations, inner))

    small, large = (equations(make_jaxpr(grad(nested_in("cond", n)))(1.0)) for n in (10, 40))
    assert large < 4.4 * small


def calls(f: Callable[[], object]) -> int:
    """How many functions, Python's and C's, `f` calls."""
    count = 0

    def counted(frame: object, event: str, arg: object) -> None:
        nonlocal count
        if event in ("call", "c_call"):
            count += 1

    sys.setprofile(counted)
    try:
        f()
    finally:
        sys.setprofile(None)
    return count


def test_a_function_that_stages_itself_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("effects.runtime.cpython.recursion.DEEPEST", 50)

    def called(x: Any) -> Any:
        return jit(lambda y: called(y) + 1.0)(x)

    def chosen(x: Any) -> Any:
        return cond(x > 0, chosen, chosen, x)

    limit = sys.getrecursionlimit()
    for f in (called, chosen):
        with pytest.raises(RecursionError):
            f(1.0)
        assert sys.getrecursionlimit() == limit
    assert jit(fx.sin)(0.0).item() == 0.0


def test_handlers_of_effects_nest_as_deep_as_jitted_functions() -> None:
    def nested(x: Any, depth: int) -> Any:
        return with_state(lambda cell, x: nested(x, depth - 1), 0.0)(x)[0] if depth else x + 1.0

    limit = sys.getrecursionlimit()
    assert nested(1.0, 1000) == 2.0
    assert sys.getrecursionlimit() == limit


def test_functions_with_rules_that_nest_too_deep_say_so() -> None:
    def nested(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
        ruled = custom_jvp(lambda x: f(x))
        ruled.defjvp(lambda primals, tangents: (f(*primals), tangents[0]))
        return ruled

    def program(depth: int) -> Any:
        return functools.reduce(lambda f, _: nested(f), range(depth), fx.sin)

    assert program(100)(0.0) == 0.0
    with pytest.raises(fx.DepthError, match="custom_jvp: calls of functions with rules, such as <lambda>, are nested"):
        program(2000)(0.0)
    assert jit(fx.cos)(0.0).item() == 1.0

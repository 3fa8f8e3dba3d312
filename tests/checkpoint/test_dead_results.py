"""What a checkpoint computes, at first and again, has no results that nobody reads: in branches and loops, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import Jaxpr, check_jaxpr
from effects.operations.checkpoint import Checkpoint
from handlers import checkpoint, cond, debug_print, grad, jvp, make_jaxpr, scan, switch, vmap
from lowering import jit

X: Final = fx.asarray([[0.5, 0.2], [-0.3, 0.4]])


def branches(x: Any) -> Any:
    """In every branch the derivative of the second result needs nothing that is computed."""
    a = lambda x: (fx.sin(x), x @ fx.sinh(fx.ones((2, 2))))
    b = lambda x: (fx.cos(x), 2.0 * x)
    u, v = cond(x[0, 0] > 0, a, b, x)
    return fx.sum(fx.sin(u)) + fx.sum(v)


def switched(x: Any) -> Any:
    parts = [lambda x, k=k: (fx.sin(k * x), x @ fx.sinh(k * fx.ones((2, 2)))) for k in (1.0, 2.0, 3.0)]
    u, v = switch(1, parts, x)
    return fx.sum(u * u) + fx.sum(v)


def nested(x: Any) -> Any:
    inner = lambda x: cond(x[0, 1] > 0, lambda x: (fx.sin(x), x @ fx.sinh(fx.ones((2, 2)))), lambda x: (x, x), x)
    u, v = cond(x[0, 0] > 0, inner, lambda x: (fx.cos(x), x), x)
    return fx.sum(fx.sin(u)) + fx.sum(v)


def looped(x: Any) -> Any:
    def step(carry: Any, k: Any) -> Any:
        c, total = carry
        c = fx.sin(c)
        return (c, total + fx.sum(x @ fx.sinh(k * fx.ones((2, 2))))), fx.sum(c)

    (c, total), ys = scan(step, (x, fx.asarray(0.0)), fx.asarray([1.0, 2.0, 3.0]))
    return fx.sum(c * c) + total + fx.sum(ys)


def called(x: Any) -> Any:
    u, v = jit(lambda x: (fx.sin(x), x @ fx.sinh(fx.ones((2, 2)))))(x)
    return fx.sum(fx.sin(u)) + fx.sum(v)


PROGRAMS: Final[dict[str, Callable[[Any], Any]]] = {
    "branches": branches,
    "switched": switched,
    "nested": nested,
    "looped": looped,
    "called": called,
}


def operations(jaxpr: Jaxpr) -> Counter[str]:
    """How often each operation is written in a program, the bodies in it included."""
    found: Counter[str] = Counter()
    for eqn in jaxpr.eqns:
        found[eqn.op.name] += 1
        for body in getattr(eqn.op, "bodies", ()):
            found += operations(body)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_work_that_is_repeated_is_all_read(name: str) -> None:
    f = PROGRAMS[name]
    program = make_jaxpr(grad(checkpoint(f)))(X)
    check_jaxpr(program).unwrap()
    passes = [eqn.op.body for eqn in program.eqns if isinstance(eqn.op, Checkpoint)]
    primal = operations(make_jaxpr(f)(X))
    first, last = operations(passes[0]), operations(passes[-1])
    assert last["sin"] + last["cos"] > 0
    assert last["sinh"] <= primal["sinh"], "of the factor only, which the derivative reads"
    for op in ("sin", "cos", "dot_general"):
        assert first[op] <= primal[op], f"the forward pass computes a {op} that is only for the derivative"
    if name != "looped":
        assert last["dot_general"] <= primal["dot_general"], "the products of the backward pass only"


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name: str) -> None:
    f = PROGRAMS[name]
    expected = np.asarray(grad(f)(X))
    step = 1e-6
    for i in range(4):
        unit = step * np.eye(4)[i].reshape(2, 2)
        slope = (f(X + fx.asarray(unit)) - f(X - fx.asarray(unit))).item() / (2 * step)
        assert expected.flat[i] == pytest.approx(slope, abs=1e-6)
    g = grad(checkpoint(f))
    for actual in (g(X), jit(g)(X), grad(jit(checkpoint(f)))(X), vmap(g)(fx.stack([X, 2.0 * X]))[0]):
        np.testing.assert_allclose(np.asarray(actual), expected, rtol=1e-12)
    along = jvp(grad(f), (X,), (X,))[1]
    np.testing.assert_allclose(np.asarray(jvp(g, (X,), (X,))[1]), np.asarray(along), rtol=1e-12)
    again = grad(lambda x: fx.sum(grad(f)(x) * X))(X)
    for second in (g, checkpoint(g), jit(g)):
        actual = grad(lambda x, second=second: fx.sum(second(x) * X))(X)
        np.testing.assert_allclose(np.asarray(actual), np.asarray(again), rtol=1e-12)


def test_calls_of_the_host_stay(capfd: pytest.CaptureFixture[str]) -> None:
    def step(x: Any) -> Any:
        debug_print("seen {}", fx.sum(x))
        return fx.sin(x), 2.0 * x

    f = lambda x: sum([fx.sum(y) for y in cond(x[0, 0] > 0, step, lambda x: (x, x), x)])
    grad(checkpoint(f))(X)
    assert capfd.readouterr().out.count("seen") == 1

"""Exceptions in the user's function, at any depth: they pass unchanged, the chain and the caches are as before."""

from __future__ import annotations

import gc
import itertools
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from effects.errors import ShapeError
from effects.program.chain import ROOT, chain
from effects.runtime.cpython.source import located
from tests.errors.untyped import (
    cond,
    fx,
    grad,
    jacfwd,
    jacrev,
    jit,
    jvp,
    linear_transpose,
    linearize,
    make_jaxpr,
    vjp,
    vmap,
)

type Function = Callable[[Any], Any]


class Mine(Exception):
    pass


AROUND: dict[str, Callable[[Function], Function]] = {
    "jit": jit,
    "vmap": vmap,
    "grad": lambda f: grad(lambda x: fx.sum(f(x))),
    "jvp": lambda f: lambda x: jvp(f, (x,), (x,))[1],
    "vjp": lambda f: lambda x: vjp(f, x)[0],
    "linearize": lambda f: lambda x: linearize(f, x)[0],
    "linear_transpose": lambda f: lambda x: linear_transpose(f, x)(x)[0],
    "cond": lambda f: lambda x: cond(fx.sum(x) > 0, f, lambda y: y, x),
    "make_jaxpr": lambda f: lambda x: (make_jaxpr(f)(x), x)[1],
    "jacfwd": lambda f: lambda x: jacfwd(f)(x),
    "jacrev": lambda f: lambda x: jacrev(f)(x),
}
RAISED = [Mine, ValueError, TypeError, AttributeError, KeyError, RecursionError, StopIteration, KeyboardInterrupt]
RAISED += [SystemExit, GeneratorExit]


def state() -> object:
    return chain(), located.get(), sys.getrecursionlimit(), gc.isenabled()


@pytest.mark.parametrize("outermost", AROUND)
def test_an_exception_passes_unchanged(outermost: str) -> None:
    before = state()
    assert chain() == (ROOT,)
    x = fx.ones((2, 2, 2))
    for kind, (middle, inner) in itertools.product(RAISED, itertools.product(AROUND, repeat=2)):

        def f(x: Any, kind: type[BaseException] = kind) -> object:
            fx.sin(x)
            raise kind("mine")

        with pytest.raises(kind) as caught:
            AROUND[outermost](AROUND[middle](AROUND[inner](f)))(x)
        assert caught.value.args == ("mine",) and type(caught.value) is kind
        assert caught.value.__cause__ is None and caught.value.__context__ is None
        assert caught.traceback[-1].frame.code.raw is f.__code__
        assert state() == before


@pytest.mark.parametrize("outer", AROUND)
@pytest.mark.parametrize("inner", AROUND)
def test_the_next_call_works(outer: str, inner: str) -> None:
    fails = True

    def f(x: Any) -> Any:
        y = x * 3.0
        if fails:
            raise Mine
        return y

    if (inner.startswith("jac") and outer == "cond") or "linear_transpose" in (outer, inner):
        return  # the results are of another shape, or not linear
    x = fx.ones((2, 2, 2))
    once = AROUND[outer](AROUND[inner](f))
    for _ in range(2):
        with pytest.raises(Mine):
            once(x)
    fails = False
    expected = AROUND[outer](AROUND[inner](lambda x: x * 3.0))(x)
    assert fx.asarray(once(x)).tolist() == fx.asarray(expected).tolist()


def test_a_failed_trace_is_not_kept() -> None:
    traces = []

    @jit  # type: ignore[untyped-decorator]  # jit without its type
    def f(x: Any) -> Any:
        traces.append(x)
        if len(traces) < 3:
            raise Mine
        return x * 2.0

    for _ in range(2):
        with pytest.raises(Mine):
            f(fx.ones(3))
    assert f(fx.ones(3)).tolist() == f(fx.ones(3)).tolist() == [2.0, 2.0, 2.0]
    assert len(traces) == 3


def test_an_inner_jit_that_fails_does_not_spoil_the_outer_one() -> None:
    inner = jit(lambda x: x + fx.ones(3))
    outer = jit(lambda x: inner(x) * 2.0)
    for f in (inner, outer):
        with pytest.raises(ShapeError, match=r"add: cannot broadcast \[4\] with \[3\]"):
            f(fx.ones(4))
    assert inner(fx.ones(3)).tolist() == [2.0] * 3 and outer(fx.ones(3)).tolist() == [4.0] * 3
    assert grad(lambda x: fx.sum(outer(x)))(fx.ones(3)).tolist() == [2.0, 2.0, 2.0]


def test_an_exception_in_a_branch_and_in_a_callback_of_a_tree() -> None:
    before = state()
    for pred in (True, False):
        with pytest.raises(Mine):
            cond(pred, lambda: 1.0, _raise)
        with pytest.raises(Mine):
            vmap(lambda x: cond(x > 0, lambda: 1.0, _raise))(fx.ones(3))
    with pytest.raises(Mine):
        fx.tree_map(lambda leaf: _raise(), {"a": 1.0})
    assert state() == before


def _raise() -> object:
    raise Mine


def test_an_interrupt_between_two_operations() -> None:
    count = target = 0

    def interrupt(frame: FrameType, event: str, arg: object) -> None:
        nonlocal count
        count += event != "c_call"  # Python handles signals after a call of C, never before it
        if count >= target:
            sys.setprofile(None)
            raise KeyboardInterrupt

    f = vmap(grad(lambda x: fx.sum(jit(lambda y: fx.sin(y) * y)(x))))
    for after in range(50, 2000, 13):
        count, target = 0, after
        sys.setprofile(interrupt)
        try:
            make_jaxpr(f)(fx.ones((2, 3)))
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(None)
        assert chain() == (ROOT,)
        assert located.get() is None and gc.isenabled(), f"event {after}"
    assert f(fx.ones((2, 3))).shape == (2, 3)

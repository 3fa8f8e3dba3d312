"""Exceptions in the user's function, at any depth: they pass unchanged, the chain and the caches are as before."""

from __future__ import annotations

import gc
import io
import itertools
import sys
from collections.abc import Callable
from typing import Any

import pytest

from effects.program.chain import ROOT, chain
from effects.runtime.cpython.source import current_location
from handlers import Log
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
from tests.laws.identity import boxed

type Function = Callable[[Any], Any]


class Mine(Exception):
    pass


def logged(f: Function) -> Function:
    def quiet(x: Any) -> Any:
        with Log(file=io.StringIO()):
            return f(x)

    return quiet


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
    "a handler": logged,
    "a carrier": boxed,
}
RAISED = [Mine, ValueError, TypeError, AttributeError, KeyError, RecursionError, StopIteration, KeyboardInterrupt]
RAISED += [SystemExit, GeneratorExit]


def state() -> object:
    return chain(), current_location.get(), sys.getrecursionlimit(), gc.isenabled()


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

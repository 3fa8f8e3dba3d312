"""Values used after their transformation is over, or in another thread: refused at once, wherever they are used."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from effects.errors import EffaxError, LeakedValueError
from effects.program.chain import ROOT, chain
from tests.errors.expect import refusal
from tests.errors.untyped import (
    cond,
    device_put,
    eval_shape,
    fx,
    grad,
    jit,
    jvp,
    linear_transpose,
    linearize,
    make_jaxpr,
    vmap,
)

x3 = fx.asarray([1.0, 2.0, 3.0])
kept: list[Any] = []


def keep(x: Any) -> object:
    kept.append(x * 2.0)
    return kept[-1]


MADE: dict[str, tuple[Callable[[], object], str]] = {
    "jit": (lambda: jit(lambda x: keep(x))(x3), "Stage(<lambda>)"),
    "jit, an argument": (lambda: jit(lambda x: kept.append(x))(x3), "Stage(<lambda>)"),
    "vmap": (lambda: vmap(keep)(fx.ones((2, 3))), "Vmap(keep)"),
    "jvp": (lambda: jvp(keep, (x3,), (x3,)), "Jvp(keep)"),
    "grad": (lambda: grad(lambda x: fx.sum(keep(x)))(x3), "Jvp(<lambda>)"),
    "linearize": (lambda: linearize(keep, x3), "Jvp(keep)"),
    "make_jaxpr": (lambda: make_jaxpr(keep)(x3), "Stage(keep)"),
    "eval_shape": (lambda: eval_shape(keep, x3), "Stage(keep)"),
    "cond": (lambda: cond(True, keep, lambda x: x, x3), "Stage(keep)"),
    "linear_transpose": (lambda: linear_transpose(keep, x3), "PartialEval(keep)"),
    "vmap in jit": (lambda: jit(lambda x: vmap(keep)(x))(fx.ones((2, 3))), "Vmap(keep)"),
    "grad in jit": (lambda: jit(lambda x: grad(lambda y: fx.sum(keep(y)))(x))(x3), "Jvp(<lambda>)"),
}

USED: dict[str, Callable[[Any], Any]] = {
    "a function": lambda v: fx.sin(v),
    "an operator": lambda v: v + 1,
    "on the right": lambda v: x3 * v,
    "an index": lambda v: v[0],
    "matmul": lambda v: fx.matmul(v, x3),
    "reshape": lambda v: fx.reshape(v, (3, 1)),
    "concat": lambda v: fx.concat([v, x3]),
    "where": lambda v: fx.where(True, v, x3),
    "closed over in jit": lambda v: jit(lambda y: y + v)(x3),
    "returned from jit": lambda v: jit(lambda: v)(),
    "an argument of jit": lambda v: jit(lambda y: y)(v),
    "closed over in grad": lambda v: grad(lambda y: fx.sum(y * v))(x3),
    "closed over in vmap": lambda v: vmap(lambda y: y * v)(x3),
    "closed over in cond": lambda v: cond(True, lambda: v, lambda: x3),
    "an argument of jvp": lambda v: jvp(fx.sin, (v,), (x3,)),
    "numpy.asarray": lambda v: np.asarray(v),
    "tolist": lambda v: v.tolist(),
    "device_put": lambda v: device_put(v),
}


@pytest.mark.parametrize("used", USED)
@pytest.mark.parametrize("made", MADE)
def test_a_leaked_value_is_refused(made: str, used: str) -> None:
    make, handler = MADE[made]
    make()
    value = kept.pop()
    with pytest.raises(LeakedValueError) as caught:
        USED[used](value)
    message = str(caught.value)
    assert f"leaked from {handler}" in message and "whose extent is over; return values" in message, message
    assert caught.value.source is not None and caught.value.source.file == __file__
    assert chain() == (ROOT,)


def test_where_it_comes_from() -> None:
    jit(keep)(x3)
    line = keep.__code__.co_firstlineno + 1
    value = kept.pop()
    refusal(
        LeakedValueError,
        f"sin: a value of type float64[3] (the result of mul at {__file__}:{line} (keep)",
        "in keep, which was being staged)",
        of=lambda: fx.sin(value),  # here
    )


def test_a_value_that_is_known_is_said() -> None:
    grad(lambda x: fx.sum(keep(x)))(x3)
    value = kept.pop()
    refusal(
        LeakedValueError,
        "add: a value [",
        "] of type float64[3] leaked from Jvp(",
        "has_aux=True",
        of=lambda: value + 1,
    )


def test_a_closure_that_is_cached_across_calls() -> None:
    held: dict[str, Any] = {}

    @jit  # type: ignore[untyped-decorator]  # jit without its type
    def f(x: Any) -> Any:
        if "first" not in held:
            held["first"] = fx.sin(x)
        return held["first"]

    f(x3)
    with pytest.raises(LeakedValueError):
        f(fx.ones(4))  # traced again, with what the first trace left behind
    with pytest.raises(LeakedValueError):
        f(fx.ones(5))
    assert f(x3).tolist() == np.sin([1.0, 2.0, 3.0]).tolist()


def test_a_generator_that_outlives_its_trace() -> None:
    def lanes(x: Any) -> Iterator[object]:
        yield fx.sin(x)
        yield fx.cos(x)

    def f(x: Any) -> Any:
        kept.append(lanes(x))
        return next(kept[-1])

    jit(f)(x3)
    with pytest.raises(LeakedValueError):
        next(kept.pop())


def test_values_of_another_thread() -> None:
    found: list[EffaxError] = []

    def use(value: Any) -> None:
        try:
            fx.sin(value)
        except EffaxError as error:
            found.append(error)

    def f(x: Any) -> Any:
        thread = threading.Thread(target=use, args=(x,))
        thread.start()
        thread.join()
        return x

    jit(f)(x3)
    vmap(f)(x3)
    jvp(f, (x3,), (x3,))
    assert len(found) == 3
    for error in found:
        assert isinstance(error, LeakedValueError) and "not in the chain here" in str(error)

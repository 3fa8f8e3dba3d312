"""Functions that are made anew for each call: what of them differs is named, and nothing of theirs is run."""

from __future__ import annotations

import gc
import weakref
from functools import partial
from typing import Any

import pytest

import effects as fx
from handlers import custom_jvp, grad, vmap
from lowering import clear_caches, explain, jit
from tests.unit.test_explaining import Nameless


def test_functions_that_are_made_anew_are_seen_with_what_they_close_over() -> None:
    clear_caches()

    def scaled(factor: float) -> Any:
        return jit(lambda x: x * factor)

    for last in map(scaled, (2.0, 3.0, 3.0)):
        last(fx.ones(2))
    (program,) = explain(last)  # of the third
    assert len(explain(scaled(2.0))) == 0
    assert program.number == 3 and program.nearest == 2 and program.origin.value == "shared with an equal program"
    assert program.reasons == (ANEW,)
    another: Any = scaled(5.0)
    another(fx.ones(2))
    assert explain(another)[0].reasons == ("closed-over factor is 5.0, was 3.0",)


def test_functions_that_are_closed_over_are_named() -> None:
    clear_caches()

    def after(f: Any) -> Any:
        jitted: Any = jit(lambda x: f(x) + 1)
        jitted(fx.ones(2))
        return explain(jitted)

    after(fx.sin)
    assert after(fx.cos)[0].reasons == ("closed-over f is cos, was sin",)
    one, another = lambda x: x, lambda x: -x
    line = one.__code__.co_firstlineno
    assert after(one)[0].reasons == (f"closed-over f is <lambda> of line {line}, was cos",)
    assert after(another)[0].reasons == (f"closed-over f, <lambda> of line {line}, is another one",)


def _scaled(factor: Any, x: Any) -> Any:
    return x * factor


def _called(f: Any) -> Any:
    def inner(x: Any) -> Any:
        return f(x)

    return inner


class Scale:
    def __init__(self, factor: Any) -> None:
        self.factors = {"one": [factor]}

    def __call__(self, x: Any) -> Any:
        return x * self.factors["one"][0]

    def applied(self, x: Any) -> Any:
        return self(x)


def _with_rule(factor: Any) -> Any:
    ruled = custom_jvp(lambda x: x * factor)
    ruled.defjvp(lambda primals, tangents: (ruled(*primals), tangents[0] * 2.0))
    return ruled


def _with_default(factor: Any) -> Any:
    def scaled(x: Any, factor: Any = factor) -> Any:
        return x * factor

    return scaled


def _reading(factor: Any) -> Any:
    globals()["FACTOR"] = factor
    return lambda x: x * FACTOR


def _by_factor(x: Any) -> Any:
    return x * FACTOR


def _asking(factor: Any) -> Any:
    globals()["FACTOR"] = factor
    return lambda x: _by_factor(x)


FACTOR: Any = None

MADE: dict[str, tuple[Any, str]] = {
    "bound by partial": (lambda factor: partial(_scaled, factor), "closed-over factor"),
    "bound by name": (lambda factor: partial(lambda x, factor: x * factor, factor=factor), "closed-over factor"),
    "differentiated": (lambda factor: grad(lambda x: fx.sum(x * factor)), "closed-over factor"),
    "transformed twice": (lambda factor: jit(vmap(grad(lambda x: x * factor))), "closed-over factor"),
    "with a rule": (_with_rule, "closed-over factor"),
    "wrapped": (lambda factor: _called(lambda x: x * factor), "closed-over factor of f"),
    "of an object": (lambda factor: Scale(factor).applied, "closed-over self.factors['one'][0]"),
    "an object": (Scale, "closed-over self.factors['one'][0]"),
    "a default": (_with_default, "default factor"),
    "a global": (_reading, "global FACTOR"),
    "a global of a function": (_asking, "global FACTOR of _by_factor"),
}

ANEW = "jit was called again, with a function that is made anew: call it once, outside"


@pytest.mark.parametrize(("make", "subject"), MADE.values(), ids=MADE)
def test_functions_that_are_made_anew_are_looked_into(make: Any, subject: str) -> None:
    def made(factor: Any) -> Any:
        jitted: Any = jit(make(factor))
        jitted(fx.ones(2))
        (program,) = explain(jitted)
        return program

    clear_caches()
    assert made(2.0).number == 1
    assert made(3.0).reasons[0] == f"{subject} is 3.0, was 2.0"
    assert made(fx.ones(())).reasons[0] == f"{subject} is float64[], was 3.0"
    last = made(fx.zeros(()))
    assert (last.number, last.nearest, last.reasons) == (4, 3, (ANEW,))


def test_different_functions_are_not_one_that_is_made_anew() -> None:
    clear_caches()
    functions: list[Any] = [lambda x: fx.sin(x), lambda x: fx.cos(x), grad(lambda x: x * x), grad(fx.sin), fx.sin]
    for f in [*functions, partial(fx.power, 2.0), Scale(2.0), Scale(2.0).applied]:
        jitted = jit(f)
        jitted(1.0)
        assert [program.number for program in explain(jitted)] == [1]


def test_the_same_function_is_not_made_anew() -> None:
    clear_caches()
    scale = Scale(2.0)
    for f in (partial(_scaled, 2.0), scale, scale.applied):
        first, second = jit(f), jit(f)
        first(1.0)
        second(1.0)
        assert explain(second)[0].reasons == (
            "jit was called again, with the same function: call it once, and keep what it gives",
        )


class Strange(tuple[int, ...]):
    """Nothing of it can be asked for."""

    _fields = None

    @property  # type: ignore[misc]  # which is what is tested
    def __class__(self) -> Any:
        raise ValueError("no class")

    def __getattribute__(self, name: str) -> Any:
        raise ValueError("no attributes")

    def __iter__(self) -> Any:
        raise ValueError("no entries")


def test_no_code_of_what_is_closed_over_is_run() -> None:
    clear_caches()

    def called(number: int) -> Any:
        strange: dict[str, Any] = {"here": Strange((number,)), "nameless": Nameless()}
        strange["again"] = strange
        jitted: Any = jit(lambda x: (strange, x)[1])
        jitted(1.0)
        return explain(jitted)[0].reasons

    assert called(1) == ()
    assert called(2) == ("closed-over strange['here'][0] is 2, was 1",)


def test_what_is_static_or_closed_over_is_not_kept_alive() -> None:
    clear_caches()

    def called(held: Scale, static: Nameless) -> Any:
        jitted: Any = jit(lambda n, x: held(x), static_argnums=0)
        jitted(static, 1.0)
        return weakref.ref(held), weakref.ref(static), weakref.ref(jitted)

    references = called(Scale(2.0), Nameless(3))
    gc.collect()
    assert [reference() for reference in references] == [None] * 3


def test_partial_applications_in_a_loop_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    clear_caches()
    monkeypatch.setattr("lowering.explanation.compilations._LONG", 0.0)
    with pytest.warns(
        RuntimeWarning, match="16 programs of _scaled were made in .* closed-over factor is 15, was 14; "
    ):
        for factor in range(16):
            jit(partial(_scaled, factor))(fx.ones(()))

"""Why a program was compiled: each thing that makes a new one is named, against the nearest one that was there."""

from __future__ import annotations

import logging
import time
import warnings
from typing import Any

import pytest

import effects as fx
from handlers import vmap
from lowering import clear_caches, explain, jit


def _step(params: Any, x: Any, n: int = 1) -> Any:
    return x * params["w"] + params.get("b", 0.0) + n


CASES: dict[str, tuple[Any, Any, tuple[str, ...]]] = {
    "shape": (({"w": 1.0}, fx.ones(3)), ({"w": 1.0}, fx.ones(4)), ("argument x is float64[4], was float64[3]",)),
    "dtype": (
        ({"w": 1.0}, fx.ones(3)),
        ({"w": 1.0}, fx.ones(3, dtype=fx.float32)),
        ("argument x is float32[3], was float64[3]",),
    ),
    "structure": (
        ({"w": 1.0}, fx.ones(3)),
        ({"w": 1.0, "b": fx.ones(3)}, fx.ones(3)),
        ("argument params['b'] is new, float64[3]",),
    ),
    "less": (
        ({"w": 1.0, "b": fx.ones(3)}, fx.ones(3)),
        ({"w": 1.0}, fx.ones(3)),
        ("argument params['b'] is gone",),
    ),
    "static": (({"w": 1.0}, fx.ones(3), 1), ({"w": 1.0}, fx.ones(3), 2), ("static argument n is 2, was 1",)),
    "two things": (
        ({"w": 1.0}, fx.ones(3), 1),
        ({"w": 1.0}, fx.ones(2), 2),
        ("argument x is float64[2], was float64[3]", "static argument n is 2, was 1"),
    ),
}


@pytest.mark.parametrize(("first", "second", "reasons"), CASES.values(), ids=CASES)
def test_what_differs_is_named(first: Any, second: Any, reasons: tuple[str, ...]) -> None:
    clear_caches()
    step = jit(_step, static_argnames="n")
    for arguments in (first, second, first):
        step(*arguments)
    one, two = explain(step)
    assert (one.number, one.reasons, one.nearest) == (1, (), None)
    assert (two.number, two.nearest) == (2, 1)
    assert two.reasons == reasons
    assert two.source is not None and two.source.file == __file__


def test_the_nearest_program_is_compared() -> None:
    clear_caches()
    add: Any = jit(lambda x, y: x + y)
    for x, y in [(fx.ones(3), 1.0), (fx.ones((2, 2)), fx.ones((2, 2))), (fx.ones(3), fx.ones(3))]:
        add(x, y)
    assert (explain(add)[2].nearest, len(explain(add)[2].reasons)) == (1, 1)


def test_a_default_float_of_another_size_is_named() -> None:
    clear_caches()
    add: Any = jit(lambda x: x + fx.zeros(()))
    x = fx.ones(2)
    add(x)
    with fx.default_float(fx.float32):
        add(x)
    assert explain(add)[1].reasons == ("the default float is float32, was float64",)


def test_functions_that_are_made_anew_are_seen_with_what_they_close_over() -> None:
    clear_caches()

    def scaled(factor: float) -> Any:
        return jit(lambda x: x * factor)

    for last in map(scaled, (2.0, 3.0, 3.0)):
        last(fx.ones(2))
    (program,) = explain(last)  # of the third
    assert len(explain(scaled(2.0))) == 0
    assert program.number == 3 and program.nearest == 2 and program.origin.value == "shared with an equal program"
    assert program.reasons == ("jit was called again, with a function that is made anew: call it once, outside",)
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
    assert after(fx.cos)[0].reasons[0].startswith("closed-over f is cos of line ")


def test_calls_under_a_transformation_compile_nothing_of_their_own() -> None:
    double = jit(lambda x: x * 2)
    vmap(double)(fx.ones(3))
    assert len(explain(double)) == 0


def test_the_text_says_all_of_it() -> None:
    clear_caches()
    cube: Any = jit(lambda x: x**3)
    cube(fx.ones(2))
    cube(fx.ones(5))
    lines = repr(explain(cube)).splitlines()
    assert lines[0] == "jit(<lambda>): 2 programs" and lines[1] == "  1. the first"
    assert lines[4] == "  2. argument x is float64[5], was float64[2] (program 1)"
    assert (
        " s compiled, 2 equations" in lines[2].replace("loaded from disk", "compiled") and f"at {__file__}:" in lines[3]
    )


def test_the_log_says_it_when_it_happens(caplog: pytest.LogCaptureFixture) -> None:
    clear_caches()
    logged: Any = jit(lambda x: x + 7)
    with caplog.at_level(logging.INFO, "effax"):
        logged(fx.ones(2))
        logged(fx.ones(2))
        logged(fx.ones(3))
    lines = [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]
    assert len(lines) == 2 and "argument x is float64[3], was float64[2]" in lines[1]


def test_compiling_again_and_again_warns_once() -> None:
    clear_caches()

    @jit
    def growing(x: Any) -> Any:
        time.sleep(0.07)
        return x + 1

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for size in range(1, 25):
            growing(fx.ones(size))
    (warning,) = [w for w in caught if "programs of growing were compiled" in str(w.message)]
    assert str(warning.message).startswith("16 programs of growing") and warning.filename == __file__
    assert "argument x is float64[16], was float64[15]; see lowering.explain(growing)" in str(warning.message)


def test_the_memory_is_bounded() -> None:
    many: Any = jit(lambda x: x - 1)
    for size in range(1, 50):
        many(fx.ones(size))
    assert [explain(many)[0].number, explain(many)[-1].number, len(explain(many))] == [18, 49, 32]


@pytest.mark.parametrize("argument", [fx.sin, lambda x: x, 3, None])
def test_what_is_not_jitted_is_refused(argument: Any) -> None:
    with pytest.raises(fx.ArgumentError, match="explain: jitted must be what jit gave"):
        explain(argument)

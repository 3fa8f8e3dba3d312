"""Why a program was compiled: each thing that makes a new one is named, against the nearest one that was there."""

from __future__ import annotations

import logging
import time
import warnings
from collections import OrderedDict, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

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
    "less": (({"w": 1.0, "b": fx.ones(3)}, fx.ones(3)), ({"w": 1.0}, fx.ones(3)), ("argument params['b'] is gone",)),
    "static": (({"w": 1.0}, fx.ones(3), 1), ({"w": 1.0}, fx.ones(3), 2), ("static argument n is 2, was 1",)),
    "two things": (
        ({"w": 1.0}, fx.ones(3), 1),
        ({"w": 1.0}, fx.ones(2), 2),
        ("argument x is float64[2], was float64[3]", "static argument n is 2, was 1"),
    ),
}


@fx.register(static=("rate",))
@dataclass
class Layer:
    w: Any
    rate: object


class Wider(NamedTuple):
    w: Any


class Point(NamedTuple):
    x: object
    y: object


TREES: dict[str, tuple[Any, Any, tuple[str, ...]]] = {
    "a static field": (Layer(1.0, 2), Layer(1.0, 3), ("argument tree.rate is 3, was 2",)),
    "a list and a tuple": ([1.0], (1.0,), ("argument tree is a tuple, was a list",)),
    "further in": ({"a": [1.0]}, {"a": (1.0,)}, ("argument tree['a'] is a tuple, was a list",)),
    "another class": (
        Layer(1.0, 2),
        Wider(1.0),
        ("argument tree is a Wider, was a Layer", "argument tree.rate is gone"),
    ),
    "a node for a leaf": (1.0, [1.0], ("argument tree is a list, was float64[]", "argument tree[0] is new, float64[]")),
    "None": (1.0, None, ("argument tree is None, was float64[]",)),
    "a number and an array": (
        1.0,
        fx.asarray(1.0),
        ("argument tree, float64[], is not weak, was weak, as Python's numbers are",),
    ),
    "an order": (
        OrderedDict(a=1.0, b=2.0),
        OrderedDict(b=1.0, a=2.0),
        ("the order of argument tree is ('b', 'a'), was ('a', 'b')",),
    ),
    "a default": (
        defaultdict(int, a=1.0),
        defaultdict(float, a=1.0),
        ("the default of argument tree is float, was int",),
    ),
    "a function in a tree": (
        fx.Partial(fx.sin, 1.0),
        fx.Partial(fx.cos, 1.0),
        ("the static data of argument tree is cos, was sin",),
    ),
}


@pytest.mark.parametrize(("first", "second", "reasons"), TREES.values(), ids=TREES)
def test_the_structure_of_a_tree_is_a_reason_also_where_the_program_is_shared(
    first: Any, second: Any, reasons: tuple[str, ...]
) -> None:
    clear_caches()
    f: Any = jit(lambda tree: 1.0)
    for tree in (first, second, first, second):
        f(tree)
    one, two = explain(f)
    assert (one.reasons, two.nearest, two.origin.value) == ((), 1, "shared with an equal program")
    assert two.reasons == reasons


def test_the_way_an_argument_is_given_is_a_reason() -> None:
    clear_caches()
    f: Any = jit(lambda x, n: x, static_argnames="n")
    for arguments, names in ((1.0, 2), {}), ((1.0,), {"n": 2}), ((), {"x": 1.0, "n": 2}):
        f(*arguments, **names)
    assert [program.reasons for program in explain(f)] == [
        (),
        ("static argument n, 2, is given by name, was given by position",),
        ("argument x, float64[], is given by name, was given by position",),
    ]


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


class Nameless:
    """Its instances have no text."""

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def __repr__(self) -> str:
        raise ValueError("no text")

    def __hash__(self) -> int:
        return self.number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Nameless) and self.number == other.number

    def __lt__(self, other: Nameless) -> bool:
        return self.number < other.number


def test_static_values_are_told_apart_whatever_their_text_says() -> None:
    clear_caches()
    many = tuple(range(100_000))
    shown, line = "(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, ...)", _step.__code__.co_firstlineno
    values: list[tuple[object, str]] = [
        (1.0, " is 1.0, was 1"),
        (True, " is True, was 1.0"),
        (Nameless(1), " is a Nameless, was True"),
        (Nameless(2), ", a Nameless, is another one"),
        (many, f" is {shown}, was a Nameless"),
        ((*many, 1), f", {shown}, is another one"),
        (_step, f" is _step of line {line}, was {shown}"),
        (10**5000, f" is an int, was _step of line {line}"),
        (Point("x" * 50, 1), f" is Point(x='{'x' * 48}..., was an int"),
        (Point("x" * 50, 2), f" is ...{'x' * 50}', y=2), was ...{'x' * 50}', y=1)"),
    ]
    f: Any = jit(lambda n, x: x, static_argnums=0)
    for n in (1, *[value for value, _ in values]):
        f(n, 1.0)
    reasons = [program.reasons for program in explain(f)]
    assert reasons == [(), *[(f"static argument n{words}",) for _, words in values]]


def test_many_differences_are_counted() -> None:
    clear_caches()
    f: Any = jit(lambda *xs: xs[0])
    for size in (3, 4):
        f(*[fx.ones(size)] * 30)
    named = [f"argument args[{i}] is float64[4], was float64[3]" for i in range(3)]
    assert explain(f)[1].reasons == (*named, "and 27 more")


def test_keys_without_a_text_are_different_ones() -> None:
    clear_caches()
    f: Any = jit(lambda tree: 1.0)
    for count in (2, 3):
        f({Nameless(i): float(i) for i in range(count)})
    assert explain(f)[1].reasons == ("argument tree[a value] (3) is new, float64[]",)


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


def test_threads_that_wait_for_a_program_have_made_none() -> None:
    f = jit(lambda x: fx.sum(fx.sin(x) @ x))
    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(f, [fx.ones((3, 3))] * 8))
    assert len(set(map(float, values))) == 1 and len(explain(f)) == 1


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
    (warning,) = [w for w in caught if "programs of growing were made" in str(w.message)]
    assert str(warning.message).startswith("16 programs of growing") and warning.filename == __file__
    assert "argument x is float64[16], was float64[15]; see lowering.explain(growing)" in str(warning.message)


def test_the_memory_is_bounded() -> None:
    many: Any = jit(lambda x: x - 1)
    for size in range(1, 50):
        many(fx.ones(size))
    assert [explain(many)[0].number, explain(many)[-1].number, len(explain(many))] == [18, 49, 32]
    assert repr(explain(many)).startswith("jit(<lambda>): the latest 32 of 49 programs\n 18. argument x is float64[18]")


@pytest.mark.parametrize("argument", [fx.sin, lambda x: x, 3, None])
def test_what_is_not_jitted_is_refused(argument: Any) -> None:
    with pytest.raises(fx.ArgumentError, match="explain: jitted must be what jit gave"):
        explain(argument)

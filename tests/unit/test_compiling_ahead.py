"""Programs that are compiled ahead: found by the calls, several at a time, with what is wrong told at the end."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import effects as fx
from effects.errors import ArgumentError, CompileError, ShapeError, UnsupportedVersion
from lowering import Compiled, compilation, compile_all, jit, trace
from tests.processes import printed

pytestmark = pytest.mark.usefixtures("compiled_here")
X = fx.ShapedArray((3,), fx.float64)


type Compile = Callable[..., Any]


@pytest.fixture
def compiling(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], None]], list[str]]:
    """Does something before each program is compiled; the names of those that were."""
    compile_module: Compile = compilation.compile_module

    def first(do: Callable[[str], None]) -> list[str]:
        names: list[str] = []

        def counted(module: Any, *rest: Any) -> Any:
            name = module.ir.operation.attributes["sym_name"].value
            do(name)
            names.append(name)
            return compile_module(module, *rest)

        monkeypatch.setattr(compilation, "compile_module", counted)
        return names

    return first


def nothing(_: str) -> None:
    pass


def programs(count: int) -> list[tuple[Callable[[Any], Any], fx.ShapedArray]]:
    def program(i: int) -> Callable[[Any], Any]:
        return jit(lambda x: fx.sin(x) + i)

    return [(program(i), X) for i in range(count)]


def test_calls_find_what_was_compiled_ahead(compiling: Any) -> None:
    names = compiling(nothing)

    @jit(static_argnums=0, donate_argnums=1)
    def step(n: int, x: Any, *, scale: Any) -> Any:
        return x * n * scale

    def plain(x: Any) -> Any:
        return fx.cos(x)

    made = compile_all([trace(step, 2, X, scale=1.5), (jit(plain), X), (plain, fx.ones((2, 2)))])
    assert sorted(names) == ["plain", "plain", "step"]
    assert [type(one) for one in made] == [Compiled] * 3
    assert made[0](fx.ones(3), scale=2.0).tolist() == [4.0] * 3
    assert step(2, fx.ones(3), scale=3.0).tolist() == [6.0] * 3
    assert float(jit(plain)(fx.zeros(3))[0]) == float(made[1](fx.zeros(3))[0]) == 1.0
    assert jit(plain)(fx.zeros((2, 2))).tolist() == [[1.0] * 2] * 2
    assert len(names) == 3
    assert compile_all([]) == []
    assert compile_all(iter([(jit(plain), X)]))[0](fx.zeros(3)).tolist() == [1.0] * 3
    assert len(names) == 3


def test_several_are_compiled_at_a_time(compiling: Any) -> None:
    together = threading.Barrier(3, timeout=60)
    names = compiling(lambda _: together.wait())
    made = compile_all(programs(6), threads=3)  # which would wait for ever with fewer
    assert len(names) == 6
    assert [float(one(fx.zeros(3))[0]) for one in made] == [float(i) for i in range(6)]


def test_no_more_than_asked_for_at_a_time(compiling: Any) -> None:
    alone = threading.Lock()

    def once(_: str) -> None:
        assert alone.acquire(blocking=False)
        threading.Event().wait(0.01)
        alone.release()

    names = compiling(once)
    compile_all(programs(4), threads=1)
    assert len(names) == 4


def test_settings_of_the_caller_hold() -> None:
    with fx.default_float(fx.float32):
        (made,) = compile_all([(lambda x: x * fx.ones(3), fx.ShapedArray((3,), fx.float32))])
    assert made(fx.ones(3, dtype=fx.float32)).dtype == fx.float32


def test_all_others_are_compiled_when_some_are_wrong(compiling: Any) -> None:
    def refused(name: str) -> None:
        if name == "unlucky":
            raise CompileError("XLA could not compile the program for cpu:0: no")

    names = compiling(refused)

    def unlucky(x: Any) -> Any:
        return fx.tan(x)

    def wrong(x: Any) -> Any:
        return x + fx.ones(4)

    def broken(x: Any, n: int) -> Any:
        raise ZeroDivisionError

    good = programs(3)
    with pytest.raises(ExceptionGroup, match="compile_all: 3 of 6 programs could not be compiled") as caught:
        compile_all([good[0], (unlucky, X), good[1], (wrong, X), trace(good[2][0], X), (broken, fx.ones(3), 2)])
    assert names == ["lambda"] * 3
    first, second, third = caught.value.exceptions
    assert isinstance(first, CompileError)
    assert isinstance(second, ShapeError)
    assert isinstance(third, ZeroDivisionError)
    notes = [error.__notes__ for error in caught.value.exceptions]
    assert notes == [
        ["compile_all: in program 1, unlucky(float64[3])"],
        ["compile_all: in program 3, wrong(float64[3])"],
        ["compile_all: in program 5, broken(float64[3], 2)"],
    ]
    for f, _ in good:
        f(fx.ones(3))
    assert names == ["lambda"] * 3


def test_an_interrupt_ends_it_at_once(compiling: Any) -> None:
    go_on = threading.Event()

    def interrupted(_: str) -> None:
        time.sleep(0.3)  # until it is waited for: CPython may lose a signal while it begins to wait
        os.kill(os.getpid(), signal.SIGINT)
        go_on.wait(60)

    names = compiling(interrupted)
    with pytest.raises(KeyboardInterrupt):
        compile_all(programs(5), threads=1)
    assert names == []  # the first is being compiled still
    go_on.set()
    for thread in threading.enumerate():
        if thread.name.startswith("effax compiles"):
            thread.join(60)
    assert len(names) == 1
    compiling(nothing)
    assert len(compile_all(programs(5))) == 5


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_is_shown_on_a_terminal_or_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream, progress, shown in (
        (Terminal(), None, True),
        (Terminal(), False, False),
        (io.StringIO(), None, False),
        (io.StringIO(), True, True),
    ):
        monkeypatch.setattr(sys, "stderr", stream)
        compile_all(programs(2), progress=progress)
        assert ("compiling: 100%" in stream.getvalue() and "2/2" in stream.getvalue()) == shown
        assert bool(stream.getvalue()) == shown


def test_without_the_package_of_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert len(compile_all(programs(2))) == 2
    with pytest.raises(UnsupportedVersion, match=r"compile_all: progress=True needs the package tqdm: pip install"):
        compile_all(programs(2), progress=True)


def test_arguments() -> None:
    given: Any
    for given, said in (
        (3, "compile_all: programs must be a list of tuples"),
        ([fx.sin], "compile_all: programs[0] must be a tuple"),
        ([(fx.sin, X), ()], "compile_all: programs[1] must be a tuple"),
        ([(3, X)], "compile_all: programs[0] must be a tuple"),
    ):
        with pytest.raises(ArgumentError, match=re.escape(said)):
            compile_all(given)
    for threads in (0, -1, 1.5, "2"):
        given = threads
        with pytest.raises(ArgumentError, match="compile_all: threads must"):
            compile_all([], threads=given)
    given = "yes"
    with pytest.raises(ArgumentError, match="compile_all: progress must be True or False"):
        compile_all([], progress=given)


_AT_ONCE = """
import effects as fx
from lowering import compile_all
x = fx.ShapedArray((3,), fx.float32)
programs = [(lambda x, i=i: fx.cumsum(fx.sort(x) * i), x) for i in range(8)]
assert len(compile_all(programs, threads=8)) == 8
"""


def test_the_first_programs_of_a_process_at_once() -> None:
    """XLA prepares itself while it compiles the first ones, which once ended the process half of the time."""
    for _ in range(4):
        printed(_AT_ONCE, EFFAX_DISK="off")

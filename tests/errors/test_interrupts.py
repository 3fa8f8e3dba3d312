"""Interrupts (Ctrl-C) at every instruction: whatever a program was entering, doing or leaving, nothing stays behind."""

from __future__ import annotations

import dis
import gc
import io
import itertools
import random
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, suppress
from functools import cache
from types import CodeType, FrameType
from typing import Any

import pytest

from effects.program.chain import chain
from effects.runtime.caches import lock
from effects.runtime.cpython.extent import Extent
from effects.runtime.cpython.recursion import levels
from effects.runtime.cpython.source import current_location
from handlers import Log, checkpoint, custom_vjp, scan
from tests.errors.untyped import cond, fx, grad, jit, jvp, make_jaxpr, vmap

type Program = Callable[[], object]

x = fx.asarray(2.0)
xs = fx.ones(3)


def f(x: Any) -> Any:
    return fx.sin(x) * x


def chosen(x: Any) -> Any:
    return cond(x > 0, f, lambda x: x, x)


def looped(x: Any) -> Any:
    return scan(lambda c, _: (f(c), None), x, length=2)[0]


def ruled() -> Any:
    g = custom_vjp(fx.sin)
    g.defvjp(lambda x: (fx.sin(x), x), lambda x, ct: (ct * fx.cos(x),))
    return g


def logged() -> object:
    with Log(file=io.StringIO()):
        return f(x)


def with_default() -> object:
    with fx.default_float(fx.float32):
        return fx.zeros(2) + 1.0


def in_a_generator() -> object:
    def steps() -> Iterator[object]:
        with fx.default_float(fx.float32), Log(file=io.StringIO()):
            yield f(x)
            yield make_jaxpr(f)(x)

    return list(steps())


PROGRAMS: dict[str, Program] = {
    "trace": lambda: make_jaxpr(f)(x),
    "default_float": with_default,
    "a user's block": logged,
    "a generator": in_a_generator,
    "vmap": lambda: vmap(f)(xs),
    "jvp": lambda: jvp(f, (x,), (x,)),
    "grad": lambda: grad(f)(x),
    "cond": lambda: chosen(x),
    "jit": lambda: jit(vmap(grad(f))).trace(xs),
    "grad of cond": lambda: grad(chosen)(x),
    "vmap of cond": lambda: vmap(chosen)(xs),
    "scan": lambda: make_jaxpr(looped)(x),
    "grad of scan": lambda: make_jaxpr(grad(looped))(x),
    "custom_vjp": lambda: grad(ruled())(x),
    "checkpoint": lambda: make_jaxpr(grad(checkpoint(f)))(x),
}


def state() -> tuple[object, ...]:
    free = [repr(held).startswith("<unlocked") for held in (lock, levels._lock)]
    return chain(), current_location.get(), sys.getrecursionlimit(), gc.isenabled(), fx.zeros(()).dtype, free


LOOKED_FOR = ("CALL", "CALL_FUNCTION_EX", "JUMP_BACKWARD", "RESUME")


@cache
def deaf(code: CodeType) -> frozenset[int]:
    """Of a function that holds a lock, the instructions at which Python does not look for signals.

    It does after calls, where it jumps back and where a function begins. The call that lets go of the lock has done so.
    """
    if not {"lock", "_lock"}.intersection(code.co_names):
        return frozenset()
    every = list(dis.get_instructions(code))
    leaving = [
        before.opname == "LOAD_CONST" and before.argval is None and instruction.opname == "CALL"
        for before, instruction in itertools.pairwise(every)
    ]
    deaf = [e.offset for e, leaves in zip(every, [False, *leaving]) if leaves or e.opname not in LOOKED_FOR]
    return frozenset(deaf)


def watch(seen: Callable[[CodeType, int], object], program: Program) -> BaseException | None:
    """Run a program, calling `seen` before each instruction; the interrupt that ended it, with all of its frames."""
    monitoring, tool = sys.monitoring, sys.monitoring.DEBUGGER_ID
    monitoring.use_tool_id(tool, "interrupts")
    monitoring.register_callback(tool, monitoring.events.INSTRUCTION, seen)
    caught: BaseException | None = None
    try:
        monitoring.set_events(tool, monitoring.events.INSTRUCTION)
        program()
    except KeyboardInterrupt as error:
        caught = error
    finally:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)
    return caught


def instructions(program: Program) -> dict[tuple[CodeType, int], int]:
    """The instructions that a program executes, and how many it executed before it came to each."""
    count = itertools.count()
    reached: dict[tuple[CodeType, int], int] = {}
    watch(lambda code, offset: reached.setdefault((code, offset), next(count)), program)
    return {
        (code, offset): n
        for (code, offset), n in reached.items()
        if code is not watch.__code__ and offset not in deaf(code)
    }


def interrupt(program: Program, place: tuple[CodeType, int]) -> BaseException | None:
    """Run a program until it first comes to an instruction."""

    def seen(code: CodeType, offset: int) -> None:
        if code is place[0] and offset == place[1]:
            sys.monitoring.set_events(sys.monitoring.DEBUGGER_ID, 0)
            raise KeyboardInterrupt

    return watch(seen, program)


def check(program: Program, places: Collection[tuple[CodeType, int]]) -> int:
    """Interrupt a program at each of these instructions: how often it ended there."""
    before = state()
    stopped = 0
    for code, offset in places:
        error = interrupt(program, (code, offset))
        stopped += error is not None
        assert state() == before, f"{code.co_filename}: {code.co_name} {offset}"
    return stopped


@pytest.fixture(autouse=True)
def unraisable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python says that it lost an interrupt where it calls Python to free an object; that is none of ours."""
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)


CORE = (
    "effects/runtime/cpython/extent.py",
    "effects/program/chain.py",
    "effects/runtime/cpython/recursion.py",
    "handlers/stage.py",
    "handlers/forward.py",
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_at_every_instruction_of_entering_handling_and_leaving(name: str) -> None:
    program = PROGRAMS[name]
    program()
    places = [p for p in instructions(program) if p[0].co_filename.endswith((*CORE, "test_interrupts.py"))]
    assert check(program, places) > 0.9 * len(places) > 50
    program()


@pytest.mark.slow
def test_at_every_third_instruction() -> None:
    done: set[tuple[CodeType, int]] = set()
    stopped = tried = 0
    for program in PROGRAMS.values():
        program()
        places = [place for place in instructions(program) if place not in done]
        done.update(places)
        stopped += check(program, places[::3])
        tried += len(places[::3])
        program()
    assert stopped > 0.9 * tried  # but for what a program does once, as filling a cache
    assert len(done) > 5000


@pytest.mark.slow
def test_signals_at_random_times() -> None:
    def handler(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    def timed(program: Program) -> float:
        program()
        start = time.perf_counter()
        program()
        return time.perf_counter() - start

    longest = {name: timed(program) for name, program in PROGRAMS.items()}
    before, random_ = state(), random.Random(0)
    interrupts = 0
    handler_before = signal.signal(signal.SIGALRM, handler)
    try:
        while interrupts < 1000:
            name = random_.choice(list(PROGRAMS))
            try:
                signal.setitimer(signal.ITIMER_REAL, max(2e-6, random_.random() * longest[name]))
                PROGRAMS[name]()
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                interrupts += 1
            with suppress(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 0)
            assert state() == before, name
    finally:
        signal.signal(signal.SIGALRM, handler_before)


def test_an_interrupt_that_is_caught_in_a_block_leaves_the_block_as_it_was() -> None:
    def handled(x: Any) -> Any:
        raise KeyboardInterrupt

    def program(x: Any) -> Any:
        inside = chain()
        with pytest.raises(KeyboardInterrupt):
            vmap(grad(handled))(xs)
        with pytest.raises(KeyboardInterrupt):
            chosen_wrongly(x)
        assert chain() == inside
        return f(x)

    def chosen_wrongly(x: Any) -> Any:
        return cond(x > 0, handled, handled, x)

    assert grad(program)(2.0).tolist() == grad(f)(2.0).tolist()
    assert vmap(program)(xs).tolist() == f(xs).tolist()


@pytest.mark.parametrize("name", PROGRAMS)
def test_without_room_for_its_frames_a_program_leaves_nothing_behind(name: str) -> None:
    PROGRAMS[name]()
    before = state()

    def deep(room: int) -> object:
        frame: FrameType | None = sys._getframe()
        depth = 0
        while frame is not None:
            frame, depth = frame.f_back, depth + 1
        return down(sys.getrecursionlimit() - depth - room)

    def down(further: int) -> object:
        return down(further - 1) if further > 0 else PROGRAMS[name]()

    failures = 0
    for room in range(2, 100, 3):
        try:
            deep(room)
        except RecursionError:
            failures += 1
        assert state() == before, room
    assert failures


class Noted(Extent):
    def __init__(self) -> None:
        self.events: list[str] = []

    def __enter__(self) -> None:
        self.events.append("entered")

    def leave(self) -> None:
        self.events.append("left")


def test_an_extent_is_left_once() -> None:
    noted = Noted()
    assert hasattr(noted, "events")
    with noted:
        assert callable(noted.__exit__)
        assert noted.events == ["entered"]
    assert noted.events == ["entered", "left"]


def test_an_extent_on_a_stack() -> None:
    noted = Noted()
    with ExitStack() as stack:
        stack.enter_context(noted)
    assert noted.events == ["entered", "left"]


def test_default_float_as_a_decorator() -> None:
    @fx.default_float(fx.float32)  # type: ignore[untyped-decorator]  # of the namespace without types
    def zeros(again: bool = True) -> object:
        return zeros(False) if again else fx.zeros(()).dtype

    assert zeros() is fx.float32
    assert fx.zeros(()).dtype is fx.float64

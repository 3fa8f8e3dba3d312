"""`compile_all`: compiling programs before the first call needs them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from importlib import import_module
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, Final, Protocol, cast

from effects.arguments import counted, describe, flag, function_name, natural, refusal
from effects.arrays.array import Array
from effects.errors import ArgumentError, UnsupportedVersion
from lowering.inspection import trace
from lowering.pjrt.compile_threads import usable_cores
from lowering.stages import Compiled, Lowered, Trace

type ProgramToCompile = Trace | tuple[Any, ...]
"""A program to compile, as `(f, x, ...)`, or as the result of `trace(f, x, ..., name=...)`."""


class Bar(Protocol):
    """Interface of a progress bar."""

    def update(self) -> object: ...


def compile_all(
    programs: Iterable[ProgramToCompile], /, *, threads: int | None = None, progress: bool | None = None
) -> list[Compiled]:
    """Compile many programs, several at a time, for later calls.

    Each program is a tuple of a function, jitted or not, and its arguments: arrays, or their types (`ShapedArray`). It
    may also be the result of `trace(f, ...)`, for arguments by name. Functions are traced one after another in this
    thread, and compiled on `threads` threads (by default as many as processors). Results have the order of the
    programs.

    A bar on stderr shows the progress if that is a terminal; with `progress` True always, with False never. It needs
    the package tqdm, an extra: `pip install 'effax[progress]'`; without it there is no bar, and True is an error. An
    interrupt takes effect at once, and programs not yet begun are not compiled.

    Raises an ExceptionGroup of what is wrong with some of them when all others are compiled; a note of each says with
    which. Raises ArgumentError for other arguments, UnsupportedVersion where a bar is asked for without tqdm.

    >>> import effects as fx
    >>> from lowering import jit
    >>> step, loss = jit(fx.sin), jit(lambda x, y: fx.sum((x - y) ** 2))
    >>> x = fx.ShapedArray((3,), fx.float32)
    >>> len(compile_all([(step, x), (loss, x, x)]))
    2
    """
    numbered = list(enumerate(_checked(programs)))
    workers = usable_cores() if threads is None else natural("compile_all", "threads", threads)
    if workers == 0:
        raise ArgumentError("compile_all: threads must be positive, got 0")
    shows_progress = None if progress is None else flag("compile_all", "progress", progress)
    compiled, errors = dict[int, Compiled](), dict[int, Exception]()
    with _bar(len(numbered), shows_progress) as bar, _Pool(min(workers, len(numbered))) as pool:
        for number, program in numbered:
            try:
                traced = program if isinstance(program, Trace) else trace(*program)
                pool.start(number, traced.lower())
            except Exception as error:
                errors[number] = error
                bar.update()
        for _ in range(len(numbered) - len(errors)):
            number, outcome = pool.done.get()
            if isinstance(outcome, Compiled):
                compiled[number] = outcome
            else:
                errors[number] = outcome
            bar.update()
    if errors:
        failures = sorted(errors.items())
        for number, failure in failures:
            failure.add_note(f"compile_all: in program {number}, {_shown(numbered[number][1])}")
        failed = f"compile_all: {len(errors)} of {counted(len(numbered), 'program')} could not be compiled"
        raise ExceptionGroup(failed, [failure for _, failure in failures])
    return [compiled[number] for number, _ in numbered]


class _Pool:
    """Threads that compile. They end with the block, except while XLA compiles, and with the process at the latest."""

    def __init__(self, count: int) -> None:
        self.done: Final[SimpleQueue[tuple[int, Compiled | Exception]]] = SimpleQueue()
        self._waiting: Final[SimpleQueue[tuple[int, Lowered] | None]] = SimpleQueue()
        self._ended: Final = Event()
        self._count: Final = count

    def __enter__(self) -> _Pool:
        for _ in range(self._count):
            context = copy_context()
            Thread(target=context.run, args=(self._compile,), name="effax compiles ahead", daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        for _ in range(self._count):
            self._waiting.put(None)

    def start(self, number: int, lowered: Lowered) -> None:
        self._waiting.put((number, lowered))

    def _compile(self) -> None:
        while (job := self._waiting.get()) is not None and not self._ended.is_set():
            number, lowered = job
            try:
                self.done.put((number, lowered.compile()))
            except Exception as error:
                self.done.put((number, error))


def _checked(programs: object) -> Sequence[ProgramToCompile]:
    if isinstance(programs, str | bytes | Mapping | Array) or not isinstance(programs, Iterable):
        raise refusal("compile_all", "programs", "a list of tuples (f, x, ...)", programs)
    several = list(programs)
    for number, program in enumerate(several):
        if not isinstance(program, Trace) and not (isinstance(program, tuple) and program and callable(program[0])):
            raise ArgumentError(
                f"compile_all: programs[{number}] must be a tuple (f, x, ...) of a function and its arguments or their "
                f"types, or trace(f, x, ...), got {describe(program)}"
            )
    return several


def _shown(program: ProgramToCompile) -> str:
    if isinstance(program, Trace):
        return f"{program.fun_name}{program.in_avals[0]}"
    f, *args = program
    return f"{function_name(f)}({', '.join([str(getattr(arg, 'aval', arg)) for arg in args])})"


def _bar(total: int, shown: bool | None) -> AbstractContextManager[Bar]:
    silent = cast("AbstractContextManager[Bar]", nullcontext(_NoBar()))
    if shown is False or (shown is None and not (sys.stderr is not None and sys.stderr.isatty())):
        return silent
    try:
        tqdm: Callable[..., AbstractContextManager[Bar]] = import_module("tqdm").tqdm
    except ImportError:
        if shown:
            raise UnsupportedVersion(
                "compile_all: progress=True needs the package tqdm: pip install 'effax[progress]', or leave it out"
            ) from None
        return silent
    return tqdm(total=total, desc="compiling", unit="program")


class _NoBar:
    def update(self) -> None:
        pass

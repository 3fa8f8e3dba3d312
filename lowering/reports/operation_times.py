"""Time that each operation of a compiled program takes, as a table: `operation_times`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, final

from effects.arguments import check_callable, counted
from effects.arrays.array import Array
from effects.errors import ArgumentError, TreeError
from effects.program.chain import ROOT, current
from effects.runtime.tables import Table
from effects.trees.pytree import tree_map
from lowering.arrays import block_until_ready
from lowering.inspection import jitted
from lowering.pjrt import Recording, Session
from lowering.reports.instructions import Instruction, instructions, module_name

_LONG: Final = 0.5
_MOST_RUNS: Final = 20
_SHOWN: Final = 10


@final
@dataclass(frozen=True)
class OperationTime:
    """Time of one instruction of a program in a call.

    `kind` is what it computes: XLA's name of the operation, of the last ones in a fusion, or the name in a library.
    `seconds` are those of all its `runs` in a call: in a loop there are several. `bytes` are those of its operands and
    results in one run. `operation`, `function`, `file` and `line` are the user's, if known.
    """

    kind: str
    seconds: float
    runs: float
    bytes: int
    operation: str | None
    function: str | None
    file: str | None
    line: int | None


@final
class OperationTimes(Table[OperationTime]):
    """The table of `operation_times`: a row per instruction, the slowest first; its repr shows the first ten."""

    one = "operation"

    @property
    def seconds(self) -> float:
        """Total time of all rows in a call; some run at the same time, on several threads."""
        return sum([row.seconds for row in self.rows])

    def __str__(self) -> str:
        lines = [("time", "share", "runs", "bytes", "operation", "where")]
        for row in self.rows[:_SHOWN]:
            where = "" if row.file is None else f"{row.file}:{row.line} ({row.function})"
            share = f"{row.seconds / self.seconds:.1%}" if self.seconds else ""
            lines.append((f"{row.seconds * 1e6:.1f} µs", share, f"{row.runs:g}", f"{row.bytes}", row.kind, where))
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        drawn = [
            "  ".join([f"{cell:{'>' if i < 4 else '<'}{width}}" for i, (cell, width) in enumerate(zip(line, widths))])
            for line in lines
        ]
        slowest = f"the slowest {_SHOWN} of " if len(self.rows) > _SHOWN else ""
        total = f"{slowest}{counted(len(self.rows), self.one)}, {self.seconds * 1e6:.1f} µs in all"
        return "\n".join([*[line.rstrip() for line in drawn], total])

    __repr__ = __str__


def operation_times[**P](f: Callable[P, object], /, *args: P.args, **kwargs: P.kwargs) -> OperationTimes:
    """The time that each operation of `f`, jitted or not, takes when it is compiled and called with these arguments.

    `f` is called up to 20 times within half a second; the times are means from the runtime's profiler, over a mesh
    those of all devices. Donated arguments are copied for each call. Programs of this name in other threads are counted
    as well. A program on arrays of few elements is one instruction, a `call`.

    Raises ArgumentError in a transformation, what `f` raises, and DeviceError in a block of `profile`.

    >>> import effects as fx
    >>> times = operation_times(lambda x: fx.sort(fx.sin(x)), fx.ones(1000))
    >>> sorted(row.kind for row in times)
    ['sine', 'sort']
    >>> times[0].seconds > 0 and times[0].bytes >= 8000
    True
    """
    check_callable("operation_times", f)
    if current() is not ROOT:
        raise ArgumentError(
            "operation_times: it calls the function with values of the arguments, and a transformation has none; "
            "call it outside"
        )
    function, first = jitted(f)
    compiled = function.lower(*first, *args, **kwargs).compile()
    copied = _copied if compiled.donate_argnums else lambda argument: argument

    def call() -> None:
        block_until_ready(function(*first, *map(copied, args), **{name: copied(arg) for name, arg in kwargs.items()}))

    call()
    session, began = Session("operation_times"), time.perf_counter()
    try:
        for _ in range(_MOST_RUNS):
            call()
            if time.perf_counter() - began > _LONG:
                break
    finally:
        recording = session.stop()
    return OperationTimes(tuple(sorted(_rows(recording, compiled.as_text()), key=lambda row: -row.seconds)))


def _copied(argument: object) -> object:
    """A tree with copies of its arrays; other objects, which are static arguments, as they are."""
    try:
        copied: object = tree_map(lambda leaf: leaf.copy() if isinstance(leaf, Array) else leaf, argument)
    except (TreeError, ArgumentError):
        return argument
    return copied


def _rows(recording: Recording, text: str) -> Iterator[OperationTime]:
    known, name = instructions(text), module_name(text)
    events = [event for event in recording.events if event.module == name and event.instruction in known]
    calls = len({event.run for event in events})
    spent = dict[str, list[float]]()
    for event in events:
        spent.setdefault(event.instruction, []).append(event.seconds)
    measured = {known[name].computation for name in spent}
    for name, times in spent.items():
        if measured.isdisjoint(known[name].calls):  # else the times of its computations are reported
            yield _row(known[name], sum(times) / calls, len(times) / calls)


def _row(instruction: Instruction, seconds: float, runs: float) -> OperationTime:
    if instruction.source is None:
        return OperationTime(instruction.kind, seconds, runs, instruction.bytes, None, None, None, None)
    function, operation, file, line = instruction.source
    return OperationTime(instruction.kind, seconds, runs, instruction.bytes, operation, function, file, line)

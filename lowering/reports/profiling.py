"""`profile`: what runs in a block, as files that Perfetto and TensorBoard open."""

from __future__ import annotations

import gzip
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final, final

from effects.arguments import absolute_path, flag
from effects.errors import FileError
from effects.files.atomic_writes import translated_errors
from lowering.pjrt import Recording, Session
from lowering.reports.instructions import Instruction, instructions, module_name


def profile(folder: str | os.PathLike[str], *, python: bool = False) -> AbstractContextManager[Path]:
    """`with profile("folder"):` records what compiled programs do in the block, on all threads, and writes it.

    The block receives the new folder in `folder/plugins/profile` with two files: `*.trace.json.gz`, which
    ui.perfetto.dev opens, and `*.xplane.pb`, which `tensorboard --logdir folder` opens (with its plugin, xprof).
    Entries are named by operation, user's function, file and line: `tanh in layer (net.py:5)`. Programs of one
    structure are compiled once, and have the lines of the first. `python` also records every call of a Python function,
    which makes these several times slower. Calls return before their programs have ended: call `block_until_ready` in
    the block. The files are also written if the block raises an exception, which is passed on.

    Raises ArgumentError for what is no path, FileError where nothing can be written, before the block is entered;
    DeviceError in a block of another one, in any thread: a process has one at a time.

    >>> import tempfile
    >>> import effects as fx
    >>> from lowering import block_until_ready, jit
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with profile(folder) as written:
    ...         _ = block_until_ready(jit(fx.sin)(fx.ones(3)))
    ...     sorted(path.name.partition(".")[2] for path in written.iterdir())
    ['trace.json.gz', 'xplane.pb']
    """
    return _Profile(absolute_path("profile", "folder", folder), flag("profile", "python", python))


@final
class _Profile(AbstractContextManager[Path]):
    """Context manager that can be entered several times, one after the other; each writes its own folder."""

    def __init__(self, folder: Path, python: bool) -> None:
        self._folder: Final = folder
        self._python: Final = python

    def __enter__(self) -> Path:
        block = _profiled(self._folder, self._python)
        written = block.__enter__()
        self._block = block
        return written

    def __exit__(self, *error: Any) -> bool | None:
        return self._block.__exit__(*error)


@contextmanager
def _profiled(folder: Path, python: bool) -> Iterator[Path]:
    session = Session("profile", python=python)
    try:
        with translated_errors("profile", folder):
            written = _new_folder(folder / "plugins" / "profile")
    except BaseException:
        session.stop()
        raise
    try:
        yield written
    finally:
        recording = session.stop()
        with translated_errors("profile", written):
            recording.write(folder, written.name)
            for trace in written.glob("*.trace.json.gz"):
                _rename_instructions(trace, recording)


def _new_folder(folder: Path) -> Path:
    """The path of a new folder in this one, named by the time."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileNotFoundError:
        raise FileError(f"profile: {folder} cannot be made a folder") from None
    now = time.strftime("%Y_%m_%d_%H_%M_%S")
    for number in count(1):
        new = folder / (now if number == 1 else f"{now}_{number}")
        try:
            new.mkdir()
        except FileExistsError:
            continue
        return new
    raise AssertionError("there are more numbers than folders")


def _rename_instructions(trace: Path, recording: Recording) -> None:
    """Rename the instructions in a file for Perfetto to the user's operations, functions and lines."""
    programs, runs = _by_name(recording), _runs(recording)
    named = {ran: _instruction_names(programs, *ran) for ran in set(runs.values())}  # equal runs are named once
    with gzip.open(trace, "rt") as stream:
        written: dict[str, Any] = json.load(stream)
    for event in written["traceEvents"]:
        arguments = event.get("args", {})
        if (instruction := arguments.get("hlo_op")) is not None:
            ran = runs.get(int(arguments.get("run_id", 0)))
            event["name"] = event["name"] if ran is None else named[ran].get(instruction, event["name"])
    with gzip.open(trace, "wt") as stream:
        json.dump(written, stream)


def _by_name(recording: Recording) -> dict[str, list[dict[str, Instruction]]]:
    """The instructions of programs, by the names of the programs."""
    programs = dict[str, list[dict[str, Instruction]]]()
    for text in recording.programs:
        programs.setdefault(module_name(text), []).append(instructions(text))
    return programs


def _runs(recording: Recording) -> dict[int, tuple[str, frozenset[str]]]:
    """For every run, the name of its program and the instructions that ran."""
    ran = dict[int, tuple[str, set[str]]]()
    for event in recording.events:
        ran.setdefault(event.run[0], (event.module, set()))[1].add(event.instruction)
    return {run: (module, frozenset(instructions_run)) for run, (module, instructions_run) in ran.items()}


def _instruction_names(
    programs: Mapping[str, Sequence[Mapping[str, Instruction]]], module: str, ran: frozenset[str]
) -> dict[str, str]:
    """Names of a run's instructions, from all the programs that it may be of."""
    fitting = [program for program in programs.get(module, []) if ran <= program.keys()]
    return {name: " or ".join(dict.fromkeys([str(program[name]) for program in fitting])) for name in ran if fitting}

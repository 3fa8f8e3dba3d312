"""Checkpoints that something interrupts: what is there is whole, the interrupt reaches the user, the next is saved."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

import effects as fx
from lowering import checkpoint_steps, load_checkpoint, save_checkpoint, save_checkpoint_async
from lowering.checkpoints import chunks, folders, manifest
from lowering.checkpoints.saving import PendingCheckpoint
from tests.files.saved import same

pytest.importorskip("tensorstore")
TREE: Final = {"w": fx.asarray([1.5, float("nan")]), "n": 3}


STOPS: Final[dict[str, tuple[Any, str]]] = {
    "begun": (folders, "shutil.rmtree"),
    "written": (chunks, "_result"),
    "said": (manifest, "write"),
    "renamed": (folders, "_flush"),
}


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError("no space"), MemoryError])
@pytest.mark.parametrize("where", STOPS)
def test_what_interrupts_saving_leaves_what_was_there(
    where: str, stop: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_checkpoint(tmp_path, 1, TREE)
    (tmp_path / ".saving-9-0").mkdir()  # left by another

    def strike(*_: object, **__: object) -> None:
        raise stop

    owner, name = STOPS[where]
    with monkeypatch.context() as patched:
        patched.setattr(f"{owner.__name__}.{name}", strike)
        with pytest.raises(BaseException):  # noqa: B017  # an interrupt, too
            save_checkpoint(tmp_path, 2, TREE)
    assert checkpoint_steps(tmp_path) == (1,) and same(load_checkpoint(tmp_path), TREE)
    save_checkpoint(tmp_path, 2, TREE, keep=1)
    assert sorted(os.listdir(tmp_path)) == [".lock", "step-2"]


def test_an_interrupt_before_there_is_a_thread_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def strike(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("lowering.checkpoints.saving._thread.start_new_thread", strike)
        with pytest.raises(KeyboardInterrupt):
            save_checkpoint_async(tmp_path, 1, TREE)
    assert os.listdir(tmp_path) == [".lock"]
    save_checkpoint(tmp_path, 1, TREE)


def test_interrupts_wherever_they_are_looked_for_around_the_thread(tmp_path: Path) -> None:
    """When a function begins, and after calls. Each reaches the user, and the next is saved: nobody waits for ever."""
    monitoring, left = sys.monitoring, 0
    tool, began, called = monitoring.PROFILER_ID, monitoring.events.PY_START, monitoring.events.CALL

    def strike(*_: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt

    monitoring.use_tool_id(tool, "interrupts")
    for event in (began, monitoring.events.C_RETURN):
        monitoring.register_callback(tool, event, strike)
    for f in (PendingCheckpoint._start, PendingCheckpoint.wait, PendingCheckpoint._settle):
        monitoring.set_local_events(tool, f.__code__, began | called)
    try:
        for step in count(1):
            left = step
            try:
                save_checkpoint_async(tmp_path, step, TREE, keep=1).wait()
            except KeyboardInterrupt:
                continue
            break
    finally:
        for f in (PendingCheckpoint._start, PendingCheckpoint.wait, PendingCheckpoint._settle):
            monitoring.set_local_events(tool, f.__code__, 0)
        monitoring.free_tool_id(tool)
    assert step > 6 and checkpoint_steps(tmp_path) == (step,)


def _ran(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)]
    return subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)


def test_what_is_being_written_at_the_end_of_the_program_is_there_then(tmp_path: Path) -> None:
    program = """
        import sys, time, effects as fx
        from lowering import save_checkpoint_async
        from lowering.checkpoints import chunks
        write = chunks.write
        chunks.write = lambda *args: (time.sleep(0.5), write(*args))[1]
        save_checkpoint_async(sys.argv[1], 1, [fx.ones(3)])
        raise ValueError("meanwhile")
    """
    done = _ran(program, tmp_path)
    assert done.returncode == 1 and done.stderr.endswith("ValueError: meanwhile\n"), done.stderr
    assert same(load_checkpoint(tmp_path), [fx.ones(3)])


@pytest.mark.parametrize("after", [0.01, 0.1])
def test_an_interrupt_of_the_first_one_reaches_the_user_and_the_next_is_saved(after: float, tmp_path: Path) -> None:
    program = """
        import signal, sys, effects as fx
        from lowering import save_checkpoint
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, float(sys.argv[2]))
        try:
            save_checkpoint(sys.argv[1], 1, [fx.ones(3)])
            signal.pause()
        except KeyboardInterrupt:
            save_checkpoint(sys.argv[1], 2, [fx.ones(3)])
    """
    done = _ran(program, tmp_path, after)
    assert done.returncode == 0, done.stderr
    assert same(load_checkpoint(tmp_path, 2), [fx.ones(3)])


def test_real_interrupts(tmp_path: Path) -> None:
    """Wherever one strikes: what is there is whole, and the next is saved."""

    def strike(*_: object) -> None:
        raise KeyboardInterrupt

    struck, before = 0, signal.signal(signal.SIGALRM, strike)
    try:
        for step in range(60):
            f = (save_checkpoint, save_checkpoint_async)[step % 2]
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0002 * (step % 30 + 1))
                f(tmp_path, step, {"a": step, "b": [fx.full(3, float(step))] * 3}, keep=2)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                struck += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    save_checkpoint(tmp_path, 99, {"a": 99, "b": [fx.full(3, 99.0)] * 3}, keep=10)
    assert struck > 5 and not [name for name in os.listdir(tmp_path) if name.startswith(".saving")]
    for step in checkpoint_steps(tmp_path):
        found = load_checkpoint(tmp_path, step)
        assert found["a"] == step and all(fx.all(x == step) for x in found["b"])

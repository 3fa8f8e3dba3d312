"""`save_checkpoint`: a tree of arrays to a folder, by all processes at once, also while the program goes on."""

from __future__ import annotations

import _thread
import atexit
import os
import sys
import threading
from contextlib import suppress
from typing import Final, final

from effects.arguments import absolute_path, flag, integer, natural, shown
from effects.errors import ArgumentError
from lowering.checkpoints.writing import Job
from lowering.pjrt import processes


def save_checkpoint(
    folder: str | os.PathLike[str], step: int, tree: object, *, keep: int | None = None, overwrite: bool = False
) -> None:
    """Write a tree of arrays and numbers as the checkpoint of a step, from which `load_checkpoint` makes it again.

    `tree` is as for `save`, and its arrays may be sharded over meshes: each process writes its own parts, each part
    once. All processes call it, with the same shared folder, and with the same values of unsharded arrays. The
    checkpoint exists when all processes have written their parts; an interrupt before leaves earlier ones intact.
    `keep` is the number of checkpoints to keep: this one, and the last of the others. An existing step is refused,
    unless `overwrite`.

    Raises what `save` raises, DeletedArrayError naming an array that was donated, ArgumentError where processes save
    different trees or values, FileError where something cannot be written, in all processes, or where another program
    saves in this folder, UnsupportedVersion where the package tensorstore is not installed.

    >>> import effects as fx
    >>> import tempfile
    >>> from lowering import load_checkpoint
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_checkpoint(folder, 10, {"w": fx.ones(2), "rate": 0.5})
    ...     load_checkpoint(folder)
    {'rate': 0.5, 'w': Array([1., 1.], float64)}
    """
    with _turn:
        _after_what_is_written()
        _begun("save_checkpoint", folder, step, tree, keep, overwrite, copied=False).finish()


def save_checkpoint_async(
    folder: str | os.PathLike[str], step: int, tree: object, *, keep: int | None = None, overwrite: bool = False
) -> PendingCheckpoint:
    """Save as `save_checkpoint`, while the program goes on: the values are those at the call, whatever is done to them
    then.

    Errors of the arguments are raised here, later errors by `wait()` of the result, or else by the next save. The next
    save and the end of the program wait for this one.

    >>> import effects as fx
    >>> import tempfile
    >>> from lowering import checkpoint_steps
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pending = save_checkpoint_async(folder, 10, fx.ones(2))
    ...     pending.wait()
    ...     checkpoint_steps(folder)
    (10,)
    """
    with _turn:
        _after_what_is_written()
        job = _begun("save_checkpoint_async", folder, step, tree, keep, overwrite, copied=True)
        pending = PendingCheckpoint(step)
        pending._start(job)
        return pending


@final
class PendingCheckpoint:
    """A checkpoint that is being written, the result of `save_checkpoint_async`; `step` is its step."""

    def __init__(self, step: int) -> None:
        self.step: Final = step
        self._done = False
        self._error: BaseException | None = None
        self._writing: Final = _thread.allocate_lock()  # locked until it has ended
        self._writing.acquire()

    @property
    def done(self) -> bool:
        """Return True once it is there, or has failed."""
        return self._done

    def wait(self) -> None:
        """Return when it is there, and in all processes; raises what went wrong."""
        self._settle()
        with suppress(ValueError):  # another caller has waited, too
            _pending.remove(self)
        if self._error is not None:
            raise self._error

    def _settle(self) -> None:
        """Wait until it has ended."""
        with self._writing:
            pass

    def _start(self, job: Job) -> None:
        """Start the thread that finishes the checkpoint.

        An interrupt in the methods of `threading.Thread` and `threading.Event`, which are Python code, would leave
        their locks taken and the thread waiting for ever. Functions of `_thread` are not interrupted.
        """
        claimed = _thread.allocate_lock()  # by the thread, or after an interrupt before it started

        def run() -> None:
            if not claimed.acquire(blocking=False):
                return
            try:
                job.finish()
            except BaseException as error:
                self._error = error
            finally:
                self._end()

        try:
            _pending.append(self)
            _thread.start_new_thread(run, ())
        except BaseException as error:
            if claimed.acquire(blocking=False):
                self._end()
                job.give_up(error)
            raise

    def _end(self) -> None:
        self._done = True
        self._writing.release()

    def __repr__(self) -> str:
        state = "failed" if self._error is not None else "done" if self.done else "being written"
        return f"PendingCheckpoint(step={self.step}, {state})"


_turn: Final = threading.RLock()
"""Lock: checkpoints are saved one after the other."""
_pending: Final[list[PendingCheckpoint]] = []
"""Pending checkpoints for which `wait` was not called: one at most."""


def _after_what_is_written() -> None:
    for pending in tuple(_pending):
        pending.wait()


def settle() -> None:
    """Wait until this process writes no checkpoint."""
    for pending in tuple(_pending):
        pending._settle()


processes.before_leaving.append(settle)


@atexit.register
def _say_what_failed() -> None:
    settle()
    for pending in _pending:
        if pending._error is not None:
            print(f"the checkpoint of step {pending.step} was not saved: {pending._error}", file=sys.stderr)


def _begun(
    function: str, folder: object, step: object, tree: object, keep: object, overwrite: object, *, copied: bool
) -> Job:
    number = natural(function, "step", step)
    if keep is not None and integer(function, "keep", keep) < 1:
        raise ArgumentError(f"{function}: keep must be at least 1, or None to keep all, got {shown(keep)}")
    keep_count = None if keep is None else natural(function, "keep", keep)
    overwrites = flag(function, "overwrite", overwrite)
    where = absolute_path(function, "folder", folder)
    return Job(function, where, number, tree, keep=keep_count, overwrite=overwrites, copied=copied)

"""The folder of checkpoints: `step-N` for each complete step, and the temporary files of programs that save.

A checkpoint is written to a temporary folder, which is renamed when it is complete. A saving program holds a lock, so
that half-written folders of others are known to be abandoned. An overwritten step becomes `step-N.1`, then `step-N.2`,
so that the new one exists before the old one is removed.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, final

from effects.errors import FileError
from effects.files.atomic_writes import translated_errors
from lowering.checkpoints import manifest

_STEP: Final = re.compile(r"step-(0|[1-9][0-9]*)(?:\.([1-9][0-9]*))?")
_UNFINISHED, _REMOVED, _LOCK = ".saving-", ".left-", ".lock"
_NO_LOCKS: Final = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
"""Error numbers of file systems that have no locks."""


def refuse_file(function: str, path: Path) -> None:
    """Raise FileError for a file in place of a folder."""
    if path.is_file():
        raise FileError(f"{function}: {path} is a file; give the folder of checkpoints")


def complete(folder: Path) -> dict[int, Path]:
    """The folders of the steps that are complete, in the order of the steps."""
    versions = {step: [path for path in paths if _is_complete(path)] for step, paths in _step_folders(folder).items()}
    return {step: paths[-1] for step, paths in sorted(versions.items()) if paths}


def _is_complete(path: Path) -> bool:
    return (path / manifest.NAME).is_file()


def _step_folders(folder: Path) -> dict[int, list[Path]]:
    """The folders of each step, in the order in which they were written."""
    named = [(match, path) for path in folder.iterdir() if (match := _STEP.fullmatch(path.name))]
    written: dict[int, list[tuple[int, Path]]] = {}
    for match, path in named:
        written.setdefault(int(match[1]), []).append((int(match[2] or 0), path))
    return {step: [path for _, path in sorted(paths)] for step, paths in written.items()}


def unfinished(folder: Path, step: int) -> bool:
    """Return True if a program is writing this step, or has left it half-written."""
    being_written = any([path.name.startswith(f"{_UNFINISHED}{step}-") for path in folder.iterdir()])
    return being_written or step in _step_folders(folder)


@final
class Unfinished:
    """A checkpoint that is being written, at `path`; it is closed at the end, published or not."""

    def __init__(self, function: str, folder: Path, step: int, *, overwrite: bool) -> None:
        self._folder: Final = folder
        self._step: Final = step
        self.path: Final = folder / f"{_UNFINISHED}{step}-{secrets.token_hex(8)}"
        with translated_errors(function, folder):
            refuse_file(function, folder)
            folder.mkdir(parents=True, exist_ok=True)
            self._lock: Final = (folder / _LOCK).open("ab")  # it is closed when nothing refers to it
            only_writer = _lock(function, folder, self._lock)
            try:
                if step in (steps := complete(folder)) and not overwrite:
                    raise FileError(
                        f"{function}: {steps[step]} exists; pass overwrite=True to replace step {step}, or another step"
                    )
                if only_writer:
                    self._remove_abandoned()
                self.path.mkdir()
            except BaseException:
                _unlock(self._lock)
                raise

    def _remove_abandoned(self) -> None:
        """Remove the folders that killed programs have left; those of other users stay."""
        for path in self._folder.iterdir():
            if path.name.startswith((_UNFINISHED, _REMOVED)):
                shutil.rmtree(path, ignore_errors=True)
        for step, path in complete(self._folder).items():
            self._remove(
                [older for older in _step_folders(self._folder)[step] if _is_complete(older) and older != path]
            )

    def _remove(self, paths: Iterable[Path]) -> None:
        """Remove folders, renaming each first, so that no reader sees one without some of its files."""
        for path in paths:
            shutil.rmtree(path.rename(self._folder / f"{_REMOVED}{secrets.token_hex(8)}"), ignore_errors=True)

    def publish(self, function: str, keep: int | None) -> None:
        """Publish the complete checkpoint: rename it, and remove the ones that it replaces and those beyond `keep`."""
        with translated_errors(function, self._folder):
            previous = _step_folders(self._folder).get(self._step, [])
            latest = _STEP.fullmatch(previous[-1].name) if previous else None
            suffix = "" if latest is None else f".{int(latest[2] or 0) + 1}"
            _flush(self.path)
            self.path.rename(self._folder / f"step-{self._step}{suffix}")
            _flush(self._folder)
            self._remove(previous)
            others = [step for step in complete(self._folder) if step != self._step]
            for step in [] if keep is None else others[: max(len(others) - keep + 1, 0)]:
                self._remove(_step_folders(self._folder)[step])

    def close(self) -> None:
        """Remove the checkpoint if it is not published, and release the lock."""
        try:
            shutil.rmtree(self.path, ignore_errors=True)
        finally:
            _unlock(self._lock)


def _lock(function: str, folder: Path, lock: IO[bytes]) -> bool:
    """Lock a folder: True if it is certain that no other program saves there; FileError if one does."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileError(f"{function}: another program is saving in {folder}; give each a folder of its own") from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        return False
    return True


def _unlock(lock: IO[bytes]) -> None:
    if not lock.closed:
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_UN)  # also if a child of this process has the file
        lock.close()


def _flush(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)

"""A folder of compiled programs, which many processes read and write at once.

A file is written under another name and renamed, so that a reader sees all of it or nothing. A program that is read
gets the time of now; when all take more bytes than they may, those that were not read for the longest go first.
Nobody looks at all files whenever one is written: each process does when it has written a sixteenth of the bound.
Programs are run, so what another user could have written is not read.
"""

from __future__ import annotations

import os
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple, final

from returns.result import Failure, Result, Success

from effects.errors import FileError
from lowering.disk.entry import Entry, decoded, encoded

MISSING: Final = "not there"
_SUFFIX: Final = ".xla"
_UNFINISHED: Final = ".part"
_ABANDONED: Final = 3600.0
"""Seconds after which a file that nobody renamed belongs to a process that was killed."""


class Usage(NamedTuple):
    """The programs that lie in a folder, and their bytes."""

    programs: int
    bytes: int


@final
class Folder:
    """The programs in the folder `path`, of at most `max_bytes` together.

    One process keeps to that; several may go beyond it, each by a sixteenth, until the next of them looks.
    """

    __slots__ = ("_room", "max_bytes", "path")

    def __init__(self, path: Path, max_bytes: int) -> None:
        self.path: Final = path
        self.max_bytes: Final = max_bytes
        self._room = 0

    def prepare(self) -> None:
        """Make the folder unless it is there; FileError where it cannot be, or where others could write to it."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{self.path} cannot be a folder for compiled programs: {error.strerror}") from error
        self._check()

    def read(self, key: str) -> Result[Entry, str]:
        """The program of a key, or why there is none."""
        path = self._file(key)
        try:
            self._check()
            with path.open("rb") as file:
                if not _is_trusted(os.fstat(file.fileno())):
                    return Failure("another user's")
                content = file.read()
        except FileError as error:
            return Failure(error.message)
        except FileNotFoundError:
            return Failure(MISSING)
        except OSError as error:
            return Failure(f"unreadable: {error.strerror}")
        with suppress(OSError):  # a folder that is only read keeps no order
            os.utime(path)
        return decoded(content, key)

    def write(self, entry: Entry) -> Result[None, str]:
        """Keep a program, in the place of one of its key; or why it is not kept."""
        file = encoded(entry)
        if len(file) > self.max_bytes:
            return Failure("larger than the bound")
        try:
            self._check()
            self._room -= len(file)
            if self._room < 0:
                self._room = self._make_room(len(file))
            handle, name = tempfile.mkstemp(_UNFINISHED, dir=self.path)
            try:
                with os.fdopen(handle, "wb") as unfinished:
                    unfinished.write(file)
                os.replace(name, self._file(entry.key))
            except BaseException:
                with suppress(OSError):
                    os.unlink(name)
                raise
        except FileError as error:
            return Failure(error.message)
        except OSError as error:
            return Failure(f"not writable: {error.strerror}")
        return Success(None)

    def usage(self) -> Usage:
        """The programs that are there."""
        sizes = [status.st_size for _, status in self._programs()]
        return Usage(len(sizes), sum(sizes))

    def clear(self) -> None:
        """Remove all programs; what others remove meanwhile is gone as well."""
        for path, _ in self._programs():
            path.unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        return self.path / f"{key}{_SUFFIX}"

    def _check(self) -> None:
        """FileError for a folder that another user could have written to."""
        if not _is_trusted(self.path.stat()):
            raise FileError(
                f"{self.path} is no folder for compiled programs: others could write to it, and programs are run; make "
                "it yours alone (chmod go-w), or name another folder"
            )

    def _programs(self, suffix: str = _SUFFIX) -> list[tuple[Path, os.stat_result]]:
        """The files that end so. What is gone before it is looked at was removed by another process."""
        files: list[tuple[Path, os.stat_result]] = []
        with suppress(FileNotFoundError), os.scandir(self.path) as entries:
            for entry in entries:
                if entry.name.endswith(suffix):
                    with suppress(FileNotFoundError):
                        files.append((Path(entry.path), entry.stat()))
        return files

    def _make_room(self, size: int) -> int:
        """Remove what is too much when `size` bytes come, and what was left unfinished; the bytes free then."""
        programs = sorted(self._programs(), key=lambda program: program[1].st_mtime_ns)
        total = size + sum([status.st_size for _, status in programs])
        allowed = self.max_bytes if total <= self.max_bytes else max(self.max_bytes - self._share, size)
        for path, status in programs:
            if total <= allowed:
                break
            path.unlink(missing_ok=True)
            total -= status.st_size
        for path, status in self._programs(_UNFINISHED):
            if time.time() - status.st_mtime > _ABANDONED:
                path.unlink(missing_ok=True)
        return min(self.max_bytes - total, self._share)

    @property
    def _share(self) -> int:
        """The bytes that a process writes before it looks at what others wrote."""
        return self.max_bytes // 16


def _is_trusted(status: os.stat_result) -> bool:
    """Whether only this user, or the administrator, could have written it. Windows says it in another way."""
    if os.name != "posix":
        return True
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)

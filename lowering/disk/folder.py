"""A folder of compiled programs, which several processes may read and write at once.

A file is written under another name and renamed, so that a reader sees all of it or nothing. Reading a program updates
its time; beyond the bound on bytes, the least recently read programs are removed first. A process scans the files only
after it has written a sixteenth of the bound. Programs are machine code, so files that another user could have written
or replaced are not read.
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
EXPOSED: Final = "in a folder that others could write to"
_OTHER_USER: Final = "another user's"
_SUFFIX: Final = ".xla"
_UNFINISHED: Final = ".part"
_NONBLOCKING: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags for opening a file without blocking, which a pipe of its name would do."""
_ABANDONED: Final = 3600.0
"""Seconds after which a file that was not renamed belongs to a process that was killed."""


class Usage(NamedTuple):
    """The programs that lie in a folder, and their bytes."""

    programs: int
    bytes: int


@final
class Folder:
    """The programs in the folder `path`, of at most `max_bytes` together.

    Several processes may exceed the bound, each by a sixteenth of it, until the next one scans the files.
    """

    __slots__ = ("_bytes_before_scan", "max_bytes", "path")

    def __init__(self, path: Path, max_bytes: int) -> None:
        self.path: Final = path
        self.max_bytes: Final = max_bytes
        self._bytes_before_scan = 0

    def prepare(self) -> None:
        """Make the folder unless it is there; FileError where it cannot be, or where others could write to it."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{self.path} cannot be a folder for compiled programs: {error.strerror}") from error
        self._check()

    def read(self, key: str) -> Result[Entry, str]:
        """The program of a key, or why there is none."""
        path = self.file(key)
        try:
            self._check()
            with open(os.open(path, os.O_RDONLY | _NONBLOCKING), "rb") as file:
                if permission := _untrusted_permission(os.fstat(file.fileno())):
                    return Failure(permission)
                content = file.read()
        except FileError:
            return Failure(EXPOSED)
        except FileNotFoundError:
            return Failure(MISSING)
        except OSError as error:
            return Failure(f"unreadable: {error.strerror}")
        with suppress(OSError):  # the folder is read-only
            os.utime(path)
        return decoded(content, key)

    def write(self, entry: Entry) -> Result[None, str]:
        """Keep a program, in the place of one of its key; or why it is not kept."""
        file = encoded(entry)
        if len(file) > self.max_bytes:
            return Failure("larger than the bound")
        try:
            self._check()
            self._bytes_before_scan -= len(file)
            if self._bytes_before_scan < 0:
                self._bytes_before_scan = self._evict(len(file))
            handle, name = tempfile.mkstemp(_UNFINISHED, dir=self.path)
            try:
                with os.fdopen(handle, "wb") as unfinished:
                    unfinished.write(file)
                os.replace(name, self.file(entry.key))
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
        """Remove all programs; what others remove meanwhile is gone as well. FileError for one that has to stay."""
        for path, _ in self._programs():
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise FileError(f"{path} cannot be removed: {error.strerror}") from error

    def file(self, key: str) -> Path:
        """Path of the program of a key."""
        return self.path / f"{key}{_SUFFIX}"

    def _check(self) -> None:
        """FileError for a folder that another user could have written to, or put in the place of this one."""
        if permission := _untrusted_permission(self.path.stat()):
            problem, where = f"it is {permission}", self.path
        elif (ancestor := _exposed_ancestor(self.path)) is not None:
            permission = _untrusted_permission(ancestor.lstat())
            problem, where = f"others could put another in its place, as {ancestor} is {permission}", ancestor
        else:
            return
        advice = "" if permission == _OTHER_USER else f"make that yours alone (chmod go-w {where}), or "
        raise FileError(
            f"{self.path} is not a safe folder for compiled programs: {problem}; {advice}name another folder"
        )

    def _programs(self, suffix: str = _SUFFIX) -> list[tuple[Path, os.stat_result]]:
        """The files with this suffix. Other processes may remove some meanwhile."""
        files: list[tuple[Path, os.stat_result]] = []
        with suppress(OSError), os.scandir(self.path) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    if entry.name.endswith(suffix) and entry.is_file(follow_symlinks=False):
                        files.append((Path(entry.path), entry.stat()))
        return files

    def _evict(self, size: int) -> int:
        """Remove programs until `size` more bytes fit, and abandoned files; returns the number of free bytes."""
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
        """Number of bytes that a process writes before it scans the files of all."""
        return self.max_bytes // 16


def _untrusted_permission(status: os.stat_result) -> str:
    """Description of how users other than this one and the administrator could write there; "" if they cannot.

    On Windows permissions are not checked.
    """
    if os.name != "posix":
        return ""
    if status.st_uid not in _trusted_users():
        return _OTHER_USER
    return "writable for others" if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


def _trusted_users() -> tuple[int, int]:
    return os.geteuid(), 0


def _exposed_ancestor(path: Path) -> Path | None:
    """A folder or a link above `path`, or above the target of a link, through which others could replace `path`."""
    waiting, visited = [path], set[Path]()
    while waiting and os.name == "posix":
        folder = waiting.pop()
        if folder in visited:
            continue
        visited.add(folder)
        if folder.is_symlink():
            if folder.lstat().st_uid not in _trusted_users():
                return folder
            waiting.append(folder.parent / folder.readlink())
        elif folder != path and _others_can_replace(folder.stat()):
            return folder
        waiting.append(folder.parent)
    return None


def _others_can_replace(folder: os.stat_result) -> bool:
    """Return True if others could rename its files; not if it is sticky, or its group has only this user."""
    if folder.st_uid not in _trusted_users():
        return True
    writers = stat.S_IWOTH if folder.st_gid == folder.st_uid else stat.S_IWOTH | stat.S_IWGRP
    return bool(folder.st_mode & writers) and not folder.st_mode & stat.S_ISVTX

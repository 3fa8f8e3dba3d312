"""Settings of the program caches, in memory and on disk."""

from __future__ import annotations

import os

from effects.arguments import absolute_path, flag, integer, number
from effects.errors import ArgumentError
from effects.runtime import caches
from effects.runtime.caches import PROGRAMS
from lowering.disk.folder import Folder
from lowering.disk.programs import DISK, MAX_BYTES, MIN_SECONDS, DiskReport, Settings, default_folder


def clear_caches(*, disk: bool = False) -> None:
    """Empty the caches of compiled programs and all others; with `disk` also remove the programs on disk.

    Jitted functions are traced and compiled, or loaded from disk, at their next call. The programs on disk are those of
    all processes that use the folder.

    Raises ArgumentError for a `disk` that is no bool, FileError for programs that cannot be removed.

    >>> clear_caches()
    """
    on_disk = flag("clear_caches", "disk", disk)
    caches.clear()
    if on_disk and (folder := DISK.settings.folder) is not None:
        folder.clear()


def keep_programs(count: int) -> None:
    """Keep at most `count` compiled programs (at first 1024), and as many of what they are made of.

    This number is kept for each jitted function, as long as it lives, and once more for all deleted functions and for
    loops outside `jit`. The least recently used are evicted first, and compiled again if needed. A program takes some
    0.2 MB, a large one more.

    Raises ArgumentError for what is not a positive int.

    >>> keep_programs(1024)
    """
    PROGRAMS.count = _positive("keep_programs", "count", count)


def keep_on_disk(
    folder: str | os.PathLike[str] | bool = True, *, max_bytes: int = MAX_BYTES, min_seconds: float = MIN_SECONDS
) -> None:
    """Keep compiled programs in a folder, from which other processes load them, and this one when it starts again.

    `folder` is True for the user's cache folder on this platform (the default), a path for another one, or False for
    none; the environment variable `EFFAX_DISK` sets the same: `on`, a path, or `off`. A program is kept if XLA took at
    least `min_seconds` to compile it. Beyond `max_bytes` in all, the least recently used are removed. Programs that
    call Python are not kept. The counts of `disk_report` start from zero.

    A missing folder is created, for this user alone. Programs are machine code: a folder that other users can write to
    or replace is refused.

    Raises ArgumentError for other arguments, FileError for a folder that cannot be made, or is refused.

    >>> import tempfile
    >>> from lowering import disk_report
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     keep_on_disk(folder, max_bytes=10**8)
    ...     disk_report().programs
    0
    >>> keep_on_disk(False)
    >>> print(disk_report())
    no programs are kept on disk
    """
    bound = _positive("keep_on_disk", "max_bytes", max_bytes)
    seconds = number("keep_on_disk", "min_seconds", min_seconds)
    if not seconds >= 0:
        raise ArgumentError(f"keep_on_disk: min_seconds must not be negative, got {seconds}")
    if folder is False:
        DISK.configure(Settings(None, seconds))
        return
    path = default_folder() if folder is True else absolute_path("keep_on_disk", "folder", folder)
    programs = Folder(path, bound)
    programs.prepare()
    DISK.configure(Settings(programs, seconds))


def disk_report() -> DiskReport:
    """The programs on disk, their bytes, and how often this process found one, or why not.

    >>> report = disk_report()
    >>> report.hits >= 0 and report.bytes >= 0
    True
    """
    return DISK.report()


def _positive(function: str, argument: str, value: object) -> int:
    size = integer(function, argument, value)
    if size < 1:
        raise ArgumentError(f"{function}: {argument} must be positive, got {size}")
    return size

"""The disk cache of this process: its folder, which programs it stores, and counts of hits and misses.

EFFAX_DISK   a folder for compiled programs, `off` or 0 for none, `on` or 1 for the user's cache folder, as without it
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple, final

from returns.result import Success

from effects.arguments import absolute_path, counted
from effects.errors import ArgumentError, CompileError, FileError
from lowering.disk.entry import Entry
from lowering.disk.folder import EXPOSED, MISSING, Folder, Usage

MAX_BYTES: Final = 2**30
MIN_SECONDS: Final = 0.05
_COMPILED_QUICKLY: Final = "compiled quickly"
_CALLS_PYTHON: Final = "calls Python"
OFF: Final = frozenset({"off", "0", "false", "no"})
_ON: Final = frozenset({"", "on", "1", "true", "yes"})
_FOLDER_ADVICE: Final = "keep_on_disk(folder) or EFFAX_DISK=folder names another one, EFFAX_DISK=off keeps none"
_log: Final = logging.getLogger("effax")


class Settings(NamedTuple):
    """Folder of the programs, None for no folder, and the compile time in seconds from which on a program is stored.

    `refused` says why the folder that the environment names is not used.
    """

    folder: Folder | None
    min_seconds: float
    refused: str = ""


@final
@dataclass(frozen=True, slots=True)
class DiskReport:
    """The programs on disk, and what they saved this process."""

    folder: Path | None
    """Folder of the programs; None where none are stored."""
    programs: int
    """Number of programs in the folder now, of all processes."""
    bytes: int
    """Their size."""
    max_bytes: int
    """The bound of that."""
    hits: int
    """Number of programs that this process found in place of compiling them."""
    written: int
    """Number of programs that this process has stored."""
    misses: Mapping[str, int]
    """Number of programs not found, by the reason: `not there`, `damaged`, …"""
    left_out: Mapping[str, int]
    """Number of programs compiled and not stored, by the reason: `compiled quickly`, `calls Python`, …"""
    seconds_saved: float
    """Compile time of the programs that were found, less the time to load them."""
    refused: str = ""
    """Reason why the folder named by the environment, or the user's, is not used; empty where none is refused."""

    def __str__(self) -> str:
        if self.folder is None:
            return "no programs are kept on disk" + (f": {self.refused}" if self.refused else "")
        contents = f"{counted(self.programs, 'program')}, {self.bytes:,} bytes of at most {self.max_bytes:,}"
        return (
            f"{contents}, in {self.folder}\n"
            f"this process: {counted(self.hits, 'hit')}, {self.seconds_saved:.1f} s saved; {self.written} written\n"
            f"misses: {_listed(self.misses)}\n"
            f"not kept: {_listed(self.left_out)}"
        )


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join([f"{count} {reason}" for reason, count in counts.items()]) or "none"


def default_folder() -> Path:
    """The user's cache folder on this platform, as `platformdirs` says; FileError where there is none."""
    from platformdirs import user_cache_path  # noqa: PLC0415  # a few ms, which who names a folder need not spend

    folder = user_cache_path("effax", appauthor=False) / "programs"
    if not folder.is_absolute():  # a relative path would depend on where the program is started
        raise FileError(f"there is no cache folder of this user for compiled programs: {folder}, without a home")
    return folder


@final
class Disk:
    """The disk cache of compiled programs."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._settings: Settings | None = None
        self._reset_counts()

    def _reset_counts(self) -> None:
        self._hits = self._written = 0
        self._saved = 0.0
        self._misses: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()

    @property
    def settings(self) -> Settings:
        """Settings given to `configure`, at first those of the environment."""
        with self._lock:
            if self._settings is None:
                self._settings = _from_environment()
            return self._settings

    def configure(self, settings: Settings) -> None:
        """Use another folder, or none; the counts start from zero."""
        with self._lock:
            self._settings = settings
            self._reset_counts()

    def count_calling_python(self) -> None:
        """Count a program that is not stored, since it calls Python."""
        with self._lock:
            self._left_out[_CALLS_PYTHON] += 1

    def loaded_or_built[T](
        self, folder: Folder, key: str, name: str, build: Callable[[], T], load: Callable[[bytes], T], pack: Pack[T]
    ) -> tuple[T, bool]:
        """The program of a key, and True if it was loaded; otherwise it was built, and stored.

        `load` raises CompileError for programs that the runtime refuses, and `pack` if the runtime cannot serialise
        them.
        """
        start = time.perf_counter()
        entry = folder.read(key)
        reason = ""
        if isinstance(entry, Success):
            try:
                program = load(entry.unwrap().executable)
            except CompileError as error:
                reason = f"refused by the runtime: {error.message}"
            else:
                self._count_hit(entry.unwrap(), time.perf_counter() - start)
                return program, True
        self._count_miss(reason or entry.failure(), folder.file(key))
        start = time.perf_counter()
        program = build()
        self._keep(folder, key, name, time.perf_counter() - start, lambda: pack(program))
        return program, False

    def _keep(self, folder: Folder, key: str, name: str, seconds: float, pack: Callable[[], bytes]) -> None:
        if seconds < self.settings.min_seconds:
            self._count(self._left_out, _COMPILED_QUICKLY)
            return
        try:
            result = folder.write(Entry(key, name, seconds, pack()))
            reason = "" if isinstance(result, Success) else result.failure()
        except CompileError as error:
            reason = error.message
        if not reason:
            with self._lock:
                self._written += 1
        elif self._count(self._left_out, reason):
            _log.warning("effax: a compiled program is not kept in %s: %s; %s", folder.path, reason, _FOLDER_ADVICE)

    def _count_miss(self, reason: str, file: Path) -> None:
        if self._count(self._misses, reason) and reason != MISSING:
            replaced = "" if reason == EXPOSED else ", and replaced"
            _log.warning("effax: the compiled program %s is %s; it is compiled again%s", file, reason, replaced)

    def _count(self, counts: Counter[str], reason: str) -> bool:
        """Count a program for a reason; True for the first of it."""
        with self._lock:
            counts[reason] += 1
            return counts[reason] == 1

    def _count_hit(self, entry: Entry, seconds: float) -> None:
        with self._lock:
            self._hits += 1
            self._saved += entry.seconds - seconds
        _log.debug("%s: loaded from disk in %.3f s, compiled in %.3f s", entry.name, seconds, entry.seconds)

    def report(self) -> DiskReport:
        """Contents of the disk cache, and the counts of this process."""
        folder, _, refused = self.settings
        usage = Usage(0, 0) if folder is None else folder.usage()
        with self._lock:
            return DiskReport(
                folder=None if folder is None else folder.path,
                programs=usage.programs,
                bytes=usage.bytes,
                max_bytes=0 if folder is None else folder.max_bytes,
                hits=self._hits,
                written=self._written,
                misses=MappingProxyType(dict(self._misses)),
                left_out=MappingProxyType(dict(self._left_out)),
                seconds_saved=self._saved,
                refused=refused,
            )


type Pack[T] = Callable[[T], bytes]
DISK: Final = Disk()


def _from_environment() -> Settings:
    """Settings with the folder of the environment, or the user's; none, and a warning, if it cannot be used."""
    setting = os.environ.get("EFFAX_DISK", "").strip()
    if setting.lower() in OFF:
        return Settings(None, MIN_SECONDS)
    try:
        path = default_folder() if setting.lower() in _ON else absolute_path("EFFAX_DISK", "the folder", setting)
        folder = Folder(path, MAX_BYTES)
        folder.prepare()
    except (ArgumentError, FileError) as error:
        _log.warning("effax: no compiled programs are kept on disk: %s; %s", error.message, _FOLDER_ADVICE)
        return Settings(None, MIN_SECONDS, error.message)
    return Settings(folder, MIN_SECONDS)

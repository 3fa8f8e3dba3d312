"""The runtime's profiler: the instructions that run in this process during a session, and their times."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple, final

from effects.errors import DeviceError, FileError
from lowering.pjrt.protocols import RawProfile, hlo, native, profile_data, profiler

type Field = int | memoryview
_PLANES, _NAME, _EVENTS, _KEY, _VALUE, _STATS, _BYTES, _MODULE = 1, 2, 4, 1, 2, 5, 6, 1  # fields of `xplane.proto`
_PROGRAMS: Final = b"/host:metadata"
_one: Final = threading.Lock()
"""Lock of the session that records: the runtime has one, and reports a second one only at its end."""


class Event(NamedTuple):
    """An instruction that ran: the names of program and instruction, the run, the device, and the time."""

    module: str
    run: tuple[int, int]
    instruction: str
    seconds: float


@final
class Session:
    """A recording of all threads, from the constructor to `stop`; with `python` also of Python calls.

    Raises DeviceError, in the name of `function`, where one is going on already: a process has one at a time.
    """

    def __init__(self, function: str, *, python: bool = False) -> None:
        if not _one.acquire(blocking=False):
            raise DeviceError(f"{function}: a profile is taken in this process already, and there is one at a time")
        options = profiler.ProfileOptions()
        options.python_tracer_level = int(python)
        self._function: Final = function
        self._raw: Final = profiler.ProfilerSession(options)

    def stop(self) -> Recording:
        """End it and return the recording. DeviceError if another library had begun one before."""
        try:
            return Recording(self._raw.stop())
        except native.JaxRuntimeError as error:
            raise DeviceError(f"{self._function}: nothing was recorded: {error}") from None
        finally:
            _one.release()


@final
class Recording:
    """Recording of a profiler session."""

    def __init__(self, data: bytes) -> None:
        self._data: Final = data

    @cached_property
    def programs(self) -> list[str]:
        """The HLO texts of the programs.

        Programs of one name are not distinguished: a loaded one has the number of another process.
        """
        texts = list[str]()
        for number, plane in _fields(memoryview(self._data)):
            parts = list(_fields(plane)) if number == _PLANES else []
            if not any([field == _NAME and bytes(_buffer(value)) == _PROGRAMS for field, value in parts]):
                continue
            for event in [dict(_fields(part))[_VALUE] for field, part in parts if field == _EVENTS]:
                for stat in [dict(_fields(part)) for field, part in _fields(event) if field == _STATS]:
                    if _BYTES in stat:
                        module = bytes(_buffer(dict(_fields(stat[_BYTES]))[_MODULE]))
                        texts.append(hlo.HloModule.from_serialized_hlo_module_proto(module).to_string())
        return texts

    @cached_property
    def events(self) -> list[Event]:
        """Events of programs that ran."""
        events = list[Event]()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the runtime's classes warn, which would end the process if it raised
            for plane in self._profile.planes:
                for line in plane.lines:
                    for event in line.events:
                        stats = dict(event.stats)
                        if "hlo_op" in stats:
                            run = stats.get("run_id", 0), stats.get("device_ordinal", 0)
                            events.append(
                                Event(stats.get("hlo_module", ""), run, stats["hlo_op"], event.duration_ns * 1e-9)
                            )
        return events

    def write(self, folder: Path, session: str) -> None:
        """Write `*.xplane.pb`, where TensorBoard looks for it, and beside it `*.trace.json.gz` for Perfetto."""
        try:
            profiler.export_to_xprof(self._profile, str(folder), session)
        except native.JaxRuntimeError as error:
            raise FileError(f"profile: {folder}: {error}") from None

    @cached_property
    def _profile(self) -> RawProfile:
        profile: RawProfile = profile_data.ProfileData.from_serialized_xspace(self._data)
        return profile


def _fields(message: Field) -> Iterator[tuple[int, Field]]:
    """The fields of a protocol buffer: their numbers and contents."""
    data, at = _buffer(message), 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            yield tag >> 3, number()
        else:
            size = {1: 8, 5: 4}.get(tag & 7) or number()
            yield tag >> 3, data[at : at + size]
            at += size


def _buffer(field: Field) -> memoryview:
    assert isinstance(field, memoryview), "a field of this number holds a message or text"
    return field

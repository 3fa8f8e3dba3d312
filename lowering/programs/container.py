"""Layout of a program file: its first line, the checksum of the header, the header, and the parts.

    effax program 1
    7d0c…                       SHA-256 of the next line
    {"head": …, "parts": [[name, bytes, SHA-256], …]}
    the parts, one behind the other

A checksum covers every byte, and tools that read StableHLO find it without effax.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping
from typing import IO, Any, Final

from effects.arguments import shown
from effects.errors import TreeError
from effects.files.formats import Unreadable

_FORMAT: Final = b"effax program "
_VERSION: Final = 1
_MAX_FIRST_LINE: Final = 40
"""Largest number of bytes of the first line."""

type Head = Mapping[str, Any]
type Parts = Mapping[str, bytes | memoryview]


def write(stream: IO[bytes], head: Head, parts: Parts) -> None:
    """Write a file; TreeError for trees that are nested too deeply."""
    listed = [[name, len(data), _sum(data)] for name, data in parts.items()]
    try:
        line = json.dumps({"head": head, "parts": listed}).encode()
    except RecursionError:
        raise TreeError("save: the arguments or the results are nested too deeply for a file") from None
    stream.write(_FORMAT + b"%d\n" % _VERSION + _sum(line).encode() + b"\n" + line + b"\n")
    for data in parts.values():
        stream.write(data)


def read(data: bytes) -> tuple[Head, dict[str, memoryview]]:
    """The head and the parts of a file; Unreadable for another format, another version, or a damaged file."""
    if not data.startswith(_FORMAT):
        begins = f"it begins with {shown(data[:_MAX_FIRST_LINE])}" if data else "it is empty"
        raise Unreadable(f"it is not a program that export wrote: {begins}")
    ends = [0]
    for field in ("version", "sum", "head"):
        ends.append(data.find(b"\n", ends[-1]) + 1)
        if not ends[-1]:
            raise Unreadable(f"it is truncated: its {field} has no end")
        if field == "version" and (version := data[len(_FORMAT) : ends[-1] - 1]) != b"%d" % _VERSION:
            raise Unreadable(f"it is of version {shown(version)[2:-1]}, and this effax reads version {_VERSION}")
    checksum, line = (data[start : end - 1] for start, end in itertools.pairwise(ends[1:]))
    if checksum != _sum(line).encode():
        raise Unreadable("its head was altered: its checksum differs")
    try:
        head = json.loads(line)
    except RecursionError:
        raise Unreadable("its head is nested too deeply") from None
    match head:
        case {"head": dict(head), "parts": list(listed)}:
            return head, _parts(listed, memoryview(data)[ends[-1] :])
        case _:
            raise Unreadable("its head is not that of a program")


def _parts(listed: list[Any], data: memoryview) -> dict[str, memoryview]:
    parts: dict[str, memoryview] = {}
    for each in listed:
        match each:
            case [str(name), int(size), str(checksum)] if size >= 0:
                parts[name], data = data[:size], data[size:]
            case _:
                raise Unreadable("its head lists invalid parts")
        if len(parts[name]) < size:
            raise Unreadable("it is truncated", name)
        if _sum(parts[name]) != checksum:
            raise Unreadable("it was altered: its checksum differs", name)
    if len(data):
        raise Unreadable(f"there are {len(data)} bytes more after its last part")
    return parts


def _sum(data: bytes | memoryview) -> str:
    return hashlib.sha256(data).hexdigest()

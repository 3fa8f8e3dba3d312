"""Manifest of a checkpoint: the structure of its tree, and the type and the folder of each array.

It is written last, so a checkpoint without one is not complete, and it has a checksum.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from effects.errors import EffaxError
from effects.files import structure
from effects.files.atomic_writes import atomic_write
from effects.files.formats import Unreadable
from effects.files.structure import Node
from effects.types.avals import ShapedArray
from effects.types.dtypes import as_dtype

NAME: Final = "manifest.json"
_VERSION: Final = 1
_CHUNK_BYTES: Final = 16 << 20
"""Approximate bytes of a chunk: chunks are read and written whole, also for a part of an array."""
_MAX_REFINEMENT: Final = 16
"""Factor by which a chunk may be smaller, if sizes do not divide otherwise."""


class Entry(NamedTuple):
    """An array of a checkpoint: its type, its folder, the shape of its chunks, and their checksums.

    Its metadata have a checksum, too. Checksums include the name of the file, so a chunk of another file does not pass.
    """

    aval: ShapedArray
    folder: str
    chunk: tuple[int, ...]
    sums: Mapping[str, str]


class Manifest(NamedTuple):
    """The structure of a tree, and the arrays of it by name."""

    node: Node
    entries: Mapping[str, Entry]


def entry(name: str, number: int, aval: ShapedArray, block: tuple[int, ...]) -> Entry:
    """Entry of an array that is written by blocks of whole chunks, so that no chunk has two writers."""
    safe_name = "".join([c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in name])[:100]
    return Entry(ShapedArray(aval.shape, aval.dtype), f"{number}.{safe_name}", _chunk(block, aval.dtype.itemsize), {})


def _chunk(block: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The shape of chunks: equal parts of a block along its first dimensions.

    >>> _chunk((50257, 768), 4), _chunk((4, 1 << 30), 1), _chunk((0, 3), 8)
    ((1733, 768), (1, 16777216), (1, 3))
    """
    chunk = [max(size, 1) for size in block]
    for dim, size in enumerate(chunk):
        parts = -(-math.prod(chunk) * itemsize // _CHUNK_BYTES)
        if parts <= 1:
            break
        least_parts = min(parts, size)
        chunk[dim] = size // next((p for p in range(least_parts, _MAX_REFINEMENT * least_parts) if size % p == 0), 1)
    return tuple(chunk)


def text(manifest: Manifest) -> bytes:
    """Text of the manifest file; TreeError for a tree that is nested too deeply."""
    arrays = {
        name: {"dtype": e.aval.dtype.name, "shape": e.aval.shape, "folder": e.folder, "chunk": e.chunk, "sums": e.sums}
        for name, e in manifest.entries.items()
    }
    content = json.loads(json.dumps({"structure": structure.written(manifest.node, {}), "arrays": arrays}))
    return json.dumps({"checkpoint": _VERSION, "sum": _sum(content), "content": content}).encode()


def write(path: Path, text: bytes) -> None:
    """Write the manifest to a folder that has the arrays."""
    with atomic_write(path / NAME) as stream:
        stream.write(text)


def _sum(content: object) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def read(path: Path) -> Manifest:
    """Read the manifest in a folder; Unreadable where it is broken, or there is none."""
    try:
        document = json.loads((path / NAME).read_bytes())
    except FileNotFoundError:
        raise Unreadable("it has no manifest") from None
    except (ValueError, RecursionError):
        raise Unreadable("its manifest is broken: it is not JSON") from None
    match document:
        case {"checkpoint": int(version)} if version != _VERSION:
            raise Unreadable(f"it is of version {version}, and this effax reads version {_VERSION}")
        case {"checkpoint": _, "sum": checksum, "content": content} if checksum != _sum(content):
            raise Unreadable("its manifest is broken: its checksum differs")
        case {"checkpoint": _, "sum": _, "content": {"structure": str(tree), "arrays": dict(arrays)}}:
            try:
                node, _ = structure.read(tree)
            except ValueError as error:
                raise Unreadable(f"the structure in its manifest cannot be read: {error}") from None
            return Manifest(node, {name: _entry(name, described_array) for name, described_array in arrays.items()})
        case _:
            raise Unreadable("its manifest is not effax's")


def _entry(name: str, document: object) -> Entry:
    match document:
        case {
            "dtype": str(dtype),
            "shape": list(shape),
            "folder": str(folder),
            "chunk": list(chunk),
            "sums": dict(sums),
        }:
            inside = Path(folder).name == folder and folder not in ("", ".", "..")
            sizes = all([type(n) is int and n >= 0 for n in shape]) and all([type(n) is int and n > 0 for n in chunk])
            if not inside or len(chunk) != len(shape) or not sizes or len(sums) != 1 + _number_of_chunks(shape, chunk):
                raise Unreadable("its manifest does not describe an array", name)
            try:
                return Entry(ShapedArray(tuple(shape), as_dtype(dtype)), folder, tuple(chunk), sums)
            except EffaxError as error:
                raise Unreadable(error.reason, name) from None
        case _:
            raise Unreadable("its manifest does not describe an array", name)


def _number_of_chunks(shape: Sequence[int], chunk: Sequence[int]) -> int:
    return math.prod([-(-size // part) for size, part in zip(shape, chunk, strict=True)])

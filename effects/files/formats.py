"""Formats of files that hold arrays by their names and the text of the structure: a writer and a reader for each."""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import IO, Final, NamedTuple, cast

import numpy as np

from effects.arguments import shown
from effects.arrays.concrete import Host
from effects.errors import UnsupportedVersion
from effects.files.structure import RESERVED, written
from effects.types import dtypes
from effects.types.dtypes import DType

_TREE: Final = RESERVED[0]
_NPY: Final = b"\x93NUMPY"
_ZIP: Final = b"PK"


class Contents(NamedTuple):
    """Arrays of a file by name, and the text of their structure; None if the file has none."""

    arrays: Mapping[str, Host]
    text: str | None


class Unreadable(Exception):
    """Error of a file that cannot be read; `entry` is the array that the message is about."""

    def __init__(self, reason: object, entry: str | None = None) -> None:
        super().__init__(reason)
        self.entry = entry


# -- dtypes that a format lacks are written as others of their size --------------------------------------------------

_AS_BITS: Final = {d: f"u{d.itemsize}" for d in dtypes.ALL if d.dtype.isbuiltin == 2}  # those of ml_dtypes
STORED: Final[dict[str, Mapping[type[DType], str]]] = {
    "npy": {},
    "npz": _AS_BITS,
    "safetensors": {dtypes.float8_e4m3b11fnuz: "u1", dtypes.complex128: "f8"},
}
"""For each format, the dtypes that it writes as another: bits as integers, complex numbers as pairs."""


def stored(host: Host, dtype: type[DType], format: str) -> Host:
    """The elements in a dtype that the format has."""
    as_other = STORED[format].get(dtype)
    plain: Host = np.asarray(host, order="C")
    if as_other is None:
        return plain
    shape = (*plain.shape, 2) if issubclass(dtype, dtypes.Complex) else plain.shape
    return plain.reshape(-1).view(as_other).reshape(shape)


def restored(host: Host, dtype: type[DType]) -> Host:
    """The elements from those of `stored`; raises ValueError if they do not fit."""
    if issubclass(dtype, dtypes.Complex):
        if host.shape[-1:] != (2,) or host.dtype != np.dtype("f8"):
            raise ValueError(f"it should be {dtype} as pairs of float64, but is {host.dtype}{list(host.shape)}")
        return host.reshape(-1).view(dtype.dtype).reshape(host.shape[:-1])
    if host.dtype.kind != "u" or host.dtype.itemsize != dtype.dtype.itemsize:
        raise ValueError(f"it should be {dtype} as integers of its size, but is {host.dtype}")
    return host.view(dtype.dtype)


# -- .npy and .npz ---------------------------------------------------------------------------------------------------


def _write_npy(stream: IO[bytes], contents: Contents) -> None:
    (host,) = contents.arrays.values()
    np.lib.format.write_array(stream, host, allow_pickle=False)


def _write_npz(stream: IO[bytes], contents: Contents) -> None:
    with zipfile.ZipFile(stream, "w") as archive:
        for name, host in {_TREE: np.array(contents.text), **contents.arrays}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, host, allow_pickle=False)


_HEADERS: Final = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
"""The readers of headers, by versions; the third is for records."""


def _array(stream: io.BufferedIOBase, name: str | None, size: int) -> Host:
    """One array in NumPy's format, of `size` bytes; objects are never unpickled.

    The header's sizes are compared with them before memory is allocated.
    """
    try:
        version = np.lib.format.read_magic(stream)
        if version not in _HEADERS:
            raise ValueError(f"it is of version {version}")
        shape, in_columns, dtype = _HEADERS[version](stream)
    except Exception as error:  # NumPy uses Python's parser, which may raise any error
        raise Unreadable(f"its header is broken: {error}", name) from None
    if dtype.hasobject:
        raise Unreadable("it holds Python objects, which are never unpickled; save arrays of numbers instead", name)
    claimed, available = math.prod(shape) * dtype.itemsize, size - stream.tell()
    if min(shape, default=0) < 0 or claimed != available:
        raise Unreadable(
            f"its header says {dtype}{list(shape)}, which are {claimed} bytes, and it has {available}", name
        )
    try:
        memory = np.empty(claimed, np.uint8)
        if stream.readinto(memory.data) < claimed:
            raise Unreadable("it is truncated", name)
        return np.ndarray(shape, dtype, memory, order="F" if in_columns else "C")
    except (TypeError, ValueError, OverflowError, MemoryError) as error:
        raise Unreadable(error, name) from None


def _read_npy(stream: io.BufferedIOBase) -> Contents:
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    return Contents({"array": _array(stream, None, size)}, written("array", {}))


def _read_npz(stream: io.BufferedIOBase) -> Contents:
    arrays: dict[str, Host] = {}
    try:
        with zipfile.ZipFile(stream) as archive:
            for info in archive.infolist():
                name = info.filename.removesuffix(".npy")
                if name == info.filename or name in arrays:
                    raise Unreadable("a .npz file has one array in NumPy's format for each name", info.filename)
                if info.file_size > _most(info, name):
                    raise Unreadable(f"it claims that {info.compress_size} bytes become {info.file_size}", name)
                try:
                    with archive.open(info) as entry:
                        arrays[name] = _array(cast(io.BufferedIOBase, entry), name, info.file_size)
                        entry.read(1)  # compares the checksum
                except _BROKEN as error:
                    raise Unreadable(error, name) from None
    except _BROKEN as error:
        raise Unreadable(f"it is not a .npz file, an archive of arrays, or only part of one: {error}") from None
    text = arrays.pop(_TREE, None)
    return Contents(arrays, None if text is None else _text(text))


def _text(host: Host) -> str:
    """The text in an array, whose characters NumPy does not check."""
    if host.shape or host.dtype.kind != "U":
        raise Unreadable("it is not text", _TREE)
    try:
        return host.astype(host.dtype.newbyteorder("<")).tobytes().decode("utf-32-le").rstrip("\0")
    except UnicodeDecodeError as error:
        raise Unreadable(error, _TREE) from None


def _most(info: zipfile.ZipInfo, name: str) -> int:
    """Largest number of bytes of a decompressed entry."""
    if info.compress_type == zipfile.ZIP_STORED:
        return info.compress_size
    times = _TIMES_OF_TEXT if name == _TREE else _TIMES
    return _ALWAYS + times * info.compress_size if info.compress_type == zipfile.ZIP_DEFLATED else -1


_TIMES: Final = 1032
"""Largest factor by which the one compression method that NumPy writes can shrink data."""
_TIMES_OF_TEXT: Final = 100
_ALWAYS: Final = 2**20
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)
"""Errors that the reader of archives raises for broken, encrypted and other files."""


# -- .safetensors ----------------------------------------------------------------------------------------------------


def _safetensors(module: str) -> ModuleType:
    try:
        return import_module(module)  # an extra, which most programs do without
    except ImportError:
        raise UnsupportedVersion(
            ".safetensors files need the package safetensors: pip install safetensors, or write .npz"
        ) from None


def _write_safetensors(stream: IO[bytes], contents: Contents) -> None:
    stream.write(_safetensors("safetensors.numpy").save(dict(contents.arrays), {"effax": contents.text}))


_CODES: Final[dict[str, type[DType]]] = {
    **{"BOOL": dtypes.bool_, "C64": dtypes.complex64, "BF16": dtypes.bfloat16},
    **{
        f"{d.dtype.kind.upper()}{8 * d.itemsize}": d
        for d in dtypes.ALL
        if d.dtype.isbuiltin == 1 and d.dtype.kind in "iuf"
    },
    **{"F8_E4M3": dtypes.float8_e4m3fn, "F8_E5M2": dtypes.float8_e5m2},
    **{"F8_E4M3FNUZ": dtypes.float8_e4m3fnuz, "F8_E5M2FNUZ": dtypes.float8_e5m2fnuz},
}
"""The format's names of dtypes."""


def _read_safetensors(stream: io.BufferedIOBase) -> Contents:
    data = stream.read()
    package = _safetensors("safetensors")
    try:
        entries = package.deserialize(data)
        size = int.from_bytes(data[:8], "little")
        metadata: dict[str, str] = json.loads(data[8 : 8 + size]).get("__metadata__", {})
    except (package.SafetensorError, ValueError) as error:
        raise Unreadable(error) from None
    arrays: dict[str, Host] = {}
    for name, entry in entries:
        if (dtype := _CODES.get(entry["dtype"])) is None:
            raise Unreadable(f"its dtype is {entry['dtype']}, which arrays cannot have", name)
        arrays[name] = np.frombuffer(entry["data"], dtype.dtype).reshape(entry["shape"])
    return Contents(arrays, metadata.get("effax"))


WRITERS: Final[dict[str, Callable[[IO[bytes], Contents], None]]] = {
    "npy": _write_npy,
    "npz": _write_npz,
    "safetensors": _write_safetensors,
}


def read(stream: io.BufferedIOBase, start: bytes) -> Contents:
    """The contents of a file, whose first bytes, `start`, tell the format."""
    if start.startswith(_NPY):
        return _read_npy(stream)
    if start.startswith(_ZIP):
        return _read_npz(stream)
    if start[8:9] == b"{":
        return _read_safetensors(stream)
    raise Unreadable(
        f"it is no .npz, .npy or .safetensors file, it begins with {shown(start)}" if start else "it is empty"
    )

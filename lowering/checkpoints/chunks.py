"""The elements of arrays in files, by tensorstore: a folder for each array, in zarr's format, with checksums of chunks.

Dtypes that zarr lacks are stored as integers of their size. A chunk of zeros is written too, and a missing chunk is an
error, although tensorstore would read it as zeros.
"""

from __future__ import annotations

import _thread
import hashlib
import math
import os
import sys
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import closing, suppress
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from effects.arrays.concrete import Host
from effects.arrays.mesh import Region
from effects.errors import FileError, UnsupportedVersion
from effects.files.formats import STORED, Unreadable, restored, stored
from lowering.checkpoints.manifest import Entry

_MAX_BYTES_IN_FLIGHT: Final = 1 << 30
"""Largest number of bytes of the tasks that run at the same time."""
_CHECKSUM_BYTES: Final = 4
"""Bytes of the checksum of a chunk."""
DESCRIPTION: Final = "zarr.json"
"""Name of the file with an array's metadata, which other programs read first."""
_CACHE: Final = 1 << 28
"""Bytes of chunks that are kept while parts of arrays are read, since several parts may need one."""


_first_process: Final[dict[str, int]] = {}
"""The process that first used tensorstore, which does not work in its forks."""


class RegionElements(NamedTuple):
    """A region of an array, and its elements."""

    name: str
    entry: Entry
    region: Region
    host: Host


class _Future(Protocol):
    def result(self) -> Any: ...
    def exception(self) -> object: ...


class _Task(NamedTuple):
    """An item of work: a function, the array it is about, and its number of bytes."""

    name: str
    size: int
    start: Callable[[], _Future]


def tensorstore(function: str) -> ModuleType:
    """The package; UnsupportedVersion where it is not installed, FileError in a fork of a process that has used it."""
    try:
        if "tensorstore" not in sys.modules:  # an extra, which most programs do without
            _import_uninterrupted()
        package = import_module("tensorstore")
    except ImportError as error:
        raise UnsupportedVersion(
            f"{function}: checkpoints need the package tensorstore: pip install 'effax[checkpoints]' ({error})"
        ) from None
    if os.getpid() != _first_process.setdefault("first", os.getpid()):  # tensorstore would abort the process
        raise FileError(
            f"{function}: this process was forked from one that has saved or loaded checkpoints, and tensorstore does "
            "not work here; start it anew, as multiprocessing.get_context('spawn') does"
        )
    return package


def _import_uninterrupted() -> None:
    """Import tensorstore in a thread, which no interrupt reaches: importing after an interrupt would abort."""
    importing = _thread.allocate_lock()

    def run() -> None:
        try:
            with suppress(ImportError):  # the next caller gets the error
                import_module("tensorstore")
        finally:
            importing.release()

    importing.acquire()
    _thread.start_new_thread(run, ())
    try:
        with importing:
            pass
    except BaseException:
        with importing:  # the program must not end while it is imported
            pass
        raise


def write(
    folder: Path, described: Collection[tuple[str, Entry]], pieces: Iterable[RegionElements]
) -> dict[str, dict[str, str]]:
    """Write pieces, and metadata of the arrays `described` for other programs; the checksums, when all is on the disk.

    Raises Unreadable, which names the array.
    """
    ts = tensorstore("save_checkpoint")
    context, unsynced_context = ts.Context(), ts.Context({"file_io_sync": False})  # nothing here depends on it
    written: list[tuple[str, Entry, Region]] = []

    def tasks() -> Iterator[_Task]:
        for name, entry in described:
            yield _Task(name, 0, partial(ts.open, _spec(folder, entry), context=unsynced_context, create=True))
        for name, entry, region, host in pieces:
            if host.size:
                stored_host = stored(host, entry.aval.dtype, "npz")
                written.append((name, entry, region))
                yield _Task(name, host.nbytes, partial(_write, ts, folder, entry, context, region, stored_host))

    with closing(_run_in_order(tasks())) as results:
        deque(results, maxlen=0)
    sums = {name: {DESCRIPTION: _digest(folder, entry)} for name, entry in described}
    for name, entry, region in written:
        sums.setdefault(name, {}).update({chunk: _checksum(folder, entry, chunk) for chunk in _chunks(entry, region)})
    return sums


def _chunks(entry: Entry, region: Region) -> Iterator[str]:
    ranges = [
        range(index.start // size, -(-index.stop // size)) for index, size in zip(region, entry.chunk, strict=True)
    ]
    return (".".join(["c", *map(str, indices)]) for indices in product(*ranges))


def _checksum(folder: Path, entry: Entry, chunk: str) -> str:
    """The checksum at the end of a chunk, which tensorstore compares with the bytes before it."""
    with (folder / entry.folder / chunk).open("rb") as file:
        file.seek(math.prod(entry.chunk) * entry.aval.dtype.itemsize)
        return file.read().hex()


def _digest(folder: Path, entry: Entry) -> str:
    """The checksum of an array's metadata."""
    return hashlib.blake2b((folder / entry.folder / DESCRIPTION).read_bytes(), digest_size=8).hexdigest()


def _check_description(folder: Path, name: str, entry: Entry) -> None:
    """Raise Unreadable if an array's metadata were changed, since other programs would read them."""
    try:
        unchanged = _digest(folder, entry) == entry.sums.get(DESCRIPTION)
    except OSError as error:
        raise Unreadable(f"{entry.folder}/{DESCRIPTION} is missing or cannot be read: {error}", name) from None
    if not unchanged:
        raise Unreadable(f"{entry.folder}/{DESCRIPTION} was altered", name)


def _check_chunks(folder: Path, name: str, entry: Entry, region: Region) -> None:
    """Raise Unreadable if a chunk is missing, or is not the one that was written.

    Tensorstore would allocate the region before it looks, and end the process if there is not enough memory.
    """
    size = math.prod(entry.chunk) * entry.aval.dtype.itemsize + _CHECKSUM_BYTES
    for chunk in _chunks(entry, region):
        try:
            actual_size = (folder / entry.folder / chunk).stat().st_size
            checksum = _checksum(folder, entry, chunk) if actual_size == size else None
        except OSError as error:
            raise Unreadable(f"the chunk {entry.folder}/{chunk} is missing or cannot be read: {error}", name) from None
        if actual_size != size:
            raise Unreadable(f"the chunk {entry.folder}/{chunk} has {actual_size} bytes instead of {size}", name)
        if checksum != entry.sums.get(chunk):
            raise Unreadable(f"the chunk {entry.folder}/{chunk} was altered", name)


def read(folder: Path, regions: Iterable[tuple[str, Entry, Region]]) -> Generator[Host]:
    """Read regions of arrays, in order; Unreadable, naming the array, where a chunk is missing or broken."""
    ts = tensorstore("load_checkpoint")
    context = ts.Context({"cache_pool": {"total_bytes_limit": _CACHE}})
    order: deque[tuple[Entry, tuple[int, ...]]] = deque()
    checked: set[str] = set()

    def tasks() -> Iterator[_Task]:
        for name, entry, region in regions:
            if name not in checked:
                _check_description(folder, name, entry)
                checked.add(name)
            shape = tuple([index.stop - index.start for index in region])
            order.append((entry, shape))
            if size := math.prod(shape) * entry.aval.dtype.itemsize:
                _check_chunks(folder, name, entry, region)
                yield _Task(name, size, partial(_read, ts, folder, entry, context, region))
            else:
                yield _Task(name, 0, partial(_empty, ts, shape))

    with closing(_run_in_order(tasks())) as results:
        for data in results:
            entry, shape = order.popleft()
            dtype = entry.aval.dtype
            host = np.asarray(data)
            as_bits = dtype in STORED["npz"] and host.size
            restored_host = restored(host, dtype) if as_bits else host.astype(dtype.dtype, copy=False)
            assert restored_host.shape == shape, "tensorstore gives what it is asked for"
            yield restored_host


def _empty(ts: ModuleType, shape: tuple[int, ...]) -> _Future:
    promise, future = ts.Promise.new()
    promise.set_result(np.zeros(shape))
    typed: _Future = future
    return typed


def _spec(folder: Path, entry: Entry) -> dict[str, Any]:
    stored_dtype = stored(np.empty(0, entry.aval.dtype.dtype), entry.aval.dtype, "npz").dtype
    return {
        "driver": "zarr3",
        "kvstore": {"driver": "file", "path": f"{folder / entry.folder}/"},
        "metadata": {
            "shape": entry.aval.shape,
            "data_type": stored_dtype.name,
            "chunk_key_encoding": {
                "name": "default",
                "configuration": {"separator": "."},
            },  # creating folders takes time
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": entry.chunk}},
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
        },
        "store_data_equal_to_fill_value": True,
        "fill_missing_data_reads": False,
    }


def _open(ts: ModuleType, folder: Path, entry: Entry, context: object) -> Any:
    """The array as the manifest describes it, whatever its own metadata say."""
    return ts.open(_spec(folder, entry), context=context, open=True, assume_metadata=True).result()


def _write(ts: ModuleType, folder: Path, entry: Entry, context: object, region: Region, host: Host) -> _Future:
    future: _Future = _open(ts, folder, entry, context)[region].write(host)
    return future


def _read(ts: ModuleType, folder: Path, entry: Entry, context: object, region: Region) -> _Future:
    future: _Future = _open(ts, folder, entry, context)[region].read()
    return future


def _run_in_order(tasks: Iterable[_Task]) -> Generator[Any]:
    """The results of tasks, in order. Several run at once; if the caller stops, those that run are awaited."""
    pending: deque[tuple[_Task, _Future]] = deque()
    size = 0
    try:
        for task in tasks:
            while pending and size + task.size > _MAX_BYTES_IN_FLIGHT:
                size -= pending[0][0].size
                yield _result(*pending[0])
                pending.popleft()
            pending.append((task, _start(task)))
            size += task.size
        while pending:
            yield _result(*pending[0])
            pending.popleft()
    finally:
        for _, future in pending:
            future.exception()


def _start(task: _Task) -> _Future:
    try:
        return task.start()
    except (ValueError, OSError, RuntimeError, KeyError, NotImplementedError) as error:
        raise Unreadable(error, task.name) from None


def _result(task: _Task, future: _Future) -> object:
    try:
        return future.result()
    except (ValueError, OSError, RuntimeError, KeyError, NotImplementedError) as error:
        raise Unreadable(error, task.name) from None

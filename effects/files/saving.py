"""`save` and `load`: trees of arrays in files that NumPy and others read as well."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any, Literal, Protocol, overload

from effects.arguments import choice, describe, refusal, shown
from effects.arrays.concrete import Concrete, Host, concrete, from_host
from effects.errors import ArgumentError, EffaxError, FileError, NotAddressableError
from effects.files import formats, structure
from effects.files.atomic_writes import atomic_write, translated_errors
from effects.files.formats import Contents, Unreadable
from effects.files.structure import NUMBERS, Entries, Node
from effects.trees.pytree import tree_structure
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.dtypes import as_dtype


class Writable(Protocol):
    """A file that is open for writing bytes."""

    def write(self, data: bytes, /) -> object: ...


class Readable(Protocol):
    """A file that is open for reading bytes."""

    def read(self) -> bytes: ...


type Format = Literal["npy", "npz", "safetensors"]


def save(file: str | os.PathLike[str] | Writable, tree: object, *, format: Format | None = None) -> None:
    """Write a tree of arrays and numbers to a file, from which `load` makes it again, with its structure.

    The format is `format` or the suffix of the path: "npz" or "safetensors", or "npy" for an array alone. `file` is a
    path, or a file open for writing bytes, which needs `format`. A path is written as a whole or, whatever interrupts
    it, not at all. Raises ArgumentError for leaves that are neither arrays nor numbers, ConcretizationError for values
    that are not known, TreeError for keys of dicts that are neither text nor numbers, NotAddressableError for
    arrays of which other processes hold parts, FileError where nothing can be written.

    >>> import effects as fx
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fx.save(f"{folder}/net.npz", {"layers": [(fx.ones(2), 0.5)]})
    ...     fx.load(f"{folder}/net.npz")
    {'layers': [(Array([1., 1.], float64), 0.5)]}
    """
    path = _path("save", file, "write")
    if format is not None:
        kind = choice("save", "format", format, Format)
    else:
        kind = "" if path is None else path.suffix[1:].lower()
        if kind not in formats.WRITERS:
            raise ArgumentError(
                f"save: file is {describe(file)}, whose format is unknown; end its name in .npz, .npy or "
                ".safetensors, or pass format="
            )
    contents = _contents(tree, kind)
    write = formats.WRITERS[kind]
    if path is not None:
        with translated_errors("save", path), atomic_write(path, "; open it, and give what is open") as stream:
            write(stream, contents)
        return
    memory = io.BytesIO()  # an open file gets all or nothing
    write(memory, contents)
    try:
        file.write(memory.getvalue())  # type: ignore[union-attr]  # anything but a path is an open file
    except TypeError as error:
        raise ArgumentError(f"save: file does not accept bytes ({error}); open it with mode 'wb'") from None


@overload
def load(file: str | os.PathLike[str] | Readable) -> Any: ...
@overload
def load[T](file: str | os.PathLike[str] | Readable, *, like: T) -> T: ...
def load(file: str | os.PathLike[str] | Readable, *, like: object = None) -> Any:
    """The tree of arrays that a file holds: what `save` wrote, or arrays of other programs, in a dict by their names.

    `file` is the path of a .npz, .npy or .safetensors file, or a file open for reading bytes; what it begins with tells
    its format. Classes are not made from what a file says: where the tree holds instances of them, give one of the same
    structure as `like`. It has arrays or types (`ShapedArray`) where the file has entries of the same names, shapes and
    dtypes. Its leaves that are Python's numbers are numbers again. Nothing is ever unpickled.

    Raises MissingFileError where there is no file, and FileError, which names the entry, where it is broken, holds what
    arrays cannot, or is not like `like`.

    >>> import effects as fx
    >>> import io
    >>> file = io.BytesIO()
    >>> fx.save(file, {"w": fx.ones(2), "rate": 0.5}, format="npz")
    >>> fx.load(io.BytesIO(file.getvalue()))
    {'rate': 0.5, 'w': Array([1., 1.], float64)}
    """
    path = _path("load", file, "read")
    called = "load: file" if path is None else f"load: {path}"
    expected = None if like is None else structure.described(like, "load", "like")
    try:
        if path is None:
            data: object = file.read()  # type: ignore[union-attr]  # anything but a path is an open file
            if not isinstance(data, bytes | bytearray | memoryview):
                raise ArgumentError(f"load: file gives {shown(data, 20)}, not bytes; open it with mode 'rb'")
            contents = formats.read(io.BytesIO(data), bytes(data[:9]))
        else:
            with translated_errors("load", path), path.open("rb") as stream:
                start = stream.read(9)
                stream.seek(0)
                contents = formats.read(stream, start)
        return _loaded(called, contents, like, expected)
    except Unreadable as error:
        entry = "" if error.entry is None else f", entry {shown(error.entry)}"
        raise FileError(f"{called}{entry}: {error}") from None


def _path(function: str, file: object, method: str) -> Path | None:
    """The path of a file; None for an open file."""
    if isinstance(file, str | os.PathLike) and isinstance(path := os.fspath(file), str) and path:
        return Path(path)
    if callable(getattr(file, method, None)):
        return None
    raise refusal(function, "file", f"a path, or have the method {method}", file)


def _contents(tree: object, format: str) -> Contents:
    node, entries = structure.described(tree, "save", "tree")
    arrays: dict[str, Host] = {}
    others: dict[str, str] = {}
    for name, (at, leaf) in entries.items():
        array = structure.as_it_is("save", leaf, at)
        dtype = array.aval.dtype
        concrete = array._demand("save", f"It is {at}: return it from the transformed function first", bare=True)
        try:
            host = concrete.fetch()
        except NotAddressableError:
            raise NotAddressableError(
                f"save: {at}, {array.aval}, sharded as {concrete.sharding}, has parts in other processes; write it by "
                "save_checkpoint in all of them, or call distributed.process_allgather(x) in all and save that in one"
            ) from None
        if format == "npy" and (len(entries) > 1 or at != "tree" or dtype.dtype.isbuiltin == 2):
            raise ArgumentError(
                f"save: a .npy file holds one array, of a dtype that NumPy has, and tree is {shown(tree)}; "
                "write .npz or .safetensors"
            )
        if dtype in formats.STORED[format]:
            others[name] = dtype.name
        arrays[name] = formats.stored(host, dtype, format)
    if format == "npy" and not arrays:
        raise ArgumentError("save: a .npy file holds one array, but tree has none; write .npz or .safetensors")
    return Contents(arrays, structure.written(node, others))


def _loaded(called: str, contents: Contents, like: object, expected: tuple[Node, Entries] | None) -> Any:
    """The tree of the contents of a file."""
    node: structure.Node = None
    others: dict[str, str] = {}
    if contents.text is not None:
        try:
            node, others = structure.read(contents.text)
        except ValueError as error:
            raise Unreadable(f"its structure cannot be read: {error}") from None
    arrays = {name: _array(name, host, others.get(name)) for name, host in contents.arrays.items()}
    if expected is not None:
        content = expected[0] if contents.text is None else node  # other programs write no structure
        types = structure.alike("load", called, {name: x.aval for name, x in arrays.items()}, content, expected)
        leaves = [
            arrays[name].item() if type(leaf) in NUMBERS else concrete(arrays[name].stored, types[name])
            for name, (_, leaf) in expected[1].items()
        ]
        return tree_structure(like).unflatten(leaves)
    if contents.text is None:
        return arrays

    def leaf(name: str, kind: str | None) -> object:
        if name not in arrays:
            raise ValueError(f"it names an entry {shown(name)}, which is missing")
        array = arrays[name]
        structure.check_kind(name, kind, array.aval)
        if kind == "weak":
            return concrete(array.stored, ShapedArray(array.aval.shape, array.aval.dtype, True))
        return array if kind in (None, "keys") else array.item()

    try:
        return structure.rebuilt(node, leaf, called)
    except ValueError as error:
        raise Unreadable(f"its structure cannot be read: {error}") from None
    except RecursionError:
        raise Unreadable("its structure is nested too deeply") from None


def _array(name: str, host: Host, other: str | None) -> Concrete:
    try:
        if other is not None:
            host = formats.restored(host, as_dtype(other))
        native = host.dtype.newbyteorder("=")
        if native not in dtypes.BY_NUMPY:
            raise ValueError(f"its dtype is {host.dtype}, which arrays cannot have")
    except (ValueError, EffaxError) as error:
        raise Unreadable(error, name) from None
    return from_host(host.astype(native, order="C", copy=False))

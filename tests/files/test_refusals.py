"""What is not as it should be is refused with the name of the file and the entry, and leaves what was there."""

from __future__ import annotations

import contextlib
import io
import pickle
import random
import sys
import zipfile
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

import ml_dtypes
import numpy as np
import pytest

import effects as fx
from handlers import grad, vmap
from lowering import jit
from tests.arguments.nonsense import cyclic
from tests.files.saved import FORMATS, MODEL, by_bytes, same

NOT_LIKE: Final[dict[str, tuple[Any, str]]] = {
    "more": ({"a": fx.ones(2), "b": 1.0}, "has no entry 'b', which like has; it has .'a'"),
    "less": ({}, "has an entry 'a', which like lacks"),
    "another shape": ({"a": fx.ones(3)}, r"entry 'a': it is float64\[2\], and like\['a'\] is float64\[3\]"),
    "another dtype": ({"a": fx.ones(2, dtype=fx.float32)}, r"entry 'a': it is float64\[2\], and .* is float32"),
    "a number": ({"a": 1.0}, r"entry 'a': it is float64\[2\], and like\['a'\] is float64\[\]"),
}


@pytest.mark.parametrize("name", NOT_LIKE)
def test_what_is_not_alike(name: str) -> None:
    like, message = NOT_LIKE[name]
    with pytest.raises(fx.FileError, match=message):
        fx.load(io.BytesIO(by_bytes({"a": fx.ones(2)}, "npz")), like=like)


CONTAINERS: Final[dict[str, tuple[Any, Any, str]]] = {
    "list": ([1.0, 2.0], (1.0, 2.0), "at like it has a list, and like has a tuple"),
    "tuple": ({"a": (fx.ones(1), 2)}, {"a": [fx.ones(1), 2]}, r"at like\['a'\] it has a tuple, and like has a list"),
    "order": ([{"a": 1.0}], [OrderedDict(a=1.0)], r"at like\[0\] it has a dict, and like has an OrderedDict"),
    "empty": ({"a": (), "b": 1.0}, {"a": [], "b": 1.0}, r"at like\['a'\] it has a tuple, and like has a list"),
    "nothing": ({"a": None, "b": 1.0}, {"a": {}, "b": 1.0}, r"at like\['a'\] it has None, and like has a dict"),
    "longer": (
        [(), (1.0, ())],
        [(), (1.0,)],
        r"at like\[1\] it has a tuple of \[0, 1\], and like has a tuple of \[0\]",
    ),
    "keys": (
        {"k": fx.random.key(0)},
        {"k": {"data": fx.random.key(0).data}},
        "it has random keys, and like has a dict",
    ),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_other_containers(name: str) -> None:
    tree, like, message = CONTAINERS[name]
    assert same(fx.load(io.BytesIO(by_bytes(tree, "npz")), like=tree), tree)
    with pytest.raises(fx.FileError, match=f"load: file: {message}" if "at like" in message else message):
        fx.load(io.BytesIO(by_bytes(tree, "npz")), like=like)


def test_an_instance_may_be_read_as_a_dict() -> None:
    tree = {"model": MODEL}
    like = {"model": {"layers": [{"weight": x.weight, "bias": x.bias} for x in MODEL.layers]}}
    assert same(fx.load(io.BytesIO(by_bytes(tree, "npz")), like=like), like)


def test_without_the_library_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    with pytest.raises(ImportError, match="pip install safetensors, or write"):
        fx.save(tmp_path / "a.safetensors", fx.ones(2))
    assert not list(tmp_path.iterdir())


class Trap:
    """What runs when it is unpickled."""

    sprung = False

    def __reduce__(self) -> tuple[Any, ...]:
        return Trap.spring, ()

    @staticmethod
    def spring() -> None:
        Trap.sprung = True


def _npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _with_structure(text: str) -> bytes:
    return _npz(w=np.ones(2), n=np.ones(3), __tree__=np.array(text))


def _squeezed(archive: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as plain, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as squeezed:
        for name in plain.namelist():
            squeezed.writestr(name, plain.read(name))
    return file.getvalue()


_OBJECTS: Final = np.array([Trap(), None])
_STRUCTURE: Final = '{"effax": 1, "tree": %s, "dtypes": {}}'
FOREIGN: Final[dict[str, tuple[bytes, str]]] = {
    "nothing": (b"", "it is empty"),
    "text": (b"hello, world", "it is no .npz, .npy or .safetensors file, it begins with"),
    "pickle": (pickle.dumps(Trap()), "it is no .npz, .npy or .safetensors file"),
    "objects": (_npz(a=np.ones(1), b=_OBJECTS), "entry 'b': it holds Python objects, which are never unpickled"),
    "object": (_npy(_OBJECTS), "it holds Python objects, which are never unpickled"),
    "words": (_npz(a=np.array(["a"])), "entry 'a': its dtype is <U1, which arrays cannot have"),
    "dates": (_npz(a=np.array("2020-01-01", "M8[D]")), r"entry 'a': its dtype is datetime64\[D\]"),
    "records": (_npz(a=np.zeros(1, "f4,i4")), "entry 'a': its dtype is"),
    "narrow of others": (_npz(a=np.ones(1, ml_dtypes.bfloat16)), "entry 'a': its dtype is .V2"),
    "int4": (_npz(a=np.ones(1, ml_dtypes.int4)), "entry 'a': its dtype is .V1"),
    "half of it": (_npy(np.ones(9))[:-9], r"its header says float64\[9\], which are 72 bytes, and it has 63"),
    "more than it": (_npy(np.ones(9)) + b"0", "which are 72 bytes, and it has 73"),
    "huge": (
        _npy(np.ones(9)).replace(b"(9,), }", b"(9" + b"0" * 11 + b",), }").replace(b" " * 11 + b"\n", b"\n"),
        "which are 7200000000000 bytes, and it has 72",
    ),
    "negative": (_npy(np.ones(9)).replace(b"(9,)", b"(-9,)").replace(b" \n", b"\n"), "which are -72 bytes"),
    "no header": (_npy(np.ones(9)).replace(b"(9,)", b"(9,["), "its header is broken"),
    "no shape": (_npy(np.ones(9)).replace(b"shape", b"sh\npe"), "its header is broken"),
    "no JSON": (_with_structure("{"), "its structure cannot be read"),
    "no structure": (_with_structure("[]"), "effax did not write it"),
    "newer": (_with_structure('{"effax": 2}'), "of version 2, written by a newer effax"),
    "unknown node": (_with_structure(_STRUCTURE % '{"lambda": []}'), "'lambda': .* is not a structure"),
    "unknown entry": (_with_structure(_STRUCTURE % '"v"'), "it names an entry 'v', which is missing"),
    "bad items": (_with_structure(_STRUCTURE % '{"dict": [["a"]]}'), "is not an item of a dict"),
    "deep": (_with_structure(_STRUCTURE % ('{"list": [' * 9999 + "]}" * 9999)), "nested too deeply"),
    "bad dtype": (_with_structure('{"effax": 1, "tree": "w", "dtypes": {"w": "float9"}}'), "'float9' is not a dtype"),
    "other bits": (_with_structure('{"effax": 1, "tree": "w", "dtypes": {"w": "bfloat16"}}'), "as integers"),
    "other pairs": (_with_structure('{"effax": 1, "tree": "n", "dtypes": {"n": "complex128"}}'), "as pairs of float64"),
    "a number of several": (_with_structure(_STRUCTURE % '{"float": "w"}'), r"calls 'w' a number, float, but .*\[2\]"),
    "a number of others": (
        _npz(w=np.array(1), __tree__=np.array(_STRUCTURE % '{"float": "w"}')),
        "calls 'w' a number, float, but it is int64",
    ),
    "keys of others": (
        _with_structure(_STRUCTURE % '{"keys": "w", "generator": "philox"}'),
        "calls 'w' random keys, but it is float64",
    ),
    "no characters": (
        _npz(__tree__=np.frombuffer(b"\xff" * 8, "<U2").reshape(())),
        "entry '__tree__': 'utf-32-le' codec can't decode",
    ),
    "much text": (_squeezed(_npz(__tree__=np.array(" " * 2**20))), "entry '__tree__': it claims that .* bytes become"),
    "structure of numbers": (_npz(__tree__=np.ones(2)), "entry '__tree__': it is not text"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_not_to_be_loaded(name: str, tmp_path: Path) -> None:
    data, message = FOREIGN[name]
    with pytest.raises(fx.FileError, match=f"load: file.*{message}"):
        fx.load(io.BytesIO(data))
    (tmp_path / "a.npz").write_bytes(data)
    with pytest.raises(fx.FileError, match=f"load: .*a.npz.*{message}"):
        fx.load(tmp_path / "a.npz")
    assert not Trap.sprung


@pytest.mark.parametrize("format", FORMATS)
def test_broken_files_are_refused_or_hold_what_was_saved(format: str) -> None:
    tree = {"w": fx.asarray([1.5, 2.5]), "n": 3}
    data = by_bytes(tree, format)
    for length in range(len(data)):
        with pytest.raises(fx.FileError):
            fx.load(io.BytesIO(data[:length]))
    for at in range(0, len(data), 3):
        broken = data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]
        try:
            found = fx.load(io.BytesIO(broken))
        except fx.FileError:
            continue
        assert format != "npz" or same(found, tree)  # which has sums of its bytes


UNSAVED: Final[dict[str, tuple[Callable[[Path], object], str]]] = {
    "words": (
        lambda d: fx.save(d / "a.npz", {"a": [1.0, "x"]}),
        r"save: tree\['a'\]\[1\] must be an array or a number",
    ),
    "objects": (lambda d: fx.save(d / "a.npz", np.array([None])), "save: tree is a NumPy array of dtype object"),
    "great": (lambda d: fx.save(d / "a.npz", [2**80]), r"save: tree\[0\] = 1208.* does not fit int64"),
    "keys": (
        lambda d: fx.save(d / "a.npz", [{(1, 2): 1.0}]),
        r"save: \(1, 2\), a key of tree\[0\], is neither a string nor",
    ),
    "cycle": (lambda d: fx.save(d / "a.npz", cyclic()), "contains itself"),
    "no suffix": (lambda d: fx.save(d / "a", 1.0), "whose format is unknown; end its name in .npz"),
    "unknown suffix": (
        lambda d: fx.save(d / "a.pkl", 1.0),
        "end its name in .npz, .npy or .safetensors, or pass format=",
    ),
    "open, no format": (lambda d: fx.save(io.BytesIO(), 1.0), "or pass format="),
    "unknown format": (
        lambda d: fx.save(d / "a.npz", 1.0, format="pkl"),  # type: ignore[arg-type]  # no format
        "format must be 'npy', 'npz' or 'safe",
    ),
    "open for text": (
        lambda d: fx.save(cast(Any, io.StringIO()), 1.0, format="npz"),
        "file does not accept bytes .*; open it",
    ),
    "no file": (lambda d: fx.save(cast(Any, 3), 1.0), "save: file must be a path, or have the method write"),
    "several in .npy": (lambda d: fx.save(d / "a.npy", [1.0, 2.0]), "a .npy file holds one array.*write .npz"),
    "narrow in .npy": (lambda d: fx.save(d / "a.npy", fx.ones(1, dtype=fx.bfloat16)), "of a dtype that NumPy has"),
    "none in .npy": (lambda d: fx.save(d / "a.npy", ()), "a .npy file holds one array, but tree has none"),
    "folder": (lambda d: fx.save(d / "no" / "a.npz", 1.0), "save: there is no folder .*no for"),
    "special": (lambda d: fx.save(Path("/dev/null"), 1.0, format="npz"), "save: /dev/null is not a regular file"),
    "under jit": (lambda d: jit(lambda x: fx.save(d / "a.npz", [x]))(1.0), r"save needs the value.*It is tree\[0\]"),
    "under vmap": (
        lambda d: vmap(lambda x: cast(Any, fx.save)(d / "a.npz", x) or x)(fx.ones(2)),
        "save needs the value",
    ),
    "under grad": (lambda d: grad(lambda x: cast(Any, fx.save)(d / "a.npz", x) or x)(1.0), "save would lose what"),
    "read no file": (lambda d: fx.load(d / "none.npz"), "load: there is no file .*none.npz"),
    "read a folder": (lambda d: fx.load(d), "load: .* directory"),
    "read a null": (lambda d: fx.load("a\0b"), "null"),
    "read text": (lambda d: fx.load(cast(Any, io.StringIO("ab"))), "load: file gives 'ab', not bytes; open it with"),
    "read nothing": (lambda d: fx.load(cast(Any, None)), "load: file must be a path, or have the method read"),
    "like words": (lambda d: fx.load(io.BytesIO(_npz(a=1)), like={"a": "x"}), r"like\['a'\]"),
    "like defaults": (lambda d: fx.load(io.BytesIO(by_bytes(defaultdict(float, a=1.0), "npz"))), "holds a defaultdict"),
}


@pytest.mark.parametrize("name", UNSAVED)
def test_what_is_refused(name: str, tmp_path: Path) -> None:
    run, message = UNSAVED[name]
    with pytest.raises(fx.EffaxError, match=message) as caught:
        run(tmp_path)
    assert not list(tmp_path.iterdir())
    assert name != "read no file" or isinstance(caught.value, FileNotFoundError)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError("no space"), MemoryError])
def test_what_interrupts_writing_leaves_what_was_there(
    stop: Any, format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"a.{format}"
    fx.save(path, {"w": fx.ones(2)})
    before = path.read_bytes()

    def fsync(_: int) -> None:
        raise stop

    with monkeypatch.context() as patched:
        patched.setattr("effects.files.atomic_writes.os.fsync", fsync)
        with pytest.raises(BaseException):  # noqa: B017  # an interrupt, too
            fx.save(path, {"w": fx.zeros(5)})
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("format", ["npy", *FORMATS])
def test_altered_files_are_loaded_or_refused(format: str) -> None:
    generator = random.Random(0)
    data = by_bytes(
        fx.arange(12.0) if format == "npy" else {"a": fx.arange(12.0), "b": [(2, fx.random.key(0))]}, format
    )
    for _ in range(300):
        altered = bytearray(data)
        for _ in range(generator.choice([1, 2, 8])):
            start = generator.randrange(len(altered) if generator.random() < 0.5 else 140)
            change = generator.choice([b"", b"9" * 12, b"[", b"'", b"(", b"\xff" * 4, generator.randbytes(1)])
            altered[start : start + len(change)] = change
        with contextlib.suppress(fx.FileError):
            fx.load(io.BytesIO(altered[: generator.randrange(9 * len(altered))]))

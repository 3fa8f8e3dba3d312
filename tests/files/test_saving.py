"""What is saved is loaded again, and what is not as it should be is refused with the name of the file and the entry."""

from __future__ import annotations

import io
import os
import pickle
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import ml_dtypes
import numpy as np
import pytest

import effects as fx
from effects.types import dtypes
from handlers import eval_shape, grad, vmap
from lowering import jit

HAS_SAFETENSORS: Final = pytest.mark.skipif(find_spec("safetensors") is None, reason="safetensors is not installed")
FORMATS: Final = ["npz", pytest.param("safetensors", marks=HAS_SAFETENSORS)]


class Layer(NamedTuple):
    weight: Any
    bias: Any


@fx.register(static=["rate"])
@dataclass
class Model:
    layers: list[Layer]
    rate: float


def same(a: object, b: object) -> bool:
    """Whether two trees are the same to the last bit."""
    left, right = fx.tree_leaves(a), fx.tree_leaves(b)
    if fx.tree_structure(a) != fx.tree_structure(b) or list(map(type, left)) != list(map(type, right)):
        return False
    arrays = [(x, y) for x, y in zip(left, right, strict=True) if isinstance(x, fx.Array)]
    numbers = [(repr(x), repr(y)) for x, y in zip(left, right, strict=True) if not isinstance(x, fx.Array)]
    return all(x == y for x, y in numbers) and all(
        x.aval is y.aval and np.asarray(x).tobytes() == np.asarray(y).tobytes() for x, y in arrays
    )


def by_bytes(tree: object, format: Any) -> bytes:
    file = io.BytesIO()
    fx.save(file, tree, format=format)
    return file.getvalue()


def again(tree: object, format: str) -> Any:
    return fx.load(io.BytesIO(by_bytes(tree, format)))


BITS: Final = np.random.default_rng(0).integers(0, 2, 2 * 3 * 16 * 8, np.uint8)
SHAPES: Final[dict[str, Callable[[fx.Array], fx.Array]]] = {
    "matrix": lambda x: x,
    "number": lambda x: x[0, 0],
    "empty": lambda x: x[:0],
    "transposed": lambda x: x.T,
    "backwards": lambda x: x[::-1, ::2],
    "compiled": lambda x: jit(lambda y: y.T)(x),
}


def of_bits(dtype: type[fx.DType]) -> fx.Array:
    """Whatever elements the dtype has, NaNs of all kinds included."""
    if dtype is fx.bool:
        return fx.asarray(BITS[:6].astype(bool).reshape(2, 3))
    return fx.asarray(np.packbits(BITS)[: 6 * dtype.itemsize].view(dtype.dtype).reshape(2, 3))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_arrays_come_back_to_the_last_bit(dtype: type[fx.DType], format: str) -> None:
    tree = {name: f(of_bits(dtype)) for name, f in SHAPES.items()}
    assert same(again(tree, format), tree)


TREES: Final[dict[str, Any]] = {
    "array": fx.ones(3),
    "number": 0.1,
    "none": None,
    "nothing": [],
    "containers": {"a": [fx.ones(2), (fx.zeros(()), None, {})], "b": OrderedDict(z=fx.ones(1), a=[()])},
    "numbers": [True, 3, -(2**63), 0.1, float("nan"), -0.0, 1e300 + 1j],
    "keys of numbers": {1: fx.ones(1), -2: 2.0},
    "keys of truth": {True: 1.0, False: 0},
    "keys of fractions": {0.5: 1.0, -1.5: fx.ones(1)},
    "weak": fx.sin(1.0),
    "names that meet": {"a.b": 1.0, "a": {"b": 2.0}, "a.b#2": 3.0},
    "names of the file's own": {"__tree__": 1.0, "__metadata__": 2.0, "effax": 3.0, "file": 4.0},
    "names that are hard": {"": 1.0, "é/..": 2.0, "\ud800\0": 3.0, "../../etc": 4.0, "x" * 999: 5.0, "x" * 998: 6.0},
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", TREES)
def test_trees_come_back(name: str, format: str) -> None:
    assert same(again(TREES[name], format), TREES[name])
    assert same(fx.load(io.BytesIO(by_bytes(TREES[name], format)), like=TREES[name]), TREES[name])


def test_python_numbers_have_all_their_digits_in_a_block_of_narrow_floats() -> None:
    with fx.default_float(fx.float32):
        assert again({"rate": 0.1, "z": 0.1j}, "npz") == {"rate": 0.1, "z": 0.1j}


MODEL: Final = Model([Layer(fx.ones((2, 2), dtype=fx.bfloat16), 0.5), Layer(fx.zeros((2, 1)), 1.5)], 0.1)


@pytest.mark.parametrize("format", FORMATS)
def test_classes_are_made_from_what_is_like_them(format: str) -> None:
    data = by_bytes(MODEL, format)
    zeros = fx.tree_map(lambda x: fx.zeros_like(x) if isinstance(x, fx.Array) else 0.0, MODEL)
    assert same(fx.load(io.BytesIO(data), like=zeros), MODEL)
    types: Any = eval_shape(lambda: MODEL)
    assert same(fx.load(io.BytesIO(data), like=types).layers[0].weight, MODEL.layers[0].weight)
    with pytest.raises(fx.FileError, match=r"holds a Model, and a file makes no objects of classes; give .* like=tree"):
        fx.load(io.BytesIO(data))


NOT_LIKE: Final[dict[str, tuple[Any, str]]] = {
    "more": ({"a": fx.ones(2), "b": 1.0}, "has no entry 'b', which like has; it has .'a'"),
    "less": ({}, "has an entry 'a', which like has not"),
    "another shape": ({"a": fx.ones(3)}, r"entry 'a': it is float64\[2\], and like\['a'\] is float64\[3\]"),
    "another dtype": (
        {"a": fx.ones(2, dtype=fx.float32)},
        r"entry 'a': it is float64\[2\], and .* is float32",
    ),
    "a number": ({"a": 1.0}, r"entry 'a': it is float64\[2\], and like\['a'\] is float64\[\]"),
}


@pytest.mark.parametrize("name", NOT_LIKE)
def test_what_is_not_alike(name: str) -> None:
    like, message = NOT_LIKE[name]
    with pytest.raises(fx.FileError, match=message):
        fx.load(io.BytesIO(by_bytes({"a": fx.ones(2)}, "npz")), like=like)


def test_numpy_reads_what_is_saved_and_is_read(tmp_path: Path) -> None:
    fx.save(tmp_path / "a.npz", {"w": [fx.arange(3), fx.ones(2, dtype=fx.bfloat16)], "rate": 0.5})
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        assert file["w.0"].tolist() == [0, 1, 2] and file["rate"] == 0.5
        assert np.all(file["w.1"].view(ml_dtypes.bfloat16) == 1)
    fx.save(tmp_path / "a.npy", fx.eye(2).T)
    assert np.array_equal(np.load(tmp_path / "a.npy"), np.eye(2))
    theirs: dict[str, Any] = {
        "x": np.arange(6.0).reshape(2, 3),
        "y": np.ones(2, ">f4"),
        "z": np.asfortranarray(np.eye(2)),
        "n": np.int8(3),
    }
    np.savez(tmp_path / "b.npz", **theirs)
    np.savez_compressed(tmp_path / "c.npz", **theirs)
    for name in ("b.npz", "c.npz"):
        found: dict[str, fx.Array] = fx.load(tmp_path / name)
        assert list(found) == list(theirs) and found["y"].dtype is fx.float32 and found["n"].shape == ()
        assert all(np.array_equal(found[key], theirs[key]) for key in theirs)
        like = {key: fx.asarray(x) for key, x in theirs.items()}
        assert same(fx.load(tmp_path / name, like=like), like)
    np.save(tmp_path / "d.npy", np.arange(3))
    assert fx.load(tmp_path / "d.npy").tolist() == [0, 1, 2]
    np.save(tmp_path / "e", fx.ones(2))  # which is NumPy's own function, and adds the suffix
    assert fx.load(str(tmp_path / "e.npy")).tolist() == [1, 1]


@HAS_SAFETENSORS
def test_others_read_and_write_safetensors(tmp_path: Path) -> None:
    safetensors: Any = pytest.importorskip("safetensors.numpy")
    fx.save(tmp_path / "a.safetensors", {"layers": [fx.ones(2), fx.zeros((0, 3))]})
    found = safetensors.load_file(tmp_path / "a.safetensors")
    assert sorted(found) == ["layers.0", "layers.1"] and found["layers.0"].tolist() == [1.0, 1.0]
    theirs = {"w": np.ones(2, ml_dtypes.bfloat16), "b": np.arange(3)}
    safetensors.save_file(theirs, tmp_path / "b.safetensors", {"format": "pt"})
    ours: dict[str, fx.Array] = fx.load(tmp_path / "b.safetensors")
    assert ours["w"].dtype is fx.bfloat16 and ours["b"].tolist() == [0, 1, 2]
    safetensors.save_file({"layers.0.weight": np.ones(2), "layers.0.bias": np.zeros(1)}, tmp_path / "c.safetensors")
    like = {"layers": [Layer(fx.zeros(2), fx.ones(1))]}
    assert fx.load(tmp_path / "c.safetensors", like=like)["layers"][0].weight.tolist() == [1.0, 1.0]


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
    "half of it": (_npy(np.ones(9))[:-9], "(could only read 7 elements|EOF)"),
    "more than it": (_npy(np.ones(9)) + b"0", "there is more behind the array"),
    "huge": (_npy(np.ones(9)).replace(b"(9,), ", b"(9" + b"0" * 4 + b",), ").replace(b"    ", b"", 1), "."),
    "no JSON": (_with_structure("{"), "the structure that it says is not to be read"),
    "no structure": (_with_structure("[]"), "it is none of effax"),
    "newer": (_with_structure('{"effax": 2}'), "of version 2, which a newer effax wrote"),
    "unknown node": (_with_structure(_STRUCTURE % '{"lambda": []}'), "'lambda': .* is no structure"),
    "unknown entry": (_with_structure(_STRUCTURE % '"v"'), "it names an entry 'v', which is not there"),
    "bad items": (_with_structure(_STRUCTURE % '{"dict": [["a"]]}'), "is no item of a dict"),
    "deep": (_with_structure(_STRUCTURE % ('{"list": [' * 9999 + "]}" * 9999)), "nested too deep"),
    "bad dtype": (_with_structure('{"effax": 1, "tree": "w", "dtypes": {"w": "float9"}}'), "'float9' is not a dtype"),
    "other bits": (
        _with_structure('{"effax": 1, "tree": "w", "dtypes": {"w": "bfloat16"}}'),
        "whole numbers",
    ),
    "other pairs": (_with_structure('{"effax": 1, "tree": "n", "dtypes": {"n": "complex128"}}'), "as pairs of float64"),
    "structure of numbers": (_npz(__tree__=np.ones(2)), "entry '__tree__': it is no text"),
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
        r"save: \(1, 2\), a key of tree\[0\], is neither text nor",
    ),
    "cycle": (lambda d: fx.save(d / "a.npz", _cycle()), "holds itself"),
    "no suffix": (
        lambda d: fx.save(d / "a", 1.0),
        "does not say how to write; end it in .npz",
    ),
    "unknown suffix": (lambda d: fx.save(d / "a.pkl", 1.0), "end it in .npz, .npy or .safetensors, or give format="),
    "open, no format": (lambda d: fx.save(io.BytesIO(), 1.0), "or give format="),
    "unknown format": (
        lambda d: fx.save(d / "a.npz", 1.0, format="pkl"),  # type: ignore[arg-type]  # no format
        "format must be 'npy', 'npz' or 'safe",
    ),
    "open for text": (
        lambda d: fx.save(cast(Any, io.StringIO()), 1.0, format="npz"),
        "file takes no bytes .*; open it",
    ),
    "no file": (lambda d: fx.save(cast(Any, 3), 1.0), "save: file must be a path, or have the method write"),
    "several in .npy": (lambda d: fx.save(d / "a.npy", [1.0, 2.0]), "a .npy file holds one array.*write .npz"),
    "narrow in .npy": (lambda d: fx.save(d / "a.npy", fx.ones(1, dtype=fx.bfloat16)), "of a dtype that NumPy has"),
    "none in .npy": (lambda d: fx.save(d / "a.npy", ()), "a .npy file holds one array, and tree has none"),
    "folder": (lambda d: fx.save(d / "no" / "a.npz", 1.0), "save: there is no folder .*no for"),
    "special": (lambda d: fx.save(Path("/dev/null"), 1.0, format="npz"), "save: /dev/null is no ordinary file"),
    "under jit": (lambda d: jit(lambda x: fx.save(d / "a.npz", [x]))(1.0), r"save needs the value.*It is tree\[0\]"),
    "under vmap": (
        lambda d: vmap(lambda x: cast(Any, fx.save)(d / "a.npz", x) or x)(fx.ones(2)),
        "save needs the value",
    ),
    "under grad": (lambda d: grad(lambda x: cast(Any, fx.save)(d / "a.npz", x) or x)(1.0), "save would lose what"),
    "read no file": (lambda d: fx.load(d / "none.npz"), "load: there is no file .*none.npz"),
    "read a folder": (lambda d: fx.load(d), "load: .* directory"),
    "read a null": (lambda d: fx.load("a\0b"), "null"),
    "read text": (
        lambda d: fx.load(cast(Any, io.StringIO("ab"))),
        "load: file gives 'ab', no bytes; open it with",
    ),
    "read nothing": (
        lambda d: fx.load(cast(Any, None)),
        "load: file must be a path, or have the method read",
    ),
    "like words": (
        lambda d: fx.load(io.BytesIO(_npz(a=1)), like={"a": "x"}),
        r"like\['a'\]",
    ),
    "like defaults": (lambda d: fx.load(io.BytesIO(by_bytes(defaultdict(float, a=1.0), "npz"))), "holds a defaultdict"),
}


def _cycle() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


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
        patched.setattr("effects.files.replacing.os.fsync", fsync)
        with pytest.raises(BaseException):  # noqa: B017  # an interrupt, too
            fx.save(path, {"w": fx.zeros(5)})
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_a_path_keeps_its_permissions_and_its_link(tmp_path: Path) -> None:
    path, link = tmp_path / "a.npz", tmp_path / "b.npz"
    fx.save(path, 1.0)
    plain = tmp_path / "plain"
    plain.touch()
    assert path.stat().st_mode == plain.stat().st_mode
    path.chmod(0o600)
    link.symlink_to(path)
    fx.save(link, 2.0)
    assert link.is_symlink() and fx.load(path) == 2.0 and path.stat().st_mode & 0o777 == 0o600


def test_equal_trees_are_equal_files() -> None:
    tree = {"w": fx.ones(2), "n": 3}
    assert by_bytes(tree, "npz") == by_bytes(dict(reversed(tree.items())), "npz")


def test_an_open_file_is_written_to_and_read_from(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as file:
        fx.save(file, fx.ones(2), format="npz")
    with (tmp_path / "a").open("rb") as file:
        assert fx.load(file).tolist() == [1.0, 1.0]
    assert os.listdir(tmp_path) == ["a"]


def test_what_is_loaded_is_computed_with_and_is_ones_own() -> None:
    x = again(fx.asarray([1.0, 2.0]), "npz")
    assert grad(lambda w: fx.sum(w * x))(x).tolist() == [1.0, 2.0]
    assert jit(lambda y: y + again(x, "npz"))(x).tolist() == [2.0, 4.0]
    assert jit(lambda w: w * 2.0, donate_argnums=0)(x).tolist() == [2.0, 4.0]

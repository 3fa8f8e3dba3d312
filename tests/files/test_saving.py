"""What is saved is loaded again, by others, too."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import effects as fx
from effects.types import dtypes
from handlers import eval_shape, grad, make_jaxpr
from lowering import jit
from tests.files.saved import FORMATS, HAS_SAFETENSORS, MODEL, SHAPES, TREES, Layer, again, by_bytes, of_bits, same


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_arrays_come_back_to_the_last_bit(dtype: type[fx.DType], format: str) -> None:
    tree = {name: f(of_bits(dtype)) for name, f in SHAPES.items()}
    assert same(again(tree, format), tree)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", TREES)
def test_trees_come_back(name: str, format: str) -> None:
    assert same(again(TREES[name], format), TREES[name])
    assert same(fx.load(io.BytesIO(by_bytes(TREES[name], format)), like=TREES[name]), TREES[name])


def test_python_numbers_have_all_their_digits_in_a_block_of_narrow_floats() -> None:
    with fx.default_float(fx.float32):
        assert again({"rate": 0.1, "z": 0.1j}, "npz") == {"rate": 0.1, "z": 0.1j}


def test_keys_come_back_with_their_generator() -> None:
    keys = {"one": fx.random.key(3), "some": fx.random.split(fx.random.key(4, impl="philox"), 2)}
    assert again(keys, "npz") == keys and again(keys["one"], "npz") == keys["one"]
    other = {**keys, "one": fx.random.key(3, impl="philox")}
    with pytest.raises(fx.FileError, match=r"entry 'one.data': it is of keys of 'threefry', and .*keys of 'philox'"):
        fx.load(io.BytesIO(by_bytes(keys, "npz")), like=other)


@pytest.mark.parametrize("format", FORMATS)
def test_classes_are_made_from_what_is_like_them(format: str) -> None:
    data = by_bytes(MODEL, format)
    zeros = fx.tree_map(lambda x: fx.zeros_like(x) if isinstance(x, fx.Array) else 0.0, MODEL)
    assert same(fx.load(io.BytesIO(data), like=zeros), MODEL)
    types: Any = eval_shape(lambda: MODEL)
    assert same(fx.load(io.BytesIO(data), like=types).layers[0].weight, MODEL.layers[0].weight)
    with pytest.raises(
        fx.FileError, match=r"holds a Model, and files do not create objects of classes; give .* like=tree"
    ):
        fx.load(io.BytesIO(data))


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


@pytest.mark.parametrize("format", FORMATS)
def test_an_array_of_rank_0_is_an_input_of_programs(format: str) -> None:
    """It is not the one array of a Python number, which stands in a program as it is."""
    loaded = fx.load(io.BytesIO(by_bytes({"a": fx.asarray(2.0)}, format)))["a"]
    assert "2.0" not in str(make_jaxpr(lambda x: x * loaded)(fx.ones(2)))

"""Checkpoints of arrays over meshes: written once, read on any other mesh, for each device what it holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.types import dtypes
from lowering import Mesh, Sharding, devices, load_checkpoint, save_checkpoint, save_checkpoint_async
from lowering.checkpoints import chunks, manifest
from tests.errors.untyped import device_put, jit
from tests.files.saved import of_bits
from tests.sharding.eight.check_placement import BACKWARDS, MESH, SPECS, X

pytest.importorskip("tensorstore")
LINE: Final = Mesh({"c": 8})
SQUARE: Final = Mesh({"c": 2, "d": 2}, devices()[3:7])
ALONE: Final = Mesh({"c": 1}, ["cpu:5"])
SHARDINGS: Final = [
    *[mesh.sharding(*spec) for mesh, specs in ((MESH, SPECS), (BACKWARDS, SPECS[::5])) for spec in specs],
    *[LINE.sharding(), LINE.sharding("c"), LINE.sharding(None, "c"), ALONE.sharding(), ALONE.sharding("c")],
    *[SQUARE.sharding("c", "d"), SQUARE.sharding("d"), SQUARE.sharding(None, ("d", "c")), SQUARE.sharding()],
]


def same(x: Any, y: Any) -> bool:
    return x.aval is y.aval and np.asarray(x).tobytes() == np.asarray(y).tobytes()


def test_every_cut_is_read_as_every_other(tmp_path: Path) -> None:
    """Each is saved once, and loaded as one that stands so many places further."""
    tree = [device_put(X + i, sharding) for i, sharding in enumerate(SHARDINGS)]
    save_checkpoint(tmp_path, 1, tree)
    count = len(SHARDINGS)
    for further in (0, 7, count // 2):
        cuts = [SHARDINGS[(i + further) % count] for i in range(count)]
        found = load_checkpoint(tmp_path, shardings=cuts)
        for i, (x, cut) in enumerate(zip(found, cuts, strict=True)):
            assert x.sharding == cut and np.array_equal(np.asarray(x), X + i)
            for shard in x.shards:
                assert (
                    np.array_equal(np.asarray(shard.block), (X + i)[shard.index]) and shard.block.device == shard.device
                )
    like = [fx.zeros((8, 8)), *tree[1:]]
    found = load_checkpoint(tmp_path, like=like, shardings=[None, LINE.sharding("c"), *[None] * (count - 2)])
    assert [x.sharding for x in found] == [like[0].sharding, LINE.sharding("c"), *[x.sharding for x in tree[2:]]]
    assert all(same(x, fx.asarray(np.asarray(y))) for x, y in zip(found, tree, strict=True))


def test_every_dtype_scalars_and_nothing(tmp_path: Path) -> None:
    whole = {str(dtype): fx.concat([of_bits(dtype)] * 4) for dtype in dtypes.ALL}
    tree = {name: device_put(x, MESH.sharding(("b", "a"))) for name, x in whole.items()}
    more = {"scalar": device_put(2.5, MESH.sharding()), "none": device_put(np.zeros((0, 3)), MESH.sharding("a"))}
    keys = fx.random.split(fx.random.key(1), 8)
    save_checkpoint(tmp_path, 1, {**tree, **more, "keys": device_put(keys, MESH.sharding("b")), "n": 3})
    for to in (LINE.sharding("c"), None):
        found = load_checkpoint(tmp_path, shardings={**dict.fromkeys(tree, to), **dict.fromkeys([*more, "keys", "n"])})
        assert all(same(found[name], x) for name, x in whole.items())
        assert found["scalar"].item() == 2.5 and found["none"].shape == (0, 3) and found["n"] == 3
        assert found["keys"] == keys
    found = load_checkpoint(tmp_path, shardings=LINE.sharding())
    assert found["none"].sharding == found["keys"].data.sharding == LINE.sharding() and found["n"] == 3


def test_parts_are_written_once_and_read_where_they_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = {"ab": MESH.sharding("a", "b"), "b": MESH.sharding(None, "b"), "whole": MESH.sharding()}
    save_checkpoint(tmp_path, 1, {name: device_put(X, cut) for name, cut in tree.items()})
    for name, count in (("0.ab", 8), ("1.b", 2), ("2.whole", 1)):
        files = list((tmp_path / "step-1" / name).glob("c*"))
        assert len(files) == count and sum(path.stat().st_size for path in files) == X.nbytes + 4 * count
    asked: list[Any] = []
    read = chunks._read

    def noted(*args: Any) -> Any:
        asked.append(args[-1])
        return read(*args)

    monkeypatch.setattr(chunks, "_read", noted)
    load_checkpoint(tmp_path, shardings={"ab": LINE.sharding("c"), "b": SQUARE.sharding("d"), "whole": None})
    shapes = [tuple(index.stop - index.start for index in region) for region in asked]
    assert shapes == [(1, 8)] * 8 + [(4, 8)] * 2 + [(8, 8)]


def test_large_blocks_are_kept_in_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "_CHUNK_BYTES", 128)
    x = np.arange(48.0).reshape(6, 8)  # blocks of 192 bytes
    save_checkpoint(tmp_path, 1, device_put(x, Mesh({"c": 2}, devices()[:2]).sharding("c")))
    assert len(list((tmp_path / "step-1/0.array").glob("c*"))) == 6
    assert np.array_equal(np.asarray(load_checkpoint(tmp_path, shardings=MESH.sharding(None, "a"))), x)
    first, last = tmp_path / "step-1/0.array/c.0.0", tmp_path / "step-1/0.array/c.5.0"
    whole = first.read_bytes()
    first.write_bytes(last.read_bytes())
    last.write_bytes(whole)
    with pytest.raises(fx.FileError, match=r"entry 'array': the chunk 0.array/c.0.0 was altered"):
        load_checkpoint(tmp_path)


def test_what_is_donated_afterwards_is_saved(tmp_path: Path) -> None:
    for step, cut in enumerate((MESH.sharding("a", "b"), MESH.sharding("b"), MESH.sharding(), ALONE.sharding())):
        x = jit(lambda x: x + 1.0)(device_put(X, cut))
        pending = save_checkpoint_async(tmp_path, step, {"x": x})
        jit(lambda x: x * 0.0, donate_argnums=0)(x)
        pending.wait()
        assert np.array_equal(np.asarray(load_checkpoint(tmp_path)["x"]), X + 1)


def refused(sharding: Sharding, shape: tuple[int, ...], path: Path) -> str:
    save_checkpoint(path, 1, {"x": np.zeros(shape)}, overwrite=True)
    with pytest.raises(fx.ShapeError) as caught:
        load_checkpoint(path, like={"x": np.zeros(shape)}, shardings=sharding)
    return caught.value.message


def test_what_cannot_be_cut_is_refused(tmp_path: Path) -> None:
    message = refused(LINE.sharding("c"), (6, 2), tmp_path)
    assert "load_checkpoint: dimension 0 of like['x'], of shape [6, 2], cannot be split into 8 equal parts" in message
    assert "like['x'] has shape [2]" in refused(LINE.sharding(None, "c"), (2,), tmp_path)

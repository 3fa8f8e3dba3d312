"""Checkpoints of one process: what is saved is loaded again, step by step, and what is there is never half of it."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import pytest

import effects as fx
from effects.types import dtypes
from lowering import checkpoint_steps, jit, load_checkpoint, save_checkpoint, save_checkpoint_async
from lowering.checkpoints import chunks, folders, loading, reading
from tests.files.saved import MODEL, SHAPES, TREES, Layer, of_bits, same

TENSORSTORE: Final[Any] = pytest.importorskip("tensorstore")
TREE: Final = {"w": fx.asarray([1.5, float("nan")]), "n": 3}


def test_every_dtype_and_shape_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    tree = {f"{dtype} {name}": f(of_bits(dtype)) for dtype in dtypes.ALL for name, f in SHAPES.items()}
    save_checkpoint(tmp_path, 0, tree)
    assert same(load_checkpoint(tmp_path), tree) and same(load_checkpoint(tmp_path, 0, like=tree), tree)


def test_trees_come_back(tmp_path: Path) -> None:
    keys = {"one": fx.random.key(3), "some": fx.random.split(fx.random.key(4, impl="philox"), 2)}
    trees = {**TREES, "keys": keys}
    for step, tree in enumerate(trees.values()):
        save_checkpoint(tmp_path, step, tree)
        assert same(load_checkpoint(tmp_path), tree) and same(load_checkpoint(tmp_path, like=tree), tree)
    assert checkpoint_steps(tmp_path) == tuple(range(len(trees)))
    save_checkpoint(tmp_path / "a b" / "é\n", 3, MODEL)
    zeros = fx.tree_map(lambda x: fx.zeros_like(x) if isinstance(x, fx.Array) else 0.0, MODEL)
    assert same(load_checkpoint(tmp_path / "a b" / "é\n", like=zeros), MODEL)
    with pytest.raises(fx.FileError, match=r"step-3 holds a Model, and files do not create objects of classes"):
        load_checkpoint(tmp_path / "a b" / "é\n")


def test_deep_trees_come_back_or_are_refused(tmp_path: Path) -> None:
    """In files as in checkpoints, however deep."""
    refused, tree = 0, cast(Any, 1.0)
    for depth in range(1, 5000):
        tree = [tree]
        if depth not in (200, 490, 900, 4999):
            continue
        for save, load, at in (
            (fx.save, fx.load, (tmp_path / "a.npz",)),
            (save_checkpoint, load_checkpoint, (tmp_path, depth)),
        ):
            for like in ({}, {"like": tree}):
                try:
                    cast(Any, save)(*at, tree, **({} if save is fx.save else {"overwrite": True}))
                    found = cast(Any, load)(*at, **like)
                except fx.EffaxError as error:
                    assert "nested too deeply" in str(error)
                    refused += 1
                else:
                    for _ in range(depth):
                        (found,) = found
                    assert found == 1.0
    assert 0 < refused < 16


def test_steps_are_kept_and_written_again(tmp_path: Path) -> None:
    assert checkpoint_steps(tmp_path) == checkpoint_steps(tmp_path / "none") == ()
    for step in (5, 10, 100, 20):
        save_checkpoint(tmp_path, step, [step])
    assert checkpoint_steps(tmp_path) == (5, 10, 20, 100) and load_checkpoint(tmp_path) == [100]
    with pytest.raises(fx.FileError, match=r"step-20 exists; pass overwrite=True to replace step 20"):
        save_checkpoint(tmp_path, 20, [0])
    for again in (21, 22):
        save_checkpoint(tmp_path, 20, [again], overwrite=True)
        assert load_checkpoint(tmp_path, 20) == [again]
    save_checkpoint(tmp_path, 7, [7], keep=2)  # an earlier step, of a run that went back
    assert checkpoint_steps(tmp_path) == (7, 100)
    save_checkpoint(tmp_path, 100, [101], keep=1, overwrite=True)
    assert sorted(os.listdir(tmp_path)) == [".lock", "step-100.1"] and load_checkpoint(tmp_path) == [101]


def test_who_loads_what_is_written_again_or_removed_gets_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saves = [(1, 2), (1, 3), (4, 5)]  # of which each removes what was found, before it is read

    def read(function: str, path: Path, like: object, shardings: object) -> object:
        if saves:
            step, value = saves.pop(0)
            save_checkpoint(tmp_path, step, [value], keep=1, overwrite=True)
        return reading.read_tree(function, path, like, shardings)

    save_checkpoint(tmp_path, 1, [1])
    monkeypatch.setattr(loading, "read_tree", read)
    assert load_checkpoint(tmp_path) == [5] and not saves
    saves.append((6, 7))
    with pytest.raises(fx.MissingFileError, match=r"no checkpoint of step 4; it has those of steps \[6\]"):
        load_checkpoint(tmp_path, 4)


def test_what_was_replaced_does_not_come_back(tmp_path: Path) -> None:
    """A program was killed when it had written a step again, and had not yet removed the one before."""
    save_checkpoint(tmp_path, 1, [1])
    save_checkpoint(tmp_path, 5, [5])
    shutil.copytree(tmp_path / "step-1", tmp_path / "step-1.10")
    shutil.copytree(tmp_path / "step-5", tmp_path / "step-1.9")
    (tmp_path / "step-7").mkdir()  # which somebody has emptied
    assert checkpoint_steps(tmp_path) == (1, 5)
    save_checkpoint(tmp_path, 6, [6])
    assert sorted(os.listdir(tmp_path)) == [".lock", "step-1.10", "step-5", "step-6", "step-7"]
    with pytest.raises(fx.FileError, match="the checkpoint of step 7 is not complete"):
        load_checkpoint(tmp_path, 7)
    save_checkpoint(tmp_path, 7, [7], keep=1)
    assert sorted(os.listdir(tmp_path)) == [".lock", "step-7.1"] and load_checkpoint(tmp_path) == [7]


def test_what_is_saved_while_the_program_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values are those at the call, and the folder is that of the call, whatever is done meanwhile."""
    go, write = threading.Event(), chunks.write
    monkeypatch.setattr(chunks, "write", lambda *args: (go.wait(), write(*args))[1])
    monkeypatch.chdir(tmp_path)
    host, placed, compiled = np.arange(1e4), fx.asarray(np.arange(1e4)), jit(lambda x: x + 1.0)(np.arange(1e4))
    pending = save_checkpoint_async("here", 1, {"host": host, "placed": placed, "compiled": compiled})
    assert not pending.done and repr(pending) == "PendingCheckpoint(step=1, being written)"
    host[:] = -1
    give: Any = jit(lambda x, y: (x * 0.0, y * 0.0), donate_argnums=(0, 1))
    give(placed, compiled)
    (tmp_path / "there").mkdir()
    monkeypatch.chdir("there")
    assert checkpoint_steps(tmp_path / "here") == ()
    go.set()
    actual = load_checkpoint(tmp_path / "here")  # which waits
    assert pending.done and repr(pending) == "PendingCheckpoint(step=1, done)"
    expected = {"host": np.arange(1e4), "placed": np.arange(1e4), "compiled": np.arange(1e4) + 1}
    assert all(np.array_equal(np.asarray(actual[name]), x) for name, x in expected.items())
    assert os.listdir() == []


def test_several_wait_for_one(tmp_path: Path) -> None:
    for step in range(10):
        pending = save_checkpoint_async(tmp_path, step, TREE, keep=1)
        threads = [threading.Thread(target=pending.wait) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        pending.wait()
        assert pending.done and checkpoint_steps(tmp_path) == (step,)


def test_what_goes_wrong_later_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for told in ("wait", "next"):
        with monkeypatch.context() as patched:
            patched.setattr(chunks, "write", full)
            pending = save_checkpoint_async(tmp_path, 1, TREE)
            while not pending.done:
                pass
        assert repr(pending) == "PendingCheckpoint(step=1, failed)" and os.listdir(tmp_path) == [".lock"]
        with pytest.raises(fx.FileError, match=f"save_checkpoint_async: {tmp_path}: .*No space left"):
            pending.wait() if told == "wait" else save_checkpoint(tmp_path, 2, TREE)
    save_checkpoint(tmp_path, 2, TREE)


def test_threads_save_in_turn(tmp_path: Path) -> None:
    def save(number: int) -> None:
        for step in range(number, 12, 3):
            f = save_checkpoint if step % 2 else save_checkpoint_async
            f(tmp_path, step, {"x": fx.full(100, float(step))})

    threads = [threading.Thread(target=save, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    save_checkpoint(tmp_path, 12, {"x": fx.full(100, 12.0)})
    assert checkpoint_steps(tmp_path) == tuple(range(13))
    for step in range(13):
        assert fx.all(load_checkpoint(tmp_path, step)["x"] == step)


def test_two_programs_do_not_save_in_one_folder(tmp_path: Path) -> None:
    other = folders.Unfinished("save_checkpoint", tmp_path, 7, overwrite=False)
    with pytest.raises(fx.FileError, match=r"another program is saving in .*; give each a folder of its own"):
        save_checkpoint(tmp_path, 8, TREE)
    assert checkpoint_steps(tmp_path) == ()
    with pytest.raises(fx.FileError, match="the checkpoint of step 7 is not complete; it has none that is complete"):
        load_checkpoint(tmp_path, 7)
    other._lock.close()  # as when it is killed
    save_checkpoint(tmp_path, 8, TREE)
    assert sorted(os.listdir(tmp_path)) == [".lock", "step-8"]


def test_where_there_are_no_locks_nothing_of_others_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".saving-1-0").mkdir()

    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("lowering.checkpoints.folders.fcntl.flock", none)
    save_checkpoint(tmp_path, 1, TREE)
    assert sorted(os.listdir(tmp_path)) == [".lock", ".saving-1-0", "step-1"] and same(load_checkpoint(tmp_path), TREE)


def test_in_a_fork_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where tensorstore would abort the process."""
    save_checkpoint(tmp_path, 1, TREE)
    monkeypatch.setattr("lowering.checkpoints.chunks.os.getpid", lambda: -1)
    for call in (lambda: save_checkpoint(tmp_path, 2, TREE), lambda: load_checkpoint(tmp_path)):
        with pytest.raises(fx.FileError, match="this process was forked from one that has saved or loaded checkpoints"):
            call()
    assert checkpoint_steps(tmp_path) == (1,)


def test_a_lock_does_not_stay_with_a_child(tmp_path: Path) -> None:
    """As where a process is forked while a checkpoint is written."""
    unfinished = folders.Unfinished("save_checkpoint", tmp_path, 7, overwrite=False)
    child = os.dup(unfinished._lock.fileno())
    unfinished.close()
    save_checkpoint(tmp_path, 8, TREE)
    os.close(child)


def test_without_the_library_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "tensorstore", None)
    for call in (lambda: save_checkpoint(tmp_path / "a", 1, TREE), lambda: load_checkpoint(tmp_path)):
        with pytest.raises(ImportError, match=r"checkpoint: checkpoints need .* pip install 'effax\[checkpoints\]'"):
            call()
    assert not list(tmp_path.iterdir())


def test_layers_are_named_in_files(tmp_path: Path) -> None:
    """Other programs read the arrays: each is a folder in zarr's format."""
    save_checkpoint(tmp_path, 1, {"layers": [Layer(fx.ones((2, 3)), fx.zeros(3))]})
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{tmp_path}/step-1/0.layers.0.weight/"}}
    assert TENSORSTORE.open(spec).result().read().result().tolist() == np.ones((2, 3)).tolist()

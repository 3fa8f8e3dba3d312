"""Checkpoints that are broken, incomplete or of others, and wrong arguments: refused by name, and nothing is loaded."""

from __future__ import annotations

import json
import os
import resource
import shutil
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

import pytest

import effects as fx
from effects.errors import EffaxError, FileError, MissingFileError
from handlers import grad, vmap
from lowering import Mesh, checkpoint_steps, jit, load_checkpoint, save_checkpoint, save_checkpoint_async
from lowering.checkpoints import manifest

pytest.importorskip("tensorstore")
TREE: Final = {"w": fx.zeros((2, 3)), "b": fx.ones(4, dtype=fx.bfloat16), "n": 3}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good")
    for step in (1, 2):
        save_checkpoint(folder, step, TREE)
    return folder


def _file(name: str) -> str:
    return {"said": "2.w/zarr.json", "w": "2.w/c.0.0", "b": "0.b/c.0", "n": "1.n/c", "manifest": manifest.NAME}[name]


def _cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


def _flipped(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:5] + bytes([data[5] ^ 1]) + data[6:])


def _as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _said(change: Callable[[Any], object]) -> Callable[[Path], None]:
    """A manifest that says another thing, with the right sum."""

    def rewritten(path: Path) -> None:
        found = json.loads(path.read_bytes())
        change(found["content"])
        path.write_text(json.dumps({**found, "sum": manifest._sum(found["content"])}))

    return rewritten


def _array(**said: object) -> Callable[[Path], None]:
    return _said(lambda content: content["arrays"]["w"].update(said))


OF_FILES: Final[dict[str, Callable[[Path], object]]] = {
    "missing": Path.unlink,
    "empty": lambda path: path.write_text(""),
    "cut short": _cut_short,
    "flipped": _flipped,
    "a folder": _as_folder,
    "longer": lambda path: path.write_bytes(path.read_bytes() + path.read_bytes()[-4:]),
}


@pytest.mark.parametrize("how", OF_FILES)
@pytest.mark.parametrize("name", ["w", "b", "n", "said"])
def test_broken_chunks_are_never_zeros(name: str, how: str, good: Path, tmp_path: Path) -> None:
    shutil.copytree(good, tmp_path, dirs_exist_ok=True)
    OF_FILES[how](tmp_path / "step-2" / _file(name))
    message = (
        rf"load_checkpoint: {tmp_path}/step-2, entry '{name.replace('said', 'w')}': .*; load another step, of \[1\]"
    )
    for like in (None, TREE):
        with pytest.raises(FileError, match=message):
            load_checkpoint(tmp_path, like=cast(Any, like))
    assert load_checkpoint(tmp_path, 1)["n"] == 3


@pytest.mark.parametrize("how", OF_FILES)
def test_broken_manifests(how: str, good: Path, tmp_path: Path) -> None:
    shutil.copytree(good, tmp_path, dirs_exist_ok=True)
    OF_FILES[how](tmp_path / "step-2" / manifest.NAME)
    if how in ("missing", "a folder"):
        assert checkpoint_steps(tmp_path) == (1,)
        message = r"the checkpoint of step 2 is not complete; it has those of steps \[1\]"
    else:
        message = r": its manifest is .*; load another step, of \[1\]"
    with pytest.raises(FileError, match=message):
        load_checkpoint(tmp_path, 2)


def test_chunks_of_other_arrays_are_refused(tmp_path: Path) -> None:
    """Whole as they are: of another array of the same type, and of the same one in another step."""
    for step in (1, 2):
        save_checkpoint(tmp_path, step, {"a": fx.ones(3) * step, "b": fx.zeros(3), "one": float(step)})
    found, other = tmp_path / "step-2", tmp_path / "step-1"
    for name, source in (
        ("0.a/c.0", found / "1.b/c.0"),
        ("0.a/c.0", other / "0.a/c.0"),
        ("2.one/c", other / "2.one/c"),
    ):
        kept = (found / name).read_bytes()
        shutil.copy(source, found / name)
        message = f"step-2, entry '{name[2:].split('/')[0]}': the chunk {name} was altered; load"
        with pytest.raises(FileError, match=message):
            load_checkpoint(tmp_path)
        (found / name).write_bytes(kept)
    assert load_checkpoint(tmp_path)["one"] == 2.0


SAID: Final[dict[str, tuple[Callable[[Path], object], str]]] = {
    "version": (
        lambda p: p.write_text(p.read_text().replace('"checkpoint": 1', '"checkpoint": 2')),
        ": it is of version 2, and this effax reads version 1",
    ),
    "of others": (lambda p: p.write_text('{"format": "zarr"}'), ": its manifest is not effax's"),
    "a list": (lambda p: p.write_text("[1]"), ": its manifest is not effax's"),
    "deep": (lambda p: p.write_text("[" * 99999), ": its manifest is broken: it is not JSON"),
    "no sum": (lambda p: p.write_text(p.read_text().replace('"sum": "', '"sum": "0')), "its checksum differs"),
    "dtype": (_array(dtype="float7"), "entry 'w': .*'float7' is not a dtype"),
    "no dtype": (_array(dtype=7), "entry 'w': its manifest does not describe an array"),
    "other dtype": (_array(dtype="float32"), "entry 'w': "),
    "shape": (_array(shape=[4, 3]), "entry 'w': its manifest does not describe an array"),
    "rank": (_array(shape=[6]), "entry 'w': its manifest does not describe an array"),
    "negative": (_array(shape=[-2, 3]), "entry 'w': its manifest does not describe an array"),
    "huge": (_array(shape=[2**62, 2**62]), "entry 'w': "),
    "huge, of one chunk": (
        _array(shape=[2**40, 3], chunk=[2**40, 3]),
        "entry 'w': the chunk 2.w/c.0.0 has 52 bytes instead of 26388279066628",
    ),
    "a number of several": (
        _said(lambda content: content.update(structure=content["structure"].replace('"w"]', '{"float": "w"}]'))),
        "it calls 'w' a number, float, but it is float64",
    ),
    "chunk": (_array(chunk=[1, 3]), "entry 'w': "),
    "no chunk": (_array(chunk=[0, 3]), "entry 'w': "),
    "outside": (_array(folder="../step-1/2.w"), "entry 'w': its manifest does not describe an array"),
    "above": (_array(folder=".."), "entry 'w': its manifest does not describe an array"),
    "elsewhere": (_array(folder="9.w"), "entry 'w': .*missing"),
    "no structure": (
        _said(lambda c: c.update(structure="{}")),
        "in its manifest cannot be read: effax did not write it",
    ),
    "no arrays": (_said(lambda c: c.update(arrays=3)), ": its manifest is not effax's"),
    "fewer arrays": (_said(lambda c: c["arrays"].pop("w")), "it names an entry 'w', which is missing"),
}


@pytest.mark.parametrize("name", SAID)
def test_manifests_that_say_other_things(name: str, good: Path, tmp_path: Path) -> None:
    shutil.copytree(good, tmp_path, dirs_exist_ok=True)
    change, message = SAID[name]
    change(tmp_path / "step-2" / manifest.NAME)
    with pytest.raises(FileError, match=f"(?s)load_checkpoint: {tmp_path}/step-2.*{message}"):
        load_checkpoint(tmp_path)


MESH: Final = Mesh({"a": 1}, ["cpu:0"])
REFUSED: Final[dict[str, tuple[type[EffaxError], Callable[[Path], object], str]]] = {
    "no folder": (MissingFileError, lambda d: load_checkpoint(d / "none"), "there is no folder .*none"),
    "a file": (FileError, lambda d: load_checkpoint(d / "step-1" / manifest.NAME), "load_.*json is a file; give the"),
    "steps of a file": (
        FileError,
        lambda d: checkpoint_steps(d / "step-1" / manifest.NAME),
        "_steps: .*json is a file",
    ),
    "nothing": (MissingFileError, lambda d: load_checkpoint(d / "step-1/0.b"), "has no checkpoint; it has none"),
    "itself": (MissingFileError, lambda d: load_checkpoint(d / "step-1"), r"load it by load_checkpoint\('.*', step\)"),
    "no step": (
        MissingFileError,
        lambda d: load_checkpoint(d, 3),
        r"no checkpoint of step 3; it has those of steps \[1, 2\]",
    ),
    "another tree": (FileError, lambda d: load_checkpoint(d, like={"w": TREE["w"]}), "step-2 has an entry 'b', which"),
    "more": (FileError, lambda d: load_checkpoint(d, like={**TREE, "x": 1.0}), "step-2 has no entry 'x', which like"),
    "another container": (
        FileError,
        lambda d: load_checkpoint(d, like=OrderedDict(TREE)),
        "step-2: at like it has a dict, and like has an OrderedDict",
    ),
    "another shape": (
        FileError,
        lambda d: load_checkpoint(d, like={**TREE, "w": fx.zeros((3, 2))}),
        r"entry 'w': it is float64\[2,3\], and like\['w'\] is float64\[3,2\]",
    ),
    "another dtype": (
        FileError,
        lambda d: load_checkpoint(d, like={**TREE, "b": fx.zeros(4, dtype=fx.float16)}),
        r"entry 'b': it is bfloat16\[4\], and like\['b'\] is float16\[4\]",
    ),
    "like words": (fx.ArgumentError, lambda d: load_checkpoint(d, like={**TREE, "w": "x"}), r"like\['w'\]"),
    "uneven": (
        fx.ShapeError,
        lambda d: load_checkpoint(d, shardings=MESH.sharding(None, None, None, "a")),
        "entry 'b'",
    ),
    "no sharding": (fx.ArgumentError, lambda d: load_checkpoint(d, shardings=["cpu:0"]), "shardings must be shardings"),
    "another prefix": (
        fx.TreeError,
        lambda d: load_checkpoint(d, shardings=[MESH.sharding()]),
        "load_checkpoint: shardings, for the tree",
    ),
    "step to load": (fx.ArgumentError, lambda d: load_checkpoint(d, -1), "step must not be negative"),
    "path": (fx.ArgumentError, lambda d: load_checkpoint(cast(Any, b"x")), "folder must be a path"),
    "no path": (fx.ArgumentError, lambda d: checkpoint_steps(""), "checkpoint_steps: folder must be a path"),
    "null": (fx.ArgumentError, lambda d: save_checkpoint("a\0b", 1, TREE), "folder must be a path without null"),
    "step": (fx.ArgumentError, lambda d: save_checkpoint(d, cast(Any, 1.5), TREE), "step must be an int"),
    "no keep": (fx.ArgumentError, lambda d: save_checkpoint(d, 3, TREE, keep=0), "keep must be at least 1, or None"),
    "negative keep": (
        fx.ArgumentError,
        lambda d: save_checkpoint(d, 3, TREE, keep=-1),
        "at least 1, or None to keep a",
    ),
    "keep": (fx.ArgumentError, lambda d: save_checkpoint(d, 3, TREE, keep=cast(Any, "a")), "keep must be"),
    "overwrite": (
        fx.ArgumentError,
        lambda d: save_checkpoint(d, 3, TREE, overwrite=cast(Any, 1)),
        "overwrite must be True or False",
    ),
    "words": (fx.ArgumentError, lambda d: save_checkpoint(d, 3, ["x"]), r"save_checkpoint: tree\[0\] must be an array"),
    "keys": (fx.TreeError, lambda d: save_checkpoint(d, 3, {(1, 2): 1.0}), r"\(1, 2\), a key of tree, is neither"),
    "later, too": (
        fx.ArgumentError,
        lambda d: save_checkpoint_async(d, 3, ["x"]),
        r"save_checkpoint_async: tree\[0\] must be an array",
    ),
    "under jit": (
        EffaxError,
        lambda d: jit(lambda x: save_checkpoint(d, 3, [x]))(1.0),
        r"save_checkpoint needs the value.*It is tree\[0\]",
    ),
    "under vmap": (
        EffaxError,
        lambda d: vmap(lambda x: cast(Any, save_checkpoint)(d, 3, x) or x)(fx.ones(2)),
        "save_checkpoint needs the value",
    ),
    "under grad": (
        EffaxError,
        lambda d: grad(lambda x: cast(Any, save_checkpoint)(d, 3, x) or x)(1.0),
        "save_checkpoint would lose what",
    ),
    "donated": (
        fx.DeletedArrayError,
        lambda d: save_checkpoint(d, 3, {"x": _donated()}),
        r"save_checkpoint: tree\['x'\]",
    ),
    "in a file": (
        FileError,
        lambda d: save_checkpoint(d / "step-1" / manifest.NAME, 3, TREE),
        "save_checkpoint: .*manifest.json is a file; give the folder of checkpoints",
    ),
}


def _donated() -> fx.Array:
    x: fx.Array = cast(Any, jit(lambda x: x + 1))(fx.ones(1000))
    cast(Any, jit(lambda x: x * 2, donate_argnums=0))(x)
    return x


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str, good: Path) -> None:
    kind, call, message = REFUSED[name]
    with pytest.raises(kind, match=message):
        call(good)
    assert checkpoint_steps(good) == (1, 2) and len(os.listdir(good)) == 3


def test_a_folder_that_is_removed_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(run: Callable[[], None], _: object) -> None:
        shutil.rmtree(tmp_path / "c")
        run()

    monkeypatch.setattr("lowering.checkpoints.saving._thread.start_new_thread", start)
    pending = save_checkpoint_async(tmp_path / "c", 1, TREE)
    monkeypatch.undo()
    with pytest.raises(
        FileError, match=f"save_checkpoint_async: {tmp_path}/c/.saving-1-.* was removed while it was written"
    ):
        pending.wait()
    save_checkpoint(tmp_path / "c", 1, TREE)
    assert load_checkpoint(tmp_path / "c")["n"] == 3


def test_a_full_disk(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, 1, TREE)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for save in (save_checkpoint, lambda *args: save_checkpoint_async(*args).wait()):
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
        try:
            with pytest.raises(FileError, match=rf"{tmp_path}, entry 'x': .*File too large"):
                cast(Any, save)(tmp_path, 2, {"a": 1.0, "x": fx.ones(4096)})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert sorted(os.listdir(tmp_path)) == [".lock", "step-1"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_to(good: Path, tmp_path: Path) -> None:
    shutil.copytree(good, tmp_path / "a")
    (tmp_path / "a").chmod(0o500)
    with pytest.raises(FileError, match="Permission denied"):
        save_checkpoint(tmp_path / "a", 3, TREE)
    assert load_checkpoint(tmp_path / "a")["n"] == 3

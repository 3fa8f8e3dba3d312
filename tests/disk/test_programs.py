"""Programs on disk: equal to the bit, bounded, shared by processes, and never run when they are damaged."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import effects as fx
from effects.arrays.array import Array
from handlers import debug_print, grad, scan, vmap
from lowering import clear_caches, disk_report, jit, keep_on_disk, lower
from lowering.disk.entry import Entry, encoded
from lowering.disk.folder import Folder


def anew(function: Callable[[Array], Array], x: Array, *, donated: Sequence[int] = ()) -> bytes:
    """The bits of the result of a program that this process does not know any more."""
    clear_caches()
    return np.asarray(jit(function, donate_argnums=donated)(x)).tobytes()


MATRIX = np.random.default_rng(0).normal(size=(5, 5))
FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "elementwise": lambda x: fx.exp(fx.sin(x)) / (1 + x * x),
    "lapack": lambda x: fx.linalg.svd(x)[1] + fx.linalg.inv(x)[0],
    "fft": lambda x: fx.fft.ifft(fx.fft.fft(x) ** 2).real,
    "loop": lambda x: scan(lambda c, row: (fx.tanh(c @ x + row), fx.sum(c)), x[0], x)[1],
    "gradient": grad(lambda x: fx.sum(fx.linalg.slogdet(x @ x.T + fx.eye(5))[1])),
    "batch": vmap(lambda row: fx.cumsum(fx.sort(row)) * fx.argmax(row)),
    "narrow": lambda x: fx.sum(x.astype(fx.bfloat16) @ x.astype(fx.bfloat16), axis=0).astype(fx.float32),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_hits_are_equal_to_the_bit(folder: Path, function: Callable[[Array], Array]) -> None:
    x = fx.asarray(MATRIX)
    compiled = anew(function, x)
    assert disk_report().written >= 1 and disk_report().hits == 0
    keep_on_disk(folder, min_seconds=0)
    assert anew(function, x) == compiled
    report = disk_report()
    assert report.hits >= 1 and not report.misses and report.written == 0
    assert report.programs == len(list(folder.iterdir())) and report.folder == folder


def test_donated_arguments_are_gone_after_a_hit_too(folder: Path) -> None:
    for _ in range(2):
        x = fx.asarray(MATRIX)
        first = anew(lambda x: x + 1, x, donated=(0,))
        assert first == (MATRIX + 1).tobytes()
        with pytest.raises(fx.DeletedArrayError):
            fx.sum(x)
    assert disk_report().hits == 1


def test_shapes_dtypes_and_constants_are_other_programs(folder: Path) -> None:
    x = fx.asarray(MATRIX)
    for factor, argument in [(2.5, x), (2.25, x), (2.5, x[0]), (2.5, x.astype(fx.float32))]:
        assert anew(partial(fx.multiply, factor), argument) == np.asarray(argument * factor).tobytes()
    assert disk_report().written == 4


def test_the_text_of_a_loaded_program_has_the_lines_of_this_one(folder: Path) -> None:
    def step(x: Array) -> Array:
        return fx.sin(x) * 3

    first = step

    def step(x: Array) -> Array:  # type: ignore[no-redef]  # the same further down
        return fx.sin(x) * 3

    for function in (first, step):
        clear_caches()
        text = lower(function, fx.ones(3)).compile().as_text()
        assert f"line={function.__code__.co_firstlineno + 1}" in text
    assert disk_report().hits == 1


def test_programs_that_call_python_stay_out(folder: Path) -> None:
    def report(x: Array) -> Array:
        debug_print("{}", x)
        return x + 1

    anew(report, fx.ones(3))
    assert disk_report().left_out == {"calls Python": 1} and disk_report().programs == 0


def test_what_compiles_quickly_stays_out(tmp_path: Path, folder: Path) -> None:
    keep_on_disk(folder, min_seconds=1e6)
    anew(lambda x: x + 1, fx.ones(3))
    assert disk_report().left_out == {"compiled quickly": 1} and disk_report().programs == 0


def test_dumps_are_written_by_every_compilation(folder: Path, tmp_path: Path) -> None:
    for run in ("one", "two"):
        clear_caches()
        lower(lambda x: fx.sin(x) * 3, fx.ones(3)).compile({"xla_dump_to": str(tmp_path / run)})
        assert list((tmp_path / run).iterdir())


def test_a_full_disk_leaves_a_working_program(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(source: str, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert anew(FUNCTIONS["elementwise"], fx.asarray(MATRIX))
    assert disk_report().left_out == {"not writable: No space left on device": 1}
    assert f"effax: a compiled program is not kept in {folder}: not writable: No space left on" in caplog.text
    assert not list(folder.iterdir())


def test_the_bound_holds_and_the_least_recently_used_go(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "programs", 10_000)
    folder.prepare()
    size = len(encoded(Entry(f"{0:064}", "f", 1.0, b"x" * 100)))
    for number in range(1000):
        folder.write(Entry(f"{number:064}", "f", 1.0, b"x" * 100))
        os.utime(folder.path / f"{number:064}.xla", ns=(0, number))
        if number:
            assert folder.read(f"{0:064}").unwrap().name == "f", "what is read stays"
        assert folder.usage().bytes <= 10_000
    assert folder.usage().programs >= 10_000 // size * 15 // 16
    assert folder.read(f"{999:064}").unwrap().executable == b"x" * 100
    assert folder.read(f"{1:064}").failure() == "not there"
    assert folder.write(Entry("f" * 64, "f", 1.0, b"x" * 10_001)).failure() == "larger than the bound"


def test_what_a_killed_process_left_is_removed_in_time(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "programs", 10_000)
    folder.prepare()
    left, fresh = folder.path / "a.part", folder.path / "b.part"
    for path in (left, fresh):
        path.write_bytes(b"half a program")
    os.utime(left, (time.time() - 1e5, time.time() - 1e5))
    folder.write(Entry("0" * 64, "f", 1.0, b"x"))
    assert not left.exists() and fresh.exists()


def test_clear_caches_removes_them_when_asked(folder: Path) -> None:
    anew(FUNCTIONS["elementwise"], fx.asarray(MATRIX))
    clear_caches()
    assert disk_report().programs == 1
    clear_caches(disk=True)
    assert disk_report().programs == 0


_PROGRAM = """
import os, sys, numpy as np, effects as fx
from lowering import Mesh, device_put, devices, disk_report, jit, keep_on_disk
keep_on_disk(sys.argv[1], min_seconds=0)
if "killed" in sys.argv:
    os.replace = lambda *paths: os.kill(os.getpid(), 9)
mesh = Mesh({"a": 2}, devices()[:2])
for size in (2, 4, 6, 8):
    for x in (fx.arange(size) / 7, device_put(fx.arange(size) / 7, mesh.sharding("a"))):
        print(np.asarray(jit(lambda x: fx.cumsum(fx.sin(x)) / fx.sum(x + 1))(x)).tobytes().hex())
print(disk_report().hits, disk_report().written)
"""


def _start(folder: Path, *options: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "EFFAX_CPU_DEVICES": "2"}
    command = [sys.executable, "-c", _PROGRAM, str(folder), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def test_processes_share_a_folder_over_meshes_too(tmp_path: Path) -> None:
    at_once = [_start(tmp_path / "programs") for _ in range(2)]
    outputs = [process.communicate(timeout=300)[0].splitlines() for process in at_once]
    assert [process.returncode for process in at_once] == [0, 0]
    third = _start(tmp_path / "programs").communicate(timeout=300)[0].splitlines()
    assert outputs[0][:-1] == outputs[1][:-1] == third[:-1] and len(third) == 9
    hits, written = map(int, third[-1].split())
    assert hits >= 8 and written == 0


def test_a_process_that_is_killed_while_it_writes_leaves_nothing_to_run(tmp_path: Path) -> None:
    killed = _start(tmp_path / "programs", "killed")
    killed.communicate(timeout=300)
    assert killed.returncode == -9
    assert [path.suffix for path in (tmp_path / "programs").iterdir()] == [".part"]
    after = _start(tmp_path / "programs").communicate(timeout=300)[0].splitlines()
    hits, written = map(int, after[-1].split())
    assert hits == 0 and written >= 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"folder": 3}, "folder must be a path"),
        ({"folder": ""}, "folder must be a path"),
        ({"max_bytes": 0}, "max_bytes must be positive"),
        ({"max_bytes": 1.5}, "max_bytes must be an int"),
        ({"min_seconds": -1}, "min_seconds must not be negative"),
        ({"min_seconds": float("nan")}, "min_seconds must not be negative"),
        ({"min_seconds": "1"}, "min_seconds must be"),
    ],
)
def test_settings_are_checked(arguments: dict[str, object], message: str) -> None:
    before = disk_report().folder
    with pytest.raises(fx.ArgumentError, match=f"keep_on_disk: {message}"):
        keep_on_disk(**arguments)  # type: ignore[arg-type]  # which is what is tested
    assert disk_report().folder == before


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(fx.FileError, match="cannot be a folder for compiled programs"):
        keep_on_disk(tmp_path / "file")


def _in_a_process(setting: str, home: Path) -> subprocess.CompletedProcess[str]:
    program = (
        "import effects as fx; from lowering import disk_report, jit\n"
        "print(jit(lambda x: x + 1)(fx.ones(2)).tolist()); print(disk_report())"
    )
    environment = {**os.environ, "EFFAX_DISK": setting, "XDG_CACHE_HOME": str(home)}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)


def test_the_environment_says_where(tmp_path: Path) -> None:
    for setting in ("off", "0", "False", "no"):
        assert _in_a_process(setting, tmp_path).stdout == "[2.0, 2.0]\nno programs are kept on disk\n"
    assert not list(tmp_path.iterdir()) and not Path("0").exists()
    assert f"in {tmp_path}/here\n" in _in_a_process(f"{tmp_path}/here", tmp_path).stdout
    for setting in ("", "1", "On"):
        assert f"in {tmp_path}/effax/programs\n" in _in_a_process(setting, tmp_path).stdout


def test_a_refused_folder_of_the_environment_leaves_a_working_program(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    for setting, reason in (
        (f"{tmp_path}/file", f"{tmp_path}/file cannot be a folder for compiled programs: File exists"),
        (f"{tmp_path}/open", f"{tmp_path}/open is not a safe folder for compiled programs: it is writable for"),
        ("~no-user-of-this-name/x", "EFFAX_DISK: the folder must be a path in a home that there is"),
    ):
        process = _in_a_process(setting, tmp_path)
        assert f"[2.0, 2.0]\nno programs are kept on disk: {reason}" in process.stdout
        assert f"effax: no compiled programs are kept on disk: {reason}" in process.stderr
        assert "keep_on_disk(folder) or EFFAX_DISK=folder names another one, EFFAX_DISK=off keeps" in process.stderr

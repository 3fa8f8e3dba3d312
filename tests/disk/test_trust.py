"""Programs on disk that are damaged, or that others could have written, are not run."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

import effects as fx
from lowering import clear_caches, disk_report, keep_on_disk
from lowering.disk.entry import Entry, encoded
from tests.conftest import KEPT
from tests.disk.test_programs import FUNCTIONS, MATRIX, anew


def _truncated(file: bytes) -> bytes:
    return file[: len(file) // 2]


def _flipped(file: bytes) -> bytes:
    return file[:-100] + bytes([file[-100] ^ 1]) + file[-99:]


def _summed(content: bytes) -> bytes:
    """A file whose sum fits."""
    return b"\n".join([b"effax program 1", sha256(content).hexdigest().encode(), content])


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda file: b"", "of another format"),
    "half": (_truncated, "damaged"),
    "a bit": (_flipped, "damaged"),
    "in the header": (lambda file: file.replace(b"\n0.", b"\n9.", 1), "damaged"),
    "another version": (lambda file: file.replace(b"program 1", b"program 2", 1), "of another format"),
    "another file": (lambda file: b"\x7fELF" + file, "of another format"),
    "no entry": (lambda file: _summed(b"machine code"), "of another format"),
    "no number": (lambda file: _summed(b"\n".join([b"0" * 64, b"soon", b"f", b""])), "of another format"),
    "another program": (lambda file: encoded(Entry("0" * 64, "f", 1.0, b"machine code")), "of another program"),
}


@pytest.mark.parametrize(("damage", "reason"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_program_is_replaced(folder: Path, damage: Callable[[bytes], bytes], reason: str) -> None:
    function = FUNCTIONS["elementwise"]
    compiled = anew(function, fx.asarray(MATRIX))
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert anew(function, fx.asarray(MATRIX)) == compiled
    assert disk_report().misses == {"not there": 1, reason: 1}
    assert anew(function, fx.asarray(MATRIX)) == compiled
    assert disk_report().hits == 1


def test_what_the_runtime_refuses_is_replaced(folder: Path) -> None:
    function = FUNCTIONS["elementwise"]
    compiled = anew(function, fx.asarray(MATRIX))
    (file,) = folder.iterdir()
    file.write_bytes(encoded(Entry(file.stem, "f", 1.0, b"no executable")))
    assert anew(function, fx.asarray(MATRIX)) == compiled
    assert any("refused by the runtime" in reason for reason in disk_report().misses)
    assert anew(function, fx.asarray(MATRIX)) == compiled and disk_report().hits == 1


def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    with pytest.raises(fx.FileError, match="it is writable for others; make that yours alone"):
        keep_on_disk(shared)


def test_a_folder_that_becomes_writable_for_others_is_not_read(folder: Path) -> None:
    compiled = anew(FUNCTIONS["elementwise"], fx.asarray(MATRIX))
    folder.chmod(0o777)
    assert anew(FUNCTIONS["elementwise"], fx.asarray(MATRIX)) == compiled
    assert disk_report().hits == 0 and any("writable for others" in reason for reason in disk_report().left_out)


def test_a_program_that_others_can_write_is_not_read(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    compiled = anew(FUNCTIONS["elementwise"], fx.asarray(MATRIX))
    (file,) = folder.iterdir()
    file.chmod(0o666)
    assert anew(FUNCTIONS["elementwise"], fx.asarray(MATRIX)) == compiled
    assert disk_report().misses == {"not there": 1, "writable for others": 1}
    said = f"effax: the compiled program {file} is writable for others; it is compiled again, and replaced"
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING] == [said]
    assert anew(FUNCTIONS["elementwise"], fx.asarray(MATRIX)) == compiled and disk_report().hits == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator gives files away")
def test_what_is_another_users_is_not_read(folder: Path) -> None:
    anew(FUNCTIONS["elementwise"], fx.asarray(MATRIX))
    (file,) = folder.iterdir()
    os.chown(file, 12345, 12345)
    anew(FUNCTIONS["elementwise"], fx.asarray(MATRIX))
    assert disk_report().misses == {"not there": 1, "another user's": 1}
    os.chown(folder.parent, 12345, 12345)
    with pytest.raises(fx.FileError, match=f"as {folder.parent} is another user's; name another folder"):
        keep_on_disk(folder)


def test_a_folder_that_others_could_replace_is_refused(tmp_path: Path) -> None:
    above, elsewhere = tmp_path / "above", tmp_path / "elsewhere"
    (above / "mine").mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "link").symlink_to(above)
    try:
        for mode, refused in ((0o777, True), (0o1777, False), (0o775, os.getegid() != os.geteuid()), (0o755, False)):
            above.chmod(mode)
            for path in (above / "mine" / "programs", elsewhere / "link" / "mine" / "programs"):
                if refused:
                    with pytest.raises(
                        fx.FileError, match=f"another in its place, as {above} is writable for others; make"
                    ):
                        keep_on_disk(path)
                else:
                    keep_on_disk(path)
    finally:
        keep_on_disk(False if KEPT == "off" else KEPT, max_bytes=2**32, min_seconds=0)


def test_what_is_no_file_is_no_program(folder: Path) -> None:
    (folder / "folder.xla").mkdir()
    os.mkfifo(folder / "pipe.xla")
    compiled = anew(FUNCTIONS["elementwise"], fx.asarray(MATRIX))
    assert disk_report().programs == disk_report().written == 1
    (file,) = [path for path in folder.iterdir() if path.is_file()]
    file.unlink()
    os.mkfifo(file)
    assert anew(FUNCTIONS["elementwise"], fx.asarray(MATRIX)) == compiled
    clear_caches(disk=True)
    assert disk_report().programs == 0

"""What is no file of a program, or not as it was written, is refused by name, and nothing of it is run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from lowering import export, jit, load_program, show

CLOSED_OVER: Final = fx.asarray([1.0, 2.0, 3.0])


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file of a program with a derivative and a closed-over array."""
    path = tmp_path_factory.mktemp("faults") / "f.program"
    export(jit(lambda x: fx.sin(x) * CLOSED_OVER), fx.ones(3), derivatives=1).save(path)
    return path.read_bytes()


def refused(path: Path, data: bytes) -> str:
    """What is said of a file with these bytes."""
    path.write_bytes(data)
    with pytest.raises(fx.FileError) as error:
        load_program(path)
    assert error.value.message.startswith(f"load_program: {path}")
    return error.value.message.partition(path.name)[2]


def test_every_length_that_it_is_cut_to(data: bytes, tmp_path: Path) -> None:
    for length in {*range(200), *range(0, len(data), 7), len(data) - 1}:
        message = refused(tmp_path / "cut.program", data[:length])
        assert (
            "truncated" in message or "not a program" in message or "checksum" in message or "of version" in message
        ), message


def test_every_byte_that_is_altered(data: bytes, tmp_path: Path) -> None:
    for position in range(len(data)):
        altered = data[:position] + bytes([data[position] ^ (1 << position % 8)]) + data[position + 1 :]
        refused(tmp_path / "altered.program", altered)


def test_more_behind_it(data: bytes, tmp_path: Path) -> None:
    assert "there are 3 bytes more after its last part" in refused(tmp_path / "more.program", data + b"abc")


def with_head(change: Callable[[Any], None]) -> Callable[[bytes], bytes]:
    """Bytes with another head, whose sum is right."""

    def changed(data: bytes) -> bytes:
        first, _, line, rest = data.split(b"\n", 3)
        told = json.loads(line)
        change(told)
        new = json.dumps(told).encode()
        return b"\n".join([first, hashlib.sha256(new).hexdigest().encode(), new, rest])

    return changed


def with_part(name: str, change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Bytes with another part, whose sum is right."""

    def changed(data: bytes) -> bytes:
        *_, line, rest = data.split(b"\n", 3)
        parts = []
        for listed in json.loads(line)["parts"]:
            part, rest = rest[: listed[1]], rest[listed[1] :]
            parts.append(change(part) if listed[0] == name else part)

        def listed_anew(told: Any) -> None:
            for listed, part in zip(told["parts"], parts, strict=True):
                listed[1:] = [len(part), hashlib.sha256(part).hexdigest()]

        *head, _ = with_head(listed_anew)(data).split(b"\n", 3)
        return b"\n".join([*head, b"".join(parts)])

    return changed


def with_line(data: bytes, line: bytes) -> bytes:
    """Bytes with another line as their head, whose sum is right."""
    first, _, _, rest = data.split(b"\n", 3)
    return b"\n".join([first, hashlib.sha256(line).hexdigest().encode(), line, rest])


def without(name: str) -> Callable[[bytes], bytes]:
    """Bytes without a part."""

    def changed(data: bytes) -> bytes:
        def left_out(told: Any) -> None:
            told["parts"] = [listed for listed in told["parts"] if listed[0] != name]

        return with_head(left_out)(with_part(name, lambda _: b"")(data))

    return changed


def test_a_structure_of_any_depth(data: bytes, tmp_path: Path) -> None:
    line = with_head(lambda told: told["head"]["results"].update(tree="here"))(data).split(b"\n", 3)[2]
    for depth in (300, 600, 700, 800, 900, 1000, 2000):
        deep = line.replace(b'"here"', b'{"list": [' * depth + b'"result"' + b"]}" * depth)
        message = refused(tmp_path / "deep.program", with_line(data, deep))
        assert "too deep" in message or "its head is not that of a program" in message


def other_program(function: Callable[[Any], Any], *, of: fx.ShapedArray) -> bytes:
    return export(jit(function), of).portable_artifact()


OTHER_TYPES: Final = other_program(fx.sin, of=fx.ShapedArray((4,), fx.float32))
FOREIGN: Final[dict[str, tuple[Callable[[bytes], bytes], str]]] = {
    "nothing": (lambda data: b"", "it is not a program that export wrote: it is empty"),
    "another file": (lambda data: b"PK\3\4" + data, "it is not a program that export wrote: it begins with b'PK"),
    "StableHLO alone": (lambda data: OTHER_TYPES, r"not a program that export wrote: it begins with b.ML"),
    "a newer version": (
        lambda data: data.replace(b"program 1\n", b"program 2\n", 1),
        "it is of version 2, and this effax reads version 1",
    ),
    "a list": (lambda data: with_head(lambda told: told.update(head=[]))(data), "its head is not that of a program"),
    "no name": (with_head(lambda told: told["head"].pop("name")), "its head is not that of a program: KeyError"),
    "no parts": (with_head(lambda told: told.pop("parts")), "its head is not that of a program"),
    "a deep head": (
        lambda data: with_line(data, b"[" * 100_000 + b"]" * 100_000),
        "foreign.program: its head is nested too deeply",
    ),
    "no StableHLO at all": (
        lambda data: with_head(lambda told: told.update(parts=[]))(data).rpartition(b"\n")[0] + b"\n",
        "its head is not that of a program: KeyError",
    ),
    "no StableHLO of one role": (without("backward.any"), "foreign.program: it has no StableHLO for its backward"),
    "arguments of no call": (
        with_head(lambda told: told["head"]["arguments"].update(tree={"tuple": [{"tuple": ["0.0"]}, None]})),
        "its head is not that of a program: TypeError",
    ),
    "paths of no text": (
        with_head(lambda told: told["head"]["results"]["leaves"][0].__setitem__(1, [])),
        "its head is not that of a program: ValueError: the paths of its leaves are not strings",
    ),
    "keys of no dict": (
        with_head(lambda told: told["head"]["results"].update(tree={"dict": [[[], "result"]]})),
        "its head is not that of a program: ValueError: .* not items of a dict",
    ),
    "parameters of none": (
        with_head(lambda told: told["head"].update(parameters=[[["x", "odd", None]], 1])),
        "its head is not that of a program: KeyError",
    ),
    "parts of no size": (
        with_head(lambda told: told["parts"][0].__setitem__(1, -5)),
        "its head lists invalid parts",
    ),
    "a part less": (with_head(lambda told: told.update(parts=[])), "bytes more after its last part"),
    "a dtype of none": (
        with_head(lambda told: told["head"]["captured"][0].__setitem__(0, "object")),
        "its head is not that of a program: DTypeError",
    ),
    "a shape of none": (
        with_head(lambda told: told["head"]["captured"][0].__setitem__(1, [-1])),
        "its head is not that of a program: ShapeError",
    ),
    "another shape": (
        with_head(lambda told: told["head"]["captured"][0].__setitem__(1, [4])),
        "its head is not that of a program: ValueError: cannot reshape",
    ),
    "another type": (
        with_head(lambda told: told["head"]["arguments"]["leaves"][0].__setitem__(2, "float32")),
        r"part value.any: its StableHLO has no function main of the type \(tensor<3xf64>, tensor<3xf32>\)",
    ),
    "no such argument": (
        with_head(lambda told: told["head"].update(reads=[1])),
        "its head is not that of a program: IndexError",
    ),
    "another structure": (
        with_head(lambda told: told["head"]["results"].update(tree={"list": ["a", "b"]})),
        "its head is not that of a program: ValueError",
    ),
    "another program": (
        with_part("value.any", lambda _: OTHER_TYPES),
        "part value.any: its StableHLO has no function main of the type",
    ),
    "no StableHLO": (with_part("backward.any", lambda _: b"ML\xefR\r1"), "part backward.any: its StableHLO is not"),
    "text": (with_part("value.any", lambda _: b"module {}"), "part value.any: its StableHLO has no function main"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_export_did_not_write(data: bytes, name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    change, message = FOREIGN[name]
    path = tmp_path / "foreign.program"
    path.write_bytes(change(data))
    with pytest.raises(fx.FileError, match=message):
        load_program(path)
    assert capfd.readouterr().err == ""


def test_a_call_of_what_is_no_part_of_stablehlo(tmp_path: Path) -> None:
    """Python's own functions above all: the number of one is all that a call of it says."""
    export(jit(lambda x: fx.linalg.cholesky(x)), fx.eye(2)).save(tmp_path / "f.program")
    data = (tmp_path / "f.program").read_bytes()
    change = with_part("value.cpu", lambda part: part.replace(b"lapack_dpotrf_ffi", b"python_dpotrf_ffi"))
    assert "part value.cpu: it calls python_dpotrf_ffi, which is no part of" in refused(tmp_path / "g", change(data))
    change = with_part("value.cpu", lambda part: part.replace(b"lapack_dpotrf_ffi", b"lapack_dpotrx_ffi"))
    assert "it calls lapack_dpotrx_ffi of LAPACK, which this jaxlib does not" in refused(tmp_path / "g", change(data))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(fx.MissingFileError, match=r"load_program: there is no file .*f\.program"):
        load_program(tmp_path / "f.program")
    with pytest.raises(fx.FileError, match="directory"):
        load_program(tmp_path)
    program = export(jit(fx.sin), fx.ones(3))
    with pytest.raises(fx.MissingFileError, match="save: there is no folder"):
        program.save(tmp_path / "folder" / "f.program")
    with pytest.raises(fx.MissingFileError, match="save: there is no folder"):
        show(fx.sin, 1.0).save(tmp_path / "folder" / "f.html")
    with pytest.raises(fx.FileError, match=r"save: .* is a folder; give the path of a file\n"):
        program.save(tmp_path)
    with pytest.raises(fx.ArgumentError, match="load_program: path must be a path, got 3 of type int"):
        load_program(3)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(fx.ArgumentError, match="save: path must be a path, got None"):
        program.save(None)  # type: ignore[arg-type]  # what is tested


def test_what_interrupts_saving_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f.program"
    export(jit(fx.sin), fx.ones(3)).save(path)

    def strike(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("effects.files.atomic_writes.os.fsync", strike)
    with pytest.raises(KeyboardInterrupt):
        export(jit(fx.cos), fx.ones(3)).save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["f.program"]
    np.testing.assert_array_equal(load_program(path)(fx.ones(3)), fx.sin(fx.ones(3)))

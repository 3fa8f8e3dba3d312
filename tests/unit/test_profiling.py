"""Traces and times of what runs: whose parts they are, and what is left when something goes wrong."""

from __future__ import annotations

import gzip
import inspect
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects.arrays.array import Array
from effects.errors import ArgumentError, DeviceError, FileError
from handlers import cond, grad, scan, vmap
from lowering import (
    OperationTimes,
    block_until_ready,
    clear_caches,
    disk_report,
    jit,
    keep_on_disk,
    operation_times,
    profile,
)

pytestmark = pytest.mark.usefixtures("compiled_here")
X = fx.ones((64, 64))


def line_of(f: Callable[..., object], offset: int) -> int:
    return inspect.getsourcelines(f)[1] + offset


def layer(w: Any, x: Any) -> Any:
    return fx.tanh(fx.matmul(x, w))


@jit
def model(ws: Any, x: Any) -> Any:
    x, _ = scan(lambda x, w: (layer(w, x), None), x, ws)
    return fx.sort(x, axis=0)


def parts(written: Path) -> set[str]:
    """The names of the instructions in a trace."""
    (trace,) = written.glob("*.trace.json.gz")
    with gzip.open(trace, "rt") as stream:
        events = json.load(stream)["traceEvents"]
    return {event["name"] for event in events if "hlo_op" in event.get("args", {})}


def everything(written: Path) -> set[str]:
    (trace,) = written.glob("*.trace.json.gz")
    with gzip.open(trace, "rt") as stream:
        return {event.get("name", "") for event in json.load(stream)["traceEvents"]}


def test_parts_are_named_by_the_users_functions_and_lines(tmp_path: Path) -> None:
    ws = fx.ones((3, 64, 64))
    block_until_ready(model(ws, X))  # what is compiled before is named as well
    with profile(tmp_path / "new" / "runs") as written:
        block_until_ready(model(ws, X))
    names, here = parts(written), Path(__file__).name
    for kind, function, line in (("dot", layer, 1), ("tanh", layer, 1), ("sort", model, 3)):
        assert f"{kind} in {function.__name__} ({here}:{line_of(function, line)})" in names
    assert written.parent == tmp_path / "new" / "runs" / "plugins" / "profile"
    (for_tensorboard,) = written.glob("*.xplane.pb")
    assert b"layer/tanh" in for_tensorboard.read_bytes()


def test_programs_that_were_loaded(tmp_path: Path) -> None:
    keep_on_disk(tmp_path / "programs", min_seconds=0)
    for _ in range(2):
        clear_caches()
        block_until_ready(jit(layer)(X, X))
        with profile(tmp_path) as written:
            block_until_ready(jit(layer)(X, X))
        assert f"tanh in layer ({Path(__file__).name}:{line_of(layer, 1)})" in parts(written)
        assert "dot" in {row.kind for row in operation_times(layer, X, X)}
    assert disk_report().hits == 1


def test_programs_of_one_name_keep_their_lines(tmp_path: Path) -> None:
    first: Callable[[Array], Array] = jit(lambda x: fx.sort(fx.sin(x), axis=0))
    second: Callable[[Array], Array] = jit(lambda x: fx.sort(fx.cos(x), axis=1))
    with profile(tmp_path) as written:
        block_until_ready((first(X), second(X)))
    here, line = Path(__file__).name, line_of(test_programs_of_one_name_keep_their_lines, 1)
    sines = [name for name in parts(written) if name.startswith(("sine", "cosine", "sort"))]
    assert sorted(sines) == sorted(
        [
            f"{kind} in lambda ({here}:{line + i})"
            for i, kinds in enumerate((("sine", "sort"), ("cosine", "sort")))
            for kind in kinds
        ]
    )


def test_all_threads_are_recorded(tmp_path: Path) -> None:
    with profile(tmp_path) as written:
        thread = threading.Thread(target=lambda: block_until_ready(model(fx.ones((2, 64, 64)), X)))
        thread.start()
        thread.join()
    assert any([name.startswith("tanh in layer") for name in parts(written)])


def test_python_is_recorded_where_it_is_asked_for(tmp_path: Path) -> None:
    for python in (False, True):
        with profile(tmp_path, python=python) as written:
            layer(X, X)
        assert any([name.endswith(" layer") for name in everything(written)]) == python


def test_one_at_a_time(tmp_path: Path) -> None:
    refused: list[str] = []

    def attempt() -> None:
        with pytest.raises(DeviceError, match="there is one at a time") as caught, profile(tmp_path / "inner"):
            raise AssertionError("entered")
        refused.append(caught.value.message)

    with profile(tmp_path) as written:
        attempt()
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
        with pytest.raises(DeviceError, match="operation_times: a profile is taken in this process already"):
            operation_times(model, fx.ones((2, 64, 64)), X)
        block_until_ready(model(fx.ones((2, 64, 64)), X))
    assert len(refused) == 2
    assert not (tmp_path / "inner").exists()
    assert any([name.startswith("tanh in layer") for name in parts(written)])


def test_an_exception_goes_on_and_the_trace_is_written(tmp_path: Path) -> None:
    written = []
    with pytest.raises(KeyboardInterrupt), profile(tmp_path) as folder:
        written.append(folder)
        block_until_ready(model(fx.ones((2, 64, 64)), X))
        raise KeyboardInterrupt
    assert any([name.startswith("tanh in layer") for name in parts(written[0])])


def test_a_folder_that_is_there_gets_one_more(tmp_path: Path) -> None:
    folders = set()
    for _ in range(3):  # in one second
        with profile(str(tmp_path)) as written:
            pass
        folders.add(written)
    assert len(folders) == 3
    assert set(next(iter(folders)).parent.iterdir()) == folders


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for folder in (file, file / "below", Path("/proc/no/such")):
        with pytest.raises(FileError, match=rf"profile: .*{folder.name}"), profile(folder):
            raise AssertionError("entered")
    with pytest.raises(FileError, match="profile: "), profile(tmp_path / "a") as written:
        written.rmdir()
        written.write_text("in the way")
    assert file.read_text() == "mine"
    with profile(tmp_path / "b") as written:  # nothing of the others still runs
        pass
    assert len(list(written.iterdir())) == 2


def test_arguments_of_profile() -> None:
    given: Any
    for given in (3, b"x", "", "a\0b", None):
        with pytest.raises(ArgumentError, match="profile: folder must be a path"):
            profile(given)
    given = 1
    with pytest.raises(ArgumentError, match="profile: python must be True or False, got 1"):
        profile("x", python=given)


def test_the_slowest_operations_come_first() -> None:
    times = operation_times(model, fx.ones((3, 256, 256)), fx.ones((256, 256)))
    by_kind = {row.kind: row for row in times}
    product, tangent, sort = by_kind["dot"], by_kind["tanh"], by_kind["sort"]
    assert (product.runs, tangent.runs, sort.runs) == (3, 3, 1)
    assert product.bytes == 3 * 256 * 256 * 8
    assert tangent.bytes == 2 * 256 * 256 * 8
    assert (product.operation, product.function, product.file) == ("dot_general", "layer", __file__)
    assert product.line == line_of(layer, 1)
    assert [row.seconds for row in times] == sorted([row.seconds for row in times], reverse=True)
    assert product.seconds > tangent.seconds / 100 > 0
    assert times.seconds == pytest.approx(sum([row.seconds for row in times]))
    assert "while" not in by_kind
    text = str(times)
    assert repr(times) == text
    header, *rows, total = text.splitlines()
    assert header.split() == ["time", "share", "runs", "bytes", "operation", "where"]
    assert len(rows) == min(10, len(times))
    assert f"{__file__}:{line_of(layer, 1)} (layer)" in text
    assert total == f"{len(times)} operations, {times.seconds * 1e6:.1f} µs in all"
    many = OperationTimes(times.rows * 20)
    *shown, total = str(many).splitlines()
    assert len(shown) == 1 + 10
    assert total == f"the slowest 10 of {len(many)} operations, {many.seconds * 1e6:.1f} µs in all"


def test_times_of_calls_of_every_kind() -> None:
    @jit(static_argnums=0, donate_argnums=2)
    def step(n: int, params: dict[str, Any], x: Any, *, scale: Any) -> Any:
        return fx.tanh(x @ params["w"]) * n * scale

    kept = fx.ones((64, 64))
    for _ in range(2):
        assert "dot" in {row.kind for row in operation_times(step, 2, {"w": X}, kept, scale=3.0)}
    assert float(kept[0, 0]) == 1.0  # a copy was donated
    plain = operation_times(lambda x: fx.linalg.cholesky(x @ x.T + 64 * fx.eye(64)), np.eye(64))
    assert "lapack_dpotrf_ffi" in {row.kind for row in plain}
    many = fx.tile(X, (2, 1))
    slope = operation_times(grad(jit(lambda x: fx.sum(fx.sin(x) ** 2))), many)
    assert "cosine" in str(slope)
    chosen = operation_times(lambda p, x: cond(p, fx.sin, fx.cos, x), True, many)
    assert {"sine", "cosine"} & {row.kind for row in chosen} == {"sine"}
    assert [row.kind for row in operation_times(lambda x: fx.sum(fx.sin(x)), X)] == ["call"]


def test_times_of_what_has_none() -> None:
    with pytest.raises(ArgumentError, match="operation_times: it calls the function with values"):
        vmap(lambda x: operation_times(fx.sin, x))(X)
    with pytest.raises(ArgumentError, match="operation_times takes a function, got 3"):
        operation_times(3)  # type: ignore[arg-type]  # what is refused
    nothing = operation_times(lambda x: x, X)
    assert not any([row.seconds > 1e-3 for row in nothing])


def test_each_block_of_a_profile_writes_a_folder(tmp_path: Path) -> None:
    block = profile(tmp_path)
    with block as first:
        with pytest.raises(DeviceError), block:
            pass
        fx.sin(1.0)
    with block as second:
        fx.sin(1.0)
    assert first != second and len(list(first.iterdir())) == len(list(second.iterdir())) == 2


def test_a_folder_that_cannot_be_made_is_told() -> None:
    cannot = "profile: /proc/none/plugins/profile cannot be made a folder"
    with pytest.raises(FileError, match=cannot), profile("/proc/none"):
        pass

"""The command `python -m effects.check`: reports, exit codes, and files that cannot be checked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[2]
MODULE: Final = """
from effects import F32
print("imported")

def right[N, D](x: F32[N, D], w: F32[D]) -> F32[N]:
    return x @ w

def wrong[N, D](x: F32[N, D], w: F32[D]) -> F32[N]:
    return w @ x

def doubled[N](x: F32[N]) -> F32[N]:
    return x.astype("float64"){ignored}

if __name__ == "__main__":
    raise RuntimeError
"""
SHAPE: Final = "module.py:9:12: error: matmul contraction mismatch: [D] @ [N, D]: D vs N  [shape]"
DTYPE: Final = "module.py:12:5: error: the result of doubled has dtype float64, and float32 is declared  [dtype]"


def run(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    """The exit code and the lines of the report of the command in a folder."""
    command = [sys.executable, "-m", "effects.check", *arguments]
    done = subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True, check=False
    )
    return done.returncode, (done.stdout or done.stderr).splitlines()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "module.py").write_text(MODULE.format(ignored=""))
    return tmp_path


def test_mistakes_are_lines(folder: Path) -> None:
    assert run(folder, "module.py") == (1, [SHAPE, DTYPE, "2 errors in 3 functions of 1 file"])


def test_rules_are_ignored(folder: Path) -> None:
    assert run(folder, "--ignore", "dtype", ".") == (1, [SHAPE, "1 error in 3 functions of 1 file"])
    assert run(folder, "--ignore", "dtype, shape", ".") == (0, ["0 errors in 3 functions of 1 file"])
    code, lines = run(folder, "--ignore", "shapes", ".")
    assert code == 2 and "no rule is called 'shapes': they are shape, dtype, tree, argument" in lines[-1]


COMMENTS: Final = {
    "# type: ignore": [],
    "# type: ignore[dtype]": [],
    "# type: ignore[arg-type, dtype]": [],
    "# type: ignore[shape]": [DTYPE],
}


def test_lines_are_ignored(tmp_path: Path) -> None:
    paths = [tmp_path / f"module{i}.py" for i in range(len(COMMENTS))]
    for path, comment in zip(paths, COMMENTS):
        path.write_text(MODULE.format(ignored=f"  {comment}"))
    expected = [
        line.replace("module", path.stem, 1) for path, more in zip(paths, COMMENTS.values()) for line in [SHAPE, *more]
    ]
    assert run(tmp_path, ".") == (1, [*expected, "5 errors in 12 functions of 4 files"])


def test_reports_for_programs_say_the_same(folder: Path) -> None:
    code, lines = run(folder, "--format", "json", "module.py")
    report: dict[str, Any] = json.loads("\n".join(lines))
    said = ["{path}:{line}:{column}: error: {text}  [{rule}]".format(**error) for error in report["errors"]]
    assert code == 1 and said == [SHAPE, DTYPE] and report["functions"] == 3
    code, lines = run(folder, "--format", "sarif", "module.py")
    log: dict[str, Any] = json.loads("\n".join(lines))
    results = log["runs"][0]["results"]
    places = [result["locations"][0]["physicalLocation"] for result in results]
    said = [
        f"{place['artifactLocation']['uri']}:{place['region']['startLine']}:{place['region']['startColumn']}: "
        f"error: {result['message']['text']}  [{result['ruleId']}]"
        for place, result in zip(places, results)
    ]
    assert code == 1 and said == [SHAPE, DTYPE] and log["version"] == "2.1.0"


def test_reports_may_be_read_in_part(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(MODULE.format(ignored="") + "reveal_type(wrong)\n")
    command = [sys.executable, "-m", "effects.check", *["module.py"] * 2, "--format", "json"]
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1
    assert run(tmp_path, "module.py") == (1, [SHAPE, DTYPE, "2 errors in 3 functions of 1 file"])


FAILING: Final = {
    "import broken": ":1: error: importing raises ModuleNotFoundError: No module named 'broken'",
    "\ndef f(:": ":2: error: importing raises SyntaxError",
    "def f():\n    M\nf()": ":2: error: importing raises NameError: name 'M' is not defined",
    "import sys; sys.exit(0)": ":1: error: importing raises SystemExit: 0",
    "import os; os._exit(3)": ": error: ends the process",
    "import time; time.sleep(99)": ":1: error: takes longer than 5 s",
    "import time\nfrom effects import F32\ndef f(x: F32[2]):\n    time.sleep(99)": ":4: error: takes longer than 5 s",
}


def test_files_that_fail_leave_the_others(folder: Path) -> None:
    for i, text in enumerate(FAILING):
        (folder / f"failing{i}.py").write_text(text)
    code, lines = run(folder, "--timeout", "5", ".")
    assert code == 2 and lines[:2] == [SHAPE, DTYPE]
    for line, (i, words) in zip(lines[2:], enumerate(FAILING.values()), strict=False):
        assert line.startswith(f"failing{i}.py{words}")
    assert f"{len(FAILING) + 1} files" in lines[-1]


WRONG: Final = """from effects import F32
def ends[N](ä: F32[N]) -> F32[N]:
    raise SystemExit
def wrong[N](ä: F32[N]) -> F32[N]:
    return ä[1:]
"""
SOURCES: Final = {
    "latin.py": f"# coding: latin-1\n{WRONG}".encode("latin-1"),
    "marked.py": f"\n{WRONG}".encode("utf-8-sig"),
    "windows.py": f"\n{WRONG}".replace("\n", "\r\n").encode(),
}


def test_sources_are_read_as_python_reads_them_and_functions_may_exit(tmp_path: Path) -> None:
    for name, source in SOURCES.items():
        (tmp_path / name).write_bytes(source)
    code, lines = run(tmp_path, ".")
    error = "6:5: error: the result of wrong has shape [N - 1], and [N] is declared  [shape]"
    assert code == 1 and lines[:-1] == [f"{name}:{error}" for name in SOURCES]
    assert lines[-1].startswith("3 errors in 6 functions of 3 files; 3 not checked")


def test_modules_of_a_package_are_taken_as_declared(tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "inner").mkdir(parents=True)
    for folder in (package, package / "inner"):
        (folder / "__init__.py").touch()
    (package / "inner" / "norms.py").write_text(
        "from effects import F32\n\ndef norm[N, D](x: F32[N, D]) -> F32[N]:\n    return x.sum(axis=0)\n"
    )
    (package / "model.py").write_text(
        "from effects import F32\nfrom package.inner.norms import norm\n\n"
        "def scaled[N, D](x: F32[N, D]) -> F32[D, N]:\n    return x.T / norm(x)\n\n"
        "def scaled_wrongly[N, D](x: F32[N, D]) -> F32[N, D]:\n    return x / norm(x)\n"
    )
    code, lines = run(tmp_path, "package")
    assert code == 1 and [line.partition(": error")[0] for line in lines] == [
        "package/inner/norms.py:4:5",
        "package/model.py:8:12",
        "2 errors in 3 functions of 4 files",
    ]


def test_what_is_not_there_is_a_mistake_of_the_call(tmp_path: Path) -> None:
    code, lines = run(tmp_path, "gone.py")
    assert code == 2 and lines[-1].endswith("error: there is no gone.py")


ASSIGNING: Final = """
from effects import F64, f64
from handlers import WritableArray, writable

@writable
def decorated[N, D](x: F64[N, D]) -> F64[N, D]:
    x[0, 0] = 1.0
    x[:, 0] = x[0, :]
    return x

def declared[N, D](x: WritableArray[f64, tuple[N, D]]) -> None:
    x[0, 0] = 1.0
    x[:, 0] = x[0, :]
"""


def test_arguments_that_are_assigned_to_are_writable(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(ASSIGNING)
    code, lines = run(tmp_path, "module.py")
    assert code == 1 and lines[-1] == "2 errors in 2 functions of 1 file"
    assert [line.split(":")[1] for line in lines[:-1]] == ["8", "13"]
    assert all("[N]" in line and "[D]" in line and line.endswith("[shape]") for line in lines[:-1])

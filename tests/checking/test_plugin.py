"""The plugin of mypy: mistakes in the words of the command, types with shapes, caches, and programs that are odd."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from effects.check.reports import RULES
from tests.checking.test_document import programs
from tests.checking.test_programs import HERE, ROOT, marked

type Said = tuple[str, int, str, str, str]
"""File, line, severity, text and code."""

CONFIG: Final = f"""[mypy-effects.*,handlers.*,lowering.*]
ignore_errors = True

[mypy]
mypy_path = {ROOT}
check_untyped_defs = True
show_column_numbers = True
cache_fine_grained = True
plugins = returns.contrib.mypy.returns_plugin, effects.mypy_plugin
"""
"""Of the library only signatures are read, as where it is installed."""
REVEALED: Final = """
from typing import NamedTuple
import effects as fx
from effects import F32
from handlers import vmap

class Layer[I, O](NamedTuple):
    w: F32[I, O]

def f[N, D, *B](x: F32[N, D], w: F32[D], b: F32[*B, D], y: F32[3, "2 * N"], layer: Layer[D, N]) -> None:
    reveal_type(x.T)  # float32, tuple[D, N]
    reveal_type(x[None, :, 0])  # float32, tuple[Literal[1], N]
    reveal_type(fx.sum(x, axis=-2))  # float32, tuple[D]
    reveal_type(x.mean(axis=0, keepdims=True))  # float32, tuple[Literal[1], D]
    reveal_type(b @ w)  # float32, tuple[*B]
    reveal_type(1 + x * w > 0)  # bool_, tuple[N, D]
    reveal_type(w < x[:, 0][:, None])  # bool_, tuple[N, D]
    reveal_type(w == w[:, None])  # bool_, tuple[D, D]
    reveal_type(fx.einsum("nd,md->nm", x, x))  # float32, tuple[N, N]
    reveal_type(vmap(lambda r: fx.sum(r @ x.T))(x.T.T @ layer.w @ x))  # Any, tuple[N]
    reveal_type(fx.reshape(x, (x.shape[1], -1)))  # float32, tuple[D, N]
    reveal_type(fx.concat([x, x]))  # float32, tuple[Any, D]
    reveal_type(y.sum(axis=1))  # float32, tuple[Literal[3]]
    fx.block([x.sum(axis=0), x.sum(axis=1)])
    z = x.sum(axis=0) if y.ndim == 2 else x.sum(axis=1)
    v = x.sum(axis=0)
    v = x * v
    x = x[1:]

here: F32[2, 3] = fx.ones((2, 3), dtype=fx.f32)
here @ here  # E: matmul contraction mismatch: [2, 3] @ [2, 3]: 3 vs 2
here @ here  # type: ignore[shape]

def without_annotations(by):
    z = by + here.T @ fx.sum(here, axis=0)  # E: matmul contraction mismatch: [3, 2] @ [3]: 2 vs 3
    return z
"""
ODD: Final = (HERE / "odd_programs.txt").read_text().split("---\n")
PARTS: Final = ("x", "w", "x.T", "x[0]", "x[1:, None]", "3", "-1", "'nd,d->n'", "None", "(x, w)", "[x, w]", "{'a': x}")
CALLS: Final = (
    *("{} @ {}", "{} + {}", "{}[{}]", "({}).at[{}].add(w)", "({} if {} else 1)", "f({})({})", "({}).reshape({})"),
    *("fx.sum({}, {})", "fx.einsum({}, {})", "fx.concat([{}, {}])", "fx.where({}, {}, 0)", "nn.softmax({}, axis={})"),
)
LAMBDAS: Final = (
    "vmap(lambda a: a @ {})({})",
    "grad(lambda a: fx.sum({} * a))({})",
    "scan(lambda a, b: ({}, b), {}, x)",
)


def expressions(seed: int) -> str:
    """A function with expressions of which most have no meaning."""
    draw = random.Random(seed)

    def expression(depth: int) -> str:
        if depth == 0:
            return draw.choice(PARTS)
        calls = (*CALLS, *LAMBDAS) if depth == 1 else CALLS  # mypy takes very long for lambdas in lambdas
        return draw.choice(calls).format(expression(depth - 1), expression(depth - 1))

    lines = [f"    y{i} = {expression(1 + i % 2)}" for i in range(4)]
    return "\n".join(["def f[N, D](x: F32[N, D], w: F32[D]) -> F32[N]:", *lines, "    return x @ w", ""])


def mypy(cache: Path, folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit code and the report of mypy with the plugin."""
    (folder / "mypy.ini").write_text(CONFIG + f"cache_dir = {cache}\n")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", *arguments]
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def cache(request: pytest.FixtureRequest) -> Path:
    """A folder for what mypy knows of effax."""
    assert request.config.cache is not None
    return request.config.cache.mkdir("mypy_plugin")


@pytest.fixture(scope="module")
def report(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Said]:
    """What mypy says of all programs."""
    folder = tmp_path_factory.mktemp("programs")
    for i, program in enumerate(programs()[0]):
        (folder / f"program{i}.py").write_text(program)
    for i, program in enumerate([*ODD, *map(expressions, range(4))]):
        head = "import effects as fx\nfrom typing import NamedTuple\nfrom effects import F32, nn\n"
        (folder / f"odd{i}.py").write_text(head + "from handlers import grad, scan, vmap\n" + program)
    (folder / "revealed.py").write_text(REVEALED)
    paths = [*sorted((HERE / "programs").glob("*.py")), *sorted(folder.glob("*.py"))]
    code, text = mypy(cache, folder, *map(str, paths))
    assert code == 1 and "INTERNAL" not in text and "Traceback" not in text, text
    found = re.findall(r"^(.*?):(\d+):\d+: (\w+): (.*?)(?:  \[([\w-]+)\])?$", text, re.MULTILINE)
    return [(Path(path).name, int(line), kind, said, rule) for path, line, kind, said, rule in found]


def test_every_mistake_is_found_and_nothing_else(report: list[Said]) -> None:
    own = {path.name for path in (HERE / "programs").glob("*.py")}
    actual = {(name, line, rule): text for name, line, _, text, rule in report if name in own and rule in RULES}
    expected = marked("E")
    assert {place: actual.get(place) for place in actual.keys() ^ expected} == {}


def test_words_are_those_of_the_command(report: list[Said]) -> None:
    mistakes = programs()[1]
    own = {name for name, *_ in mistakes}
    assert {(name, line, text, rule) for name, line, _, text, rule in report if name in own and rule in RULES} == {
        *mistakes
    }


def test_types_have_shapes_also_where_no_function_is_checked(report: list[Said]) -> None:
    lines = list(enumerate(REVEALED.splitlines(), 1))
    types = {number: found[1] for number, line in lines if (found := re.search(r"reveal_type.*  # (.*)$", line))}
    mistakes = {number: found[1] for number, line in lines if (found := re.search(r"  # E: (.*)$", line))}
    said = [(line, kind, text) for name, line, kind, text, _ in report if name == "revealed.py"]
    revealed = {
        line: re.sub(r"\b(?:[a-z_]\w*\.)+(?=\w)", "", shown[1])
        for line, _, text in said
        if (shown := re.match(r'Revealed type is "(?:\w+\.)*Array\[(.*)\]"$', text)) is not None
    }
    assert revealed == types
    assert {line: text for line, kind, text in said if kind == "error"} == mistakes


def test_cached_errors_go_when_a_file_that_is_imported_changes(cache: Path, tmp_path: Path) -> None:
    program = "from effects import F32\nfrom sizes import rows\n\ndef f(x: F32[4, 3]) -> F32[3]:\n    return rows(x)\n"
    (tmp_path / "program.py").write_text(program)
    right = "def rows(x):  # says no shapes: what it gives is looked for in it\n    return x.sum(axis=0)\n"
    (tmp_path / "sizes.py").write_text(right)
    assert mypy(cache, tmp_path, "program.py") == (0, "")
    (tmp_path / "sizes.py").write_text(right.replace("axis=0", "axis=1"))
    wrong = "program.py:5:5: error: the result of f has shape [4], and [3] is declared  [shape]\n"
    assert mypy(cache, tmp_path, "program.py") == (1, wrong)
    assert mypy(cache, tmp_path, "program.py") == (1, wrong)
    (tmp_path / "sizes.py").write_bytes(f"# coding: latin-1\n# ä\n{right}".encode("latin-1"))
    assert mypy(cache, tmp_path, "program.py") == (0, "")


def test_the_daemon_follows_changes(cache: Path, tmp_path: Path) -> None:
    wrong = "from effects import F32\n\ndef f[N, D](x: F32[N, D], w: F32[D]) -> F32[N]:\n    return w @ x\n"
    said = "program.py:4:12: error: matmul contraction mismatch: [D] @ [N, D]: D vs N  [shape]"
    (tmp_path / "program.py").write_text(wrong)
    (tmp_path / "mypy.ini").write_text(CONFIG + f"cache_dir = {cache}\n")

    def daemon(*arguments: str) -> str:
        command = [sys.executable, "-m", "mypy.dmypy", "--status-file", str(tmp_path / "status"), *arguments]
        environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    try:
        assert said in daemon("run", "--", "--use-fine-grained-cache", "program.py")
        (tmp_path / "program.py").write_text(
            wrong.replace("w @ x", "x @ w  # right")
        )  # of another length: mypy knows seconds only
        assert "Success" in daemon("check", "program.py")
        (tmp_path / "program.py").write_text(wrong)
        assert said in daemon("check", "program.py")
    finally:
        daemon("stop")

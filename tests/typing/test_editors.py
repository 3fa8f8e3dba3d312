"""What editors show of public names: pyright's language server is asked for the text below the pointer.

It shows the docstring that the name has when the program runs. The server is basedpyright's, or the command that the
variable PYRIGHT names; without one nothing is asked.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType
from typing import Any, Self

import pytest

import effects as fx
import handlers
import lowering

ROOT = Path(__file__).parents[2]
SERVER = os.environ.get("PYRIGHT") or shutil.which("basedpyright-langserver", path=Path(sys.executable).parent)


class Server:
    """A running language server: requests and answers, one at a time."""

    def __init__(self, command: str, root: Path) -> None:
        self.process = subprocess.Popen([command, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        self.count = 0
        uri = root.as_uri()
        folders = [{"uri": uri, "name": "root"}]
        shown = {"hover": {"contentFormat": ["markdown"]}}
        capabilities = {"workspace": {"configuration": True, "workspaceFolders": True}, "textDocument": shown}
        self.ask("initialize", processId=None, rootUri=uri, workspaceFolders=folders, capabilities=capabilities)
        self.send(method="initialized", params={})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def send(self, **message: object) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline().strip()) != b"":
            if line.startswith(b"Content-Length: "):
                length = int(line.removeprefix(b"Content-Length: "))
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return message

    def ask(self, method: str, **params: object) -> Any:
        self.count += 1
        self.send(id=self.count, method=method, params=params)
        while True:
            answer = self.read()
            if "method" in answer and "id" in answer:  # the server asks for its settings
                asked = answer["params"].get("items") if answer["method"] == "workspace/configuration" else None
                self.send(id=answer["id"], result=asked and [{} for _ in asked])
            elif answer.get("id") == self.count:
                return answer["result"]

    def hovers(self, path: Path, places: list[tuple[int, int]]) -> list[str]:
        """What is shown at these places (lines and columns from 0) of a file."""
        document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": path.read_text()}
        self.send(method="textDocument/didOpen", params={"textDocument": document})
        shown = []
        for line, character in places:
            position = {"line": line, "character": character}
            answer = self.ask("textDocument/hover", textDocument={"uri": path.as_uri()}, position=position)
            shown.append(answer["contents"]["value"] if answer else "")
        return shown


def words(text: str) -> list[str]:
    """Without what markdown adds."""
    return re.findall(r"\w+", re.sub(r"&\w+;", " ", text.replace("\\", "")))


MODULES = {"fx": fx, "handlers": handlers, "lowering": lowering}


def functions() -> dict[str, FunctionType]:
    """The public functions by module and name, without second names (`absolute`, `array`)."""
    found = {f"{short}.{name}": getattr(module, name) for short, module in MODULES.items() for name in dir(module)}
    return {name: f for name, f in found.items() if isinstance(f, FunctionType) and is_defined(f, name)}


def is_defined(function: FunctionType, name: str) -> bool:
    """Whether the function has this name where it stands, which is below the public namespace."""
    places = ("effects.functions.", "effects.trees.", "handlers.", "lowering.")
    return function.__name__ == name.rpartition(".")[2] and function.__module__.startswith(places)


def members() -> list[str]:
    return [
        name
        for name in dir(fx.Array)
        if not name.startswith("_") and inspect.getdoc(getattr(fx.Array, name)) and name not in ("assigned", "dot")
        if not (
            isinstance(found := inspect.getattr_static(fx.Array, name), property)
            and "missing_method" in str(found.fget)
        )
    ]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    if SERVER is None:
        pytest.skip("there is no language server")
    folder = tmp_path_factory.mktemp("editor")
    (folder / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(ROOT)]}))
    names = list(functions()) + [f"x.{name}" for name in members()]
    lines = ["import effects as fx, handlers, lowering", "x: fx.Array = fx.zeros(3)", *names]
    path = folder / "program.py"
    path.write_text("\n".join(lines))
    with Server(SERVER, folder) as server:
        answers = server.hovers(path, [(line, name.index(".") + 1) for line, name in enumerate(names, 2)])
    return dict(zip(names, answers))


def test_every_function_and_method_shows_its_own_text(shown: dict[str, str]) -> None:
    expected: dict[str, object] = {**functions()}
    expected |= {f"x.{name}": getattr(fx.Array, name) for name in members()}
    assert len(expected) > 150
    wrong = []
    for name, value in expected.items():
        told = inspect.getdoc(value) or ""
        text = words(told if name in functions() else told.split("\n\n")[0])
        if "Another name of" in told:  # a variable to pyright, which shows what stands below it
            text = words(told[told.index("Another name of") :])
        if not text or " ".join(text[:40]) not in " ".join(words(shown[name])):
            wrong.append((name, shown[name]))
    assert not wrong, [name for name, _ in wrong]


def test_every_function_and_method_shows_its_parameters(shown: dict[str, str]) -> None:
    for name, text in shown.items():
        signature = text.split("---")[0]
        assert "Overload[" not in signature, text
        if name in functions():
            parameters = inspect.signature(functions()[name]).parameters.values()
            named = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
            assert name == "handlers.custom_vjp" or all([p in words(signature) for p in named]), (
                text
            )  # its overloads do

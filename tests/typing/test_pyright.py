"""What pyright says of the programs in accept/ and reject/: errors on the lines that mypy has errors on, and no others.

`# E (mypy): text` marks a line of which mypy alone has an error, `# E (pyright): text` one of which pyright alone has.
It is run as basedpyright, in pyright's standard mode, since that needs nothing that is not on PyPI.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

pytest.importorskip("basedpyright")
HERE = Path(__file__).parent

type Place = tuple[str, int]


def errors() -> dict[Place, list[str]]:
    """The errors by file and line."""
    command = [sys.executable, "-m", "basedpyright", "--project", str(HERE), "--pythonpath", sys.executable]
    report = subprocess.run([*command, "--outputjson"], capture_output=True, check=False).stdout
    by_place: dict[Place, list[str]] = defaultdict(list)
    for message in json.loads(report)["generalDiagnostics"]:
        if message["severity"] == "error":
            name = Path(message["file"]).relative_to(HERE).as_posix()
            by_place[name, message["range"]["start"]["line"] + 1].append(message["message"])
    return dict(by_place)


def rejected() -> dict[Place, str]:
    """The lines with errors, and what mypy and pyright, or pyright alone, say of them."""
    lines = {
        (f"reject/{path.name}", number): re.search(r"# E( \(pyright\))?: (.*)$", line)
        for path in HERE.glob("reject/*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
    }
    return {place: match[2] if match[1] else "" for place, match in lines.items() if match is not None}


def test_pyright_has_errors_where_programs_expect_them() -> None:
    by_place, expected = errors(), rejected()
    assert len(expected) > 300
    assert set(by_place) == set(expected), {place: by_place.get(place) for place in set(by_place) ^ set(expected)}
    for place, text in expected.items():
        assert any(text in message for message in by_place[place]), (place, by_place[place])

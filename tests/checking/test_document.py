"""The programs of docs/checking-shapes.md have the mistakes that the page says, and no others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from tests.checking.test_command import ROOT, run

PROGRAM: Final = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def programs() -> tuple[list[str], list[tuple[str, int, str, str]]]:
    """The programs of the page, and their mistakes: file, line, text and rule."""
    texts = PROGRAM.findall((ROOT / "docs" / "checking-shapes.md").read_text())
    lines = [(i, *line) for i, program in enumerate(texts) for line in enumerate(program.splitlines())]
    matches = [(i, number, re.match(r"\s*# error: (.*)  \[(\w+)\]$", line)) for i, number, line in lines]
    mistakes = [(f"program{i}.py", number, match[1], match[2]) for i, number, match in matches if match is not None]
    assert len(texts) == len(mistakes) == 10
    return texts, mistakes


def test_every_program_has_its_mistake(tmp_path: Path) -> None:
    texts, mistakes = programs()
    for i, program in enumerate(texts):
        (tmp_path / f"program{i}.py").write_text(program)
    code, lines = run(tmp_path, "--format", "json", ".")
    report = json.loads("\n".join(lines))
    assert [(e["path"], e["line"], e["text"], e["rule"]) for e in report["errors"]] == mistakes
    assert code == 1 and report["unchecked"] == []

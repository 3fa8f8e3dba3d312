"""The programs of docs/checking-shapes.md have the mistakes that the page says, and no others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from tests.checking.test_command import ROOT, run

PROGRAM: Final = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_program_has_its_mistake(tmp_path: Path) -> None:
    programs = PROGRAM.findall((ROOT / "docs" / "checking-shapes.md").read_text())
    expected = []
    for i, program in enumerate(programs):
        (tmp_path / f"program{i}.py").write_text(program)
        for number, line in enumerate(program.splitlines()):
            if (found := re.match(r"\s*# error: (.*)  \[(\w+)\]$", line)) is not None:
                expected.append((f"program{i}.py", number, found[1], found[2]))
    assert len(programs) == len(expected) == 10
    code, lines = run(tmp_path, "--format", "json", ".")
    report = json.loads("\n".join(lines))
    assert [(e["path"], e["line"], e["text"], e["rule"]) for e in report["errors"]] == expected
    assert code == 1 and report["unchecked"] == []

"""What the checker of shapes says of programs.

In programs/ a comment `# E: rule` expects an error by this rule on its line, and `# U: reason` a function that is not
checked, or not beyond that line. There must be nothing else.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]

type Marks = set[tuple[str, int, str]]


def run(*arguments: str) -> tuple[int, str]:
    """The exit code and the report of the command."""
    command = [sys.executable, "-m", "effects.check", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def marked(kind: str) -> Marks:
    """The comments of a kind: file, line and text."""
    return {
        (path.name, number, found[1])
        for path in (HERE / "programs").glob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (found := re.search(rf"# {kind}: (.*)$", line)) is not None
    }


def test_every_mistake_is_found_and_nothing_else() -> None:
    code, text = run("--format", "json", str(HERE / "programs"))
    report: dict[str, Any] = json.loads(text)
    assert code == 1 and not report["failures"]
    errors = {(Path(e["path"]).name, e["line"], e["rule"]): e["text"] for e in report["errors"]}
    expected = marked("E")
    assert {place: errors.get(place) for place in errors.keys() ^ expected} == {}
    unchecked = {(Path(u["path"]).name, u["line"], u["reason"]) for u in report["unchecked"]}
    assert unchecked == marked("U")
    assert len(expected) > 110 and report["functions"] > 2 * len(expected)


def test_nothing_is_found_in_the_examples() -> None:
    code, text = run("--format", "json", "examples")
    report: dict[str, Any] = json.loads(text)
    assert code == 0 and report["functions"] > 90, report["errors"] or report["failures"]

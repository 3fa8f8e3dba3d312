"""The recipes of docs/contributing.md, followed to the letter in a copy of the packages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.boundaries.sources import PACKAGES, ROOT

TEXT: Final = (ROOT / "docs" / "contributing.md").read_text()

STEP: Final = re.compile(
    r"(?:New file\s+`(?P<new>[^`]+)`|In\s+`(?P<path>[^`]+)`,\s+"
    r"(?:(?P<how>after|in front of|in place of)\s+`(?P<anchor>[^`]+)`|at the end)):"
    r"\n\n(?P<indent> *)```\w+\n(?P<code>.*?)\n *```",
    re.DOTALL,
)
"""What to do to a file, and the code after it."""

PROGRAM: Final = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
"""Blocks that are not indented are programs, which run when a recipe is done."""

_IMPORTS: Final = """
import numpy as np
import scipy.stats
import effects as fx
import handlers
from handlers import grad, vmap
from lowering import jit
"""


def _follow(root: Path, step: re.Match[str]) -> str:
    """Do to a file what a step says, and return its path."""
    code = "\n".join([line.removeprefix(step["indent"]) for line in step["code"].split("\n")])
    if step["new"]:
        path = root / step["new"]
        assert not path.exists()
        path.write_text(code + "\n")
        return step["new"]
    path, anchor = root / step["path"], step["anchor"]
    text = path.read_text()
    if not anchor:
        text += f"\n\n{code}\n"
    else:
        assert text.count(anchor if step["how"] == "in place of" else f"{anchor}\n") == 1, f"{step['path']}: {anchor}"
        text = {
            "after": lambda: text.replace(f"{anchor}\n", f"{anchor}\n{code}\n"),
            "in front of": lambda: text.replace(f"{anchor}\n", f"{code}\n\n\n{anchor}\n"),
            "in place of": lambda: text.replace(anchor, code),
        }[step["how"]]()
    path.write_text(text)
    return step["path"]


def test_recipes(tmp_path: Path) -> None:
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    recipes = TEXT.split("\n## ")[1:]
    files = [len({_follow(tmp_path, step) for step in STEP.finditer(recipe)}) for recipe in recipes]
    assert files == [6, 2, 2, 2]
    programs = [program for recipe in recipes for program in PROGRAM.findall(recipe)]
    assert len(programs) == len(recipes)
    done = subprocess.run(
        [sys.executable, "-c", "\n".join([_IMPORTS, *programs])],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "EFFAX_DISK": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr

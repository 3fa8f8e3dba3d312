"""Files: their length, what they open with, and words that do not belong in them."""

from __future__ import annotations

import ast
import re
from typing import Final

import pytest

from tests.boundaries.sources import PACKAGES, ROOT, files, tree

LONGEST: Final = 350
UNFINISHED: Final = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX|HA" + r"CK)\b")


@pytest.mark.parametrize("path", files(*PACKAGES))
def test_length(path: str) -> None:
    lines = len((ROOT / path).read_text().splitlines())
    assert lines <= LONGEST, f"{path} has {lines} lines; cut it where the subject changes"


@pytest.mark.parametrize("path", files(*PACKAGES, "tests"))
def test_opens_with_its_subject(path: str) -> None:
    assert ast.get_docstring(tree(path)) or not (ROOT / path).read_text().strip(), f"{path} has no module docstring"


@pytest.mark.parametrize("path", files(*PACKAGES, "tests", "examples", "benchmarks"))
def test_nothing_is_left_to_do(path: str) -> None:
    found = [line for line in (ROOT / path).read_text().splitlines() if UNFINISHED.search(line)]
    assert not found, f"{path}: {found}"


@pytest.mark.parametrize("package", PACKAGES)
def test_package_is_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()


READING: Final = re.compile(r"^\|.*\| `([\w/]+\.py)` \| (\d+) \|$", re.MULTILINE)


def test_the_core_is_read_in_a_day() -> None:
    said = {path: int(lines) for path, lines in READING.findall((ROOT / "docs" / "design.md").read_text())}
    lines = {path: len((ROOT / path).read_text().splitlines()) for path in said}
    assert len(said) > 20 and sum(lines.values()) < 5000
    assert {path: n for path, n in lines.items() if abs(n - said[path]) > 0.1 * n} == {}

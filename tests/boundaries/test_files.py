"""Files: their length, what they open with, and words that do not belong in them."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.boundaries.sources import PACKAGES, ROOT, files

LONGEST: Final = 350
UNFINISHED: Final = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX|HA" + r"CK)\b")


def _lines(path: str) -> list[str]:
    return (ROOT / path).read_text().splitlines()


def test_length() -> None:
    lengths = {path: len(_lines(path)) for path in files(*PACKAGES)}
    too_long = {path: n for path, n in lengths.items() if n > LONGEST}
    assert lengths and not too_long, "cut them where the subject changes"


def test_opens_with_its_subject() -> None:
    openings = {path: _lines(path)[:1] for path in files(*PACKAGES, "tests")}
    bare = [path for path, lines in openings.items() if lines and not re.match(r'r?"""\S', lines[0])]
    assert not bare, "they have no module docstring"


def test_nothing_is_left_to_do() -> None:
    found = [
        (path, line)
        for path in files(*PACKAGES, "tests", "examples", "benchmarks")
        for line in _lines(path)
        if UNFINISHED.search(line)
    ]
    assert not found


@pytest.mark.parametrize("package", PACKAGES)
def test_package_is_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()


READING: Final = re.compile(r"^\|.*\| `([\w/]+\.py)` \| (\d+) \|$", re.MULTILINE)


def test_the_core_is_read_in_a_day() -> None:
    said = {path: int(lines) for path, lines in READING.findall((ROOT / "docs" / "design.md").read_text())}
    lines = {path: len((ROOT / path).read_text().splitlines()) for path in said}
    assert len(said) > 20 and sum(lines.values()) < 5000
    assert {path: n for path, n in lines.items() if abs(n - said[path]) > 0.1 * n} == {}

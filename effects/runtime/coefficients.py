"""Tables of numbers in text files: lines of words, each followed by lines of numbers, which begin with a space."""

from __future__ import annotations

from pathlib import Path


def numbers_below(file: Path) -> list[tuple[list[str], list[float]]]:
    """For each heading, its words and the numbers below it."""
    tables: list[tuple[list[str], list[float]]] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line[0] == " ":
            tables[-1][1].extend(map(float, line.split()))
        else:
            tables.append((line.split(), []))
    return tables

"""Equations by the user's lines: the rows of a picture, and the text of figures."""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from lowering.showing.costs import Cost, Line
from lowering.showing.equations import Equation, Program

_MOST_LINES: Final = 300
"""Number of lines with equations that are shown."""
_NEAR: Final = 2
"""Number of lines without equations that are shown before and after lines with some."""


@dataclass(frozen=True, slots=True)
class Column:
    """A program, and the function it is of."""

    name: str
    program: Program


class Cell(NamedTuple):
    """A line in one program: its first equations, and the cost of all."""

    equations: tuple[Equation, ...]
    cost: Cost


class Row(NamedTuple):
    """A line of the user's: its number (0 for no line), its text, and a cell for each program."""

    number: int
    source: str
    cells: tuple[Cell, ...]


class Part(NamedTuple):
    """The lines of one file with equations, and those near them; `left_out` more have equations."""

    file: str
    rows: tuple[Row, ...]
    left_out: int


def parts(columns: Sequence[Column]) -> list[Part]:
    """The rows of a picture by files, in the order in which the innermost program first comes to them."""
    by_line = [_by_line(column.program) for column in columns]
    lines = dict.fromkeys([line for column in columns for line in column.program.measured.lines])
    files = dict.fromkeys([line.file for line in lines])
    result, room = list[Part](), _MOST_LINES
    for file in sorted(files, key=lambda file: not file):  # equations without a line come last
        numbers = sorted([line.number for line in lines if line.file == file])
        shown = numbers[:room]
        room -= len(shown)
        rows = []
        for number in _with_neighbours(file, shown):
            line = Line(file, number)
            cells = [
                Cell(tuple(cell.get(line, ())), column.program.measured.lines.get(line, Cost()))
                for cell, column in zip(by_line, columns, strict=True)
            ]
            rows.append(Row(number, linecache.getline(file, number).rstrip() if file else "", tuple(cells)))
        if rows:
            result.append(Part(Path(file).name, _dedented(rows), len(numbers) - len(shown)))
    return result


def _by_line(program: Program) -> dict[Line, list[Equation]]:
    by_line = dict[Line, list[Equation]]()
    for equation in program.walk():
        by_line.setdefault(equation.line, []).append(equation)
    return by_line


def _with_neighbours(file: str, numbers: Sequence[int]) -> Iterator[int]:
    """The numbers of lines, and those of lines near them."""
    before: int | None = None
    for number in numbers:
        if before is not None and number - before <= 2 * _NEAR:
            yield from [n for n in range(before + 1, number) if linecache.getline(file, n).strip()]
        elif number > 1 and linecache.getline(file, number - 1).lstrip().startswith(("def ", "@", "for ", "with ")):
            yield number - 1
        yield number
        before = number


def _dedented(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows without the indentation that all lines have."""
    margin = min([len(row.source) - len(row.source.lstrip()) for row in rows if row.source.strip()], default=0)
    return tuple([row._replace(source=row.source[margin:]) for row in rows])


def amount(number: int) -> str:
    """A number in three digits: `12`, `1.23 k`, `45.6 M`.

    >>> amount(999), amount(12345), amount(45_600_000)
    ('999', '12.3 k', '45.6 M')
    """
    return _scaled(number, 1000, ("", " k", " M", " G", " T", " P"))


def size(number: int) -> str:
    """A number of bytes: `800 B`, `1.50 KiB`.

    >>> size(800), size(1536)
    ('800 B', '1.50 KiB')
    """
    return _scaled(number, 1024, (" B", " KiB", " MiB", " GiB", " TiB", " PiB"))


def _scaled(number: int, base: int, units: Sequence[str]) -> str:
    scale = 0
    while scale < len(units) - 1 and number >= base ** (scale + 1):
        scale += 1
    if scale == 0:
        return f"{number}{units[0]}"
    value = number / base**scale
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}{units[scale]}"


def flops(cost: Cost) -> str:
    """The arithmetic of a cost, with a `+` if some of it is not counted."""
    return f"{amount(cost.flops)}{'' if cost.known else '+'} FLOPs"

"""A picture as text, in colours if it goes to a terminal."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Final, TextIO

from effects.arguments import counted
from lowering.showing.equations import Equation
from lowering.showing.lines import Cell, Column, flops, parts, size

_MOST: Final = 4
"""Number of equations of a line that are shown in a cell."""
type Paint = Callable[[str, str], str]
"""Function that gives text in the colour of its kind."""

_COLOURS: Final = {"name": "1", "number": "2", "source": "36", "derivative": "34", "backward": "33", "cost": "2"}


def has_colours(stream: TextIO) -> bool:
    """Return True if a stream is a terminal that shows colours, and the user wants them."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def text(title: str, columns: Sequence[Column], notes: Sequence[str], *, colours: bool) -> str:
    """The costs of each program, then each line of the user's with its equations in each program."""

    def paint(kind: str, words: str) -> str:
        return f"\x1b[{_COLOURS[kind]}m{words}\x1b[0m" if colours and words else words

    width = max([len(column.name) for column in columns])
    lines = [paint("name", title), ""]
    for column in columns:
        measured, peak = column.program.measured, column.program.peak
        at = "" if peak is None else f" at equation {peak.number}"
        at += f", line {peak.line.number}" if peak is not None and peak.line.number else ""
        lines.append(
            f"{paint('name', f'{column.name:{width}}')}  {counted(measured.cost.equations, 'eqn')}  "
            f"{flops(measured.cost)}  {size(measured.cost.bytes)} moved  peak {size(measured.peak)}{at}"
        )
    lines += notes
    for part in parts(columns):
        lines += ["", paint("name", part.file or "without a line")]
        for row in part.rows:
            if row.number:
                lines.append(f"{paint('number', f'{row.number:5}')}  {paint('source', row.source)}")
            for column, cell in zip(columns, row.cells, strict=True):
                if cell.cost.equations:
                    lines += _cell(paint, f"{column.name:{width}}" if len(columns) > 1 else "", cell)
        if part.left_out:
            lines.append(f"       … {counted(part.left_out, 'more line')}")
    return "\n".join(lines)


def _cell(paint: Paint, name: str, cell: Cell) -> list[str]:
    """The equations of a cell, one a line, beside the name of the program."""
    shown = [_equation(paint, equation) for equation in cell.equations[:_MOST]]
    more = cell.cost.equations - len(shown)
    if more:
        shown.append(f"… {counted(more, 'more equation')}" if shown else counted(more, "equation"))
    shown[-1] += paint("cost", f"  ({flops(cell.cost)}, {size(cell.cost.bytes)})")
    return [
        f"       {name if first else ' ' * len(name)}  {line}"
        for first, line in zip((True, *[False] * len(shown)), shown)
    ]


def _equation(paint: Paint, equation: Equation) -> str:
    within = f"[{equation.within[-1]}] " if equation.within else ""
    kind = equation.rule.partition(" ")[0]
    written = f"{within}{equation}"
    return paint(kind, written) if kind else written

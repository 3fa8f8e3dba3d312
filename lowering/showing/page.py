"""A picture as an HTML page, with styles and script inside it, and with the user's text escaped."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final

from effects.arguments import counted
from lowering.showing.costs import Cost
from lowering.showing.equations import MOST_VALUES, Equation, Program, Value
from lowering.showing.lines import Cell, Column, Row, flops, parts, size

_MOST_IN_CELL: Final = 12


def document(title: str, body: str) -> str:
    """A page of its own."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>body {{ margin: 0 }}</style></head><body>{body}</body></html>\n"
    )


def fragment(title: str, columns: Sequence[Column], notes: Sequence[str]) -> str:
    """The picture as a part of a page; its anchors differ from those of other pictures on the page."""
    body = "\n".join(_body(title, columns, notes))
    prefix = f"fx{hashlib.sha256(body.encode()).hexdigest()[:10]}"
    return framed(body.replace("@@", prefix))


def framed(body: str) -> str:
    """A body with the styles and the script: page.css and page.js."""
    style, script = [Path(__file__).with_suffix(f".{kind}").read_text(encoding="utf-8") for kind in ("css", "js")]
    return f'<div class="fx-show"><style>\n{style}</style>{body}<script>\n{script}</script></div>'


def _body(title: str, columns: Sequence[Column], notes: Sequence[str]) -> Iterator[str]:
    yield f"<header><h1>{escape(title)}</h1></header>"
    yield '<div class="fx-cards">'
    for at, column in enumerate(columns):
        yield _card(at, column)
    yield "</div>"
    for note in notes:
        yield f'<p class="fx-note">{escape(note)}</p>'
    yield '<p class="fx-legend"><span class="fx-eq">as written</span> '
    yield '<span class="fx-eq fx-derivative">of a derivative</span> <span class="fx-eq fx-backward">backward</span></p>'
    for part in parts(columns):
        yield f"<h2>{escape(part.file or 'without a line')}</h2>"
        yield f'<div class="fx-lines" style="--columns: {len(columns)}" role="table">'
        if len(columns) > 1:
            heads = "".join([f'<span role="columnheader">{escape(column.name)}</span>' for column in columns])
            yield f'<div class="fx-row fx-head" role="row"><span role="columnheader">line</span>{heads}</div>'
        for row in part.rows:
            yield _row(row, columns)
        yield "</div>"
        if part.left_out:
            yield f'<p class="fx-more">… {counted(part.left_out, "more line")}</p>'
    for at, column in enumerate(columns):
        yield f'<details class="fx-program" id="@@p{at}"{" open" if len(columns) == 1 else ""}>'
        yield f"<summary>The program of <b>{escape(column.name)}</b></summary>"
        yield from _program(column.program, at, max(column.program.measured.peak, 1), column.program.peak)
        yield "</details>"


def _card(at: int, column: Column) -> str:
    program, peak = column.program, column.program.peak
    measured = program.measured
    types = f"{_types(program.inputs)} → {_types(program.outputs)}"
    where = "" if peak is None else f' at <a href="#@@p{at}e{peak.number}">equation {peak.number}</a>'
    return (
        f'<section class="fx-card"><h3><a href="#@@p{at}">{escape(column.name)}</a></h3><p>{types}</p><dl>'
        f"<dt>equations</dt><dd>{measured.cost.equations:,}</dd><dt>arithmetic</dt><dd>{flops(measured.cost)}</dd>"
        f"<dt>moved</dt><dd>{size(measured.cost.bytes)}</dd><dt>peak</dt><dd>{size(measured.peak)}{where}</dd>"
        "</dl></section>"
    )


def _types(values: Sequence[Value]) -> str:
    more = f", … {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else ""
    return f"({', '.join([escape(value.type) for value in values[:MOST_VALUES]])}{more})"


def _row(row: Row, columns: Sequence[Column]) -> str:
    number = f"<i>{row.number}</i>" if row.number else "<i></i>"
    cells = [_cell(at, column, cell) for at, (column, cell) in enumerate(zip(columns, row.cells, strict=True))]
    quiet = "" if any([cell.cost.equations for cell in row.cells]) else " fx-quiet"
    return (
        f'<div class="fx-row{quiet}" role="row"><code class="fx-source" role="rowheader">{number}'
        f"<span>{escape(row.source)}</span></code>{''.join(cells)}</div>"
    )


def _cell(at: int, column: Column, cell: Cell) -> str:
    if not cell.cost.equations:
        return f'<div class="fx-cell fx-empty" role="cell" data-column="{escape(column.name)}"></div>'
    shown = [_equation(equation, at, brief=True) for equation in cell.equations[:_MOST_IN_CELL]]
    rest = cell.cost.equations - len(shown)
    more = f'<span class="fx-more">… {counted(rest, "more equation")}</span>' if rest else ""
    return (
        f'<div class="fx-cell" role="cell" data-column="{escape(column.name)}">{"".join(shown)}{more}'
        f'<span class="fx-cost">{_costs(cell.cost)}</span></div>'
    )


def _costs(cost: Cost) -> str:
    return f"{flops(cost)} · {size(cost.bytes)}" if cost.flops or not cost.known else size(cost.bytes)


def _equation(equation: Equation, at: int, *, brief: bool) -> str:
    """One equation; if `brief`, with a link to it in the program."""
    kind = equation.rule.partition(" ")[0]
    outs = " ".join([_value(out, at, brief) for out in equation.outs[:MOST_VALUES]])
    operands = " ".join([_value(value, at, True) for value in equation.operands[:MOST_VALUES]])
    rest = len(equation.operands) - MOST_VALUES
    name, bracket, params = equation.operation.partition("[")
    shown = f'<b>{escape(name)}</b><span class="fx-params">{escape(bracket + params)}</span>'
    within = f"<em>{escape(equation.within[-1])}</em> " if brief and equation.within else ""
    number = f'<a href="#@@p{at}e{equation.number}">{equation.number}</a>' if brief else f"<u>{equation.number}</u>"
    about = escape("; ".join(filter(None, [equation.rule, _costs(equation.cost), f"{size(equation.live)} alive"])))
    return (
        f'<code class="fx-eq{" fx-" + kind if kind else ""}" title="{about}">{number} {within}{outs}'
        f"{' = ' if outs else ''}{shown} {operands}{f' … {rest} more' if rest > 0 else ''}</code>"
    )


def _value(value: Value, at: int, brief: bool) -> str:
    if value.literal:
        return f'<span class="fx-literal" title="{escape(value.type)}">{escape(value.name)}</span>'
    typed = "" if brief else f"<small>:{escape(value.type)}</small>"
    name = escape(value.name)
    return f'<var title="{name}: {escape(value.type)}" data-v="{at}.{name}">{name}</var>{typed}'


def _program(program: Program, at: int, most: int, peak: Equation | None) -> Iterator[str]:
    """The equations of a program with the memory in use; bodies are collapsed."""
    inputs = " ".join([_value(value, at, False) for value in program.inputs[:MOST_VALUES]])
    rest = len(program.inputs) - MOST_VALUES
    yield f'<p class="fx-io">takes {inputs or "nothing"}{f" … {rest} more" if rest > 0 else ""}</p><ol>'
    for equation in program.equations:
        share = 100 * equation.live / most
        highest = ' class="fx-peak"' if equation is peak else ""
        line = f'<span class="fx-at">line {equation.line.number}</span>' if equation.line.number else ""
        yield f'<li id="@@p{at}e{equation.number}"{highest}>{_equation(equation, at, brief=False)}{line}'
        yield f'<span class="fx-bar" title="{size(equation.live)} alive"><s style="width: {share:.1f}%"></s></span>'
        yield f'<span class="fx-cost">{_costs(equation.cost)}</span>'
        for role, body in equation.bodies:
            count = counted(body.measured.cost.equations, "equation")
            yield f"<details><summary>{escape(role)} <small>{count}</small></summary>"
            yield from _program(body, at, most, peak)
            yield "</details>"
        yield "</li>"
    yield "</ol>"
    if program.left_out:
        yield f'<p class="fx-more">… {counted(program.left_out, "more equation")}</p>'
    outputs = " ".join([_value(value, at, True) for value in program.outputs[:MOST_VALUES]])
    yield f'<p class="fx-io">gives {outputs or "nothing"}</p>'

"""HTML of programs, arrays, shardings, handlers and reports for notebooks."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator
from html import escape
from typing import Final

from effects.arguments import counted
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.arrays.mesh import Sharding
from effects.program.chain import Handler, Link
from effects.program.jaxpr import Jaxpr
from effects.runtime.pictures import Pictured
from effects.runtime.tables import Table
from lowering.reports.visualization import cells
from lowering.showing.costs import nbytes
from lowering.showing.lines import size
from lowering.showing.page import framed
from lowering.showing.picture import of_program
from lowering.stages import Compiled, Lowered, Trace

_MOST: Final = 50
"""Number of rows of a report that are shown."""


def html(value: Pictured) -> str:
    """A part of a page for anything that has a picture."""
    if isinstance(value, Jaxpr | Trace | Lowered | Compiled):
        return of_program(value)._repr_html_()
    drawn: dict[type, Callable[[object], str]] = {Array: _array, Sharding: _sharding, Handler: _chain, Table: _table}
    draw = next(draw for kind, draw in drawn.items() if isinstance(value, kind))
    return framed(draw(value))


def _array(value: object) -> str:
    """The type of an array and the beginning of its elements."""
    assert isinstance(value, Array)
    facts = f"<b>{escape(str(value.aval))}</b> {size(nbytes(value.aval))}"
    if isinstance(value, Concrete):
        sharding = value.sharding
        cut = f" {escape(repr(sharding))}" if len(sharding.mesh.devices) > 1 else ""
        return f"<p>{facts}{cut}</p><pre>{escape(str(value))}</pre>"
    return f"<p>{facts}</p><p>{escape(reprlib.repr(value))}</p>"


def _sharding(value: object) -> str:
    """The devices of each part, in rows and columns."""
    assert isinstance(value, Sharding)
    rows = "".join([f"<tr>{''.join([f'<td>{escape(cell)}</td>' for cell in row])}</tr>" for row in cells(value)])
    return f'<p>{escape(repr(value))}</p><table class="fx-boxes"><tbody>{rows}</tbody></table>'


def _chain(value: object) -> str:
    """The handler and the links further out, as nested boxes."""
    assert isinstance(value, Handler)
    links = list(_links(value)) if value.depth else [value]
    opened = "".join([f'<div class="fx-card"><p><b>{escape(_called(link))}</b></p>' for link in reversed(links)])
    return opened + "</div>" * len(links)


def _links(link: Link) -> Iterator[Link]:
    while isinstance(link, Handler):
        yield link
        link = link.outer
    if link.depth:  # the link of a handler without carriers
        yield link


def _called(link: Link) -> str:
    own = type(link).__repr__ is not object.__repr__
    outer = link.outer.axes if isinstance(link, Handler) and link.depth else {}
    axes = ", ".join([f"{name}={length}" for name, length in link.axes.items() if name not in outer])
    return (repr(link) if own else type(link).__name__) + (f" axes {axes}" if axes else "")


def _table(value: object) -> str:
    """The rows of a report, each with its share of the bytes."""
    assert isinstance(value, Table)
    most = max([row.bytes for row in value.rows], default=0) or 1
    rows = [
        f'<tr><td>{escape(str(row))}</td><td>{size(row.bytes)}<span class="fx-bar">'
        f'<s style="width: {100 * row.bytes / most:.1f}%"></s></span></td></tr>'
        for row in value.rows[:_MOST]
    ]
    more = f" … {len(value) - _MOST} more" if len(value) > _MOST else ""
    total = f"{counted(len(value), value.one)}{more}, {size(value.bytes)}"
    return f'<table class="fx-boxes"><tbody>{"".join(rows)}</tbody></table><p>{total}</p>'

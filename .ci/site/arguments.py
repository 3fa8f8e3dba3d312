"""Meanings of arguments, which docs/arguments.md tells, and the parts of docstrings, for the reference and its test."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "arguments.md"
EVERYWHERE: Final = "Everywhere"
"""The section of the rows that hold for all functions."""


class Row(NamedTuple):
    """A row of the document: its line, the arguments that it is about, where it holds, and what they mean."""

    line: int
    arguments: tuple[str, ...]
    scopes: tuple[str, ...]
    meaning: str


@cache
def rows() -> tuple[Row, ...]:
    """The rows of the document. Without names it holds for the section that it is in."""
    table, section = [], ""
    for i, line in enumerate(DOCUMENT.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif line.startswith("| `"):
            arguments, scopes, meaning = re.split(r"(?<!\\)\|", line.strip()[1:-1])
            table.append(Row(i, _names(arguments), _names(scopes) or (section,), meaning.strip()))
    return tuple(table)


def _names(cell: str) -> tuple[str, ...]:
    return tuple(re.findall(r"`([^`]+)`", cell))


@cache
def _by_scope() -> Mapping[tuple[str, str], list[Row]]:
    table: dict[tuple[str, str], list[Row]] = {}
    for row in rows():
        for argument in row.arguments:
            for scope in row.scopes:
                table.setdefault((argument, scope.removeprefix("fx.")), []).append(row)
    return table


def rows_of(argument: str, written: str, section: str) -> tuple[str, list[Row]]:
    """The narrowest scope with a row for an argument of a function, and its rows there: one, in a right document.

    Scopes are the function, by its name as it is written, the class of a method, the page, and everywhere.
    """
    for scope in (written, written.rpartition(".")[0], section, EVERYWHERE):
        if table := _by_scope().get((argument, scope.removeprefix("fx."))):
            return scope, table
    return "", []


def signature(value: object) -> inspect.Signature | None:
    """The call of a function or a class, without `self`; the keys of `Unpack[…]` are arguments by name."""
    try:
        call = inspect.signature(value) if callable(value) else None
    except (TypeError, ValueError):
        return None
    if call is None or call.return_annotation == "NoReturn":  # calls that only say what to write instead
        return None
    written = [each for each in call.parameters.values() if each.name != "self"]
    return call.replace(parameters=[part for each in written for part in _unpacked(value, each)])


def _unpacked(function: object, parameter: inspect.Parameter) -> list[inspect.Parameter]:
    options = re.fullmatch(r"Unpack\[(\w+)\]", str(parameter.annotation))
    if options is None:
        return [parameter]
    keys = vars(sys.modules[function.__module__])[options[1]].__annotations__
    return [
        inspect.Parameter(key, parameter.KEYWORD_ONLY, default=..., annotation=kind.__forward_arg__)
        for key, kind in keys.items()
    ]


def parameters(value: object) -> list[inspect.Parameter]:
    """The arguments that a call of a function or a class may name or pass."""
    call = signature(value)
    return [] if call is None else [each for each in call.parameters.values() if each.name[0] != "_"]


LABEL: Final = re.compile(r"(?:\A|(?<=\.\s))(Raises|Special\scases:|Sources?:)\s")
"""Beginning of a labelled part of a docstring, which goes on to the next one or to the end of the paragraph."""

_ALIAS: Final = re.compile(r"Another name of `(\w+)`\.")


class Docstring(NamedTuple):
    """A docstring by its parts: what the function is, then errors, special cases and sources, and examples."""

    contract: str
    raises: str
    special_cases: str
    sources: str
    examples: str
    home: str | None
    """The name of the function that it is another name of."""


def docstring(text: str) -> Docstring:
    """The parts of a docstring. A later sentence that ends with a colon stays with the example that it announces."""
    parts: dict[str, list[str]] = {label: [] for label in ("", "Raises", "Special cases:", "Source:", ">>>")}
    paragraphs = text.split("\n\n")
    for i, (paragraph, following) in enumerate(zip(paragraphs, [*paragraphs[1:], ""], strict=True)):
        announces = i > 0 and paragraph.endswith(":") and following.startswith(">>> ") and not LABEL.search(paragraph)
        for label, words in [(">>>", paragraph)] if announces else _labelled(paragraph):
            parts[label].append(words)
    contract, raises, special_cases, sources, examples = ["\n\n".join(part) for part in parts.values()]
    alias = _ALIAS.search(contract)
    return Docstring(contract, raises, special_cases, sources, examples, alias and alias[1])


def _labelled(paragraph: str) -> Iterator[tuple[str, str]]:
    if paragraph.startswith(">>> "):
        yield ">>>", paragraph
        return
    before, *labelled = LABEL.split(paragraph)
    if before:
        yield "", before.rstrip()
    for label, words in zip(labelled[::2], labelled[1::2]):
        yield " ".join(label.replace("Sources", "Source").split()), words.rstrip()

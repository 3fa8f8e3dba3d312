"""Docstrings and the document on arguments: one form, a meaning for each argument, an example for each function."""

from __future__ import annotations

import builtins
import doctest
import inspect
import re
import sys
from importlib import import_module
from typing import Any, Final

import effects
from tests.boundaries.sources import ROOT
from tests.boundaries.test_words import CLAUSE

sys.path.append(str(ROOT / ".ci" / "site"))
reference: Final[Any] = import_module("reference")  # which makes the pages of the site
arguments: Final[Any] = import_module("arguments")

CALLABLES: Final = {
    name: (title, value, arguments.docstring(inspect.getdoc(value) or ""))
    for name, title, value in reference.callables().values()
}
OWN: Final = {name: entry for name, entry in CALLABLES.items() if entry[2].home is None}
"""Functions, classes and methods that are no other names of functions."""


def test_docstrings_begin_with_a_sentence() -> None:
    told = {name: docstring.contract.partition("\n\n")[0] for name, (_, _, docstring) in OWN.items()}
    assert {name: text for name, text in told.items() if text and (text[-1] not in ".:" or CLAUSE.match(text))} == {}


def test_errors_exist_and_are_told_behind_the_contract() -> None:
    for name, (_, _, told) in OWN.items():
        for error in re.findall(r"\b[A-Z]\w+(?:Error|Group)\b", told.raises):
            assert hasattr(effects, error) or hasattr(builtins, error), name
        assert not any([re.search(r"\.\s+[A-Z`]", words) for words in told.raises.split("\n\n")]), name
        assert not re.search(r"\b[Ee]rrors as (in|of)|\.\s+\w+Error for", told.contract), name


def test_every_argument_has_one_meaning_and_every_meaning_an_argument() -> None:
    scopes = set()
    for name, (title, value, _) in OWN.items():
        for parameter in arguments.parameters(value):
            scope, rows = arguments.rows_of(parameter.name, name, title)
            assert len(rows) == 1, f"docs/arguments.md: {name} {parameter.name} has the rows {rows}"
            scopes.add((rows[0], parameter.name, scope.removeprefix("fx.")))
    for row in arguments.rows():
        held = {(row, argument, scope.removeprefix("fx.")) for argument in row.arguments for scope in row.scopes}
        assert held <= scopes, f"docs/arguments.md:{row.line}: it holds for no argument"


def test_meanings_are_sentences() -> None:
    assert [row for row in arguments.rows() if not re.fullmatch(r"[\"\w].*[.…]", row.meaning)] == []


def test_every_function_has_an_example() -> None:
    functions = {name: told for name, (_, value, told) in OWN.items() if inspect.isfunction(value)}
    methods = {name for name in functions if inspect.isclass(CALLABLES.get(name.rpartition(".")[0], ("", None))[1])}
    assert {name for name, told in functions.items() if not told.examples} - methods == set()


def test_examples_on_pages_of_handlers_and_lowering_import_what_they_use() -> None:
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    told = list[str]()
    for group, values in reference.groups().items():
        if group.package in ("handlers", "lowering"):
            for section in re.split(r"^#{2,3} ", reference.page(group, values), flags=re.MULTILINE)[1:]:
                examples = re.sub(r"^```.*$", "", section, flags=re.MULTILINE)
                name = section.partition(" ")[0]
                runner.run(
                    doctest.DocTestParser().get_doctest(examples, {"fx": effects}, name, None, 0), out=told.append
                )
    assert runner.tries > 200 and re.findall(r"NameError: .*", "".join(told)) == []

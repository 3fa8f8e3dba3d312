"""Words: docstrings say what a thing is, and variables are named by it (docs/glossary.md)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import pytest

from tests.boundaries.sources import PACKAGES, ROOT, files, tree

CLAUSE: Final = re.compile(r"(What|Whether|How|Where|Who|Which|When|Why|Whose)\b")
FOLDERS: Final = (*PACKAGES, "examples", "benchmarks")
_LISTED: Final = re.compile(r"Do not use these words as\s+names: (.*?)\.\n", re.DOTALL)
FORBIDDEN: Final = frozenset(
    re.findall(r"`(\w+)`", "".join(_LISTED.findall((ROOT / "docs" / "glossary.md").read_text())))
)
LEFT: Final = ("effects/stats/",)
"""Files whose names are still to be gone through. The list only shrinks."""
PUBLIC: Final = {"handlers/effect_handlers/checking.py": {"what"}}
"""Names that users write."""


def docstrings(path: str) -> Iterator[str]:
    """The docstrings of a file: of modules, classes and functions, and of the names before them."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def names(path: str) -> Iterator[str]:
    """The names that a file gives to functions, classes, parameters, variables and attributes."""
    for node in ast.walk(tree(path)):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.MatchAs(name=str(name)) | ast.ExceptHandler(name=str(name)):
                yield name
            case _:
                pass


def faulty_names(path: str) -> list[str]:
    """The names in a file that name nothing."""
    return [name for name in names(path) if name.strip("_").lower() in FORBIDDEN - PUBLIC.get(path, set())]


@pytest.mark.parametrize("folder", FOLDERS)
def test_docstrings_begin_with_a_noun_or_a_verb(folder: str) -> None:
    clauses = [
        (path, text.partition("\n")[0]) for path in files(folder) for text in docstrings(path) if CLAUSE.match(text)
    ]
    assert clauses == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_say_what_things_are(folder: str) -> None:
    faulty = {path: faulty_names(path) for path in files(folder) if not path.startswith(LEFT)}
    assert {path: words for path, words in faulty.items() if words} == {}


@pytest.mark.parametrize("folder", LEFT)
def test_the_list_of_files_that_are_left_shrinks(folder: str) -> None:
    assert any(faulty_names(path) for path in files(*PACKAGES) if path.startswith(folder)), "take it off the list"


def test_the_glossary_lists_the_words() -> None:
    assert {"found", "given", "why"} <= FORBIDDEN and len(FORBIDDEN) > 20

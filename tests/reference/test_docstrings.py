"""Examples of public names stand alone, as a reader of the reference pastes them: they import what they use."""

from __future__ import annotations

import ast
import builtins
import doctest
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import pytest

import effects as fx
from effects.runtime.names import PACKAGES, listed

NAMESPACES = [getattr(fx, name) for name in listed("effects") if isinstance(getattr(fx, name), ModuleType)]
MODULES = [*PACKAGES, *[each.__name__ for each in (*NAMESPACES, fx.nn.initializers) if hasattr(each, "__all__")]]


def documented(name: str, value: object) -> Iterator[tuple[str, str]]:
    """The text of a public name, and those of the methods of a class."""
    members = vars(value).items() if isinstance(value, type) else ()
    for title, each in [(name, value), *[(f"{name}.{key}", member) for key, member in members if key[0] != "_"]]:
        text = each.__doc__
        if isinstance(text, str) and ">>>" in text:
            yield title, text


def missing(text: str) -> set[str]:
    """The names that the examples of a text read, and neither import nor bind."""
    nodes = [node for each in doctest.DocTestParser().get_examples(text) for node in ast.walk(ast.parse(each.source))]
    read, bound = set[str](), set[str](vars(builtins))
    for node in nodes:
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                bound |= {alias.asname or alias.name.partition(".")[0] for alias in names}
            case ast.Name(id=name, ctx=ast.Load()):
                read.add(name)
            case ast.Name(id=name) | ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.TypeVar(name=name):
                bound.add(name)
            case _:
                pass
    return read - bound


@pytest.mark.parametrize("module", MODULES)
def test_examples_import_what_they_use(module: str) -> None:
    package = import_module(module)
    for name in package.__all__:
        value = getattr(package, name)
        own = {name, getattr(value, "__name__", name)}  # the second of a name that is another one's
        for title, text in documented(name, value):
            assert missing(text) <= own, f"{title}: {missing(text) - own}"

"""The source files of the three packages, parsed: what the tests of boundaries read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

NAMED: Final = ("importlib.import_module", "import_module", "__import__")
"""Ways to import a module by its name in a string."""

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("effects", "handlers", "lowering")
NAMESPACES: Final = (
    "fft",
    "image",
    "integrate",
    "linalg",
    "nn",
    "optim",
    "optimize",
    "random",
    "signal",
    "special",
    "stats",
)
"""The folders of effects that are public by their names. The functions in them and in `functions` call one another."""


def files(*folders: str) -> list[str]:
    """The Python files of these folders, as paths from the root."""
    return sorted(str(path.relative_to(ROOT)) for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def tree(path: str) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse((ROOT / path).read_text(), path)


def imports(path: str) -> Iterator[str]:
    """The full names of the modules that a file imports, at whatever depth and for whatever purpose."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{path}:{node.lineno}: imports are absolute"
            yield node.module
            yield from [f"{node.module}.{alias.name}" for alias in node.names]


@cache
def runs_with(path: str) -> frozenset[str]:
    """The modules of the packages that a file imports when the program runs: not for type checkers alone."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            left: list[ast.AST] = [*node.orelse]
        else:
            left = [*ast.iter_child_nodes(node)]
        if isinstance(node, ast.ImportFrom) and node.module:
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(full & modules().keys() or {node.module})
            found.update({node.module} if full - modules().keys() else set())
        for child in left:
            visit(child)

    visit(tree(path))
    return frozenset(found & modules().keys())


@cache
def modules() -> dict[str, str]:
    """The files of the packages by the names of their modules."""
    return {path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in files(*PACKAGES)}


def named_modules(path: str) -> Iterator[str]:
    """The modules that a file imports by their name in a string."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in NAMED:
            yield ast.unparse(node.args[0]).strip("'\"")

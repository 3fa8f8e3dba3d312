"""The source files of the three packages, parsed: what the tests of boundaries read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("effects", "handlers", "lowering")


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


def named_modules(path: str) -> Iterator[str]:
    """The modules that a file imports by their name in a string."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("importlib.import_module", "__import__"):
            yield ast.unparse(node.args[0]).strip("'\"")

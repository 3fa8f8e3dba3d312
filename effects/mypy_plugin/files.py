"""The files of users, what they import of each other, and digests of these."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.util import decode_source
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

from effects.check.loading import root_of
from effects.runtime.cpython.source import OWN

FRESH: Final = 0.02
"""Seconds until files are looked at again."""


class _File(NamedTuple):
    """State of a file when it was read."""

    version: tuple[int, int]
    text: str
    digest: str
    imports: tuple[Path, ...]


class Files:
    """The files of users as they are now."""

    def __init__(self) -> None:
        self._read: dict[Path, _File] = {}
        self._looked: dict[Path, float] = {}

    def text(self, path: Path) -> str:
        """Contents of a file."""
        return self._file(path).text

    def digest(self, path: Path) -> str:
        """A digest of a file and of those that it imports, directly or not."""
        digests: dict[Path, str] = {}
        pending = [path]
        while pending:
            if (one := pending.pop()) not in digests:
                file = self._file(one)
                digests[one] = file.digest
                pending += file.imports
        return _digest("".join([digests[one] for one in sorted(digests)]))

    def _file(self, path: Path) -> _File:
        if monotonic() - self._looked.get(path, 0.0) < FRESH:
            return self._read[path]
        status = path.stat()
        version = status.st_mtime_ns, status.st_size
        if path not in self._read or self._read[path].version != version:
            text = _source(path)
            imports = {one for name, level in _imports(text) if (one := imported(name, level, path)) is not None}
            self._read[path] = _File(version, text, _digest(text), tuple(imports - {path}))
        self._looked[path] = monotonic()
        return self._read[path]


@cache
def users_file(path: str) -> Path | None:
    """The file of a user that mypy reads at a path; None for effax's own, and for those of libraries."""
    file = Path(path).resolve()
    return file if file.suffix == ".py" and _is_users(file) else None


def imported(name: str, level: int, path: Path) -> Path | None:
    """The file of a user that another one imports by a name, with `level` dots before it: below the same root."""
    roots = [path.parents[level - 1]] if level else [root_of(path), Path.cwd()]
    for root in roots:
        base = root.joinpath(*name.split(".")) if name else root
        for file in (base.with_suffix(".py"), base / "__init__.py"):
            if file.is_file() and _is_users(file):
                return file
    return None


def _is_users(file: Path) -> bool:
    return not str(file).startswith(OWN) and not any([part.endswith("-packages") for part in file.parts])


def _source(path: Path) -> str:
    """The text of a file in the encoding that it declares; nothing where it is in none, of which mypy speaks."""
    try:
        return decode_source(path.read_bytes())
    except (SyntaxError, UnicodeDecodeError):
        return ""


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _imports(text: str) -> Iterator[tuple[str, int]]:
    """The names of modules that a file may import, each with the number of dots before it."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, RecursionError):  # of which mypy speaks
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from [(alias.name, 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", node.level
            yield from [(f"{node.module or ''}.{alias.name}".strip("."), node.level) for alias in node.names]

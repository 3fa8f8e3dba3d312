"""Names of other libraries that have another spelling here, and what to write for them: a table for each library.

The error for such a name says what to write (`effects.runtime.names`, `attributes` and `keywords`). A line of a table
is `names: words`, under the `[owners]` that lack these names. Keywords of other libraries are one more table.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

LIBRARIES: Final = ("jax", "numpy", "scipy", "networks")
"""The tables of this folder; for a name in several, the words of the first count."""


@cache
def names_of(library: str) -> dict[str, dict[str, str]]:
    """The words of one table, by owner and name."""
    table: dict[str, dict[str, str]] = {}
    owners: list[str] = []
    for line in Path(__file__).with_name(f"{library}.txt").read_text(encoding="utf-8").splitlines():
        names, _, words = line.partition(": ")
        if line.startswith("["):
            owners = line[1:-1].split()
        for owner in owners if words else ():
            table.setdefault(owner, {}).update(dict.fromkeys(names.split(), words))
    return table


@cache
def spellings(owner: str) -> dict[str, str]:
    """The words for names that a package or a class lacks, by name; the owner of methods is "Array"."""
    return {name: words for library in reversed(LIBRARIES) for name, words in names_of(library).get(owner, {}).items()}

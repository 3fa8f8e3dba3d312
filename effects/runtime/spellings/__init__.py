"""Names in other libraries that are spelled otherwise here, and what to write for them: a table for each library.

The error for such a name says what to write; so is who looks for a name in the wrong package (`effects.runtime.names`).
A name that is not here is simply unknown. A line of a table is `names: words`, under the `[owners]` that have not got
them. Keywords of other libraries are one more table.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

LIBRARIES: Final = ("jax", "numpy", "scipy", "networks")
"""The tables of this folder; of names that several have, the first one's words are said."""


@cache
def names_of(library: str) -> dict[str, dict[str, str]]:
    """By owner and name, the words of one table."""
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
    """By name, the words for what a package, or a class, does not have; of arrays it is "Array"."""
    return {name: words for library in reversed(LIBRARIES) for name, words in names_of(library).get(owner, {}).items()}

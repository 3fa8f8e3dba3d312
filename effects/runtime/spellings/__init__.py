"""Names in other libraries that are spelled otherwise here, and what to write for them: a module for each library.

The error for such a name says what to write; so is who looks for a name in the wrong package (`effects.runtime.names`).
A name that is not here is simply unknown.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

LIBRARIES: Final = ("jax", "numpy", "scipy", "networks")
"""The modules of this folder; of names that several have, the first one's words are said."""


@cache
def spellings(owner: str) -> dict[str, str]:
    """By name, the words for what a package, or a class, does not have; of arrays it is "Array"."""
    words: dict[str, str] = {}
    for library in reversed(LIBRARIES):
        words |= import_module(f"{__name__}.{library}").NAMES.get(owner, {})
    return words

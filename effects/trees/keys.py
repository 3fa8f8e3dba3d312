"""Positions of children in a node of a pytree: keys, and paths of them, as objects and as text."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxlib import _jax  # type: ignore[attr-defined]  # a compiled module without stubs

from effects.arguments import sequence, shown

if TYPE_CHECKING:

    @dataclass(frozen=True)
    class SequenceKey:
        """The place of a child in a list or tuple."""

        idx: int

    @dataclass(frozen=True)
    class DictKey:
        """The key of a child in a dict."""

        key: Hashable

    @dataclass(frozen=True)
    class GetAttrKey:
        """The name of a child that is an attribute."""

        name: str

    @dataclass(frozen=True)
    class FlattenedIndexKey:
        """The number of a child of a class that was registered without keys."""

        key: int
else:
    SequenceKey, DictKey = _jax.pytree.SequenceKey, _jax.pytree.DictKey
    GetAttrKey, FlattenedIndexKey = _jax.pytree.GetAttrKey, _jax.pytree.FlattenedIndexKey

type Key = SequenceKey | DictKey | GetAttrKey | FlattenedIndexKey
type Path = tuple[Key, ...]


def path_str(path: Path) -> str:
    """A path as the expression that one appends to the tree's name.

    >>> import effects as fx
    >>> fx.path_str((fx.DictKey("w"), fx.SequenceKey(0), fx.GetAttrKey("bias")))
    "['w'][0].bias"
    """
    return "".join([key_str(key) for key in sequence("path_str", "path", path, "keys")])


def key_str(key: object) -> str:
    """One step of a path."""
    if isinstance(key, GetAttrKey):
        return f".{key.name}"
    if isinstance(key, SequenceKey):
        return f"[{key.idx}]"
    if isinstance(key, DictKey):
        return f"[{shown(key.key, sys.maxsize)}]"
    return f"[{shown(getattr(key, 'key', key))}]"

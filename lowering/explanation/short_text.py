"""Values of users as short text, which keeps nothing alive, never fails, and costs little for large values."""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Sequence
from types import FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from effects.arrays.array import Array
from effects.runtime.cpython.source import OWN

_LONGEST: Final = 240
_SHOWN: Final = 60
_ENTRIES: Final = 16
_LEVELS: Final = 3


def text(value: object) -> str:
    """The beginning of a value's repr; for an array its type, for a function its name and line, for others the class.

    >>> text({"rate": 0.5, "sizes": (3, 4)}), text(object())
    ("{'rate': 0.5, 'sizes': (3, 4)}", 'an object')
    """
    if type(value) is float or type(value) is bool or value is None:
        return repr(value)
    try:
        words = _SHORT.repr(value)
    except Exception:  # a user's repr may raise anything
        return with_article(type(value))
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 3]}..."


def with_article(cls: type) -> str:
    """Name of a class with its article.

    >>> with_article(list), with_article(int)
    ('a list', 'an int')
    """
    return f"{'an' if cls.__name__[:1] in 'AEIOUaeiou' else 'a'} {cls.__name__}"


def differing_ends(now: str, before: str) -> tuple[str, str]:
    """Two texts, cut to the parts where they begin to differ.

    >>> differing_ends("x" * 99 + "1", "x" * 99 + "2")[1]
    '...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx2'
    """
    longest = max(len(now), len(before))
    if longest <= _SHOWN:
        return now, before
    common = next((i for i, (x, y) in enumerate(zip(now, before)) if x != y), min(len(now), len(before)))
    start = max(0, min(common - _SHOWN // 3, longest - _SHOWN + 3))
    return excerpt(now, start), excerpt(before, start)


def excerpt(words: str, start: int = 0) -> str:
    """The part of a text from `start` on that is shown."""
    shown = f"...{words[start:]}" if start else words
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."


def entries_of(cls: type) -> tuple[str, ...]:
    """The names of a NamedTuple's entries; none of another class."""
    names: object = getattr(cls, "_fields", None)
    return names if issubclass(cls, tuple) and isinstance(names, tuple) else ()


def is_own(function: FunctionType) -> bool:
    """Return True if a function is the library's."""
    return function.__code__.co_filename.startswith(OWN)


class _Short(reprlib.Repr):
    """Reprs of values, with a bound on entries and levels."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = _LEVELS
        self.maxtuple = self.maxlist = self.maxdict = self.maxset = self.maxfrozenset = self.maxdeque = _ENTRIES
        self.maxstring = self.maxlong = self.maxother = _LONGEST

    def repr_instance(self, x: Any, level: int) -> str:
        """The text of an object that is no container of Python's."""
        cls = type(x)
        if issubclass(cls, Array):
            return str(x.aval)
        if cls is np.ndarray:
            return f"ndarray {x.dtype}{list(x.shape)}"
        if cls is FunctionType:
            return x.__name__ if is_own(x) else f"{x.__name__} of line {x.__code__.co_firstlineno}"
        if issubclass(cls, type | ModuleType):
            return str(x.__name__)
        if cls is bytes:
            return repr(x[:_LONGEST])
        if dataclasses.is_dataclass(cls):
            return self._fields(cls, [f.name for f in dataclasses.fields(cls)], x, level)
        if names := entries_of(cls):
            return self._fields(cls, names, x, level)
        own: object = cls.__repr__
        if own is object.__repr__:
            return with_article(cls)
        try:
            return repr(x)
        except Exception:  # a user's repr
            return with_article(cls)

    def _fields(self, cls: type, names: Sequence[str], x: object, level: int) -> str:
        if level <= 0:
            return with_article(cls)
        inner = [f"{name}={self.repr1(getattr(x, name, None), level - 1)}" for name in names[:_ENTRIES]]
        more = ["..."] if len(names) > _ENTRIES else []
        return f"{cls.__name__}({', '.join([*inner, *more])})"


_SHORT: Final = _Short()

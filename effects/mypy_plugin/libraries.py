"""Modules that functions may use while mypy runs: libraries that touch nothing outside the process, and nothing
else.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Final

from effects.check.contracts import running
from effects.check.dims import NotSaid
from effects.runtime.names import PACKAGES, listed

FORMS: Final = frozenset(["collections", "dataclasses", "enum", "functools", "handlers", "typing", "typing_extensions"])
"""Libraries whose calls, where a module is defined, make a type or a function and compute nothing."""
_LIBRARIES: Final = FORMS | {
    *("__future__", "abc", "cmath", "contextlib", "copy", "effax", "effects", "itertools", "jaxtyping", "lowering"),
    *("math", "numbers", "numpy", "operator", "re", "string", "types", "warnings"),
}
_REFUSED: Final = {
    "effects": {"check", "files", "load", "mypy_plugin", "runtime", "save"},
    "handlers": {"host"},
    "numpy": {
        *("DataSource", "ctypeslib", "f2py", "fromfile", "fromregex", "genfromtxt", "lib", "load", "loadtxt", "memmap"),
        *("save", "savetxt", "savez", "savez_compressed", "testing"),
    },
}
_OF_LOWERING: Final = frozenset(["jit"])
_ALL: Final = "effax"
"""The namespace of the three packages."""
_NO_BUILTINS: Final = ("breakpoint", "compile", "eval", "exec", "exit", "help", "input", "open", "quit")


class Unknown:
    """Stand-in for a value that is not looked into. In annotations it says nothing; to use it otherwise raises
    NotSaid.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # of what a function asks, too
        if running.get() is not None:
            self()
        return Unknown

    def __getattr__(self, name: str) -> Unknown:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(f"{self.__name__}.{name}")

    def __repr__(self) -> str:
        return self.__name__

    def __getitem__(self, key: object) -> Unknown:
        return self

    def __or__(self, other: object) -> Unknown:
        return self

    __ror__ = __or__

    def __call__(self, *args: object, **kwargs: object) -> Any:  # which never returns
        raise NotSaid(f"{self.__name__} is not looked into")

    __bool__ = __iter__ = __len__ = __float__ = __int__ = __index__ = __enter__ = __call__
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __matmul__ = __call__


class Library:
    """A module of a library without what reads and writes files."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module
        self.__name__ = module.__name__

    def __getattr__(self, name: str) -> object:
        root = self.__name__.partition(".")[0]
        if root == _ALL:
            home = next((package for package in PACKAGES if name in listed(package)), "effects")
            return getattr(library(home), name)
        if name in _REFUSED.get(root, ()) or (root == "lowering" and name not in _OF_LOWERING):
            return Unknown(f"{self.__name__}.{name}")
        value = getattr(self._module, name)
        return library(value.__name__) if isinstance(value, types.ModuleType) else value


@cache
def library(name: str) -> Library | Unknown:
    """A library by its name; unknown where it is none of these."""
    root, *inner = name.split(".")
    if root == _ALL and inner:
        return library(".".join(["effects", *inner]))
    if root not in _LIBRARIES or not _REFUSED.get(root, set()).isdisjoint(inner) or (root == "lowering" and inner):
        return Unknown(name)
    try:
        return Library(import_module(name))
    except ImportError:
        return Unknown(name)


def builtins_with(importing: Callable[..., object]) -> dict[str, object]:
    """Python's own names, without those by which a program reaches out of the process."""
    refused = {name: Unknown(name) for name in _NO_BUILTINS}
    return {**vars(builtins), **refused, "print": _nothing, "reveal_type": _same, "__import__": importing}


def _nothing(*args: object, **kwargs: object) -> None: ...


def _same(x: object) -> object:
    return x

"""Errors of missing attributes, and of assignment to attributes of arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Final, NoReturn, SupportsIndex

from effects.errors import ArgumentError, UnknownAttribute
from effects.runtime.libraries import library
from effects.runtime.names import homes
from effects.runtime.spellings import spellings


def missing(owner: str, subject: str) -> Callable[[object, str], NoReturn]:
    """`__getattr__` of a class: the error has the advice of `spellings(owner)`."""

    def __getattr__(self: object, name: str) -> NoReturn:
        words = spellings(owner).get(name) or (_function(name) if owner == "Array" else None)
        if words is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        if owner == "Array" and (other := library()):
            words = f"give {other} numpy.asarray(x), which has it"
        raise UnknownAttribute(f"{subject} no `.{name}`: {words}")

    return __getattr__


def _function(name: str) -> str | None:
    """Advice for what is no method of arrays but a function of them."""
    for package in homes(name):
        value = getattr(import_module(package), name)
        if callable(value) and not isinstance(value, type):
            first = next(iter(inspect.signature(value).parameters), "")
            place = package.removeprefix("effects").removeprefix(".")
            written = f"{place}.{name}" if place else name
            return f"write {written}({'x' if first == 'x' else '…'})" + ("" if place else ", of effects")
    return None


def advising[T](cls: type[T]) -> type[T]:
    """Class decorator: errors of missing attributes, and of names as keys of tuples, have the advice of `spellings`."""
    setattr(cls, "__getattr__", missing(cls.__name__, f"{cls.__name__} has"))  # noqa: B010  # type checkers know no others
    if issubclass(cls, tuple):
        setattr(cls, "__getitem__", _at)  # noqa: B010
    return cls


def _at(self: tuple[object, ...], key: SupportsIndex | slice | str) -> object:
    """`__getitem__` of a named tuple, which other libraries have as a dictionary."""
    if not isinstance(key, str):
        return tuple.__getitem__(self, key)
    cls = type(self)
    words = (
        f"write result.{key}" if hasattr(cls, key) else spellings(cls.__name__).get(key, f"{key!r} is not among them")
    )
    raise ArgumentError(f"{cls.__name__} has attributes, and no keys: {words}")


_ATTRIBUTES: Final[dict[str, str]] = {
    "T": "x = v.T",
    "device": "x = x.to_device(v)",
    "dtype": "x = x.astype(v)",
    "imag": "x = complex(x.real, v)",
    "mT": "x = v.mT",
    "real": "x = complex(v, x.imag)",
    "shape": "x = x.reshape(v)",
    "sharding": "x = device_put(x, v)",
}


def read_only_attribute(name: str, read: property) -> property:
    """The attribute `name` of arrays, with an error for assignment."""

    def refuse(_: object, value: object) -> None:
        instead = f". Write {_ATTRIBUTES[name]}" if name in _ATTRIBUTES else ""
        raise UnknownAttribute(f"x.{name} = v: arrays are immutable{instead}")

    return property(read.fget, refuse)

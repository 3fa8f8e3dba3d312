"""Defaults of handlers: the key by which restaged programs are shared, and copies."""

from __future__ import annotations

import copy
from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from effects.errors import ArgumentError
from effects.program.chain import Handler
from effects.runtime.cpython.extent import Extent

if TYPE_CHECKING:
    from handlers.forward import Forward

_OF_EVERY_HANDLER: Final = frozenset({"_reopened_links", *Handler.__annotations__, *Extent.__annotations__})


class DefaultKey:
    """The default of the attribute `key`, which a class or an instance may override."""

    def __get__(self, handler: Forward[Any, Any] | None, owner: type, /) -> Hashable:
        if handler is None:
            return self
        own = vars(handler).keys() - _OF_EVERY_HANDLER
        return None if own or handler.sees_all else ()


def uninstalled[H: Handler[Any]](handler: H) -> H:
    """A copy of `handler` with its own attributes, which is not installed."""
    copied = copy.copy(handler)
    for name in vars(copied).keys() & _OF_EVERY_HANDLER:
        delattr(copied, name)
    return copied


def key_and_attributes(handler: Forward[Any, Any]) -> tuple[Hashable, dict[str, object]]:
    """The key of a handler, and its own attributes."""
    return handler.key, {name: value for name, value in vars(handler).items() if name not in _OF_EVERY_HANDLER}


def check_unchanged(handler: Forward[Any, Any], before: tuple[Hashable, dict[str, object]]) -> None:
    """Raise ArgumentError where rules wrote to attributes of a handler while a program was staged under it.

    In a loop all steps would see what the first step wrote, and it would be lost afterwards.
    """
    (old_key, old), (key, now) = before, key_and_attributes(handler)
    title = type(handler).__name__
    for name in sorted(old.keys() | now.keys()):
        if isinstance(getattr(type(handler), name, None), cached_property):  # which is what it is, whenever it is asked
            continue
        if name not in now or name not in old or now[name] is not old[name]:
            raise ArgumentError(f"{title}: its rules assign {title}.{name} {_ADVICE}")
    if key != old_key:
        raise ArgumentError(f"{title}: its rules change {title}.key, {old_key!r} before and {key!r} after, {_ADVICE}")


_ADVICE: Final = (
    "while a program is staged, which runs more often or not at all; keep what changes in the carrier, or in the state "
    "of an OperationHandler"
)

"""What follows for a handler that does not say it: what it shares with others of its class, and how it is copied."""

from __future__ import annotations

import copy
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Final

from effects.program.chain import Handler
from effects.runtime.extent import Extent

if TYPE_CHECKING:
    from handlers.forward import Forward

_OF_EVERY_HANDLER: Final = frozenset({"_inside", *Handler.__annotations__, *Extent.__annotations__})


class Unsaid:
    """The attribute `key` of handlers that do not say it; what a class or an instance says goes before it."""

    def __get__(self, handler: Forward[Any, Any] | None, owner: type, /) -> Hashable:
        if handler is None:
            return self
        own = vars(handler).keys() - _OF_EVERY_HANDLER
        return None if own or handler.sees_all else ()


def uninstalled[H: Handler[Any]](handler: H) -> H:
    """A handler with the attributes of its own that `handler` has, which was never installed."""
    made = copy.copy(handler)
    for name in vars(made).keys() & _OF_EVERY_HANDLER:
        delattr(made, name)
    return made

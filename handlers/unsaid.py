"""What a handler that does not say its `key` shares with others of its class."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Final

from effects.program.chain import Handler
from effects.runtime.extent import Extent

if TYPE_CHECKING:
    from handlers.forward import Forward

_OF_EVERY_HANDLER: Final = frozenset({"state", *Handler.__annotations__, *Extent.__annotations__})


class Unsaid:
    """The attribute `key` of handlers that do not say it; what a class or an instance says goes before it."""

    def __get__(self, handler: Forward[Any, Any] | None, owner: type, /) -> Hashable:
        if handler is None:
            return self
        own = vars(handler).keys() - _OF_EVERY_HANDLER
        return None if own or (handler.sees_all and not handler.state) else ()

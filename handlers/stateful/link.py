"""The link of a handler without carriers in the chain."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar, Final, Generic, Self

from typing_extensions import TypeVar

from effects.arrays.array import Array
from effects.program.jaxpr import Jaxpr
from effects.program.operation import HigherOrder
from handlers.forward import Forward
from handlers.rule_table import RuleTable
from handlers.stateful.handler import Stateful

STAGED: Final = RuleTable[Callable[[Any, Any], tuple[Array, ...]]]("handlers with a state")
"""Rules of control flow under a handler without carriers; the rows register them."""

H = TypeVar("H", bound=Stateful[Any], default=Stateful[Any])


class StatefulLink(Forward[Array, None], Generic[H]):
    """The link of a handler that is no link itself, and so is copied with all its fields for the inside of programs."""

    sees_all = True
    crosses = False
    handler: H
    remedy: ClassVar[str]
    """Advice in errors about a function's rule, inside of a transformation, that does not cover the state."""

    touched = False
    """True if the handler handled anything."""
    is_lent = False
    """True if a transformation inside of the handler has its state."""

    @property
    @abstractmethod
    def scope(self) -> Hashable:
        """Cache key for programs restaged or traced here."""

    @abstractmethod
    def copied(self, state: Any) -> Self:
        """A link of this handler with another state, which has sent nothing."""

    @abstractmethod
    def concerns(self, body: Jaxpr) -> bool:
        """Return True if a program performs anything that the handler handles."""

    def open(self) -> None:
        """Called before the state is read."""

    def constant(self, value: Array, /) -> Array:
        return value

    def unpack(self, value: Array, /) -> tuple[tuple[Array, ...], None]:
        return (value,), None

    def pack(self, parts: Sequence[Array], static: None, /) -> Array:
        return parts[0]

    def interpret_higher_order(self, op: HigherOrder[Array], /) -> tuple[Array, ...]:
        self.open()
        before = self.handler.state, self.handler.sent
        try:
            return STAGED[type(op)](self, op)
        except BaseException as error:
            self.handler.undo(error, *before)
            raise

    def __repr__(self) -> str:
        return self.handler._title

"""The operations and programs that a handler of operations interprets."""

from __future__ import annotations

from typing import Any, final

from effects.arguments import describe
from effects.errors import ArgumentError
from effects.operations.custom_rules import CustomCall
from effects.program.custom import CustomHigherOrder
from effects.program.jaxpr import Jaxpr
from effects.program.operation import HigherOrder, Kind, Operation
from effects.requests.effect import Request

type Handled = type[Operation[Any]] | Kind | type[Kind]
"""A class of operations, one kind of a family, or all kinds of one."""


def _one_by_one(name: str, handles: Any) -> tuple[Handled, ...]:
    several = handles if isinstance(handles, tuple | list | set | frozenset) else (handles,)
    if not several:
        raise ArgumentError(f"{name}.handles is empty; leave it out for a handler of everything")
    for one in several:
        if not isinstance(one, Kind) and not (isinstance(one, type) and issubclass(one, Operation | Kind)):
            raise ArgumentError(
                f"{name}.handles must be a class of operations, a kind of one (UnaryKind.SIN), or a tuple of "
                f"these, got {describe(one)}"
            )
    return tuple(several)


@final
class HandledOperations:
    """The operations that a class of handlers interprets."""

    def __init__(self, name: str, handles: object) -> None:
        handled = _one_by_one(name, handles)
        self.classes = tuple([c for c in handled if isinstance(c, type) and issubclass(c, Operation)])
        families = [c for c in handled if isinstance(c, type) and issubclass(c, Kind)]
        self.kinds = frozenset([k for k in handled if isinstance(k, Kind)]).union(*families)
        self.key = self.classes, self.kinds
        self.by_class: dict[type[Operation[Any]], bool | None] = {}
        """True for a class of operations that is handled, False for others; None if it depends on the operation."""

    def of_class(self, cls: type[Operation[Any]]) -> bool | None:
        if cls not in self.by_class:
            handled = cls is not Request and any([issubclass(cls, c) for c in self.classes])
            if issubclass(cls, HigherOrder):
                classes = [
                    c for c in self.classes if c is not Operation
                ]  # `Operation` means the operations in programs, one by one
                self.by_class[cls] = True if any([issubclass(cls, c) for c in classes]) else None
            else:
                of_kinds = not handled and bool(self.kinds) and hasattr(cls, "kind")
                self.by_class[cls] = None if of_kinds else handled
        return self.by_class[cls]

    def handled(self, op: Operation[Any]) -> bool:
        """Return True if `op` itself is interpreted, not only operations of programs in it."""
        answer = self.of_class(type(op))
        if answer is None and not isinstance(op, HigherOrder):
            return getattr(op, "kind") in self.kinds  # noqa: B009  # those of a class with kinds
        return bool(answer)

    def within(self, body: Jaxpr) -> bool:
        """Return True if an operation in a program is interpreted, or may be, by a function with rules."""
        return body.cached(("concerns", self.key), lambda: any([self.sees(eqn.op) for eqn in body.eqns]))

    def sees(self, op: Operation[Any]) -> bool:
        if isinstance(op, HigherOrder):
            open_ended = isinstance(op, CustomCall | CustomHigherOrder)  # which may do more than is in their programs
            return open_ended or self.handled(op) or any([self.within(body) for body in op.bodies])
        return self.handled(op)

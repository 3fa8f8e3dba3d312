"""`RuleTable`: the rules of one handler, one for each class of operations.

A path names a handler and a family of operations: the jvp rules of the reductions are in `handlers/jvp/reduction.py`,
each registered with the handler's table. A file of rules is imported when an operation of its family first needs one:
most programs perform operations of few families.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Final

from effects.errors import ArgumentError, MissingRule
from effects.program.custom import CustomHigherOrder, CustomOp
from effects.program.operation import Operation


class RuleTable[R: Callable[..., object]](dict[type[Operation[object]], R]):
    """A table from class of operation to rule. `custom` is the rule of users' operations, which have methods."""

    def __init__(self, handler: str, custom: R | None = None) -> None:
        super().__init__()
        self._handler = handler
        self._custom = custom
        self._package = ""
        self._declared: set[type[Operation[object]]] = set()

    def rule[F: Callable[..., object]](self, *classes: type[Operation[object]]) -> Callable[[F], F]:
        """Decorator: the decorated function is the rule of these classes.

        Raises ArgumentError for a class that has a rule already. The same definition run again replaces itself.
        """

        def register(rule: F) -> F:
            for cls in classes:
                if cls in self._declared and _definition(self[cls]) != _definition(rule):
                    raise ArgumentError(
                        f"{cls.__name__} has a rule under {self._handler}: {'.'.join(_definition(self[cls]))}"
                    )
            for cls in classes:
                self[cls] = rule  # type: ignore[assignment]  # a rule takes its own class of operations
                self._declared.add(cls)
            return rule

        return register

    def rules_in(self, package: str) -> None:
        """Search for rules in the files of a package, each named as its family of operations.

        They are imported by name, so that type checkers that follow a user's imports read the handler, not its rules.
        """
        self._package = package

    def _modules(self, cls: type[Operation[object]], own: bool) -> Iterator[str]:
        """The modules that may have the rule of an operation, the most likely ones first.

        A user's operation may inherit the rule of a base class. The rows of higher-order operations import the
        handlers, so they are found by name.
        """
        files = list(pkgutil.iter_modules(importlib.import_module(self._package).__path__)) if self._package else []
        names = [name for _, name, _ in files]
        for base in cls.__mro__ if own else (cls,):
            if (family := base.__module__.rpartition(".")[2]) in names and base.__module__.startswith("effects."):
                yield f"{self._package}.{family}"
        if not own or self._custom is None or issubclass(cls, CustomHigherOrder):
            yield "handlers.higher_order.rows"
            yield from _ELSEWHERE.get(cls.__module__, ())
            yield from [f"{self._package}.{name}" for name in names]

    def __missing__(self, cls: type[Operation[object]]) -> R:
        own = issubclass(cls, CustomOp)
        for module in self._modules(cls, own):
            importlib.import_module(module)
            if cls in self:
                return self[cls]
        if not issubclass(cls, Operation):
            raise ArgumentError(f"perform takes an operation, got an object of class {cls.__name__}")
        rule = next((self[base] for base in cls.__mro__ if base in self), self._custom) if own else None
        if rule is None:
            raise MissingRule(f"{cls.__name__} has no rule under {self._handler}")
        self[cls] = rule
        return rule


def _definition(rule: Callable[..., object]) -> tuple[str, str]:
    return getattr(rule, "__module__", ""), getattr(rule, "__qualname__", repr(rule))


_ELSEWHERE: Final[dict[str, tuple[str, ...]]] = {
    "effects.operations.sharding": ("handlers.sharding.rules", "handlers.stateful.sharding")
}
"""Modules of rows with another name than the module of their operation, by the latter."""

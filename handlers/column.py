"""`Column`: the rules of one handler, one for each class of operations.

A path names a cell: the jvp rules of the reductions are in `handlers/jvp/reduction.py`, each registered with the
handler's column.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Final

from effects.errors import ArgumentError, MissingRule
from effects.program.custom import CustomHigherOrder, CustomOp
from effects.program.operation import Operation


class Column[R: Callable[..., object]](dict[type[Operation[object]], R]):
    """A table from operation class to rule. `custom` is the rule of users' operations, which bring their methods."""

    def __init__(self, handler: str, custom: R | None = None) -> None:
        super().__init__()
        self._handler = handler
        self._custom = custom

    def rule[F: Callable[..., object]](self, *classes: type[Operation[object]]) -> Callable[[F], F]:
        """Decorator: the decorated function is the rule of these classes."""

        def register(rule: F) -> F:
            for cls in classes:
                self[cls] = rule  # type: ignore[assignment]  # a rule takes its own class of operations
            return rule

        return register

    def __missing__(self, cls: type[Operation[object]]) -> R:
        own = issubclass(cls, CustomOp)
        if self._custom is None or not own or issubclass(cls, CustomHigherOrder):
            importlib.import_module("handlers.higher_order.rows")  # the rows use the handlers and are found by name
            import_cells(cls.__module__.rpartition(".")[2])
        if cls in self:
            return self[cls]
        if not issubclass(cls, Operation):
            raise ArgumentError(f"perform takes an operation, got an object of class {cls.__name__}")
        found = next((self[base] for base in cls.__mro__ if base in self), self._custom) if own else None
        if found is None:
            raise MissingRule(f"{cls.__name__} has no rule under {self._handler}")
        self[cls] = found
        return found


_RARE: Final[dict[str, list[str]]] = {
    "factoring": [],
    "philox": [],
    "sharding": ["handlers.sharding.row", "handlers.stateful.sharding"],
    "solving": [],
    "special": [],
}
"""Families of operations that few programs perform: their cells, imported when an operation first asks for its rule."""


def import_cells(family: str) -> None:
    """Import the rules of a family of operations that are imported when they are asked for."""
    for cell in _RARE.get(family, ()):
        importlib.import_module(cell)


def load_rules(package: str) -> None:
    """Import every file of a package, which registers its rules with the package's column, but those that are rare.

    By name: a type checker that follows a user's imports then reads the handler, not the rules.
    """
    for _, name, _ in pkgutil.iter_modules(importlib.import_module(package).__path__):
        if name in _RARE:
            _RARE[name].append(f"{package}.{name}")
        else:
            importlib.import_module(f"{package}.{name}")

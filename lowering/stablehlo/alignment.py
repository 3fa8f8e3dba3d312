"""Alignment: the corresponding operations of modules that are one program for several sizes.

At some sizes an operation that would do nothing is missing: a slice of a whole axis, a broadcast to the same shape, a
padding by nothing. Its operand then corresponds to its result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from jaxlib.mlir import ir

from lowering.stablehlo.context import Value
from lowering.stablehlo.refining import walked


class Idle(NamedTuple):
    """An operation where it does nothing and is missing: the value that is its operand and its result."""

    value: Value


type Step = tuple[ir.Operation | Idle | None, ...]
"""An operation in each module: None for a constant that is missing, since nothing reads it."""

_CONSTANT: Final = "stablehlo.constant"
_IDLE: Final = ("stablehlo.slice", "stablehlo.pad", "stablehlo.reshape", "stablehlo.broadcast_in_dim")
_NAMED: Final = ("sym_name", "callee", "decomposition")


class Differs(ValueError):
    """Raised with the difference of modules that differ in more than sizes."""


def aligned(modules: Sequence[ir.Module], points: Sequence[str]) -> tuple[int, list[Step]]:
    """The position of the module with the most operations, and each of these in all modules, side by side.

    `points` describes the sizes of each module. Raises Differs if they are not the same program.
    """
    each = [list(walked(module.operation)) for module in modules]
    lead = max(range(len(each)), key=lambda i: len(each[i]))
    columns = [
        operations if i == lead else list(_Alignment(points[lead], points[i]).matched(each[lead], operations))
        for i, operations in enumerate(each)
    ]
    return lead, list(zip(*columns, strict=True))


class _Alignment:
    """The correspondence of the values of two modules, found operation by operation."""

    def __init__(self, here: str, there: str) -> None:
        self._points = (here, there)
        self._value: dict[Value, Value] = {}
        """The value of the second module for each value of the first one."""
        self._constants: dict[Value, ir.Operation] = {}
        """The constants of the second module for those of the first one that are read."""

    def matched(
        self, operations: Sequence[ir.Operation], others: Sequence[ir.Operation]
    ) -> Iterator[ir.Operation | Idle | None]:
        """The operation of the second module for each operation of the first one."""
        remaining = iter([operation for operation in others if operation.name != _CONSTANT])
        other = next(remaining, None)
        matches: list[ir.Operation | Idle | None] = []
        for operation in operations:
            if operation.name == _CONSTANT:
                matches.append(None)  # a constant is matched when it is read
                continue
            fault = None if other is None else self._fault(operation, other)
            if other is not None and fault is None:
                self._value.update(zip(values(operation), values(other), strict=True))
                matches.append(other)
                other = next(remaining, None)
            elif operation.name in _IDLE and operation.operands[0] in self._value:
                self._value[operation.result] = self._value[operation.operands[0]]
                matches.append(Idle(self._value[operation.result]))
            else:
                there = "nothing more" if other is None else f"{described(other)}{fault}"
                raise Differs(f"for {self._points[0]} it has {described(operation)}, for {self._points[1]} {there}")
        if other is not None:
            raise Differs(f"for {self._points[1]} it has {described(other)} besides what it has for {self._points[0]}")
        pairs = zip(operations, matches, strict=True)
        return iter([self._constants.get(a.result) if a.name == _CONSTANT else b for a, b in pairs])

    def _fault(self, here: ir.Operation, there: ir.Operation) -> str | None:
        """The difference of two operations; None if they correspond."""
        if here.name != there.name:
            return ""
        operands = list(zip(here.operands, there.operands, strict=False))
        if len(here.operands) != len(there.operands) or not all([self._same(*pair) for pair in operands]):
            return " of other operands"
        if sorted(here.attributes) != sorted(there.attributes) or len(values(here)) != len(values(there)):
            return " of another form"
        if any([key in here.attributes and here.attributes[key] != there.attributes[key] for key in _NAMED]):
            return " of another function"
        return None

    def _same(self, here: Value, there: Value) -> bool:
        """Return True for corresponding values; constants are matched when they are first read."""
        if here in self._value:
            return self._value[here] == there
        if (first := _constant(here)) is None or (second := _constant(there)) is None:
            return False
        self._value[here], self._constants[first.result] = there, second
        return True


def _constant(value: Value) -> ir.Operation | None:
    """The operation of a value that is a constant; else None."""
    if isinstance(value.owner, ir.Block):
        return None
    maker: ir.Operation = value.owner.operation
    return maker if maker.name == _CONSTANT else None


def values(operation: ir.Operation) -> list[Value]:
    """The values that an operation defines: its results, and the arguments of its regions."""
    arguments = [a for region in operation.regions for block in region.blocks for a in block.arguments]
    return [*operation.results, *arguments]


def described(operation: ir.Operation) -> str:
    """Words for an operation in messages, with the user's line if it is known."""
    called = (
        f"{operation.name} of {operation.attributes['call_target_name']}"
        if "call_target_name" in operation.attributes
        else operation.name
    )
    place = re.search(r'"(?:([^"/]*)/[^"]*)"\("([^"]+)":(\d+)', str(operation.location))
    return called if place is None else f"{called} at {place[2]}:{place[3]} ({place[1]})"

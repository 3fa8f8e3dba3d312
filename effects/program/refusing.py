"""Errors of operations and programs, whose causes are found after a failure, rather than checked in each call."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from effects.arguments import describe, refusal, sequence
from effects.errors import ArgumentError, IllTyped
from effects.program.operation import Kind, Operation

if TYPE_CHECKING:
    from effects.arrays.array import Array
    from effects.types.avals import ShapedArray


def refuse_fields(op: object, error: Exception) -> None:
    """Raise ArgumentError if `op` is no operation on arrays, IllTyped if its type rule needs more than types."""
    if not isinstance(op, Operation):
        raise ArgumentError(f"perform takes an operation, got {describe(op)}")
    _refuse_kind(op)
    if isinstance(error, AttributeError):
        _refuse_operands(op, error)


def _refuse_kind(op: Operation[Any]) -> None:
    """Raise ArgumentError for an operation of a family whose `kind` is none."""
    fields: dict[str, dataclasses.Field[Any]] = getattr(op, "__dataclass_fields__", {})
    for field in fields.values():
        kind: object = getattr(op, field.name)
        if str(field.type).endswith("Kind") and not isinstance(kind, Kind):
            raise ArgumentError(
                f"{type(op).__name__}: {field.name} must be a {field.type}, got {describe(kind)}; its members are in "
                "effects.operations"
            )


def _refuse_operands(op: Operation[Any], error: AttributeError) -> None:
    """Raise ArgumentError for an operand that is no array, IllTyped for a type rule that needs more than types."""
    for operand in op.operands:
        if not hasattr(operand, "owner") and hasattr(type(operand), "owner"):
            name = type(operand).__name__
            raise ArgumentError(
                f"{op.name}: an operand is a {name} without an owner; {name}.__init__ must set self.owner, the handler "
                "whose carrier it is"
            )
        if not hasattr(operand, "owner"):
            raise ArgumentError(
                f"{op.name}: an operand must be an array, got {describe(operand)}; operations "
                "take arrays only: make one with asarray"
            )
        if operand.owner is None and operand.known() is None:
            raise operand.without_value()
    if error.obj is not None and hasattr(error.obj, "aval") and not hasattr(error.obj, "owner"):
        raise IllTyped(
            f"{op.name}: types(self) is given types: of an operand x it may ask x.aval only, not x.{error.name}; write "
            f"x.aval.{error.name}"
        )


def not_lifted(handler: str, value: object, error: AttributeError) -> AttributeError | ArgumentError:
    """The error of lifting a value that is no array; for an array it is `error`."""
    if hasattr(value, "owner"):
        return error
    return ArgumentError(
        f"{handler}.lift: value must be an array, got {describe(value)}; of a tree lift each leaf, "
        "tree_map(handler.lift, tree), and make arrays of numbers with asarray"
    )


def refuse_arguments(jaxpr: object, avals: tuple[ShapedArray, ...] | None, args: Sequence[Array]) -> None:
    """Raise ArgumentError unless shapes and dtypes are those of the program; weak types do not matter."""
    if avals is None:
        raise refusal("eval_jaxpr", "jaxpr", "a Jaxpr (of make_jaxpr)", jaxpr)
    sequence("eval_jaxpr", "args", args, "arrays")
    expected = ", ".join([str(aval) for aval in avals])
    got = ", ".join([str(getattr(value, "aval", type(value).__name__)) for value in args])
    if got != expected:
        advice = "; what a function closed over comes first (closure_convert)" if len(expected) > len(got) else ""
        raise ArgumentError(f"eval_jaxpr: the program takes arrays ({expected}), got ({got}){advice}")

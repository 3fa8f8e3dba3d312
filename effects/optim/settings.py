"""Numbers that transformations are set by: known ones, and rates that follow a schedule."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import effects as fx
from effects.arguments import at_least, number, refusal
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, convert
from effects.errors import ArgumentError
from effects.types.dtypes import Floating, real_of

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike

type Schedule = Callable[[Array], ArrayLike]
"""A number for each step, counted from 0: a function of an int32 scalar."""


def decay_rate(function: str, argument: str, value: object) -> float:
    """The share of an average that stays in a step, from 0 to less than 1."""
    known = number(function, argument, value)
    if not 0 <= known < 1:
        raise ArgumentError(f"{function}: {argument} must be at least 0 and less than 1, got {known}")
    return known


def rate(function: str, argument: str, value: ArrayLike | Schedule) -> Schedule:
    """A schedule as it is; a number, known or not, as the schedule that always gives it."""
    if callable(value):
        return value
    if not isinstance(value, Array):
        known = at_least(function, argument, value)
        return lambda step: known
    array = as_array(value, function, argument)
    if array.aval.shape or not issubclass(array.aval.dtype, Floating):
        raise refusal(function, argument, "a number or a schedule", value)
    return lambda step: array


def scaled[P](factor: ArrayLike, tree: P, sign: float = 1.0) -> P:
    """`sign` · `factor` · tree, each leaf in its dtype; the factor is a scalar."""
    if not isinstance(factor, Array):
        known = sign * number("schedule", "its value", factor)
        return fx.tree_map(lambda x: x * known, tree)
    signed = sign * factor
    if signed.aval.shape:
        raise ArgumentError(f"schedule: its value must be a scalar, got {signed.aval}")
    return fx.tree_map(lambda x: x * convert(signed, real_of(x.aval.dtype)), tree)

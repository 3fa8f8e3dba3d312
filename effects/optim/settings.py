"""Numbers that transformations are set by: known ones, and rates that follow a schedule."""

from __future__ import annotations

from collections.abc import Callable

import effects as fx
from effects.arguments import at_least, number, refusal
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, convert
from effects.errors import ArgumentError
from effects.types.dtypes import Complex, DType, Floating, real_of

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
    if (known_array := array.known()) is not None:
        at_least(function, argument, known_array.fetch().item())
    return lambda step: array


def scaled[P](factor: ArrayLike, tree: P, sign: float = 1.0) -> P:
    """`sign` · `factor` · tree, each leaf in its dtype; the factor is a scalar."""
    subject = "its value, the rate,"
    if not isinstance(factor, Array):
        number("schedule", subject, factor)
    array = as_array(factor, "schedule", subject)
    if array.aval.shape or issubclass(array.aval.dtype, Complex):
        raise ArgumentError(f"schedule: {subject} must be a real scalar, got {array.aval}")
    if (known := array.known()) is not None:
        at_least("schedule", subject, known.fetch().item())
    return fx.tree_map(lambda x: x * convert(sign * array, _dtype_of(array, x)), tree)


def _dtype_of(factor: Array, x: Array) -> type[DType]:
    """Dtype of the real numbers that x is multiplied by, in which a known factor is not to become 0."""
    dtype = real_of(x.aval.dtype)
    if (known := factor.known()) is not None:
        value = known.fetch()
        if value != 0 and value.astype(dtype.dtype) == 0:
            raise ArgumentError(
                f"schedule: its value, the rate, must not underflow, and {value} is 0 in {dtype}, of {x.aval}"
            )
    return dtype

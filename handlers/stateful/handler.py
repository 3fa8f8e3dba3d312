"""Base of handlers without carriers: a state, results to send out, copies for programs."""

from __future__ import annotations

import copy
from collections.abc import Hashable
from typing import TYPE_CHECKING, ClassVar, NoReturn, Self

from effects.arguments import refusal
from effects.arrays.array import Array
from effects.arrays.promotion import convert, scalar
from effects.errors import ArgumentError, LeakedValueError, MissingRule
from effects.operations.elementwise import Convert
from effects.program.chain import perform
from effects.requests.forms import Form, described, holds_numbers, take_apart
from effects.types import promotion
from effects.types.avals import ShapedArray

type Sent = dict[str, tuple[Array, ...]]
"""Results that leave a program besides its own: stacked by loops and by vmap, zeros where a branch sends nothing."""


class Aborted(BaseException):
    """Raised to end a program, after the effects before it. It is no Exception, so programs do not catch it."""


class Stateful[S]:
    """A handler whose values are arrays, and whose state `S`, a tree of arrays, goes through programs."""

    state: S
    key: Hashable = ()
    sent: Sent

    _title: ClassVar[str]
    """Name that users know it by: its class, for those of the library the effect."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._title = vars(cls).get("_title", cls.__name__)

    if not TYPE_CHECKING:  # which knows what there is

        def __getattr__(self, name: str) -> NoReturn:
            if name in ("sent", "link"):
                raise ArgumentError(f"{self._title}.{name}: the handler has not been installed yet")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def copied(self, state: S) -> Self:
        """This handler with another state, which has sent nothing."""
        handler = copy.copy(self)
        handler.state, handler.sent = state, {}
        return handler

    def state_taken_apart(self) -> tuple[list[Array], Form]:
        """The arrays of the state, and the rest of it."""
        arrays, form = take_apart(self.state, f"the state of {self._title}")
        return [strong(a) for a in arrays], form

    def undo(self, error: BaseException, state: S, sent: Sent) -> None:
        """Restore the state and the sent values from before an operation that raised, and so did not happen."""
        if not isinstance(error, Aborted):
            self.state, self.sent = state, sent

    def send(self, name: str, *arrays: Array) -> None:
        """Return arrays from the extent under a name. A `scan` stacks them; a branch that is not taken sends zeros."""
        caller = f"{type(self).__name__}.send"
        if not isinstance(name, str):
            raise refusal(caller, "name", "a string", name)
        for array in arrays:
            if not isinstance(array, Array):
                raise refusal(caller, "arrays", "arrays", array)
        if name in self.sent:
            raise ArgumentError(f"{self._title}: {name!r} is sent twice; give each its own name")
        self.sent = {**self.sent, name: arrays}

    def halted(self) -> Array | None:
        """True if the rest of the program should not happen: loops stop there. None for handlers that resume."""
        return None

    def widened(self, other: S) -> S:
        """The state in a form that also fits the state `other` (a tree of types), where branches or steps differ."""
        own_form, other_form = described(self.state), described(other)
        if own_form == other_form:
            return self.state
        numbers = holds_numbers(self.state) or holds_numbers(other)
        advice = "begin with an array, asarray(0.0), since a Python number does not change; or " if numbers else ""
        raise MissingRule(
            f"{self._title}: the state is {own_form} in one branch or step and {other_form} in another; {advice}give "
            "it the same structure and types everywhere, or write widened(self, other), which makes room for both"
        )


def strong(x: Array) -> Array:
    """`x` with a strong type: no state is weakly typed."""
    return perform(Convert(x.aval.dtype, False, x)) if x.aval.weak_type else x


def of_type(value: Array, aval: ShapedArray, subject: str) -> Array | None:
    """`value` as a state of this type: itself, or a Python number that the dtype holds; None where it is neither.

    Raises ArgumentError, which names `subject`, for an integer out of the dtype's range.
    """
    dtype, got = aval.dtype, value.aval
    if got.shape != aval.shape or not (got.dtype is dtype or got.weak_type):
        return None
    if got.dtype is dtype:
        return strong(value)
    if promotion.promote_weak(dtype, got.dtype) is not dtype:
        return None
    known = value.known() if not got.ndim else None
    return convert(value, dtype) if known is None else scalar(known.item(), dtype, function=subject, argument="value")


def check_alive(subject: str, state: object) -> None:
    """Raise LeakedValueError for a state with carriers of a transformation that is over."""
    for array in take_apart(state, subject)[0]:
        if array.owner is not None and not getattr(array.owner, "alive", True):
            raise LeakedValueError(
                f"{subject} was assigned inside of {array.owner!r}, which is over; assign what the transformation "
                "gives, carry it through a loop"
            )

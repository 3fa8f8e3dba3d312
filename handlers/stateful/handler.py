"""What handlers without carriers have in common: a state, results to send out, copies for programs."""

from __future__ import annotations

import copy
from collections.abc import Hashable
from typing import Self

from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.errors import ArgumentError, MissingRule
from effects.requests.forms import Form, take_apart

type Sent = dict[str, tuple[Array, ...]]
"""What leaves a program besides its results: stacked by loops and by vmap, zeros where a branch sends nothing."""


class Stateful[S]:
    """A handler whose values are arrays, and whose state `S`, a tree of arrays, goes through programs."""

    state: S
    key: Hashable = ()
    sent: Sent

    def copied(self, state: S) -> Self:
        """This handler with another state, which has sent nothing."""
        handler = copy.copy(self)
        handler.state, handler.sent = state, {}
        return handler

    def state_taken_apart(self) -> tuple[list[Array], Form]:
        """The arrays of the state, and the rest of it."""
        arrays, form = take_apart(self.state, f"the state of {type(self).__name__}")
        return [strong(a) for a in arrays], form

    def send(self, name: str, *arrays: Array) -> None:
        """Let arrays leave the extent under a name. A `scan` stacks them, a branch not taken sends zeros."""
        if name in self.sent:
            raise ArgumentError(f"{type(self).__name__}: {name!r} is sent twice; give each its own name")
        self.sent[name] = arrays

    def halted(self) -> Array | None:
        """Whether the rest of the program should not happen, a bool: loops stop there. None: handlers that resume."""
        return None

    def widened(self, other: S) -> S:
        """The state with room for what the state `other` (a tree of types) has, where branches or steps differ."""
        raise MissingRule(
            f"{type(self).__name__}: the state has the form {self.state} here and {other} there; give it one form, or "
            "write widened(self, other), which makes room for both"
        )


def strong(x: Array) -> Array:
    """`x` without the readiness of Python numbers to take another dtype, which no state has."""
    return convert(x, x.aval.dtype) if x.aval.weak_type else x

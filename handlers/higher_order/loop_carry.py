"""Loop carries under forward handlers: a fixed point of their forms, one form in all steps."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple

from effects.arrays.array import Array
from effects.errors import ArgumentError
from effects.program.jaxpr import Jaxpr
from effects.types.avals import ShapedArray
from handlers.forward import Forward
from handlers.higher_order.restaging import Forms, Restaged, Unpacked, restage, unpack_all

_MOST_ROUNDS: Final = 100


class Joined(NamedTuple):
    """The forms and types of several groups of carriers, one after the other."""

    avals: tuple[ShapedArray, ...]
    statics: tuple[Hashable, ...]
    counts: tuple[int, ...]


def concatenated(*groups: Forms) -> Joined:
    """Several groups of carriers as one."""
    return Joined(
        tuple([aval for group in groups for aval in group.avals]),
        tuple([static for group in groups for static in group.statics]),
        tuple([count for group in groups for count in group.counts]),
    )


def fixed_point[V: Array](
    handler: Forward[V, Any], body: Jaxpr, init: Sequence[V], inputs: Callable[[Unpacked], Forms]
) -> tuple[Unpacked, Restaged]:
    """The initial carry in forms that the loop keeps, and `body` restaged with its first results, the next carry, in
    these: the forms of `init` joined with what a step makes of them, to a fixpoint.

    `inputs` gives the inputs of `body` for a carry. Raises ArgumentError when the forms never stop growing.
    """
    n = len(init)
    carry = unpack_all(handler, init)
    joined = carry.statics
    for _ in range(_MOST_ROUNDS):
        forms = inputs(carry)
        step = restage(handler, body, forms)
        if step.statics[:n] == carry.statics:
            return carry, step
        joined = tuple([handler.join(a, b) for a, b in zip(carry.statics, step.statics, strict=False)])
        if joined == carry.statics:
            return carry, restage(handler, body, forms, (*joined, *step.statics[n:]))
        init = [handler.coerce(value, static) for value, static in zip(init, joined, strict=True)]
        carry = unpack_all(handler, init)
    raise ArgumentError(
        f"{type(handler).__name__}.join: the form of a loop's carry is another one after every step, such as {joined}; "
        "joins must reach an end"
    )

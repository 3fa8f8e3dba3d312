"""What loops share under forward handlers: a carry of one form in all steps, and the order of the inputs of a loop."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple, Protocol

from effects.arrays.array import Array
from effects.errors import ArgumentError
from effects.program.jaxpr import Jaxpr
from effects.types.avals import ShapedArray
from handlers.forward import Forward
from handlers.higher_order.restaging import Forms, Restaged, Unpacked, restage, unpack_all

_MOST_ROUNDS: Final = 100


class Joined(NamedTuple):
    """Carriers of several groups, taken apart, one after the other."""

    avals: tuple[ShapedArray, ...]
    statics: tuple[Hashable, ...]
    counts: tuple[int, ...]


def beside(*groups: Forms) -> Joined:
    """Groups of carriers as one."""
    return Joined(
        tuple([aval for group in groups for aval in group.avals]),
        tuple([static for group in groups for static in group.statics]),
        tuple([count for group in groups for count in group.counts]),
    )


def steady[V: Array](
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
        given = inputs(carry)
        step = restage(handler, body, given)
        if step.statics[:n] == carry.statics:
            return carry, step
        joined = tuple([handler.join(a, b) for a, b in zip(carry.statics, step.statics, strict=False)])
        if joined == carry.statics:
            return carry, restage(handler, body, given, (*joined, *step.statics[n:]))
        init = [handler.coerce(value, static) for value, static in zip(init, joined, strict=True)]
        carry = unpack_all(handler, init)
    raise ArgumentError(
        f"{type(handler).__name__}.join: the form of a loop's carry is another one after every step, such as {joined}; "
        "joins must reach an end"
    )


class Program(Protocol):
    """A body whose first inputs are what it captured."""

    @property
    def jaxpr(self) -> Jaxpr: ...
    @property
    def captured(self) -> tuple[Array, ...]: ...


def consts_first(body: Program, state: int, consts: int) -> Jaxpr:
    """The restaged body of a loop with its inputs in the order of one: what is the same in every step, then the carry.

    `state` is the number of arrays of the handler's state, which is carried, `consts` that of the parts of constants.
    """
    if not state or not consts:
        return body.jaxpr
    first = len(body.captured)

    def reordered() -> Jaxpr:
        inputs = body.jaxpr.inputs
        middle = first + state + consts
        order = (*inputs[:first], *inputs[first + state : middle], *inputs[first : first + state], *inputs[middle:])
        return Jaxpr(order, body.jaxpr.eqns, body.jaxpr.outputs)

    return body.jaxpr.cached(("consts first", first, state, consts), reordered)

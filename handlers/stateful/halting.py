"""Skipping the rest of a staged program after a handler that does not resume.

Equations without effects are computed all the same, and their results are not used. Steps of a loop are skipped, as are
operations that act: requests of handlers further out, and callbacks. Loops that may not terminate do not begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from effects.arrays.array import Array
from effects.functions.creation import creation
from effects.operations.higher_order import Cond
from effects.operations.loops import While
from effects.program.chain import perform
from effects.program.jaxpr import Jaxpr
from effects.program.operation import HigherOrder, HostEffect, Multiple, Operation
from handlers.stage import share_captured, stage


def must_not_happen_when_halted(op: Operation[Any]) -> bool:
    """Return True if an operation must not be performed once a handler has halted: it acts, or may not terminate."""
    if HostEffect.HOST in op.effects or type(op) is While:
        return True
    return isinstance(op, HigherOrder) and any([_holds_such(body) for body in op.bodies])


def _holds_such(body: Jaxpr) -> bool:
    return body.cached("loops", lambda: any([must_not_happen_when_halted(eqn.op) for eqn in body.eqns]))


def unless_halted(halted: Array, op: Operation[Array]) -> tuple[Array, ...]:
    """An operation that acts, of another effect or on the host, which does not happen once a handler has halted."""
    assert isinstance(op, Multiple), "requests, callbacks and loops have several results"
    operation: Multiple[Array] = op
    types: Sequence[Any] = operation.types()
    known = halted.known()
    if known is not None and not bool(known):
        return perform(operation)

    def run(*operands: Array) -> Sequence[Array]:
        values = iter(operands)
        return perform(operation.map(lambda _: next(values)))

    def skip(*operands: Array) -> Sequence[Array]:
        return [creation.zeros_of(aval) for aval in types]

    avals = [x.aval for x in op.operands]
    branches, captured = share_captured([stage(run, avals), stage(skip, avals)])
    return perform(Cond(tuple(branches), halted, (*captured, *op.operands)))

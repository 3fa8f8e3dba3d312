"""Skipping the rest of a staged program after a handler that does not resume.

Equations without effects are computed all the same, and their results are not used. Steps of a loop are skipped, as is
what acts: requests of handlers further out, and callbacks. Loops that need not end do not begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from effects.arrays.array import Array
from effects.operations.higher_order import Cond
from effects.operations.loops import While
from effects.program.chain import perform
from effects.program.jaxpr import Jaxpr
from effects.program.operation import HigherOrder, HostEffect, Multiple, Operation
from handlers.higher_order.cond import zeros_of
from handlers.stage import share_captured, stage


def may_not_happen(op: Operation[Any]) -> bool:
    """Return True if an operation must not be performed once a handler has halted: one that acts, or that need
    not end.
    """
    if HostEffect.HOST in op.effects or type(op) is While:
        return True
    return isinstance(op, HigherOrder) and any([_loops(body) for body in op.bodies])


def _loops(body: Jaxpr) -> bool:
    return body.cached("loops", lambda: any([may_not_happen(eqn.op) for eqn in body.eqns]))


def unless_halted(halted: Array, op: Operation[Array]) -> tuple[Array, ...]:
    """An operation that acts, of another effect or on the host, which does not happen once a handler has halted."""
    assert isinstance(op, Multiple), "requests, callbacks and loops have several results"
    acting: Multiple[Array] = op
    types: Sequence[Any] = acting.types()
    known = halted.known()
    if known is not None and not bool(known):
        return perform(acting)

    def do(*operands: Array) -> Sequence[Array]:
        values = iter(operands)
        return perform(acting.map(lambda _: next(values)))

    def skip(*operands: Array) -> Sequence[Array]:
        return [zeros_of(aval) for aval in types]

    avals = [x.aval for x in op.operands]
    branches, captured = share_captured([stage(do, avals), stage(skip, avals)])
    return perform(Cond(tuple(branches), halted, (*captured, *op.operands)))

"""Dead code elimination: programs without equations that no output depends on."""

from __future__ import annotations

from effects.program.jaxpr import Atom, Eqn, Jaxpr
from effects.program.operation import HostEffect


def dead_code_eliminated(jaxpr: Jaxpr) -> Jaxpr:
    """The program without the equations that none of its outputs depends on, except those that call the host."""
    needed: set[Atom] = set(jaxpr.outputs)
    eqns: list[Eqn] = []
    for eqn in reversed(jaxpr.eqns):
        if not needed.isdisjoint(eqn.outs) or HostEffect.HOST in eqn.op.effects:
            eqns.append(eqn)
            needed.update(eqn.op.operands)
    return jaxpr if len(eqns) == len(jaxpr.eqns) else Jaxpr(jaxpr.inputs, tuple(eqns[::-1]), jaxpr.outputs)

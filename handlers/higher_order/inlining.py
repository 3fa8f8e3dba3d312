"""Inlining: the equations of called programs in place of the calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from effects.operations.checkpoint import Checkpoint
from effects.operations.higher_order import Call
from effects.program.jaxpr import Atom, Eqn, Jaxpr, Var

type Called = Call[Any] | Checkpoint[Any]


def inlined(jaxpr: Jaxpr, chosen: Callable[[Call[Any]], bool]) -> Jaxpr:
    """The program with the calls that are `chosen` replaced by the equations of what they call, at every depth."""
    return _inlined(jaxpr, lambda op: type(op) is Call and chosen(op))


def flattened(jaxpr: Jaxpr) -> Jaxpr:
    """The program with all calls and checkpoints replaced by the equations of what they call."""
    return _inlined(jaxpr, lambda op: True)


def _inlined(jaxpr: Jaxpr, chosen: Callable[[Called], bool]) -> Jaxpr:
    if not any([isinstance(eqn.op, Call | Checkpoint) and chosen(eqn.op) for eqn in jaxpr.eqns]):
        return jaxpr
    eqns: list[Eqn] = []
    env: dict[Var, Atom] = {}

    def read(atom: Atom) -> Atom:
        return env.get(atom, atom) if type(atom) is Var else atom

    def write(program: Jaxpr, operands: tuple[Atom, ...]) -> list[Atom]:
        env.update(zip(program.inputs, operands, strict=True))
        for eqn in program.eqns:
            op = eqn.op.map(read)
            if isinstance(op, Call | Checkpoint) and chosen(op):
                env.update(zip(eqn.outs, write(op.body, op.operands_), strict=True))
            else:
                outs = tuple([Var(out.aval) for out in eqn.outs])  # a program may be called more than once
                env.update(zip(eqn.outs, outs, strict=True))
                eqns.append(Eqn(op, outs, eqn.place, eqn.multiple))
        return [read(atom) for atom in program.outputs]

    outputs = write(jaxpr, tuple(jaxpr.inputs))
    return Jaxpr(jaxpr.inputs, tuple(eqns), tuple(outputs))

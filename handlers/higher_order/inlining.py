"""Inlining: the equations of programs in place of the operations that hold them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from effects.operations.higher_order import Call, CallLike, Cond
from effects.program.jaxpr import Atom, Eqn, Jaxpr, Var
from effects.program.operation import Operation
from effects.types.avals import ShapedArray


def inlined(jaxpr: Jaxpr, chosen: Callable[[Call[Any]], bool]) -> Jaxpr:
    """The program with the calls that are `chosen` replaced by the equations of what they call, at every depth."""
    return _inlined(jaxpr, lambda op: type(op) is Call and chosen(op))


def with_single_calls_inlined(jaxpr: Jaxpr) -> Jaxpr:
    """The program with the calls inlined whose programs are called once only."""
    counts: Counter[Jaxpr] = Counter()
    entered = [jaxpr]
    while entered:
        for body in [eqn.op.body for eqn in entered.pop().eqns if isinstance(eqn.op, Call)]:
            counts[body] += 1
            if counts[body] == 1:
                entered.append(body)
    return inlined(jaxpr, lambda call: counts[call.body] == 1)


def flattened(jaxpr: Jaxpr) -> Jaxpr:
    """The program with all calls and checkpoints replaced by the equations of what they call."""
    return _inlined(jaxpr, lambda op: True)


def _inlined(jaxpr: Jaxpr, chosen: Callable[[CallLike[Any]], bool]) -> Jaxpr:
    if not any([isinstance(eqn.op, CallLike) and chosen(eqn.op) for eqn in jaxpr.eqns]):
        return jaxpr
    return rewritten(jaxpr, lambda op: op.body if isinstance(op, CallLike) and chosen(op) else None)


def rewritten(
    jaxpr: Jaxpr,
    body: Callable[[CallLike[Any] | Cond[Any]], Jaxpr | None],
    value: Callable[[Operation[Atom], ShapedArray], Atom | None] = lambda op, aval: None,
) -> Jaxpr:
    """The program with the equations of its `body` in place of each operation that has one, at every depth, and in
    place of an operation with one result its `value`, where that has one.
    """
    eqns: list[Eqn] = []
    env: dict[Atom, Atom] = {}

    def read(atom: Atom) -> Atom:
        return env.get(atom, atom) if type(atom) is Var else atom

    # A stack, since programs may be nested deeply: each program being rewritten, innermost last, its equations still to
    # come, and the variables of its results.
    entered: list[tuple[Jaxpr, Iterator[Eqn], tuple[Var, ...]]] = [(jaxpr, iter(jaxpr.eqns), ())]
    while entered:
        program, rest, results = entered[-1]
        for eqn in rest:
            op = eqn.op.map(read)
            if isinstance(op, CallLike | Cond) and (within := body(op)) is not None:
                env.update(zip(within.inputs, op.operands_, strict=True))
                entered.append((within, iter(within.eqns), eqn.outs))
                break
            if len(eqn.outs) == 1 and (known := value(op, eqn.outs[0].aval)) is not None:
                env[eqn.outs[0]] = known
                continue
            outs = tuple([Var(out.aval) for out in eqn.outs])  # a program may be called more than once
            env.update(zip(eqn.outs, outs, strict=True))
            eqns.append(Eqn(op, outs, eqn.place, eqn.multiple))
        else:
            entered.pop()
            env.update(zip(results, map(read, program.outputs)))
    return Jaxpr(jaxpr.inputs, tuple(eqns), tuple(map(read, jaxpr.outputs)))

"""Dead results: removing results of higher-order operations that are not read, and what only these need."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

from effects.operations.higher_order import CallLike, Cond
from effects.operations.loops import Scan
from effects.operations.sharding import ShardMap
from effects.program.jaxpr import Eqn, Jaxpr, Var
from effects.program.operation import HostEffect, Operation


def without_dead_results(jaxpr: Jaxpr) -> Jaxpr:
    """The program without dead code, also inside calls, branches and loops; calls of the host stay."""
    needed = set(jaxpr.outputs)
    eqns: list[Eqn] = []
    for eqn in reversed(jaxpr.eqns):
        if not needed.isdisjoint(eqn.outs) or HostEffect.HOST in eqn.op.effects:
            eqns.append(with_live_results(eqn, tuple([out in needed for out in eqn.outs])))
            needed.update(eqns[-1].op.operands)
    return Jaxpr(jaxpr.inputs, tuple(reversed(eqns)), jaxpr.outputs)


def with_live_results(eqn: Eqn, alive: tuple[bool, ...]) -> Eqn:
    """An equation with at least the results that are `alive`, perhaps without others."""
    op: Operation[Any] = eqn.op
    if all(alive):
        return eqn
    if isinstance(op, CallLike):
        body = _with_live_outputs(op.body, alive)
        reads = _reads([body])
        op = op.of(_with_read_inputs(body, reads), tuple(compress(op.operands_, reads)))
    elif isinstance(op, ShardMap):
        body = _with_live_outputs(op.body, alive)
        reads = _reads([body])
        in_shardings, out_shardings = tuple(compress(op.in_cuts, reads)), tuple(compress(op.out_cuts, alive))
        operands = tuple(compress(op.operands_, reads))
        op = ShardMap(_with_read_inputs(body, reads), op.over, op.label, in_shardings, out_shardings, operands)
    elif isinstance(op, Cond):
        branches = [_with_live_outputs(branch, alive) for branch in op.branches]
        reads = _reads(branches)
        op = Cond(
            tuple([_with_read_inputs(b, reads) for b in branches]), op.index, tuple(compress(op.operands_, reads))
        )
    elif isinstance(op, Scan):
        op, alive = _scan(op, alive)
    else:
        return eqn
    return Eqn(op, tuple(compress(eqn.outs, alive)), eqn.place, eqn.multiple)


def _scan(op: Scan[Any], alive: tuple[bool, ...]) -> tuple[Scan[Any], tuple[bool, ...]]:
    """The loop with the carry that its live results need, and flags of the results that it then has."""
    n, first = op.carried, len(op.consts)
    while True:
        body = _with_live_outputs(op.body, alive)
        reads = _reads([body])
        carry = tuple([a or r for a, r in zip(alive[:n], reads[first : first + n], strict=True)])
        if carry == alive[:n]:
            break
        alive = (*carry, *alive[n:])
    reads = (*reads[:first], *carry, *reads[first + n :])
    operands = compress(op.consts, reads), compress(op.init, carry), compress(op.xs, reads[first + n :])
    return op.of(_with_read_inputs(body, reads), *map(tuple, operands)), alive


def _with_live_outputs(body: Jaxpr, alive: tuple[bool, ...]) -> Jaxpr:
    """The program with only the live outputs, and without what only the others need."""
    outputs = tuple(compress(body.outputs, alive))
    return body.cached(("cut", alive), lambda: without_dead_results(Jaxpr(body.inputs, body.eqns, outputs)))


def _reads(programs: Sequence[Jaxpr]) -> tuple[bool, ...]:
    """For each input, True if any of these programs reads it."""
    read = [{*[a for eqn in p.eqns for a in eqn.op.operands if type(a) is Var], *p.outputs} for p in programs]
    positions = zip(*[p.inputs for p in programs], strict=True)
    return tuple([any([var in r for var, r in zip(inputs, read, strict=True)]) for inputs in positions])


def _with_read_inputs(body: Jaxpr, reads: Sequence[bool]) -> Jaxpr:
    return Jaxpr(tuple(compress(body.inputs, reads)), body.eqns, body.outputs)

"""The row of `Cond`: what a conditional means under every handler.

Forward handlers restage both branches and join the forms of their results. Partial evaluation with a known choice makes
two conditionals; an unknown choice is recorded whole. Transposition transposes the branches. A choice that is batched
is in `batched_branches.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from effects.arrays.array import Array
from effects.errors import NotLinearError
from effects.functions.creation import creation
from effects.operations.higher_order import Cond
from effects.program.chain import perform
from effects.program.jaxpr import Jaxpr, Var
from effects.types.avals import ShapedArray
from handlers.forward import FORWARD, Forward
from handlers.higher_order.restaging import pack_all, restage, unpack_all
from handlers.partial_eval import PARTIAL_EVAL, PartialEval, merge, split, unknown_outputs
from handlers.stage import share_captured, stage
from handlers.transpose.programs import transposed
from handlers.transpose.rules import RULES as TRANSPOSE, Cotangents, is_linear


@FORWARD.rule(Cond)
def forward_cond[V: Array](handler: Forward[V, Any], op: Cond[V]) -> tuple[Array, ...]:
    index = handler.predicate(op.index)
    inputs = unpack_all(handler, op.operands_)
    bodies = [restage(handler, branch, inputs) for branch in op.branches]
    joined = bodies[0].statics
    for body in bodies[1:]:
        joined = tuple([handler.join(a, b) for a, b in zip(joined, body.statics, strict=True)])
    bodies = [
        b if b.statics == joined else restage(handler, branch, inputs, joined)
        for branch, b in zip(op.branches, bodies, strict=True)
    ]
    branches, captured = share_captured([(body.jaxpr, body.captured) for body in bodies])
    results = perform(Cond(tuple(branches), index, (*captured, *inputs.parts)))
    return tuple(pack_all(handler, results, joined, bodies[0].counts))


@PARTIAL_EVAL.rule(Cond)
def partial_eval_cond(handler: PartialEval, op: Cond[Array]) -> tuple[Array, ...]:
    if op.index.owner is handler:
        return handler.record_all(op)
    unknown_in = handler.unknown(op.operands_)
    first, *others = op.branches
    key = ("cond parts", *[branch.written for branch in others], unknown_in)
    parts = first.cached(key, lambda: _parts(op.branches, unknown_in))
    known, unknown = handler.sorted(op.operands_)
    results = perform(Cond(parts.known, op.index, known))
    n_known = parts.unknown_out.count(False)
    operands = tuple([handler.atom(v) for v in (*results[n_known:], *unknown)])
    recorded = handler.record(Cond(parts.unknown, handler.atom(op.index), operands))
    assert isinstance(recorded, tuple), "it has several results"
    return merge(parts.unknown_out, results[:n_known], recorded)


class Parts(NamedTuple):
    """The branches, each split in two as in `Split`, with residuals of the same number and types in all of them."""

    known: tuple[Jaxpr, ...]
    unknown: tuple[Jaxpr, ...]
    unknown_out: tuple[bool, ...]


def _parts(branches: Sequence[Jaxpr], unknown_in: tuple[bool, ...]) -> Parts:
    """The branches split in two. They share slots for residuals of one type; one without a residual gives zeros."""
    first = [unknown_outputs(branch, unknown_in) for branch in branches]
    unknown_out = tuple([any(flags) for flags in zip(*first, strict=True)])
    n_known = unknown_out.count(False)
    parts = [split(branch, unknown_in, unknown_out) for branch in branches]
    slot_of: dict[tuple[ShapedArray, int], int] = {}
    slots_of_parts = [_slots(part.known.out_avals[n_known:], slot_of) for part in parts]
    avals = [aval for aval, _ in slot_of]
    known, unknown = [], []
    for part, slots in zip(parts, slots_of_parts, strict=True):
        own_residuals = dict(zip(slots, part.known.outputs[n_known:], strict=True))
        missing = [slot for slot in slot_of.values() if slot not in own_residuals]
        zeros, _ = stage(lambda of=missing: [creation.zeros_of(avals[slot]) for slot in of], (), "a branch")
        own_residuals.update(zip(missing, zeros.outputs, strict=True))
        outputs = (*part.known.outputs[:n_known], *[own_residuals[slot] for slot in slot_of.values()])
        known.append(Jaxpr(part.known.inputs, part.known.eqns + zeros.eqns, outputs))
        own_inputs = dict(zip(slots, part.unknown.inputs, strict=False))
        residuals = [own_inputs.get(slot) or Var(avals[slot]) for slot in slot_of.values()]
        inputs = (*residuals, *part.unknown.inputs[len(slots) :])
        unknown.append(Jaxpr(inputs, part.unknown.eqns, part.unknown.outputs))
    return Parts(tuple(known), tuple(unknown), unknown_out)


def _slots(avals: Sequence[ShapedArray], slot_of: dict[tuple[ShapedArray, int], int]) -> list[int]:
    """Slots of residuals, the n-th of a type in the n-th slot of that type; new slots are added to `slot_of`."""
    counts: Counter[ShapedArray] = Counter()
    numbers = []
    for aval in avals:
        numbers.append(slot_of.setdefault((aval, counts[aval]), len(slot_of)))
        counts[aval] += 1
    return numbers


@TRANSPOSE.rule(Cond)
def transpose_cond(op: Cond[Array], cotangents: Cotangents) -> list[Array | None]:
    if is_linear(op.index):
        raise NotLinearError("cond: the predicate depends on the inputs of a function that should be linear in them")
    linear_in = tuple([is_linear(v) for v in op.operands_])
    known = [v for v in op.operands_ if not is_linear(v)]
    nonzero = [ct for ct in cotangents if ct is not None]
    mask = tuple([ct is not None for ct in cotangents])
    backwards = [transposed(branch, linear_in, mask, dense=True) for branch in op.branches]
    branches, captured = share_captured([(back.jaxpr, back.captured) for back in backwards])
    results = iter(perform(Cond(tuple(branches), op.index, (*captured, *known, *nonzero))))
    return [None, *[next(results) if linear else None for linear in linear_in]]

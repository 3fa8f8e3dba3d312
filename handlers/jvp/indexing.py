"""Derivatives of slices: the same slice of the tangent."""

from __future__ import annotations

from effects.functions.creation import creation
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from effects.program.chain import perform
from handlers.jvp.rules import RULES, Dual, Pair, value_of


@RULES.rule(Slice)
def jvp_slice(op: Slice[Dual]) -> Pair:
    t = op.x.tangent
    out = value_of(Slice(op.start, op.limit, op.strides, op.x.primal))
    return out, None if t is None else perform(Slice(op.start, op.limit, op.strides, t))


@RULES.rule(DynamicSlice)
def jvp_dynamic_slice(op: DynamicSlice[Dual]) -> Pair:
    t = op.x.tangent
    starts = tuple([s.primal for s in op.starts])
    out = value_of(DynamicSlice(op.sizes, op.x.primal, starts))
    return out, None if t is None else perform(DynamicSlice(op.sizes, t, starts))


@RULES.rule(DynamicUpdateSlice)
def jvp_dynamic_update_slice(op: DynamicUpdateSlice[Dual]) -> Pair:
    x, update = op.x, op.update
    starts = tuple([s.primal for s in op.starts])
    out = value_of(DynamicUpdateSlice(x.primal, update.primal, starts))
    if x.tangent is None and update.tangent is None:
        return out, None
    tx = creation.zeros_like(x.primal) if x.tangent is None else x.tangent
    tu = creation.zeros_like(update.primal) if update.tangent is None else update.tangent
    return out, perform(DynamicUpdateSlice(tx, tu, starts))

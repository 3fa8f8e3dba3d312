"""Slices. Starts are brought to int64 without changing which part they mean."""

from __future__ import annotations

from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value, i64s
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope

_I64 = ShapedArray((), dtypes.int64)
_U64 = ShapedArray((), dtypes.uint64)


@RULES.rule(Slice)
def lower_slice(op: Slice[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    attributes = {
        "start_indices": i64s(op.start),
        "limit_indices": i64s(op.limit),
        "strides": i64s(op.strides),
    }
    return scope.op("stablehlo.slice", TYPES[outs[0].aval], (scope[op.x],), attributes)


def _starts(starts: tuple[Atom, ...], scope: Scope) -> list[Value]:
    """The starts in one dtype: StableHLO takes no mixture, and clamps narrow ones within their own range."""
    if all([start.aval.dtype is dtypes.int32 for start in starts]):
        return [scope[start] for start in starts]
    return [_wide(start, scope) for start in starts]


def _wide(start: Atom, scope: Scope) -> Value:
    value = scope[start]
    if start.aval.dtype is dtypes.int64:
        return value
    if start.aval.dtype is dtypes.uint64:  # what int64 cannot hold is past every end
        value = scope.op("stablehlo.minimum", TYPES[_U64], (value, scope.fill(_U64, 2**63 - 1)))
    return scope.convert(value, _I64)


@RULES.rule(DynamicSlice)
def lower_dynamic_slice(op: DynamicSlice[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    operands = (scope[op.x], *_starts(op.starts, scope))
    return scope.op("stablehlo.dynamic_slice", TYPES[outs[0].aval], operands, {"slice_sizes": i64s(op.sizes)})


@RULES.rule(DynamicUpdateSlice)
def lower_dynamic_update_slice(op: DynamicUpdateSlice[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    operands = (scope[op.x], scope[op.update], *_starts(op.starts, scope))
    return scope.op("stablehlo.dynamic_update_slice", TYPES[outs[0].aval], operands)

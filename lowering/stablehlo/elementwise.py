"""Elementwise operations: operands are broadcast to the shape of the result, then one StableHLO operation each."""

from __future__ import annotations

from effects.operations.elementwise import Binary, Clamp, Compare, Convert, Select, Unary
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import converted
from lowering.stablehlo.corrected import CORRECTED_BINARY, CORRECTED_UNARY, NAMES
from lowering.stablehlo.exact import related
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import FLOAT8, TYPES, Scope

# -- one operand ---------------------------------------------------------------------------------------------------


@RULES.rule(Unary)
def lower_unary(op: Unary[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    aval = op.x.aval
    special = CORRECTED_UNARY.get((op.kind, aval.dtype))
    if special is not None:
        return special(op, scope[op.x], outs[0].aval, scope)
    return scope.op(NAMES[op.kind], TYPES[outs[0].aval], (scope[op.x],))


# -- two operands --------------------------------------------------------------------------------------------------


@RULES.rule(Binary)
def lower_binary(op: Binary[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    kind = op.kind
    x = op.x
    y = op.y
    out = outs[0].aval
    shape = out.shape
    left = scope[x] if x.aval is out else scope.broadcast_to(x, shape)
    right = scope[y] if y.aval is out else scope.broadcast_to(y, shape)
    special = CORRECTED_BINARY.get((kind, x.aval.dtype))
    if special is not None:
        return special(op, left, right, out, scope)
    return scope.op(NAMES[kind], TYPES[out], (left, right))


@RULES.rule(Compare)
def lower_compare(op: Compare[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    x, y = scope.broadcast_to(op.x, out.shape), scope.broadcast_to(op.y, out.shape)
    dtype = op.x.aval.dtype
    if dtype in FLOAT8:
        dtype = dtypes.float32
        wide = ShapedArray(out.shape, dtype)
        x, y = scope.convert(x, wide), scope.convert(y, wide)
    return related(op, x, y, ShapedArray(out.shape, dtype), scope)


# -- three operands ------------------------------------------------------------------------------------------------


@RULES.rule(Select)
def lower_select(op: Select[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    pred = scope[op.pred] if op.pred.aval.ndim == 0 else scope.broadcast_to(op.pred, out.shape)
    cases = scope.broadcast_to(op.x, out.shape), scope.broadcast_to(op.y, out.shape)
    return scope.do("select", pred, *cases)


@RULES.rule(Clamp)
def lower_clamp(op: Clamp[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    low, x, high = [scope.broadcast_to(v, out.shape) for v in (op.low, op.x, op.high)]
    if out.dtype in FLOAT8:
        wide = out.with_dtype(dtypes.float32)
        low, x, high = [scope.convert(v, wide) for v in (low, x, high)]
    clamped = scope.do("minimum", scope.do("maximum", x, low), high)
    return scope.convert(clamped, out) if out.dtype in FLOAT8 else clamped


# -- conversion ----------------------------------------------------------------------------------------------------


@RULES.rule(Convert)
def lower_convert(op: Convert[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    return converted(scope[op.x], op.x.aval, outs[0].aval, scope)

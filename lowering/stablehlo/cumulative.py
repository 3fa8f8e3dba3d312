"""Cumulative folds: each is one window that grows along the axis, which XLA computes in blocks.

What adds or multiplies floats of 16 and 8 bits does it in float32 and rounds once.
"""

from __future__ import annotations

import math
from typing import Final

from effects.operations.cumulative import Cumulative, CumulativeKind
from effects.operations.reduction import ReduceKind, identity
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.builder import Region
from lowering.stablehlo.context import Value, i64_table, i64s
from lowering.stablehlo.conversion import bits, compared
from lowering.stablehlo.reduction import FOLDS
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import FLOAT8, TYPES, Scope

_K = CumulativeKind
AS_REDUCTION: Final = {
    _K.MAX: ReduceKind.MAX,
    _K.MIN: ReduceKind.MIN,
    _K.PROD: ReduceKind.PROD,
    _K.SUM: ReduceKind.SUM,
}


@RULES.rule(Cumulative)
def lower_cumulative(op: Cumulative[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    x, out = scope[op.x], outs[0].aval
    if out.shape[op.axis] < 2 or not out.size:
        return x
    extreme = op.kind is _K.MAX or op.kind is _K.MIN
    if out.dtype in (FLOAT8 if extreme else dtypes.NARROW):
        wide = out.with_dtype(dtypes.float32)
        return scope.convert(_window(op, scope.convert(x, wide), wide, scope), out)
    return _window(op, x, out, scope)


def _window(op: Cumulative[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    n, rank, axis = out.shape[op.axis], out.ndim, op.axis
    element = ShapedArray((), out.dtype)
    start = -math.inf if op.kind is _K.LOGSUMEXP else identity(AS_REDUCTION[op.kind], out.dtype)
    before = (0, n - 1) if op.reverse else (n - 1, 0)
    attributes = {
        "window_dimensions": i64s(tuple([n if a == axis else 1 for a in range(rank)])),
        "padding": i64_table(tuple([before if a == axis else (0, 0) for a in range(rank)]), 2),
    }

    def step(pair: list[Value]) -> list[Value]:
        if op.kind is _K.LOGSUMEXP:
            return [_logaddexp(pair[0], pair[1], element, scope)]
        return [scope.op(FOLDS[AS_REDUCTION[op.kind]], TYPES[element], pair)]

    region = Region((TYPES[element], TYPES[element]), step)
    operands = (x, scope.fill(element, start))
    return scope.builder.ops("stablehlo.reduce_window", (TYPES[out],), operands, attributes, (region,))[0]


def _logaddexp(a: Value, b: Value, element: ShapedArray, scope: Scope) -> Value:
    """log(eᵃ + eᵇ), without constants: those of the function around are out of reach of a window's region."""
    truth = TYPES[bits(element)]

    def op(name: str, *values: Value) -> Value:
        return scope.op(f"stablehlo.{name}", TYPES[element], values)

    greater = op("maximum", a, b)
    difference = op("negate", op("abs", op("subtract", a, b)))
    total = op("add", greater, op("log_plus_one", op("exponential", difference)))
    same = compared("EQ", a, b, element, scope)  # of equal infinities the difference is NaN
    infinite = scope.op("stablehlo.not", truth, (scope.op("stablehlo.is_finite", truth, (greater,)),))
    return op("select", scope.op("stablehlo.and", truth, (same, infinite)), greater, total)

"""Cumulative folds: each is one window that grows along the axis, which XLA computes in blocks.

It folds every element of a block again for every place of that, so log Σ exp, which is dear, is a program that folds
each about twice. What adds or multiplies floats of 16 and 8 bits does it in float32 and rounds once.
"""

from __future__ import annotations

from typing import Final

from effects.arrays.array import Array
from effects.functions import arithmetic, movement
from effects.functions.prefixes import prefixes
from effects.operations.cumulative import Cumulative, CumulativeKind
from effects.operations.reduction import ReduceKind, identity
from effects.program.chain import ROOT, installed
from effects.program.jaxpr import Atom, Jaxpr, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.stage import stage
from lowering.stablehlo.builder import Region
from lowering.stablehlo.context import Value, i64_table, i64s
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
        return scope.convert(_folded(op, scope.convert(x, wide), wide, scope), out)
    return _folded(op, x, out, scope)


def _folded(op: Cumulative[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    if op.kind is _K.LOGSUMEXP:
        key = (_K.LOGSUMEXP, op.axis, op.reverse, out)
        body, _ = scope.functions.staged(key, lambda: _log_sums(op.axis, op.reverse, out))
        return scope.builder.call(scope.functions.symbol(body, op.name), [TYPES[out]], [x])[0]
    n, rank, axis = out.shape[op.axis], out.ndim, op.axis
    element = ShapedArray((), out.dtype)
    before = (0, n - 1) if op.reverse else (n - 1, 0)
    attributes = {
        "window_dimensions": i64s(tuple([n if a == axis else 1 for a in range(rank)])),
        "padding": i64_table(tuple([before if a == axis else (0, 0) for a in range(rank)]), 2),
    }
    kind = AS_REDUCTION[op.kind]
    region = Region((TYPES[element],) * 2, lambda pair: [scope.op(FOLDS[kind], TYPES[element], pair)])
    operands = (x, scope.fill(element, identity(kind, out.dtype)))
    return scope.builder.ops("stablehlo.reduce_window", (TYPES[out],), operands, attributes, (region,))[0]


def _log_sums(axis: int, reverse: bool, x: ShapedArray) -> tuple[Jaxpr, list[Array]]:
    def program(x: Array) -> list[Array]:
        x = movement.flip(x, axis=axis) if reverse else x
        (out,) = prefixes(lambda a, b: [arithmetic.logaddexp(a[0], b[0])], [x], [axis])
        return [movement.flip(out, axis=axis) if reverse else out]

    with installed(ROOT):
        return stage(program, (x,), _K.LOGSUMEXP.value)

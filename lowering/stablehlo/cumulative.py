"""Cumulative operations: each is one `reduce_window` over growing windows, which XLA computes in blocks.

log Σ exp, which is expensive, is a program that folds each element about twice. Floats of 16 and 8 bits are added and
multiplied in float32 and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Final

import effects as fx
from effects.arrays.array import Array
from effects.functions.reductions.prefixes import prefixes
from effects.operations.cumulative import Cumulative, CumulativeKind
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.builder import Region
from lowering.stablehlo.context import Value, i64_table, i64s
from lowering.stablehlo.cpu.blocks import by_lines, in_one_memory
from lowering.stablehlo.cpu.cumulative import AS_REDUCTION, Lines, in_blocks, neutral
from lowering.stablehlo.reduction import FOLDS
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope

_K = CumulativeKind
_BLOCKS_OF_LINES: Final = 8
"""Number of blocks of lines in a loop over an array."""
_FAST_CALLS_FROM: Final = 2**15
"""Number of elements from which the time of calls matters more than that of compiling."""


@RULES.rule(Cumulative)
def lower_cumulative(op: Cumulative[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    x, out = scope[op.x], outs[0].aval
    if out.shape[op.axis] < 2 or not out.size:
        return x
    if out.dtype in dtypes.NARROW:
        wide = out.with_dtype(dtypes.float32)
        return scope.convert(_folded(op, scope.convert(x, wide), wide, scope), out)
    return _folded(op, x, out, scope)


def _folded(op: Cumulative[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    if op.kind is _K.LOGSUMEXP:
        return _by_program(op, x, out, scope)
    if scope.functions.tuned and out.size >= _FAST_CALLS_FROM:
        return in_blocks(Lines(op.kind, op.axis, op.reverse, out), x, scope)
    n, rank, axis = out.shape[op.axis], out.ndim, op.axis
    element = ShapedArray((), out.dtype)
    before = (0, n - 1) if op.reverse else (n - 1, 0)
    attributes = {
        "window_dimensions": i64s(tuple([n if a == axis else 1 for a in range(rank)])),
        "padding": i64_table(tuple([before if a == axis else (0, 0) for a in range(rank)]), 2),
    }
    fold = FOLDS[AS_REDUCTION[op.kind]]
    region = Region((TYPES[element],) * 2, lambda pair: [scope.op(fold, TYPES[element], pair)])
    operands = (x, scope.fill(element, neutral(op.kind, out.dtype)))
    return scope.builder.ops("stablehlo.reduce_window", (TYPES[out],), operands, attributes, (region,))[0]


def _by_program(op: Cumulative[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    """Cumulative operation by a program, in a loop over blocks of lines if it keeps halves of them."""

    def called(x: Value, aval: ShapedArray, within: Scope, axis: int = 1) -> Sequence[Value]:
        key = (op.kind, axis, op.reverse)
        return within.call(partial(_by_halves, axis, op.reverse), op.name, [x], [aval], key)

    lines = math.prod(out.shape[: op.axis])
    if lines < _BLOCKS_OF_LINES or not in_one_memory(scope):
        return called(x, out, scope, op.axis)[0]
    flat = out.with_shape((lines, *out.shape[op.axis :]))
    x = scope.reshape(x, flat)
    (result,) = by_lines(x, flat, -(-lines // _BLOCKS_OF_LINES), (flat,), called, scope)
    return scope.reshape(result, out)


def _by_halves(axis: int, reverse: bool, x: Array) -> list[Array]:
    x = fx.flip(x, axis=axis) if reverse else x
    (out,) = prefixes(lambda a, b: [fx.logaddexp(a[0], b[0])], [x], [axis])
    return [fx.flip(out, axis=axis) if reverse else out]

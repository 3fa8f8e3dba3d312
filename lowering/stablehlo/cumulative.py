"""Cumulative folds: each is one window that grows along the axis, which XLA computes in blocks.

It folds every element of a block again for every place of that, and makes no vector instructions of it. So what is
large is a program here, whose slices are folded as whole arrays: within blocks, then the ends of blocks by the same
program, then all that comes before a block with its elements. That has more to compile. log Σ exp, which is dear, folds
each element about twice. What adds or multiplies floats of 16 and 8 bits does it in float32 and rounds once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Final

from effects.arrays.array import Array
from effects.arrays.promotion import scalar
from effects.functions import arithmetic, movement
from effects.functions.prefixes import prefixes
from effects.operations.cumulative import Cumulative, CumulativeKind
from effects.operations.movement import Pad
from effects.operations.reduction import ReduceKind, identity
from effects.program.chain import ROOT, installed, perform
from effects.program.jaxpr import Atom, Jaxpr, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.stage import stage
from lowering.stablehlo.blocks import by_lines, in_one_memory
from lowering.stablehlo.builder import Region
from lowering.stablehlo.context import Value, i64_table, i64s
from lowering.stablehlo.reduction import FOLDS
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope

_K = CumulativeKind
_BLOCK: Final = 8
_BLOCKS_OF_LINES: Final = 8
"""In how many blocks of lines an array is gone through."""
_MANY: Final = 2**15
"""Of as many elements an array is for the time of a call to matter more than that to compile it."""

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
    if out.dtype in dtypes.NARROW:
        wide = out.with_dtype(dtypes.float32)
        return scope.convert(_folded(op, scope.convert(x, wide), wide, scope), out)
    return _folded(op, x, out, scope)


def _folded(op: Cumulative[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    if op.kind is _K.LOGSUMEXP or out.size >= _MANY:
        return _by_program(op, x, out, scope)
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


def _by_program(op: Cumulative[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    """What halves keeps all halves: so it goes over some lines after the others, where there are some."""

    def called(x: Value, aval: ShapedArray, within: Scope, axis: int = 1) -> Sequence[Value]:
        key = (op.kind, axis, op.reverse, aval)
        body, _ = within.functions.staged(key, lambda: _program(*key))
        return within.builder.call(within.functions.symbol(body, op.name), [TYPES[aval]], [x])

    lines = math.prod(out.shape[: op.axis])
    if op.kind is not _K.LOGSUMEXP or lines < _BLOCKS_OF_LINES or not in_one_memory(scope):
        return called(x, out, scope, op.axis)[0]
    flat = out.with_shape((lines, *out.shape[op.axis :]))
    x = scope.op("stablehlo.reshape", TYPES[flat], (x,))
    (made,) = by_lines(x, flat, -(-lines // _BLOCKS_OF_LINES), (flat,), called, scope)
    return scope.op("stablehlo.reshape", TYPES[out], (made,))


def _program(kind: CumulativeKind, axis: int, reverse: bool, x: ShapedArray) -> tuple[Jaxpr, list[Array]]:
    def program(x: Array) -> list[Array]:
        if kind is not _K.LOGSUMEXP:
            nothing = scalar(identity(AS_REDUCTION[kind], x.aval.dtype), x.aval.dtype)
            return [_in_blocks(_TWO[kind], nothing, axis, reverse, x)]
        x = movement.flip(x, axis=axis) if reverse else x
        (out,) = prefixes(lambda a, b: [arithmetic.logaddexp(a[0], b[0])], [x], [axis])
        return [movement.flip(out, axis=axis) if reverse else out]

    with installed(ROOT):
        return stage(program, (x,), kind.value)


_TWO: Final[dict[CumulativeKind, Callable[[Array, Array], Array]]] = {
    _K.MAX: arithmetic.maximum,
    _K.MIN: arithmetic.minimum,
    _K.PROD: arithmetic.multiply,
    _K.SUM: arithmetic.add,
}


def _in_blocks(fold: Callable[[Array, Array], Array], nothing: Array, axis: int, reverse: bool, x: Array) -> Array:
    n, whole = x.aval.shape[axis], (slice(None),) * axis

    def part(start: int, stop: int | None, step: int = 1) -> Array:
        return x[(*whole, slice(start, stop, step))]

    def folded(parts: list[Array]) -> list[Array]:
        return list(accumulate(parts[::-1], fold))[::-1] if reverse else list(accumulate(parts, fold))

    def padded(x: Array, low: int, high: int) -> Array:
        pads = [(low, high, 0) if i == axis else (0, 0, 0) for i in range(x.aval.ndim)]
        return perform(Pad(tuple(pads), x, nothing))

    if n <= _BLOCK:
        return movement.concat(folded([part(i, i + 1) for i in range(n)]), axis=axis)
    x = padded(x, 0, -n % _BLOCK) if n % _BLOCK else x
    inside = folded([part(i, None, _BLOCK) for i in range(_BLOCK)])
    of_blocks = _in_blocks(fold, nothing, axis, reverse, inside[0 if reverse else -1])
    before = padded(of_blocks, -1, 1) if reverse else padded(of_blocks, 1, -1)
    x = movement.reshape(movement.stack([fold(before, here) for here in inside], axis=axis + 1), x.aval.shape)
    return part(0, n) if n % _BLOCK else x

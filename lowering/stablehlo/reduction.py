"""Reductions. Sums and products of floats of 16 and 8 bits are accumulated in float32 and rounded once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

import effects as fx
from effects.arrays.array import Array
from effects.arrays.promotion import scalar
from effects.functions.products.matrices import squares
from effects.operations.reduction import ArgReduce, ArgReduceKind, Norm, Reduce, ReduceKind, identity
from effects.program.jaxpr import Atom, Literal, Var
from effects.types import dtypes, shapes
from effects.types.avals import ShapedArray
from effects.types.dtypes import DType
from lowering.stablehlo.context import Value, shape_of
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.extremes import by_counts, parted
from lowering.stablehlo.lapack import by_program
from lowering.stablehlo.patterns import pattern_of
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import FLOAT8, TYPES, Scope

_K = ReduceKind
FOLDS: Final = {
    _K.AND: "stablehlo.and",
    _K.MAX: "stablehlo.maximum",
    _K.MIN: "stablehlo.minimum",
    _K.OR: "stablehlo.or",
    _K.PROD: "stablehlo.multiply",
    _K.SUM: "stablehlo.add",
}


@cache
def _start(kind: ReduceKind, dtype: type[DType], of: type[DType]) -> Literal:
    """Initial value of a fold in `dtype`: an identity for values of the dtype `of`, which it holds."""
    return Literal(scalar(identity(kind, of), dtype))


def fold(
    kind: ReduceKind, x: Value, axes: tuple[int, ...], out: ShapedArray, scope: Scope, of: type[DType] | None = None
) -> Value:
    """The fold over `axes`; `of` is the dtype of the values before they were widened, if they were."""
    name, start = FOLDS[kind], scope[_start(kind, out.dtype, of or out.dtype)]
    if not parted(name, out.dtype, scope) and not (kind in (_K.MAX, _K.MIN) and out.dtype in dtypes.NARROW):
        return scope.builder.reduce(name, TYPES[out], x, start, axes)
    values = [(value, out.with_shape(shape_of(value))) for value in (x, start)]
    by = TYPES[pattern_of(out)]
    return by_counts(name, values, out, scope, lambda x, start: scope.builder.reduce(name, by, x, start, axes))


@RULES.rule(Reduce)
def lower_reduce(op: Reduce[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    x, out = scope[op.x], outs[0].aval
    if not op.axes:
        return x
    folded = out.with_shape(shapes.reduce(op.name, op.x.aval.shape, op.axes))
    if out.dtype in (FLOAT8 if op.kind in (_K.MAX, _K.MIN) else dtypes.NARROW):
        wide = folded.with_dtype(dtypes.float32)
        x = scope.convert(x, op.x.aval.with_dtype(dtypes.float32))
        value = scope.convert(fold(op.kind, x, op.axes, wide, scope, out.dtype), folded)
    else:
        value = fold(op.kind, x, op.axes, folded, scope)
    return scope.reshape(value, out) if op.keepdims else value


@RULES.rule(ArgReduce)
def lower_argreduce(op: ArgReduce[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    """The least position of an element that equals the extreme or is NaN: faster than a reduction over pairs."""
    x, aval, out = scope[op.x], op.x.aval, outs[0].aval
    if aval.dtype in FLOAT8 or aval.dtype is dtypes.bool_:
        aval = aval.with_dtype(dtypes.float32 if aval.dtype in FLOAT8 else dtypes.uint8)
        x = scope.convert(x, aval)
    kind = _K.MAX if op.kind is ArgReduceKind.ARGMAX else _K.MIN
    extreme = fold(kind, x, (op.axis,), out.with_dtype(aval.dtype), scope)
    kept = tuple([axis for axis in range(aval.ndim) if axis != op.axis])
    extremes = scope.broadcast(extreme, aval, kept)
    attained = compared("EQ", x, extremes, aval, scope)
    if issubclass(aval.dtype, dtypes.Floating):
        nan = compared("NE", x, x, aval, scope)
        attained = scope.do("or", attained, nan)
    places = ShapedArray(aval.shape, dtypes.int32 if aval.shape[op.axis] < 2**31 else dtypes.int64)
    place = scope.iota(places, op.axis)
    none = scope.fill(places, aval.shape[op.axis])
    candidates = scope.do("select", attained, place, none)
    first = fold(_K.MIN, candidates, (op.axis,), out.with_dtype(places.dtype), scope)
    return first if places.dtype is out.dtype else scope.convert(first, out)


@RULES.rule(Norm)
@by_program
def lower_norm(op: Norm[Atom]) -> Callable[[Array], list[Array]]:
    return lambda x: [fx.sqrt(fx.sum(squares(x), axis=op.axes, keepdims=op.keepdims))]

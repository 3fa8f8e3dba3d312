"""Conversions between dtypes, and comparisons, for the rules of all families."""

from __future__ import annotations

from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.dtypes import DType
from lowering.stablehlo.builder import Attributes
from lowering.stablehlo.context import Value, comparison_direction, comparison_type, interned
from lowering.stablehlo.scope import FLOAT8, TYPES, Scope


@interned
def comparison(direction: str, dtype: type[DType]) -> Attributes:
    """The attributes of `stablehlo.compare`: EQ, NE, GE, GT, LE or LT."""
    return {"comparison_direction": comparison_direction(direction), "compare_type": comparison_type(dtype.dtype)}


def compared(direction: str, x: Value, y: Value, aval: ShapedArray, scope: Scope) -> Value:
    """x EQ, NE, GE, GT, LE or LT y, for values of type `aval`."""
    return scope.op("stablehlo.compare", TYPES[bits(aval)], (x, y), comparison(direction, aval.dtype))


def below_zero(x: Value, aval: ShapedArray, scope: Scope) -> Value:
    """x < 0, for integers written as x ≤ -1: XLA assumes that squares, which may wrap around, are not negative."""
    direction, bound = ("LE", -1) if issubclass(aval.dtype, dtypes.Signed) else ("LT", 0)
    return compared(direction, x, scope.fill(aval, bound), aval, scope)


def bits(aval: ShapedArray) -> ShapedArray:
    """The type of a comparison of values of type `aval`."""
    return ShapedArray(aval.shape, dtypes.bool_)


def converted(x: Value, aval: ShapedArray, out: ShapedArray, scope: Scope) -> Value:
    """`x` of type `aval` as the type `out` of the same shape.

    A bool becomes 1 or 0 by a selection: XLA replaces products with converted bools by choices of 0, but 0 · NaN and 0
    · ∞ are NaN.
    """
    source, target = aval.dtype, out.dtype
    if source is target:
        return x
    if target is dtypes.bool_:
        return _to_bool(x, aval, out, scope)
    if issubclass(source, dtypes.Complex) and not issubclass(target, dtypes.Complex):
        aval = aval.with_dtype(dtypes.real_of(source))
        return converted(scope.op("stablehlo.real", TYPES[aval], (x,)), aval, out, scope)
    if source in FLOAT8 and target is not dtypes.float32:
        wide = aval.with_dtype(dtypes.float32)
        return converted(scope.convert(x, wide), wide, out, scope)
    if issubclass(target, dtypes.Complex) and not issubclass(source, dtypes.Complex):
        part = out.with_dtype(dtypes.real_of(target))
        parts = converted(x, aval, part, scope), scope.fill(part, 0)
        return scope.op("stablehlo.complex", TYPES[out], parts)
    if source is dtypes.bool_ and issubclass(target, dtypes.Floating):
        return scope.do("select", x, scope.fill(out, 1), scope.fill(out, 0))
    return scope.convert(x, out)


def _to_bool(x: Value, aval: ShapedArray, out: ShapedArray, scope: Scope) -> Value:
    if aval.dtype in FLOAT8:
        aval = aval.with_dtype(dtypes.float32)
        x = scope.convert(x, aval)
    return compared("NE", x, scope.fill(aval, 0), aval, scope)

"""Sorting: one operation of StableHLO, whose region says which of two elements comes first.

Floats are compared in the total order of their bits, after the two zeros and all NaN have become one each. Complex
numbers with NaN come after those without, as in NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from effects.operations.sorting import Sort, TopK
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.dtypes import DType
from lowering.stablehlo.builder import Attributes, Region
from lowering.stablehlo.context import Value, boolean, comparison_direction, gather_dimensions, i64, i64s, parsed
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import FLOAT8, TYPES, Scope

_TRUTH: Final = TYPES[ShapedArray((), dtypes.bool_)]
_TOTAL: Final[dict[str, Attributes]] = {
    direction: {
        "comparison_direction": comparison_direction(direction),
        "compare_type": parsed("#stablehlo<comparison_type TOTALORDER>"),
    }
    for direction in ("EQ", "LT", "GT")
}


@RULES.rule(Sort)
def lower_sort(op: Sort[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    xs = [scope[x] for x in op.xs]
    avals = [x.aval for x in op.xs]
    if avals[0].shape[op.axis] < 2 or not avals[0].size:
        return xs
    elements = [TYPES[ShapedArray((), aval.dtype)] for aval in avals]
    keys = [aval.dtype for aval in avals[: op.num_keys]]

    def comes_first(pairs: list[Value]) -> list[Value]:
        parts = [part for i, dtype in enumerate(keys) for part in _parts(pairs[2 * i], pairs[2 * i + 1], dtype, scope)]
        return [_lexicographic(parts, "GT" if op.descending else "LT", scope)]

    region = Region([element for element in elements for _ in range(2)], comes_first)
    attributes = {"dimension": i64(op.axis), "is_stable": boolean(True)}
    return scope.builder.ops("stablehlo.sort", [TYPES[aval] for aval in avals], xs, attributes, (region,))


type _Part = tuple[Value, Value, type[DType]]
"""Two numbers of a dtype that are compared."""


def _lexicographic(parts: list[_Part], direction: str, scope: Scope) -> Value:
    *before, (a, b, dtype) = parts
    decided = _compared(direction, a, b, dtype, scope)
    for a, b, dtype in reversed(before):
        equal = scope.op("stablehlo.and", _TRUTH, (_compared("EQ", a, b, dtype, scope), decided))
        decided = scope.op("stablehlo.or", _TRUTH, (_compared(direction, a, b, dtype, scope), equal))
    return decided


def _compared(direction: str, a: Value, b: Value, dtype: type[DType], scope: Scope) -> Value:
    if issubclass(dtype, dtypes.Floating):
        return scope.op("stablehlo.compare", _TRUTH, (a, b), _TOTAL[direction])
    return compared(direction, a, b, ShapedArray((), dtype), scope)


def _parts(a: Value, b: Value, dtype: type[DType], scope: Scope) -> Iterator[_Part]:
    """What is compared for two elements, first things first."""
    if issubclass(dtype, dtypes.Complex):
        part = dtypes.real_of(dtype)
        halves = [
            [scope.op(f"stablehlo.{half}", TYPES[ShapedArray((), part)], (v,)) for v in (a, b)]
            for half in ("real", "imag")
        ]
        for x, y in halves:
            yield _nan(x, part, scope), _nan(y, part, scope), dtypes.bool_
        for x, y in halves:
            yield from _parts(x, y, part, scope)
    elif issubclass(dtype, dtypes.Floating):
        element = ShapedArray((), dtype)
        if dtype in FLOAT8:
            element = ShapedArray((), dtypes.float32)
            a, b = scope.convert(a, element), scope.convert(b, element)
        yield canonical(a, element, scope), canonical(b, element, scope), element.dtype
    else:
        yield a, b, dtype


def _nan(x: Value, part: type[DType], scope: Scope) -> Value:
    return compared("NE", x, x, ShapedArray((), part), scope)


def canonical(x: Value, aval: ShapedArray, scope: Scope) -> Value:
    """The floats `x` with one zero and one NaN; the constants are made anew, as a region needs them."""
    zero, nan = [scope.builder.fill(aval.shape, aval.dtype.dtype, value) for value in (0.0, math.nan)]
    zeros = compared("EQ", x, zero, aval, scope)
    nans = compared("NE", x, x, aval, scope)
    x = scope.op("stablehlo.select", TYPES[aval], (zeros, zero, x))
    return scope.op("stablehlo.select", TYPES[aval], (nans, nan, x))


@RULES.rule(TopK)
def lower_top_k(op: TopK[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    """The positions by XLA's own operation, on what it takes for a total order; the values from these positions."""
    x, aval = scope[op.x], op.x.aval
    values, positions = outs[0].aval, outs[1].aval
    if not values.size:
        return [scope.fill(values, 0), scope.fill(positions, 0)]
    ranked, kind = x, aval
    if aval.dtype in FLOAT8 or aval.dtype is dtypes.bool_:
        kind = aval.with_dtype(dtypes.float32 if aval.dtype in FLOAT8 else dtypes.uint8)
        ranked = scope.convert(x, kind)
    if issubclass(kind.dtype, dtypes.Floating):
        ranked = canonical(ranked, kind, scope)
    narrow = positions.with_dtype(dtypes.int32)
    types = (TYPES[kind.with_shape(values.shape)], TYPES[narrow])
    _, found = scope.builder.ops("chlo.top_k", types, (ranked,), {"k": i64(op.k)})
    places = scope.op("stablehlo.reshape", TYPES[narrow.with_shape((*narrow.shape, 1))], (found,))
    lead = tuple(range(aval.ndim - 1))
    dimensions = gather_dimensions(
        offset=(),
        collapsed=(aval.ndim - 1,),
        start_index_map=(aval.ndim - 1,),
        index_vector_dim=aval.ndim,
        operand_batch=lead,
        indices_batch=lead,
    )
    attributes = {"dimension_numbers": dimensions, "slice_sizes": i64s((1,) * aval.ndim)}
    taken = scope.op("stablehlo.gather", TYPES[values], (x, places), attributes)
    return [taken, scope.convert(found, positions)]

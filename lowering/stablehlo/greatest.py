"""The greatest elements: of float32 by XLA's own operation, which does not sort the rest; of others by sorting."""

from __future__ import annotations

from collections.abc import Callable

from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value, gather_dimensions, i64, i64s
from lowering.stablehlo.indexing import sliced
from lowering.stablehlo.scope import TYPES, Scope
from lowering.stablehlo.sorting import canonical, in_order, keys_of

type Greatest = Callable[[Value, ShapedArray, int, Scope], tuple[Value, Value]]
"""The `k` greatest along the last axis, with one zero and one NaN if of float32, and their positions as int32."""


def chosen(x: Value, aval: ShapedArray, k: int, greatest: Greatest, scope: Scope) -> tuple[Value, Value]:
    """The `k` greatest along the last axis, with one zero and one NaN, and their positions as int32: floats of up to 32
    bits in float32, others as integers in their order.
    """
    values = aval.with_shape((*aval.shape[:-1], k))
    if aval.dtype is dtypes.float32 or aval.dtype in dtypes.NARROW:
        wide = aval.with_dtype(dtypes.float32)
        largest, places = greatest(x if aval is wide else scope.convert(x, wide), wide, k, scope)
        # Gathering them from x would keep x in memory.
        return largest if aval is wide else scope.convert(largest, values), places
    ((ranked, of_keys),) = keys_of(x, aval, scope)
    largest, places = greatest(ranked, of_keys, k, scope)
    if ranked is not x:
        largest = at_places(x, aval, places, values.with_dtype(dtypes.int32), scope)
    return canonical(largest, values, scope) if issubclass(aval.dtype, dtypes.Floating) else largest, places


def by_order(x: Value, aval: ShapedArray, k: int, scope: Scope) -> tuple[Value, Value]:
    """The `k` greatest, by sorting all."""
    out = aval.with_shape((*aval.shape[:-1], k))
    places = out.with_dtype(dtypes.int32)
    if aval.dtype is dtypes.float32:
        one = canonical(x, aval, scope)
        largest, at = scope.builder.ops("chlo.top_k", (TYPES[out], TYPES[places]), (one,), {"k": i64(k)})
        return largest, at
    every = aval.with_dtype(dtypes.int32)
    first = part(in_order([(x, aval)], every, aval.ndim - 1, True, scope), every, 0, k, scope)
    return at_places(x, aval, first, places, scope), first


def part(x: Value, aval: ShapedArray, start: int, stop: int, scope: Scope) -> Value:
    """A part of the last axis."""
    *lead, n = aval.shape
    if stop - start == n:
        return x
    out = aval.with_shape((*lead, stop - start))
    return sliced(x, (*[0] * len(lead), start), (*lead, stop), (1,) * aval.ndim, out, scope)


def at_places(x: Value, aval: ShapedArray, places: Value, of_places: ShapedArray, scope: Scope) -> Value:
    """The elements of `x`, or its blocks, at `places`."""
    last = of_places.ndim - 1
    lead, blocks = tuple(range(last)), aval.shape[of_places.ndim :]
    columns = scope.reshape(places, of_places.with_shape((*of_places.shape, 1)))
    dimensions = gather_dimensions(
        offset_dims=tuple(range(of_places.ndim, aval.ndim)),
        collapsed_slice_dims=(last,),
        start_index_map=(last,),
        index_vector_dim=of_places.ndim,
        operand_batching_dims=lead,
        start_indices_batching_dims=lead,
    )
    attributes = {"dimension_numbers": dimensions, "slice_sizes": i64s((*[1] * of_places.ndim, *blocks))}
    return scope.op("stablehlo.gather", TYPES[aval.with_shape((*of_places.shape, *blocks))], (x, columns), attributes)

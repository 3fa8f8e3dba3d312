"""Slices. Starts are converted to int64, and mean the same part."""

from __future__ import annotations

from collections.abc import Sequence

from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.builder import Attributes
from lowering.stablehlo.context import Value, boolean, gather_dimensions, i64s
from lowering.stablehlo.patterns import by_bits
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope

_I64 = ShapedArray((), dtypes.int64)
_U64 = ShapedArray((), dtypes.uint64)


@RULES.rule(Slice)
def lower_slice(op: Slice[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    return sliced(scope[op.x], op.start, op.limit, op.strides, outs[0].aval, scope)


def sliced(
    x: Value, start: Sequence[int], limit: Sequence[int], strides: Sequence[int], out: ShapedArray, scope: Scope
) -> Value:
    """A slice with strides.

    If a sharded dimension ends within a stride, XLA's partitioner takes wrong elements or fails: elements are gathered
    there.
    """
    strides = tuple([1 if size == 1 else step for size, step in zip(out.shape, strides, strict=True)])
    limit = tuple(
        [min(ends, at + n * step) for ends, at, n, step in zip(limit, start, out.shape, strides, strict=True)]
    )
    steps = [axis for axis, step in enumerate(strides) if step > 1 and scope.functions.parted]
    once = tuple([1 if axis in steps else step for axis, step in enumerate(strides)])
    shape = tuple([limit[i] - start[i] if i in steps else n for i, n in enumerate(out.shape)])
    attributes = {"start_indices": i64s(tuple(start)), "limit_indices": i64s(limit), "strides": i64s(once)}
    x = scope.op("stablehlo.slice", TYPES[out.with_shape(shape)], (x,), attributes)
    for axis in steps:
        whole_axis, shape = out.with_shape(shape), (*shape[:axis], out.shape[axis], *shape[axis + 1 :])
        others = tuple([i for i in range(out.ndim) if i != axis])
        places = ShapedArray((shape[axis],), dtypes.int64)
        count = scope.iota(places, 0)
        place = scope.do("multiply", count, scope.fill(places, strides[axis]))
        dimensions = gather_dimensions(
            offset_dims=others,
            collapsed_slice_dims=(axis,),
            start_index_map=(axis,),
            index_vector_dim=1,
            operand_batching_dims=(),
            start_indices_batching_dims=(),
        )
        one_each = tuple([1 if i == axis else n for i, n in enumerate(shape)])
        attributes = {
            "dimension_numbers": dimensions,
            "slice_sizes": i64s(one_each),
            "indices_are_sorted": boolean(True),
        }

        def take(x: Value, out: ShapedArray, place: Value = place, attributes: Attributes = attributes) -> Value:
            return scope.op("stablehlo.gather", TYPES[out], (x, place), attributes)

        x = by_bits(x, whole_axis, out.with_shape(shape), scope, take)
    return x


def _starts(starts: tuple[Atom, ...], scope: Scope) -> list[Value]:
    """The starts in one dtype, since StableHLO allows no mixture, and clamps narrow ones to their own range."""
    if all([start.aval.dtype is dtypes.int32 for start in starts]):
        return [scope[start] for start in starts]
    return [_wide(start, scope) for start in starts]


def _wide(start: Atom, scope: Scope) -> Value:
    value = scope[start]
    if start.aval.dtype is dtypes.int64:
        return value
    if start.aval.dtype is dtypes.uint64:  # what int64 cannot hold is past every end
        value = scope.do("minimum", value, scope.fill(_U64, 2**63 - 1))
    return scope.convert(value, _I64)


@RULES.rule(DynamicSlice)
def lower_dynamic_slice(op: DynamicSlice[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    operands = (scope[op.x], *_starts(op.starts, scope))
    return scope.op("stablehlo.dynamic_slice", TYPES[outs[0].aval], operands, {"slice_sizes": i64s(op.sizes)})


@RULES.rule(DynamicUpdateSlice)
def lower_dynamic_update_slice(op: DynamicUpdateSlice[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    return scope.with_part(scope[op.x], scope.barrier(scope[op.update]), _starts(op.starts, scope))

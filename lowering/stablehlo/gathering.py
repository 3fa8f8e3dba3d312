"""Gather and scatter. For a single position they are slices, which XLA moves as blocks and fuses with neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from jaxlib.mlir import ir

from effects.operations.gathering import Bounds, Gather, Scatter, ScatterKind
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes, shapes
from effects.types.avals import ShapedArray
from effects.types.shapes import Ints
from lowering.stablehlo.builder import Region
from lowering.stablehlo.context import (
    Attribute,
    Value,
    boolean,
    gather_dimensions,
    i64,
    i64s,
    scatter_dimensions,
    shape_of,
)
from lowering.stablehlo.conversion import bits, compared
from lowering.stablehlo.cpu.blocks import in_one_memory
from lowering.stablehlo.extremes import by_counts, parted
from lowering.stablehlo.patterns import by_bits, pattern_of
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import FLOAT8, TYPES, Scope

_NARROW: Final = frozenset({dtypes.int8, dtypes.int16, dtypes.int32, dtypes.uint8, dtypes.uint16})
_FOLDS: Final = {
    ScatterKind.ADD: "stablehlo.add",
    ScatterKind.MAX: "stablehlo.maximum",
    ScatterKind.MIN: "stablehlo.minimum",
    ScatterKind.MUL: "stablehlo.multiply",
}


class _Positions:
    """The positions of an operation in StableHLO's form: counted from the front, of one dtype."""

    def __init__(self, op: Gather[Atom] | Scatter[Atom], scope: Scope) -> None:
        self._scope = scope
        self._indices = op.indices
        x = op.x.aval
        self.sizes = [x.shape[axis] for axis in op.axes]
        narrow = all([i.aval.dtype in _NARROW for i in op.indices]) and max(x.shape) < 2**31
        self.dtype = dtypes.int32 if narrow else dtypes.int64
        self._narrowest = dtypes.int32 if max(x.shape) < 2**31 - 1 else dtypes.int64
        self.shape = (*x.shape[: op.batch], *shapes.broadcast_all([i.aval.shape for i in op.indices])[op.batch :])
        self.values = [self._counted(i, n, op.bounds) for i, n in zip(op.indices, self.sizes, strict=True)]

    def _aval(self, index: Atom) -> ShapedArray:
        return ShapedArray(index.aval.shape, self.dtype)

    def _counted(self, index: Atom, n: int, bounds: Bounds) -> Value:
        """One array of positions, counted from the front."""
        scope, aval, own = self._scope, self._aval(index), index.aval
        value = scope[index]
        if own.dtype is dtypes.uint64:  # positions beyond int64 are out of bounds
            value = scope.do("minimum", value, scope.fill(own, 2**63 - 1))
        if own.dtype is not self.dtype:
            value = scope.convert(value, aval)
        if issubclass(own.dtype, dtypes.Unsigned) and bounds is not Bounds.WRAP:
            return value
        size = scope.fill(aval, n)
        if bounds is Bounds.WRAP:
            value = scope.do("remainder", value, size)
        negative = compared("LT", value, scope.fill(aval, 0), aval, scope)
        behind = scope.do("add", value, size)
        return scope.do("select", negative, behind, value)

    def bounded(self, bounds: Bounds) -> None:
        """Clip positions to the bounds, or to just outside if such updates are dropped, in the narrowest dtype."""
        outside = 0 if bounds is Bounds.CLIP else 1
        for k, (index, value, n) in enumerate(zip(self._indices, self.values, self.sizes, strict=True)):
            aval, scope = self._aval(index), self._scope
            ends = scope.fill(aval, -outside), scope.fill(aval, n - 1 + outside)
            near = scope.op("stablehlo.clamp", TYPES[aval], (ends[0], value, ends[1]))
            narrow = aval.with_dtype(self._narrowest)
            self.values[k] = near if narrow is aval else scope.convert(near, narrow)
        self.dtype = self._narrowest

    def inside(self) -> Value:
        """Mask of the positions within the bounds."""
        scope, mask = self._scope, None
        for index, value, n in zip(self._indices, self.values, self.sizes, strict=True):
            aval = self._aval(index)
            low = compared("GE", value, scope.fill(aval, 0), aval, scope)
            high = compared("LT", value, scope.fill(aval, n), aval, scope)
            here = scope.do("and", low, high)
            here = self._spread(here, bits(aval), self.shape)
            mask = here if mask is None else scope.do("and", mask, here)
        assert mask is not None, "there is a position at least"
        return mask

    def _spread(self, value: Value, aval: ShapedArray, shape: Ints) -> Value:
        dims = tuple(range(len(self.shape) - aval.ndim, len(self.shape)))
        if aval.shape == shape:
            return value
        attributes = {"broadcast_dimensions": i64s(dims)}
        return self._scope.op("stablehlo.broadcast_in_dim", TYPES[aval.with_shape(shape)], (value,), attributes)

    def joined(self) -> Value:
        """All positions as one array, with a last axis for the axes of x unless there is one only."""
        if len(self.values) == 1:
            return self._spread(self.values[0], self._aval(self._indices[0]), self.shape)
        column = (*self.shape, 1)
        columns = [self._spread(v, self._aval(i), column) for v, i in zip(self.values, self._indices, strict=True)]
        out = ShapedArray((*self.shape, len(columns)), self.dtype)
        return self._scope.op("stablehlo.concatenate", TYPES[out], columns, {"dimension": i64(len(self.shape))})

    def counted_through(self, shape: Ints) -> Value:
        """All positions as positions in x flattened from this shape; those out of bounds are behind its end."""
        scope, out = self._scope, ShapedArray(self.shape, self.dtype)
        batch = len(shape) - len(self.values)
        along = [scope.iota(out, a) for a in range(batch)]
        along += [self._spread(v, self._aval(i), self.shape) for v, i in zip(self.values, self._indices, strict=True)]
        place = along[0]
        for n, value in zip(shape[1:], along[1:], strict=True):
            place = scope.do("multiply", place, scope.fill(out, n))
            place = scope.do("add", place, value)
        beyond = scope.fill(out, math.prod(shape))
        return scope.do("select", self.inside(), place, beyond)

    def starts(self, op: Gather[Atom] | Scatter[Atom]) -> list[Value]:
        """The start of the slice of a single position."""
        zero = self._scope.fill(ShapedArray((), self.dtype), 0)
        by_axis = dict(zip(op.axes, self.values, strict=True))
        return [by_axis.get(axis, zero) for axis in range(op.x.aval.ndim)]


def _is_single(op: Gather[Atom] | Scatter[Atom]) -> bool:
    return not op.batch and not any([i.aval.ndim for i in op.indices])


def _slice_sizes(op: Gather[Atom] | Scatter[Atom]) -> Ints:
    shape = op.x.aval.shape
    return tuple([1 if axis < op.batch or axis in op.axes else n for axis, n in enumerate(shape)])


def _windows(op: Gather[Atom] | Scatter[Atom], rank: int) -> Ints:
    """The axes of the result (for a scatter, of the update) along slices of x, if positions have `rank` axes."""
    begin, rest = op.batch + op.at, op.x.aval.ndim - op.batch - len(op.axes)
    end = op.batch + rest + rank - op.batch
    return (*range(op.batch, begin), *range(begin + rank - op.batch, end))


@RULES.rule(Gather)
def lower_gather(op: Gather[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    drop = op.bounds is Bounds.DROP
    if out.size == 0 or 0 in op.x.aval.shape:
        return scope.fill(out, op.fill)
    positions = _Positions(op, scope)
    sizes = _slice_sizes(op)
    if (element := _common_element(scope[op.x])) is not None:
        return _gathered_equals(op, element, positions, out, scope)
    if _is_single(op):
        part = op.x.aval.strong().with_shape(sizes)
        operands = (scope[op.x], *positions.starts(op))
        value = scope.op("stablehlo.dynamic_slice", TYPES[part], operands, {"slice_sizes": i64s(sizes)})
        if part.shape != out.shape:
            value = scope.reshape(value, out)
    else:
        common = tuple(range(op.batch))
        rank = len(positions.shape)
        attributes = {
            "dimension_numbers": gather_dimensions(
                offset_dims=_windows(op, rank),
                collapsed_slice_dims=tuple(sorted(op.axes)),
                start_index_map=op.axes,
                index_vector_dim=rank,
                operand_batching_dims=common,
                start_indices_batching_dims=common,
            ),
            "slice_sizes": i64s(sizes),
            "indices_are_sorted": boolean(op.ordered),
        }
        where = positions.joined()
        gather = lambda x, out: scope.op("stablehlo.gather", TYPES[out], (x, where), attributes)
        value = by_bits(scope[op.x], op.x.aval, out, scope, gather)
    if not drop:
        return value
    there = _along_slices(op, positions.inside(), len(positions.shape), bits(out), scope)
    return scope.do("select", there, value, scope.fill(out, op.fill))


def _along_slices(op: Gather[Atom], value: Value, rank: int, out: ShapedArray, scope: Scope) -> Value:
    """The value of each position, broadcast to its slice."""
    begin = op.batch + op.at
    dims = (*range(op.batch), *range(begin, begin + rank - op.batch))
    return scope.broadcast(value, out, dims)


def _common_element(x: Value) -> Value | None:
    """The scalar of which x is a broadcast, or None; XLA would read it for each element of the result."""
    maker = x.owner
    if isinstance(maker, ir.Block) or maker.name != "stablehlo.broadcast_in_dim":
        return None
    element: Value = maker.operands[0]
    return None if shape_of(element) else element


def _gathered_equals(op: Gather[Atom], element: Value, positions: _Positions, out: ShapedArray, scope: Scope) -> Value:
    each = out.with_shape(positions.shape)
    value = scope.broadcast(element, each, ())
    if op.bounds is Bounds.DROP:
        choices = positions.inside(), value, scope.fill(each, op.fill)
        value = scope.do("select", *choices)
    return _along_slices(op, value, len(positions.shape), out, scope)


@RULES.rule(Scatter)
def lower_scatter(op: Scatter[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out, update = outs[0].aval, op.update.aval
    x, values = scope[op.x], scope[op.update]
    if out.size == 0 or update.size == 0:
        return x
    positions = _Positions(op, scope)
    single = _is_single(op) and op.bounds is Bounds.CLIP  # StableHLO clips the start of a slice anyway
    if not single:
        positions.bounded(op.bounds)
    wide = out.dtype in (FLOAT8 if op.kind in (ScatterKind.MAX, ScatterKind.MIN) else dtypes.NARROW)
    wide = wide and op.kind is not ScatterKind.SET
    if wide:
        out, update = out.with_dtype(dtypes.float32), update.with_dtype(dtypes.float32)
        x, values = scope.convert(x, out), scope.convert(values, update)
    complete = op.axes == tuple(range(op.batch, out.ndim)) and out.ndim > 1 and out.size < 2**31
    write = _written if single else _scattered_flat if complete and in_one_memory(scope) else _scattered
    if not single and parted(_FOLDS.get(op.kind, ""), out.dtype, scope):
        by = pattern_of(out)
        value = by_counts(
            _FOLDS[op.kind],
            [(x, out), (values, update)],
            out,
            scope,
            lambda x, values: write(op, positions, x, values, by, scope),
        )
    else:
        value = write(op, positions, x, values, out, scope)
    return scope.convert(value, outs[0].aval) if wide else value


def _written(
    op: Scatter[Atom], positions: _Positions, x: Value, values: Value, out: ShapedArray, scope: Scope
) -> Value:
    sizes, starts = _slice_sizes(op), positions.starts(op)
    part = TYPES[out.strong().with_shape(sizes)]
    new = scope.op("stablehlo.reshape", part, (values,))
    if op.kind is not ScatterKind.SET:
        old = scope.op("stablehlo.dynamic_slice", part, (x, *starts), {"slice_sizes": i64s(sizes)})
        new = scope.op(_FOLDS[op.kind], part, (old, new))
    return scope.with_part(x, scope.barrier(new), starts)


def _scattered(
    op: Scatter[Atom], positions: _Positions, x: Value, values: Value, out: ShapedArray, scope: Scope
) -> Value:
    common = tuple(range(op.batch))
    rank = len(positions.shape)
    dimensions = scatter_dimensions(
        update_window_dims=_windows(op, rank),
        inserted_window_dims=tuple(sorted(op.axes)),
        scattered_dims_to_operand_dims=op.axes,
        index_vector_dim=rank,
        input_batching_dims=common,
        scatter_indices_batching_dims=common,
    )
    return _joined(op, dimensions, op.ordered, (x, positions.joined(), values), out, scope)


def _scattered_flat(
    op: Scatter[Atom], positions: _Positions, x: Value, values: Value, out: ShapedArray, scope: Scope
) -> Value:
    """The scatter into x as a vector, with one number per position in place of one per axis."""
    flat = out.with_shape((out.size,))
    dimensions = scatter_dimensions(
        update_window_dims=(),
        inserted_window_dims=(0,),
        scattered_dims_to_operand_dims=(0,),
        index_vector_dim=len(positions.shape),
        input_batching_dims=(),
        scatter_indices_batching_dims=(),
    )
    x = scope.reshape(x, flat)
    operands = (x, positions.counted_through(out.shape), values)
    result = _joined(op, dimensions, op.ordered and op.bounds is Bounds.CLIP, operands, flat, scope)
    return scope.reshape(result, out)


def _joined(
    op: Scatter[Atom],
    dimensions: Attribute,
    ordered: bool,
    operands: tuple[Value, Value, Value],
    out: ShapedArray,
    scope: Scope,
) -> Value:
    attributes = {
        "scatter_dimension_numbers": dimensions,
        "indices_are_sorted": boolean(ordered),
        "unique_indices": boolean(op.unique),
    }
    element = TYPES[out.strong().with_shape(())]

    def join(pair: Sequence[Value]) -> tuple[Value]:
        return (pair[1] if op.kind is ScatterKind.SET else scope.op(_FOLDS[op.kind], element, pair),)

    region = Region((element, element), join)
    return scope.builder.ops("stablehlo.scatter", (TYPES[out],), operands, attributes, (region,))[0]

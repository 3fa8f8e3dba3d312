"""Transposes of gathering and scattering: a gather becomes a scatter that adds, and a scatter a gather.

Updates that are dropped have no cotangent.
"""

from __future__ import annotations

import math

import effects as fx
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.operations.elementwise import Compare, CompareKind, Select
from effects.operations.gathering import Bounds, Gather, Scatter, ScatterKind
from effects.program.chain import perform
from effects.types import dtypes, shapes
from handlers.jvp.gathering import is_unique, reading
from handlers.transpose.elementwise import not_linear
from handlers.transpose.rules import RULES, Cotangents, is_linear

_K = ScatterKind


@RULES.rule(Gather)
def transpose_gather(op: Gather[Array], ct: Array) -> Cotangents:
    zeros = fx.zeros(op.x.aval.shape, dtype=ct.aval.dtype)
    bounds = Bounds.CLIP if op.bounds is Bounds.CHECKED else op.bounds  # as compiled code reads
    added = Scatter(_K.ADD, op.axes, op.batch, op.at, bounds, zeros, ct, op.indices, op.unique, op.ordered)
    return (perform(added), *[None for _ in op.indices])


@RULES.rule(Scatter)
def transpose_scatter(op: Scatter[Array], ct: Array) -> Cotangents:
    x_linear, update_linear = is_linear(op.x), is_linear(op.update)
    if op.kind not in (_K.SET, _K.ADD) and (op.kind is not _K.MUL or update_linear):
        raise not_linear(op)
    ct_x = ct_update = None
    if x_linear:
        ct_x = ct if op.kind is _K.ADD else _overwritten(op, ct)
    if update_linear:
        ct_update = reading(op, ct, op.indices)
        if op.kind is _K.SET and not is_unique(op, op.indices):
            ct_update = perform(Select(_left(op), ct_update, constant_like(0, ct)))
    return (ct_x, ct_update, *[None for _ in op.indices])


def _overwritten(op: Scatter[Array], ct: Array) -> Array:
    """The cotangent of the array written to: zero where elements are set, a multiple where they are multiplied."""
    update = fx.zeros(op.update.aval.shape, dtype=ct.aval.dtype) if op.kind is _K.SET else op.update
    return perform(Scatter(op.kind, op.axes, op.batch, op.at, op.bounds, ct, update, op.indices, op.unique, op.ordered))


def _left(op: Scatter[Array]) -> Array:
    """Mask of the updates of `op` that are not overwritten by others, computed by writing their numbers."""
    batch, axes = op.batch, op.axes
    shape = op.x.aval.shape
    common = shape[:batch]
    positions = shapes.broadcast_all([i.aval.shape for i in op.indices])[batch:]
    numbers = fx.reshape(fx.iota(dtypes.int64, (math.prod(positions),), 0), positions)
    numbers = fx.broadcast_to(numbers, (*common, *positions))
    grid = fx.zeros((*common, *[shape[axis] for axis in axes]), dtype=dtypes.int64)
    order = tuple(range(batch, batch + len(axes)))
    written = Scatter(_K.SET, order, batch, 0, op.bounds, grid, numbers, op.indices)
    bounds = Bounds.DROP if op.bounds is Bounds.CHECKED else op.bounds
    read_back = perform(Gather(order, batch, 0, bounds, -1, perform(written), op.indices))
    remains = perform(Compare(CompareKind.EQ, read_back, numbers))
    rest = len(shape) - batch - len(axes)
    full = (*common, *(1,) * op.at, *positions, *(1,) * (rest - op.at))
    return fx.broadcast_to(fx.reshape(remains, full), op.update.aval.shape)

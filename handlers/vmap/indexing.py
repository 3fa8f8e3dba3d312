"""Batching of slices.

Where each lane slices at its own place, the place is brought to the front by shifts: bit k of the start shifts the axis
by 2ᵏ or leaves it, so an axis of n elements takes log n selections.
"""

from __future__ import annotations

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, convert, scalar
from effects.functions import arithmetic, arrangement, creation, logic, movement
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from effects.program.chain import perform
from effects.types import dtypes
from handlers.vmap.rules import RULES, Batched, Lanes, Whole, materialized, size_of


@RULES.rule(Slice)
@Whole
def batch_slice(op: Slice[Batched]) -> Slice[Array]:
    x = op.x.value
    return Slice((0, *op.start), (x.aval.shape[0], *op.limit), (1, *op.strides), x)


def _zero(starts: tuple[Batched, ...]) -> Array:
    return constant_like(0, starts[0].value) if starts else scalar(0, dtypes.int64)


@RULES.rule(DynamicSlice)
def batch_dynamic_slice(op: DynamicSlice[Batched]) -> Lanes:
    size = size_of(op)
    x = materialized(op.x, size)
    if not any(s.batched for s in op.starts):
        return perform(DynamicSlice((size, *op.sizes), x, (_zero(op.starts), *[s.value for s in op.starts]))), True
    for axis, (start, length) in enumerate(zip(op.starts, op.sizes, strict=True), 1):
        n = x.aval.shape[axis]
        x = _rolled(x, axis, _clamped(start, n - length, size), -1)
    limit = (size, *op.sizes)
    return perform(Slice((0,) * len(limit), limit, (1,) * len(limit), x)), True


@RULES.rule(DynamicUpdateSlice)
def batch_dynamic_update_slice(op: DynamicUpdateSlice[Batched]) -> Lanes:
    size = size_of(op)
    x, update = materialized(op.x, size), materialized(op.update, size)
    if not any(s.batched for s in op.starts):
        return perform(DynamicUpdateSlice(x, update, (_zero(op.starts), *[s.value for s in op.starts]))), True
    lengths = op.update.aval.shape
    inside = creation.ones(update.aval.shape, dtype=dtypes.bool_)
    config = ((0, 0), *[(0, n - length) for n, length in zip(op.x.aval.shape, lengths, strict=True)])
    update, inside = arrangement.pad(update, config), arrangement.pad(inside, config)
    for axis, (start, length) in enumerate(zip(op.starts, lengths, strict=True), 1):
        place = _clamped(start, x.aval.shape[axis] - length, size)
        update, inside = _rolled(update, axis, place, 1), _rolled(inside, axis, place, 1)
    return logic.where(inside, update, x), True


def _clamped(start: Batched, most: int, size: int) -> Array:
    """The starts of all lanes as int64 within [0, most]."""
    return logic.clip(convert(materialized(start, size), dtypes.int64), 0, most)


def _rolled(x: Array, axis: int, shifts: Array, sign: int) -> Array:
    """Each lane of `x` rolled along `axis` by its own non-negative shift, towards the front where `sign` is -1."""
    n = x.aval.shape[axis]
    lanes = movement.reshape(shifts, (x.aval.shape[0], *(1,) * (x.aval.ndim - 1)))
    step = 1
    while step < n:
        moves = arithmetic.bitwise_and(lanes, step) != 0
        x = logic.where(moves, movement.roll(x, sign * step, axis=axis), x)
        step *= 2
    return x

"""Transposes of slices: zeros everywhere but in the slice."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.functions.creation import creation
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from effects.operations.movement import Pad
from effects.program.chain import perform
from handlers.transpose.rules import RULES, Cotangents, is_linear


@RULES.rule(Slice)
def transpose_slice(op: Slice[Array], ct: Array) -> Cotangents:
    config = []
    for n, start, stride, size in zip(op.x.aval.shape, op.start, op.strides, ct.aval.shape, strict=True):
        last = start + (size - 1) * stride + 1 if size else start
        config.append((start, n - last, stride - 1))
    return (perform(Pad(tuple(config), ct, constant_like(0, ct))),)


@RULES.rule(DynamicSlice)
def transpose_dynamic_slice(op: DynamicSlice[Array], ct: Array) -> Cotangents:
    zeros = creation.zeros(op.x.aval.shape, dtype=ct.aval.dtype)
    return (perform(DynamicUpdateSlice(zeros, ct, op.starts)), *[None for _ in op.starts])


@RULES.rule(DynamicUpdateSlice)
def transpose_dynamic_update_slice(op: DynamicUpdateSlice[Array], ct: Array) -> Cotangents:
    update = op.update.aval.shape
    ct_x = ct_update = None
    if is_linear(op.x):
        ct_x = perform(DynamicUpdateSlice(ct, creation.zeros(update, dtype=ct.aval.dtype), op.starts))
    if is_linear(op.update):
        ct_update = perform(DynamicSlice(update, ct, op.starts))
    return (ct_x, ct_update, *[None for _ in op.starts])

"""Batching of convolutions: lanes of the operand join the batch, of the kernel the features, of both the groups."""

from __future__ import annotations

import effects as fx
from effects.arrays.array import Array
from effects.functions.windows.convolution_transposes import merge_axis, split_axis
from effects.operations.convolution import Convolution
from effects.program.chain import perform
from handlers.vmap.rules import RULES, Batched, Lanes, size_of


@RULES.rule(Convolution)
def batch_convolution(op: Convolution[Batched]) -> Lanes:
    x, kernel, groups, size = op.x, op.kernel, op.groups, size_of(op)
    lane = op.types()
    if not size:
        return fx.zeros((0, *lane.shape), dtype=lane.dtype), True
    batch, features = op.layout.x[:2]
    n_out = op.layout.kernel[0]
    out_batch, out_features = op.layout.out[:2]

    def convolved(a: Array, b: Array, groups: int = groups) -> Array:
        return perform(Convolution(op.window, op.layout, groups, a, b, op.precision))

    if not kernel.batched:
        out = convolved(merge_axis(x.value, 0, batch + 1), kernel.value)
        return fx.moveaxis(split_axis(out, out_batch, size), out_batch, 0), True
    if x.batched:
        out = convolved(merge_axis(x.value, 0, features + 1), merge_axis(kernel.value, 0, n_out + 1), groups * size)
        return fx.moveaxis(split_axis(out, out_features, size), out_features, 0), True
    # Each group of results has the lanes inside, since each has its own features of x.
    inside = merge_axis(split_axis(kernel.value, n_out + 1, groups), 0, n_out + 2)
    out = convolved(x.value, merge_axis(inside, n_out, n_out + 1))
    lanes = split_axis(split_axis(out, out_features, groups), out_features + 1, size)
    return merge_axis(fx.moveaxis(lanes, out_features + 1, 0), out_features + 1, out_features + 2), True

"""Batching of windows: they have size 1 along the axis of lanes."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.operations.pooling import Chosen, ReduceWindow
from effects.program.chain import perform
from effects.types.shapes import Window
from handlers.vmap.rules import RULES, Batched, Lanes, Whole, materialized, size_of


def _beside_lanes(window: Window) -> Window:
    strides, padding, x_dilation, dilation = window
    return Window((1, *strides), ((0, 0), *padding), (1, *x_dilation), (1, *dilation))


@RULES.rule(ReduceWindow)
@Whole
def batch_reduce_window(op: ReduceWindow[Batched]) -> ReduceWindow[Array]:
    return ReduceWindow(op.kind, (1, *op.sizes), _beside_lanes(op.window), op.x.value)


@RULES.rule(Chosen)
def batch_chosen(op: Chosen[Batched]) -> Lanes:
    size = size_of(op)
    x, y, values = [materialized(v, size) for v in op.operands]
    return perform(Chosen(op.kind, (1, *op.sizes), _beside_lanes(op.window), x, y, values)), True

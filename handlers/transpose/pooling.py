"""Transposes of folds over windows: of a sum, the sum over the reversed window; of `Chosen`, its other kind."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.functions.creation import creation
from effects.functions.windows.convolution_transposes import backwards
from effects.operations.pooling import Chosen, ChosenKind, ReduceWindow, WindowKind
from effects.program.chain import perform
from handlers.transpose.elementwise import not_linear
from handlers.transpose.rules import RULES, Cotangents, is_linear


@RULES.rule(ReduceWindow)
def transpose_reduce_window(op: ReduceWindow[Array], ct: Array) -> Cotangents:
    if op.kind is not WindowKind.SUM:
        raise not_linear(op)
    shape = op.x.aval.shape
    if not (ct.aval.size and 0 not in shape):
        return (creation.zeros(shape, dtype=ct.aval.dtype),)
    back = backwards(op.window, op.sizes, shape, ct.aval.shape)
    return (perform(ReduceWindow(op.kind, op.sizes, back, ct)),)


_BACK = {ChosenKind.GATHER: ChosenKind.SCATTER, ChosenKind.SCATTER: ChosenKind.GATHER}


@RULES.rule(Chosen)
def transpose_chosen(op: Chosen[Array], ct: Array) -> Cotangents:
    if is_linear(op.x) or is_linear(op.y):
        raise not_linear(op)
    return None, None, perform(Chosen(_BACK[op.kind], op.sizes, op.window, op.x, op.y, ct))

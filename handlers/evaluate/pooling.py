"""Folds over windows by NumPy: along one axis after the other, an operation on strided views for each element.

Narrow floats are folded in float32 and rounded once.
"""

from __future__ import annotations

import numpy as np

from effects.arrays.concrete import Concrete, Host, concrete
from effects.operations.pooling import AS_REDUCTION, Chosen, ChosenKind, ReduceWindow
from effects.operations.reduction import identity
from effects.program.chain import Performed
from effects.runtime.numpy_warnings import quiet
from effects.types.dtypes import NARROW, DType
from effects.types.shapes import Ints, Window, cuts, dilated
from handlers.evaluate.convolution import padded
from handlers.evaluate.reduction import UFUNCS
from handlers.evaluate.rules import RULES, result


@RULES.rule(ReduceWindow)
def evaluate_reduce_window(op: ReduceWindow[Concrete]) -> Performed:
    aval = op.types()
    kind = AS_REDUCTION[op.kind]
    x = padded(_wide(op.x.host, aval.dtype), op.window, identity(kind, aval.dtype))
    out = quiet.run(_folded, UFUNCS[kind], x, op.sizes, op.window, aval.shape)
    return result(quiet.run(np.asarray(out).astype, aval.dtype.dtype, "C"), aval)


def _wide(x: Host, dtype: type[DType]) -> Host:
    """Dtype of the computation."""
    return quiet.run(x.astype, np.float32) if dtype in NARROW else x


def _folded(ufunc: np.ufunc, x: Host, sizes: Ints, window: Window, shape: Ints) -> Host:
    for axis, (size, count, step, hole) in enumerate(
        zip(sizes, shape, window.strides, window.kernel_dilation, strict=True)
    ):
        if size == step == 1:
            continue
        length = max((count - 1) * step + 1, 0)
        before = (slice(None),) * axis
        parts = [x[(*before, slice(k * hole, k * hole + length, step))] for k in range(size)]
        x = parts[0]
        if size > 1:
            x = ufunc(x, parts[1])
            for part in parts[2:]:
                ufunc(x, part, out=x)
    return x


@RULES.rule(Chosen)
def evaluate_chosen(op: Chosen[Concrete]) -> Performed:
    aval = op.types()
    x, y, values = [_wide(v.host, aval.dtype) for v in op.operands]
    if not (x.size and y.size):
        return concrete(np.zeros(aval.shape, aval.dtype.dtype), aval)
    sums = _gathered if op.kind is ChosenKind.GATHER else _scattered
    out = quiet.run(sums, x, y, values, op.sizes, op.window)
    return result(quiet.run(np.asarray(out).astype, aval.dtype.dtype, "C"), aval)


def _gathered(x: Host, y: Host, values: Host, sizes: Ints, window: Window) -> Host:
    x, values = padded(x, window, 0), padded(values, window, 0)
    out = np.zeros_like(y)
    every = np.isnan(y)
    for start, limit in cuts(sizes, window, y.shape):
        at = tuple(map(slice, start, limit, window.strides))
        out += np.where((x[at] == y) | every, values[at], 0)
    return out


def _scattered(x: Host, y: Host, values: Host, sizes: Ints, window: Window) -> Host:
    around = padded(x, window, 0)
    sums = np.zeros_like(around)
    every = np.isnan(y)
    for start, limit in cuts(sizes, window, y.shape):
        at = tuple(map(slice, start, limit, window.strides))
        sums[at] += np.where((around[at] == y) | every, values, 0)
    reaches = [dilated(n, d) for n, d in zip(x.shape, window.x_dilation, strict=True)]
    back = Window(window.strides, tuple([(-a, -b) for a, b in window.padding]), (1,) * x.ndim, window.kernel_dilation)
    out: Host = padded(sums, back, 0)[tuple([slice(0, n, d) for n, d in zip(reaches, window.x_dilation, strict=True)])]
    return out

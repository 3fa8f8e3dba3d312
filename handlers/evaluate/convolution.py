"""Convolutions by NumPy: all parts under the kernel as the rows of a matrix, a product for each group.

A single line with another is NumPy's correlation, several times faster where the kernel is long.
"""

from __future__ import annotations

import functools
import math
from typing import Final

import numpy as np

from effects.arrays.concrete import Concrete, Host, concrete
from effects.operations.convolution import Convolution
from effects.program.chain import Performed
from effects.runtime.numpy_warnings import quiet
from effects.types.dtypes import NARROW, float32
from effects.types.shapes import Ints, Window, dilated
from handlers.evaluate.contraction import product
from handlers.evaluate.rules import RULES

_PART: Final = 2**10


@RULES.rule(Convolution)
def evaluate_convolution(op: Convolution[Concrete]) -> Performed:
    aval = op.types()
    layout, groups = op.layout, op.groups
    x, kernel = op.x.host.transpose(layout.x), op.kernel.host.transpose(layout.kernel)
    batch, features = x.shape[0], kernel.shape[0]
    places = tuple([aval.shape[axis] for axis in layout.out[2:]])
    shape = (batch, features, *places)
    if not (aval.size and x.size and kernel.size):
        return concrete(np.zeros(aval.shape, aval.dtype.dtype), aval)
    narrow = aval.dtype in NARROW
    if narrow:
        x, kernel = x.astype(np.float32), kernel.astype(np.float32)
    rank = len(places)
    finite = kernel.dtype.kind not in "fc" or bool(np.isfinite(kernel).all())
    if finite and x.shape[:2] == kernel.shape[:2] == (1, 1) and op.window.strides == op.window.kernel_dilation == (1,):
        line = quiet.run(_correlated, padded(x, op.window, 0)[0, 0], kernel[0, 0])
        return concrete(quiet.run(line.astype, aval.dtype.dtype).reshape(aval.shape), aval)
    rows = _rows(x, groups, kernel.shape[2:], places, op.window)
    columns = kernel.reshape((groups, features // groups, -1)).swapaxes(1, 2)
    if not finite:
        inside = _rows(np.ones(x.shape, np.bool), groups, kernel.shape[2:], places, op.window)
        out = quiet.run(_summed, rows, columns, inside)
    else:
        out = quiet.run(product, rows, columns, float32 if narrow else aval.dtype)
    out = quiet.run(out.astype, aval.dtype.dtype) if narrow else out
    out = out.reshape((groups, batch, *places, features // groups))
    out = out.transpose((1, 0, 2 + rank, *range(2, 2 + rank))).reshape(shape)
    back = sorted(range(len(shape)), key=layout.out.__getitem__)
    return concrete(np.ascontiguousarray(out.transpose(back)), aval)


def _correlated(x: Host, kernel: Host) -> Host:
    """The correlation of one line with another, in parts of the kernel, whose sums are as exact as a matrix's."""
    places = len(x) - len(kernel) + 1
    starts = range(0, len(kernel), _PART)
    parts = [(x[i : i + _PART + places - 1], kernel[i : i + _PART].conj()) for i in starts]
    out: Host = functools.reduce(np.add, [np.correlate(*part) for part in parts])
    return out


def _rows(x: Host, groups: int, kernel: Ints, places: Ints, window: Window) -> Host:
    """For each group the places of all examples, and what is under the kernel there."""
    rank = len(places)
    parts = _parts(padded(x, window, 0), kernel, places, window)
    parts = parts.reshape((x.shape[0], groups, x.shape[1] // groups, *parts.shape[2:]))
    rows = parts.transpose((1, 0, *range(3, 3 + rank), 2, *range(3 + rank, 3 + 2 * rank)))
    return rows.reshape((groups, x.shape[0] * math.prod(places), -1))


def _summed(rows: Host, columns: Host, inside: Host) -> Host:
    """The product, summed term by term over elements of x only: a zero of the padding times ∞ would be NaN."""
    out: Host = np.zeros((*rows.shape[:2], columns.shape[2]), np.result_type(rows, columns))
    for k in range(rows.shape[2]):
        out += np.where(inside[..., k, None], rows[..., k, None] * columns[:, k, None], 0)
    return out


def padded(x: Host, window: Window, fill: complex) -> Host:
    """`x` with `fill` between its elements and around them, along its last axes, which `window` has entries for."""
    lead = x.shape[: x.ndim - len(window.strides)]
    sizes = x.shape[len(lead) :]
    reaches = [dilated(n, d) for n, d in zip(sizes, window.x_dilation, strict=True)]
    if not any([before or after for before, after in window.padding]) and sizes == (*reaches,):
        return x
    around = [max(before, 0) + n + max(after, 0) for n, (before, after) in zip(reaches, window.padding, strict=True)]
    out = np.full((*lead, *around), fill, x.dtype)
    inside = [
        slice(max(before, 0), max(before, 0) + n, d)
        for n, d, (before, _) in zip(reaches, window.x_dilation, window.padding, strict=True)
    ]
    every = (slice(None),) * len(lead)
    out[(*every, *inside)] = x
    slices = [
        slice(max(-before, 0), n - max(-after, 0)) for n, (before, after) in zip(around, window.padding, strict=True)
    ]
    cut: Host = out[(*every, *slices)]
    return cut


def _parts(x: Host, kernel: Ints, places: Ints, window: Window) -> Host:
    """The elements under the kernel at every position: the axes of the positions, then those of the kernel."""
    steps = x.strides[2:]
    return np.lib.stride_tricks.as_strided(
        x,
        (*x.shape[:2], *places, *kernel),
        (
            *x.strides[:2],
            *[step * stride for step, stride in zip(steps, window.strides, strict=True)],
            *[step * dilation for step, dilation in zip(steps, window.kernel_dilation, strict=True)],
        ),
        writeable=False,
    )

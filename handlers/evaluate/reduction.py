"""Reductions by NumPy, with XLA's values for empty ones.

Sums and products of narrow floats are accumulated in float32 and rounded once. Sums of floats are pairwise along every
axis, where NumPy's are along contiguous memory only: elsewhere it adds one element after the other, and the error
grows with their count.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from effects.arrays.concrete import Concrete, Host, concrete
from effects.operations.reduction import ArgReduce, ArgReduceKind, Norm, Reduce, ReduceKind, identity
from effects.program.chain import Performed
from effects.runtime.numpy_warnings import quiet
from effects.types import dtypes
from effects.types.dtypes import DType
from handlers.evaluate.rules import RULES, result

_K = ReduceKind
UFUNCS: Final = {
    _K.AND: np.logical_and,
    _K.MAX: np.maximum,
    _K.MIN: np.minimum,
    _K.OR: np.logical_or,
    _K.PROD: np.multiply,
    _K.SUM: np.add,
}
_total: Final[Callable[..., Host]] = np.add.reduce
_IN_ORDER: Final = 128
"""Number of elements that may be added one after the other: NumPy's pairwise sums begin with blocks of that length."""

_EXACT_IN_ANY_ORDER: Final = 1000
"""Of so few elements the sum of squares is as exact in any order."""


@RULES.rule(Reduce)
def evaluate_reduce(op: Reduce[Concrete]) -> Performed:
    x = op.x.host
    aval = op.types()
    kind = op.kind
    narrow = aval.dtype in dtypes.NARROW and (kind is _K.SUM or kind is _K.PROD)
    if narrow:
        x = quiet.run(x.astype, np.float32)
    if kind is _K.SUM:
        out = quiet.run(_total if x.size <= _IN_ORDER else _sum, x, op.axes, x.dtype, None, op.keepdims)
    else:
        start = _start(kind, aval.dtype) if x.size == 0 else np._NoValue
        out = quiet.run(_fold, UFUNCS[kind], x, op.axes, op.keepdims, start)
    if narrow:
        out = quiet.run(np.asarray(out).astype, aval.dtype.dtype)
    return result(out, aval)


def _sum(x: Host, axes: tuple[int, ...], dtype: np.dtype[np.generic], out: None, keepdims: bool) -> Host:
    """Sum as `_total` computes it, with an error that does not grow with the length of the axes."""
    trailing = x.ndim == 1 or (axes[:1] == (x.ndim - len(axes),) and x.flags.c_contiguous)
    if trailing or dtype.kind not in "fc" or math.prod([x.shape[axis] for axis in axes]) <= _IN_ORDER:
        return _total(x, axes, dtype, out, keepdims)
    for axis in reversed(axes):
        contiguous = axis == x.ndim - 1 and x.flags.c_contiguous
        while not contiguous and x.shape[axis] > _IN_ORDER:
            x = _shortened(x, axis)
        x = _total(x, axis, dtype, out, True)
    return x if keepdims else x.squeeze(axes)


def _shortened(x: Host, axis: int) -> Host:
    """The sums of up to 32 elements each along `axis`, which lie far apart so that whole blocks of memory are added."""
    count = x.shape[axis]
    rest = -(-count // 32)
    blocks = count // rest
    before = (slice(None),) * axis
    split = x[(*before, slice(blocks * rest))].reshape((*x.shape[:axis], blocks, rest, *x.shape[axis + 1 :]))
    sums = _total(split, axis)
    sums[(*before, slice(count - blocks * rest))] += x[(*before, slice(blocks * rest, None))]
    return sums


def _fold(ufunc: np.ufunc, x: Host, axes: tuple[int, ...], keepdims: bool, start: object) -> Host:
    out: Host = ufunc.reduce(x, axis=axes, dtype=x.dtype, keepdims=keepdims, initial=start)
    return out


def _start(kind: ReduceKind, dtype: type[DType]) -> object:
    return identity(kind, dtype) if kind is _K.MAX or kind is _K.MIN else np._NoValue


@RULES.rule(ArgReduce)
def evaluate_argreduce(op: ArgReduce[Concrete]) -> Performed:
    find = np.argmax if op.kind is ArgReduceKind.ARGMAX else np.argmin
    return concrete(np.asarray(find(op.x.host, axis=op.axis), np.int64), op.types())


@RULES.rule(Norm)
def evaluate_norm(op: Norm[Concrete]) -> Performed:
    return result(quiet.run(_norm, op.x.host, op.axes, op.keepdims), op.types())


def _norm(x: Host, axes: tuple[int, ...], keepdims: bool) -> Host:
    if x.size < _EXACT_IN_ANY_ORDER and len(axes) == x.ndim and not keepdims and x.dtype.kind == "f":
        elements = x.ravel()
        norm: Host = np.sqrt(elements.dot(elements))
        return norm
    squares = x.real**2 + x.imag**2 if x.dtype.kind == "c" else x * x
    return np.sqrt(_sum(squares, axes, squares.dtype, None, keepdims))

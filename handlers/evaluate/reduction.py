"""Reductions by NumPy, with XLA's values for empty ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from effects import dtypes
from effects.chain import Performed
from effects.concrete import Concrete, Host
from effects.dtypes import DType
from effects.operations.reduction import ArgReduce, ArgReduceKind, Reduce, ReduceKind
from effects.quiet import quiet
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


def least(dtype: type[DType]) -> complex:
    """The identity of the maximum."""
    return -np.inf if issubclass(dtype, dtypes.Floating) else np.iinfo(dtype.dtype).min


def greatest(dtype: type[DType]) -> complex:
    """The identity of the minimum."""
    return np.inf if issubclass(dtype, dtypes.Floating) else np.iinfo(dtype.dtype).max


@RULES.rule(Reduce)
def evaluate_reduce(op: Reduce[Concrete]) -> Performed:
    x = op.x.host
    aval = op.types()
    if op.kind is _K.SUM:  # NumPy's pairwise summation needs no start value
        return result(quiet.run(_total, x, op.axes, x.dtype, None, op.keepdims), aval)
    start = _start(op.kind, aval.dtype) if x.size == 0 else np._NoValue
    return result(quiet.run(_fold, UFUNCS[op.kind], x, op.axes, op.keepdims, start), aval)


def _fold(ufunc: np.ufunc, x: Host, axes: tuple[int, ...], keepdims: bool, start: object) -> Host:
    out: Host = ufunc.reduce(x, axis=axes, dtype=x.dtype, keepdims=keepdims, initial=start)
    return out


def _start(kind: ReduceKind, dtype: type[DType]) -> object:
    if kind is _K.MAX:
        return least(dtype)
    if kind is _K.MIN:
        return greatest(dtype)
    return np._NoValue


@RULES.rule(ArgReduce)
def evaluate_argreduce(op: ArgReduce[Concrete]) -> Performed:
    find = np.argmax if op.kind is ArgReduceKind.ARGMAX else np.argmin
    return Concrete(np.asarray(find(op.x.host, axis=op.axis), np.int64), op.types())

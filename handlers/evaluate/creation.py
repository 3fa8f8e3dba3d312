"""Creation by NumPy."""

from __future__ import annotations

from typing import Final

import numpy as np

from effects.arrays.array import Array
from effects.arrays.concrete import Host, concrete
from effects.operations.creation import Band, Iota
from effects.program.chain import Performed
from effects.runtime.caches import memoised
from effects.types.dtypes import DType
from handlers.evaluate.rules import RULES

_CACHED_ELEMENTS: Final = 1024
"""Largest number of elements of a cached array; results are copies, since their memory may be donated."""


@RULES.rule(Iota)
def evaluate_iota(op: Iota[Array]) -> Performed:
    aval = op.types()
    counted = op.shape, op.dtype, op.axis
    return concrete(_few_counted(*counted).copy() if aval.size <= _CACHED_ELEMENTS else _counted(*counted), aval)


def _counted(shape: tuple[int, ...], dtype: type[DType], axis: int) -> Host:
    line = np.arange(shape[axis])
    if dtype.dtype is not line.dtype:
        line = line.astype(dtype.dtype)
    if len(shape) == 1:
        return line
    return np.broadcast_to(line.reshape([-1 if i == axis else 1 for i in range(len(shape))]), shape)


@RULES.rule(Band)
def evaluate_band(op: Band[Array]) -> Performed:
    aval = op.types()
    band = op.shape, op.low, op.high, op.dtype
    return concrete(_few_on_band(*band).copy() if aval.size <= _CACHED_ELEMENTS else _on_band(*band), aval)


def _on_band(shape: tuple[int, int], low: int, high: int, dtype: type[DType]) -> Host:
    n, m = shape
    if low == high:
        return np.eye(n, m, low, dtype.dtype)
    up_to = np.tri(n, m, high, np.bool_)
    chosen: Host = up_to if low <= -n else up_to & ~np.tri(n, m, low - 1, np.bool_)
    return chosen.astype(dtype.dtype, copy=False)


_few_counted, _few_on_band = memoised(_counted), memoised(_on_band)

"""Contractions by NumPy's matrix product."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np

from effects.chain import Performed
from effects.concrete import Concrete, Host
from effects.dtypes import complex64, complex128, float32, float64
from effects.operations.contraction import MATRICES, AxisPairs, DotGeneral
from effects.quiet import quiet
from handlers.evaluate.rules import RULES

type _Matrices = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]


@lru_cache(maxsize=4096)
def _as_matrices(x: tuple[int, ...], y: tuple[int, ...], contracting: AxisPairs, batch: AxisPairs) -> _Matrices:
    """The permutation and shape that make a (batch of) matrices of each operand."""
    (x_sum, y_sum), (x_batch, y_batch) = contracting, batch
    x_free = [a for a in range(len(x)) if a not in x_sum and a not in x_batch]
    y_free = [a for a in range(len(y)) if a not in y_sum and a not in y_batch]
    lanes = [x[a] for a in x_batch]
    summed = math.prod([x[a] for a in x_sum])
    return (
        (*x_batch, *x_free, *x_sum),
        (*lanes, math.prod([x[a] for a in x_free]), summed),
        (*y_batch, *y_sum, *y_free),
        (*lanes, summed, math.prod([y[a] for a in y_free])),
    )


@RULES.rule(DotGeneral)
def evaluate_dot_general(op: DotGeneral[Concrete]) -> Performed:
    aval = op.types()
    x, y = op.x.host, op.y.host
    if op.contracting is MATRICES and x.ndim == 2 == y.ndim and aval.dtype in _BLAS and not op.batch[0]:
        return Concrete(quiet.run(_dot, x, y), aval)
    x_axes, x_shape, y_axes, y_shape = _as_matrices(x.shape, y.shape, op.contracting, op.batch)
    x, y = x.transpose(x_axes).reshape(x_shape), y.transpose(y_axes).reshape(y_shape)
    product: Host = quiet.run(_dot if x.ndim == 2 and aval.dtype in _BLAS else np.matmul, x, y)
    if product.dtype != aval.dtype.dtype:
        product = product.astype(aval.dtype.dtype)  # NumPy gives the narrow types of ml_dtypes back as float32
    return Concrete(product.reshape(aval.shape), aval)


_dot: Final = np.ndarray.dot  # what `matmul` comes to, without a ufunc's preparations
_BLAS: Final = frozenset({float32, float64, complex64, complex128})

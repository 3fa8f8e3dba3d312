"""Contractions by NumPy's matrix product: of narrow floats in float32, rounded once."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from effects.arrays.concrete import Concrete, Host, concrete
from effects.operations.contraction import MATRICES, AxisPairs, DotGeneral
from effects.program.chain import Performed
from effects.runtime.caches import memoised
from effects.runtime.numpy_warnings import quiet
from effects.types.dtypes import NARROW, DType, complex64, complex128, float32, float64
from handlers.evaluate.rules import RULES

type _Matrices = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]


@memoised
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
    if (
        op.contracting is MATRICES
        and x.ndim == 2 == y.ndim
        and aval.dtype in _BLAS
        and not op.batch[0]
        and x.shape[1] <= _LONG
    ):
        return concrete(quiet.run(_dot, x, y), aval)
    x_axes, x_shape, y_axes, y_shape = _as_matrices(x.shape, y.shape, op.contracting, op.batch)
    x, y = x.transpose(x_axes).reshape(x_shape), y.transpose(y_axes).reshape(y_shape)
    out = quiet.run(product, x, y, aval.dtype)
    return concrete(out.reshape(aval.shape), aval)


def product(x: Host, y: Host, dtype: type[DType]) -> Host:
    """The product of (a batch of) matrices of one dtype."""
    if dtype in NARROW:
        return product(x.astype(np.float32), y.astype(np.float32), float32).astype(dtype.dtype)
    count = x.shape[-1]
    if count > _LONG and 1 in (x.shape[-2], y.shape[-1]) and dtype in _BLAS:
        return _by_parts(x, y, count - count % _PART)
    out: Host = (_dot if x.ndim == 2 and dtype in _BLAS else np.matmul)(x, y)
    return out


def _by_parts(x: Host, y: Host, length: int) -> Host:
    """The product with a vector, which BLAS adds up one element after the other, as the sum of products of parts."""
    rows, columns, count = x.shape[-2], y.shape[-1], length // _PART
    parts_of_x = x[..., :length].reshape((*x.shape[:-2], rows, count, _PART)).swapaxes(-3, -2)
    parts_of_y = y[..., :length, :].reshape((*y.shape[:-2], count, _PART, columns))
    out: Host = np.matmul(parts_of_x, parts_of_y).sum(-3) + np.matmul(x[..., length:], y[..., length:, :])
    return out


_dot: Final = np.ndarray.dot  # what `matmul` comes to, without a ufunc's preparations
_BLAS: Final = frozenset({float32, float64, complex64, complex128})
_LONG: Final = 2**15
_PART: Final = 2**10

"""What a case is: one operation over sample operands, and what is true of it.

A case is the operation itself with arrays as operands, so that the table says everything once: kind, parameters,
shapes, dtypes, values. Samples come from short fixed lists away from kinks and poles, no two of them equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

import effects as fx
from effects import Array, Operation, ShapedArray, perform
from effects.arrays.concrete import concrete
from effects.program.chain import Performed
from effects.types.dtypes import DType


@dataclass(frozen=True, eq=False)
class Case:
    """One operation over sample operands.

    `smooth` are the positions of the operands in which it is differentiable around the samples; `linear` are the sets
    of operands in which it is jointly linear, the others held fixed. Differentiable operands are float64 or complex128.
    """

    name: str
    op: Operation[Array]
    smooth: tuple[int, ...] = ()
    linear: tuple[tuple[int, ...], ...] = ()

    @property
    def operands(self) -> tuple[Array, ...]:
        return self.op.operands

    def on(self, *operands: Array) -> Performed:
        """The operation performed on other operands."""
        following = iter(operands)
        return perform(self.op.map(lambda _: next(following)))

    def all_on(self, *operands: Array) -> tuple[Array, ...]:
        """The same, its results always a tuple."""
        result = self.on(*operands)
        return result if isinstance(result, tuple) else (result,)


LINE = (-2.3, 1.25, -0.6, 2.1, 0.35, -1.4, 0.8, -1.7, 1.65, -0.15, 2.7, -0.9)
POSITIVE = (0.7, 3.1, 0.2, 1.3, 4.6, 2.4, 1.9, 0.45, 3.7, 1.05, 2.9, 0.6)
OTHERS = (1.1, -0.4, 2.6, -1.9, 0.55, 1.75, -2.8, 0.95, -1.15, 2.2, -0.7, 0.25)


def array(values: npt.ArrayLike, dtype: type[DType] = fx.float64) -> Array:
    """An array of the given elements."""
    return fx.asarray(np.asarray(values).astype(dtype.dtype))


def shaped(shape: Sequence[int], values: Sequence[complex] = LINE, dtype: type[DType] = fx.float64) -> Array:
    """An array of `shape` filled with `values`, scaled a little where they have to be used again."""
    size = prod(shape)
    flat = [values[i % len(values)] * (1 - 0.01 * (i // len(values))) for i in range(size)]
    return array(np.reshape(np.array(flat), tuple(shape)), dtype)


def waves(shape: Sequence[int]) -> Array:
    """A complex128 array of `shape`."""
    return shaped(shape, [complex(x, 0.3 * y) for x, y in zip(LINE, OTHERS, strict=True)], fx.complex128)


def whole(shape: Sequence[int], dtype: type[DType] = fx.int64, start: int = -3) -> Array:
    """An array of `shape` of small integers, negative ones too where the dtype has them."""
    return array(np.arange(start, start + prod(shape)).reshape(tuple(shape)), dtype)


def bools(shape: Sequence[int]) -> Array:
    """A bool array of `shape`."""
    return array(np.arange(prod(shape)).reshape(tuple(shape)) % 3 == 1, fx.bool)


def weak(value: complex) -> Array:
    """A Python number as an operation sees it."""
    host = np.asarray(value)
    return concrete(host, ShapedArray((), fx.asarray(host).dtype, weak_type=True))

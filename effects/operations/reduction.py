"""Reductions: folds over whole axes."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from effects.errors import DTypeError
from effects.program.operation import Kind, Single, operation
from effects.types import dtypes, shapes
from effects.types.avals import ShapedArray, Typed
from effects.types.dtypes import DType


class ReduceKind(Kind):
    """The folds. `AND` and `OR` take bools; an empty `MAX` is the least value, an empty `MIN` the greatest."""

    AND = "reduce_and"
    MAX = "reduce_max"
    MIN = "reduce_min"
    OR = "reduce_or"
    PROD = "reduce_prod"
    SUM = "reduce_sum"


@cache
def _end(dtype: type[DType]) -> float:
    """∞, or the greatest number of dtypes without infinities."""
    number = dtype.dtype.type
    return math.inf if number(math.inf) > number(1) else float(dtypes.ml_dtypes.finfo(dtype.dtype).max)


def identity(kind: ReduceKind, dtype: type[DType]) -> complex:
    """Identity element of a reduction: its result for no elements."""
    if kind is ReduceKind.MAX or kind is ReduceKind.MIN:
        if dtype is dtypes.bool_:
            return kind is ReduceKind.MIN
        if issubclass(dtype, dtypes.Floating):
            return -_end(dtype) if kind is ReduceKind.MAX else _end(dtype)
        limits = np.iinfo(dtype.dtype.name)
        return int(limits.min if kind is ReduceKind.MAX else limits.max)
    return kind in (ReduceKind.AND, ReduceKind.PROD)


class ArgReduceKind(Kind):
    """The positions of extremes: the first one, and the first NaN if there is any."""

    ARGMAX = "argmax"
    ARGMIN = "argmin"


@operation
class Reduce[V](Single[V]):
    """The fold of `x` over `axes` (sorted, not negative), which are removed, or have size 1 if `keepdims`.

    Sums and products of narrow floats (`dtypes.NARROW`) are accumulated in float32 and rounded once.
    """

    kind: ReduceKind
    axes: tuple[int, ...]
    x: V
    keepdims: bool = False

    @property
    def name(self) -> str:
        return self.kind.printed

    def types(self: Reduce[Typed]) -> ShapedArray:
        return _reduced_type(self.kind, self.axes, self.x.aval, self.keepdims)


def _reduced_type(kind: ReduceKind, axes: tuple[int, ...], x: ShapedArray, keepdims: bool) -> ShapedArray:
    logical = kind in (ReduceKind.AND, ReduceKind.OR)
    if logical != (x.dtype is dtypes.bool_):
        raise DTypeError(f"{kind.value} takes {'bools' if logical else 'numbers'}, got {x}; convert with astype")
    if issubclass(x.dtype, dtypes.Complex) and kind in (ReduceKind.MAX, ReduceKind.MIN):
        raise DTypeError(f"{kind.value}: complex numbers are not compared, got {x}")
    return x.with_shape(shapes.reduce(kind.value, x.shape, axes, keepdims))


@operation
class ArgReduce[V](Single[V]):
    """The position along `axis` of the extreme of `x`, as int64; the axis must not be empty."""

    kind: ArgReduceKind
    axis: int
    x: V

    @property
    def name(self) -> str:
        return self.kind.printed

    def types(self: ArgReduce[Typed]) -> ShapedArray:
        x = self.x.aval
        if issubclass(x.dtype, dtypes.Complex):
            raise DTypeError(f"{self.name}: complex numbers are not compared, got {x}")
        return ShapedArray(shapes.argreduce(self.name, x.shape, self.axis), dtypes.int64)


@operation
class Norm[V](Single[V]):
    """√Σ|x|² over `axes`, as `Reduce` has these; its derivative at 0 is 0.

    Of single and double precision, real and complex.
    """

    name = "norm"
    axes: tuple[int, ...]
    x: V
    keepdims: bool = False

    def types(self: Norm[Typed]) -> ShapedArray:
        x = self.x.aval
        real = dtypes.real_of(x.dtype)
        if real not in (dtypes.float32, dtypes.float64):
            raise DTypeError(f"{self.name} takes numbers of single or double precision, got {x}; convert with astype")
        return ShapedArray(shapes.reduce(self.name, x.shape, self.axes, self.keepdims), real)

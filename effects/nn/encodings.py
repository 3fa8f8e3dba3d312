"""Positions as rows of zeros with a one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from effects.arguments import describe, integer, natural
from effects.arrays.array import Array
from effects.arrays.promotion import integral
from effects.errors import ArgumentError
from effects.functions.creation import creation
from effects.functions.elementwise import logic, unary
from effects.functions.manipulation import movement
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.types.dtypes import ForeignDType
    from effects.types.signatures.becoming import Integers, W


def one_hot(
    x: Integers[W], /, num_classes: int, *, dtype: type[DT] | ForeignDType | None = None, axis: int = -1
) -> Array[DT]:
    """For each integer of x a row of `num_classes` zeros with a one at that place; only zeros where there is none.

    `axis` is the position of the rows in the result, `dtype` the default float if it is None. Raises DTypeError unless
    x is of integers.

    >>> import effects as fx
    >>> fx.nn.one_hot(fx.asarray([1, 0, 3]), 3)
    Array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]], float64)
    """
    array = integral("one_hot", x)
    if getattr(num_classes, "ndim", 0) or isinstance(num_classes, list | tuple):
        raise ArgumentError(f"one_hot: num_classes is {describe(num_classes)}; write one_hot(labels, num_classes)")
    n = natural("one_hot", "num_classes", num_classes)
    shape = (*array.aval.shape, n)
    at = shapes.normalize_axis("one_hot", shape, integer("one_hot", "axis", axis))
    target = dtypes.default_of(float) if dtype is None else dtypes.as_dtype(dtype)
    places = creation.iota(dtypes.int64, (n,), 0)
    wide = dtypes.uint64 if array.aval.dtype is dtypes.uint64 else dtypes.int64
    hot = logic.equal(movement.expand_dims(unary.astype(array, wide), axis=-1), unary.astype(places, wide))
    rows: Array = unary.astype(hot, target)
    return movement.moveaxis(rows, -1, at)

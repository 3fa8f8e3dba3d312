"""Products of groups of rows with a matrix for each group."""

from __future__ import annotations

from effects.arguments import choice
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import constant_like, integral, multiplied_in, promote_pair
from effects.errors import ArgumentError, ShapeError
from effects.functions.creation import creation
from effects.functions.elementwise import logic
from effects.functions.manipulation import movement
from effects.functions.reductions import cumulative, reduction
from effects.operations.contraction import DotGeneral, Precision
from effects.program.chain import perform
from effects.types.dtypes import DTypeLike

_NAME = "ragged_dot"


def ragged_dot(
    x: ArrayLike,
    y: ArrayLike,
    /,
    group_sizes: ArrayLike,
    *,
    preferred_element_type: DTypeLike | None = None,
    precision: Precision = "default",
) -> Array:
    """Each row of x times the matrix of its group: x is [m, k], y [g, k, n], and the result [m, n].

    The rows of a group are next to each other: the first `group_sizes[0]` rows are the first group. Rows behind all
    groups give 0. Where the sizes are known, each group is a product of its own; else all rows are multiplied with all
    matrices, and what does not belong together is dropped. The last two arguments are as in `dot_general`.

    Sizes that are not known count as far as there are rows. Raises ShapeError where shapes do not fit, DTypeError
    unless `group_sizes` are integers, ArgumentError for sizes that are known and negative or more than there are rows.

    >>> import effects as fx
    >>> fx.ragged_dot(fx.asarray([[1.0], [2.0], [3.0]]), fx.asarray([[[10.0]], [[100.0]]]), fx.asarray([1, 2]))
    Array([[ 10.],
           [200.],
           [300.]], float64)
    """
    a, b = promote_pair(_NAME, x, y)
    if preferred_element_type is not None:
        a, b = [multiplied_in(v, preferred_element_type, _NAME, name) for v, name in ((a, "x"), (b, "y"))]
    choice(_NAME, "precision", precision, Precision)
    sizes = integral(_NAME, group_sizes, "group_sizes")
    of_x, of_y, groups = a.aval.shape, b.aval.shape, sizes.aval.shape
    if len(of_x) != 2 or len(of_y) != 3 or of_x[1] != of_y[1] or groups != of_y[:1]:
        raise ShapeError(
            f"{_NAME}: x must be [m, k], y [g, k, n] and group_sizes [g], got {a.aval}, {b.aval} and {sizes.aval}"
        )
    if (known := sizes.known()) is None:
        return _of_unknown(a, b, sizes, precision)
    return _of_known(a, b, [int(size) for size in known.fetch()], precision)


def _of_known(x: Array, y: Array, sizes: list[int], precision: Precision) -> Array:
    rows = x.aval.shape[0]
    if min(sizes, default=0) < 0 or sum(sizes) > rows:
        raise ArgumentError(
            f"{_NAME}: group_sizes must be natural numbers of at most {rows} rows together, got {sizes}"
        )
    parts = []
    at = 0
    for group, size in enumerate(sizes):
        if size:
            matrix = movement.reshape(movement.slice_axis(y, 0, group, group + 1), y.aval.shape[1:])
            parts.append(
                perform(DotGeneral(((1,), (0,)), ((), ()), movement.slice_axis(x, 0, at, at + size), matrix, precision))
            )
        at += size
    if at < rows or not parts:
        parts.append(creation.zeros((rows - at, y.aval.shape[2]), dtype=x.aval.dtype))
    return movement.concat(parts)


def _of_unknown(x: Array, y: Array, sizes: Array, precision: Precision) -> Array:
    """Product for unknown group sizes.

    Rows outside of a group are 0 before the product and removed by a selection after it, so that ∞ and NaN stay in
    their group, also in derivatives.
    """
    ends = cumulative.cumulative_sum(sizes)
    row = creation.iota(ends.aval.dtype, (*sizes.aval.shape, x.aval.shape[0]), 1)
    column = movement.expand_dims(ends, axis=1)
    inside = logic.logical_and(row < column, row >= column - movement.expand_dims(sizes, axis=1))
    inside = movement.expand_dims(inside, axis=2)
    zero = constant_like(0, x)
    products = perform(DotGeneral(((2,), (1,)), ((0,), (0,)), logic.where(inside, x, zero), y, precision))
    return reduction.sum(logic.where(inside, products, zero), axis=0, dtype=products.aval.dtype)

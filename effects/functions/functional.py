"""Functions of functions: over several axes, and over the positions of a grid. Names and semantics are NumPy's."""

from __future__ import annotations

from collections.abc import Callable

from effects.arguments import check_callable, integers
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array
from effects.errors import ShapeError
from effects.functions.creation import grids
from effects.functions.manipulation import movement
from effects.types import shapes
from effects.types.dtypes import DTypeLike


def apply_over_axes(func: Callable[[Array, int], ArrayLike], a: ArrayLike, axes: int | tuple[int, ...]) -> Array:
    """`func(a, axis)` for one axis after the other, each of which stays with size 1 where it is folded away.

    >>> import effects as fx
    >>> fx.apply_over_axes(fx.sum, fx.ones((2, 3, 4)), (0, 2))
    Array([[[8.],
            [8.],
            [8.]]], float64)
    """
    check_callable("apply_over_axes", func, "func")
    array = as_array(a, "apply_over_axes", "a")
    for axis in integers("apply_over_axes", "axes", axes):
        at = shapes.normalize_axis("apply_over_axes", array.aval.shape, axis)
        result: Array = as_array(func(array, at), "apply_over_axes", "the result of func")
        if result.aval.ndim == array.aval.ndim - 1:
            result = movement.expand_dims(result, axis=at)
        if result.aval.ndim != array.aval.ndim:
            raise ShapeError(
                f"apply_over_axes: func must keep the rank or fold the axis away, of {array.aval} it gave {result.aval}"
            )
        array = result
    return array


def fromfunction[R](
    function: Callable[..., R], shape: tuple[int, ...], *, dtype: DTypeLike = float, **kwargs: object
) -> R:
    """Array of the values of `function` on the positions along each axis of a grid: arrays of `dtype`, of that shape.

    Keyword arguments come to it as they are. It is called once.

    >>> import effects as fx
    >>> fx.fromfunction(lambda i, j: 10 * i + j, (2, 3), dtype=int)
    Array([[ 0,  1,  2],
           [10, 11, 12]], int64)
    """
    check_callable("fromfunction", function, "function")
    sizes = shapes.static_shape("fromfunction", shape, "shape")
    places = [movement.broadcast_to(part, sizes) for part in grids.indices(sizes, dtype, sparse=True)]
    return function(*places, **kwargs)

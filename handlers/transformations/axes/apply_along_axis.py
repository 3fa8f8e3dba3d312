"""A function of vectors for every line along an axis: `apply_along_axis`, NumPy's name of a `vmap` over all others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Concatenate

import effects as fx
from effects.arguments import check_callable, function_name, in_the_name_of
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array
from effects.errors import ShapeError
from effects.types import shapes
from handlers.transformations.axes.batching import vmap


def apply_along_axis[**P](
    func1d: Callable[Concatenate[Array, P], ArrayLike | Sequence[ArrayLike]],
    axis: int,
    arr: ArrayLike,
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> Array:
    """`func1d(line, *args, **kwargs)` of every line of `arr` along `axis`, which the axes of the results replace.

    `func1d` is called once, with all lines at once (`vmap`), so it cannot ask for their values. `args` and `kwargs` are
    passed unchanged. Raises ShapeError for arrays of rank 0.

    >>> import effects as fx
    >>> apply_along_axis(lambda line: line[-1] - line[0], 1, fx.asarray([[1.0, 2.0, 4.0], [0.0, 5.0, 9.0]]))
    Array([3., 9.], float64)
    """
    check_callable("apply_along_axis", func1d, "func1d")
    array = as_array(arr, "apply_along_axis", "arr")
    if not array.aval.ndim:
        raise ShapeError(f"apply_along_axis: arr must have at least one axis, got {array.aval}")
    position = shapes.normalize_axis("apply_along_axis", array.aval.shape, axis)
    lines = fx.moveaxis(array, position, -1)
    *others, n = lines.aval.shape

    @in_the_name_of(func1d)
    def of_line(line: Array) -> Array:
        result = func1d(line, *args, **kwargs)
        if isinstance(result, list | tuple):
            return fx.asarray(result)
        return as_array(result, "apply_along_axis", f"the result of {function_name(func1d)}")

    if not others:
        return of_line(lines)
    results = vmap(of_line)(fx.reshape(lines, (-1, n) if n else (math.prod(others), n)))
    _, *sizes = results.aval.shape
    unflattened = fx.reshape(results, (*others, *sizes))
    first = len(others)
    return fx.moveaxis(
        unflattened, tuple(range(first, first + len(sizes))), tuple(range(position, position + len(sizes)))
    )
